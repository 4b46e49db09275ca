"""Conditional moves: the turns that a player prepares for what the opponent may play, as a tree of lines.

A line is read on the position it starts from and names every turn on the way, so that nothing is ever played on a
position that its author hasn't foreseen. Only `else` answers a turn that isn't named, and it ends its line.

Nothing here knows of matches, players, rows or mail.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from engines.core import Position, Seat
from notation.core import Notation
from pbem.errors import Refused
from pbem.matches import turn_parsing
from pbem.matches.turn_parsing import ReadTurn

IF, THEN, ELSE, RESIGN = "if", "then", "else", "resign"
MOST_LINES = 8
MOST_TURNS = 60
MOST_TRIED = 40  # how many turns of the opponent a queued turn is tried after
LONGEST = 4_000
MOST_WORDS = 8  # of a turn in a condition: more are prose

ConditionLine = tuple[str, ...]
"""Turns in canonical texts, from the opponent's next one to one of the author's; ELSE stands for any other turn.

RESIGN at the end stands for no turn: its author gives up.
"""

_WORD = re.compile(rf"(?<!\S)({IF}|{THEN}|{ELSE})[,:;]?(?!\S)", re.IGNORECASE)
_SQUARE = re.compile(r"[a-z]\d|[+x]{4}|(?<!\S)[-.]{2,}(?!\S)|\A\W*(?:pass|swap)\W*\Z", re.IGNORECASE)
"""What every turn has: a square, the sides of discs in a set-up, or the mark of a piece that stays; or it is a word."""
_USAGE = 'Write "if TURN then TURN", with "then" in front of each turn that follows.'


@dataclass(frozen=True, slots=True)
class Conditions:
    lines: tuple[ConditionLine, ...] = ()

    def after(self, turn: str) -> "Conditions":
        """Return what is left once that turn was played, by whoever was to move.

        >>> tree = Conditions((("a1a2", "c3c4"), ("a1a2", "c3c4", "a2a3", "c4c5"), (ELSE, "e5e6")))
        >>> tree.after("a1a2").after("c3c4").lines, tree.after("a1a3").lines
        ((('a2a3', 'c4c5'),), (('e5e6',),))
        """
        named = [line[1:] for line in self.lines if line[0] == turn]
        rest = named or [line[1:] for line in self.lines if line[0] == ELSE]
        return Conditions(tuple(dict.fromkeys(line for line in rest if line)))

    @property
    def resigns(self) -> bool:
        return bool(self.lines) and self.lines[0][0] == RESIGN

    def next_turn(self, notation: Notation[Any], position: Position[Any]) -> ReadTurn | None:
        """Return the author's next turn on a position in which they are to move; None if it isn't legal and complete.

        Only what follows `else` can be illegal.
        """
        if not self.lines or position.turn is None or not turn_parsing.is_legal(notation, position, self.lines[0][0]):
            return None
        move = notation.parse(self.lines[0][0])
        after = position.play(move)
        return ReadTurn(notation.format(move, position), move, after) if after.part is None else None


def read(notation: Notation[Any], base: Position[Any], seat: Seat, text: str, known: Conditions) -> Conditions:
    """Return the known conditions and those in the text, one a line, for the seat that isn't to move in that position.

    Raises Refused, which names the line and the turn, where one is illegal or contradicts another.
    """
    if len(text) > LONGEST:
        raise Refused("That's too much to read at once.", fits=f"You can prepare up to {MOST_TURNS} turns.")
    written = [line for line in text.splitlines() if line.strip()]
    walks = [_walk(notation, base, seat, line) for line in known.lines]
    for number, line in enumerate(written, start=1):
        for steps in _alternatives(_steps(line)):
            try:
                walks.append(_Reader(notation, base, seat).walk(steps))
            except Refused as refusal:
                where = f"Line {number}: " if len(written) > 1 else ""
                refusal.sentence = f"{where}{refusal.sentence}"
                raise
    _check_agreement(walks)
    lines = [walk.line for walk in walks]
    beginnings = {line[:at] for line in lines for at in range(1, len(line))}
    if len({*lines} - beginnings) > MOST_LINES or len({*lines} | beginnings) > MOST_TURNS:
        raise Refused(
            "That's more than you can prepare in a match.",
            fits=f"At most {MOST_LINES} lines with {MOST_TURNS} turns together.",
        )
    return Conditions(tuple(line for line in dict.fromkeys(lines) if line not in beginnings))


def queued(text: str) -> str:
    return f"{ELSE} {text}"


def seems_meant(text: str) -> bool:
    """Return whether a text that begins with `if` or `else` is more likely a condition than prose."""
    pieces = _pieces(text)
    with_squares = [_SQUARE.search(piece) is not None for piece in pieces]
    is_prose = any(sum(map(str.isalpha, piece.split())) > MOST_WORDS for piece in pieces)
    return any(with_squares) and (all(with_squares) or len(pieces) > 1) and not is_prose


def is_plain(text: str) -> bool:
    """Return whether a text is a condition and hardly has a word that is none of a turn.

    >>> is_plain("if a7b7 then c3e5 quadrupel"), is_plain("If you play a7b7 then I'm lost at c1c4")
    (True, False)
    """
    pieces = [piece for piece in _pieces(text) if not _resigns(piece)]
    words = [sum(word.isalpha() and len(word) > 1 for word in piece.split()) for piece in pieces]
    return bool(pieces) and max(words) < 2 and all(map(_SQUARE.search, pieces))


def _pieces(text: str) -> list[str]:
    return [piece for piece in _WORD.split(text)[2::2] if piece.strip()]


def _resigns(text: str) -> bool:
    return text.lower().strip(" .!,").removeprefix("i ") == RESIGN


@dataclass(frozen=True, slots=True)
class _Step:
    words: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class _Walk:
    line: ConditionLine
    own: tuple[bool, ...]


def _steps(line: str) -> list[_Step]:
    """Return the turns of a line with the words in front of them."""
    pieces = _WORD.split(line)
    if pieces[0].strip():
        raise Refused("A condition starts with the turn of your opponent.", read=line, fits=_USAGE)
    steps: list[_Step] = []
    words: tuple[str, ...] = ()
    for word, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        words += (word.lower(),)
        text = " ".join(piece.split()).strip(",;: ")
        if len(text) > 1 and text[-1] in ".!?" and text[-2].isalnum():
            text = text[:-1]
        if text:
            steps.append(_Step(words, text))
            words = ()
    if words or not steps:
        raise Refused(f'A turn is missing after "{words[-1] if words else IF}".', read=line, fits=_USAGE)
    return steps


def _alternatives(steps: list[_Step]) -> Iterator[list[_Step]]:
    """Yield the lines in one line: `if A then B else C` is two, and so is `if A then B else if C then D`."""
    at = next((at for at, step in enumerate(steps) if at and step.words[0] == ELSE), None)
    if at is None:
        yield steps
        return
    if any(IF in step.words for step in steps[1:at]):
        raise Refused(
            f'It isn\'t clear which "{IF}" this "{ELSE}" belongs to.',
            read=f"{ELSE} {steps[at].text}",
            fits='Begin a new line: "else TURN", or "if TURN then TURN then else TURN" after a turn of yours.',
        )
    yield steps[:at]
    yield from _alternatives(steps[at:])


class _Reader:
    def __init__(self, notation: Notation[Any], base: Position[Any], seat: Seat) -> None:
        self._notation, self._position, self._seat = notation, base, seat
        self._line: list[str] = []
        self._own: list[bool] = []

    def walk(self, steps: list[_Step]) -> _Walk:
        for number, step in enumerate(steps, start=1):
            try:
                self._check_words(step, first=number == 1)
                self._take(step)
            except Refused as refusal:
                if number > 1:
                    refusal.sentence = f"Turn {number} of it: {refusal.sentence}"
                    refusal.read = refusal.read or step.text
                raise
        if not self._own[-1]:
            raise Refused(
                "It ends with a turn of your opponent.", read=steps[-1].text, fits='Add "then" and your own turn.'
            )
        return _Walk(tuple(self._line), tuple(self._own))

    def _check_words(self, step: _Step, *, first: bool) -> None:
        words = step.words[1:] if step.words[:2] == (ELSE, IF) else step.words
        if words not in (((IF,), (ELSE,)) if first else ((THEN,), (THEN, IF), (THEN, ELSE))):
            raise Refused(f'"{" ".join(step.words)}" doesn\'t fit there.', read=step.text, fits=_USAGE)
        if self._line and ELSE in self._line:
            raise Refused(f'Nothing can follow a turn after "{ELSE}": the board isn\'t known then.', read=step.text)
        if self._position.turn is None or RESIGN in self._line:
            raise Refused("The match would be over before that.", read=step.text)

    def _take(self, step: _Step) -> None:
        is_own = self._position.turn == self._seat
        if is_own and (IF in step.words or ELSE in step.words):
            raise Refused(
                "It would be your own turn there.", read=step.text, fits=f'Write only "{THEN}" in front of it.'
            )
        if _resigns(step.text):
            if not is_own:
                raise Refused(
                    "You can only prepare to resign after a turn of your opponent that you name.",
                    read=step.text,
                    fits=f'Write "{IF} TURN {THEN} {RESIGN}". "{RESIGN}" alone gives up now.',
                )
            self._add(RESIGN, own=True)
            return
        parsed = turn_parsing.parse(self._notation, step.text)
        if ELSE in step.words and IF not in step.words:
            if parsed.error is not None:
                raise turn_parsing.unreadable(self._notation, parsed.error)
            self._add(ELSE, own=False)
            self._add(self._canonical(step.text, parsed.move), own=True)
            return
        turn = turn_parsing.read(self._notation, self._position, None, parsed)
        if not turn.complete:
            raise Refused("That's not a complete turn.", read=step.text, fits="Write the whole turn.")
        self._add(turn.text, own=is_own)
        self._position = turn.position

    def _canonical(self, text: str, move: Any) -> str:
        """Return the text of a turn that answers any other; raise Refused where it is only the beginning of one.

        That is looked for after a few of the opponent's turns, as nobody knows the right one.
        """
        is_part = False
        for played in islice(self._position.moves(), MOST_TRIED):
            after = self._position.play(played)
            if after.turn != self._seat or not turn_parsing.is_legal(self._notation, after, text):
                continue
            if after.play(move).part is None:
                return self._notation.format(move, after)
            is_part = True
        if is_part:
            raise Refused("That's not a complete turn.", read=text, fits="Write the whole turn.")
        return text

    def _add(self, text: str, *, own: bool) -> None:
        self._line.append(text)
        self._own.append(own)


def _walk(notation: Notation[Any], base: Position[Any], seat: Seat, line: ConditionLine) -> _Walk:
    """Return a line that was read before on that position."""
    own: list[bool] = []
    position = base
    for text in line:
        after_else = ELSE in line[: len(own)]
        own.append(after_else or (text != ELSE and position.turn == seat))
        if text not in (ELSE, RESIGN) and not after_else:
            position = position.play(notation.parse(text))
    return _Walk(line, tuple(own))


def _check_agreement(walks: list[_Walk]) -> None:
    answers: dict[ConditionLine, str] = {}
    for walk in walks:
        for at, (text, is_own) in enumerate(zip(walk.line, walk.own, strict=True)):
            before = walk.line[:at]
            if is_own and answers.setdefault(before, text) != text:
                to = "any other turn" if before[-1] == ELSE else "the same turn"
                raise Refused(
                    f"There are two answers to {to}.",
                    read=f"{answers[before]} / {text}",
                    fits='Keep one of them. "cancel conditions" drops what you have prepared.',
                )
