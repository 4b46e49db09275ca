"""Lines of a mail -> commands and prose. Nothing is executed here.

A mail is: perhaps a greeting, then commands, one a line, then prose. The Subject of a fresh mail counts as
a line before the first when it is a command. What is neither a command nor a move is prose.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from engines import GAMES
from notation import NOTATIONS
from notation.core import BadNotation
from pbem.characters import smoothed
from pbem.commands.core import Command, Line, named
from pbem.mail import bare_subject

NUMBER = re.compile(r"#?(\d{1,9})(?:#(\d{1,4}))?(?:\s+|$)")
RECORD_ROW = re.compile(r"\d{1,3}\.?\s{2,}")
TAG = re.compile(r"\[pbem #(\d{1,9})\]")
LONGEST_LINE = 1_000
MOST_COMMANDS = 20

GameOf = Callable[[int], str | None]
"""The game's key of a match by number; None where there is no such match."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a mail says: commands, then prose for the opponent."""

    commands: tuple[Line, ...]
    prose: tuple[str, ...]
    first: str
    """The first line that says anything, for the answer to a mail without any command."""


def tagged_match(subject: str) -> int | None:
    """The match in the Subject of an answer.

    >>> tagged_match("Re: [pbem #42] Quadraphages: alice - bob")
    42
    """
    tag = TAG.search(subject)
    return int(tag[1]) if tag else None


class Reader:
    """Reads the lines of one mail."""

    def __init__(self, commands: Mapping[str, Command], game_of: GameOf, match: int | None) -> None:
        self._commands = commands
        self._game_of = game_of
        self._match = match

    def read(self, subject: str, lines: Sequence[str]) -> Reading:
        """The commands and the prose of a mail that is about `match`, where it is about one."""
        found: list[Line] = []
        before: list[str] = []
        after: list[str] = []
        head = self._read_line(bare_subject(subject)) if subject else None
        if head is not None and not head.misfit and (not head.command.of_match or head.match is not None):
            found.append(head)
        for number, raw in enumerate(lines):
            line = raw.strip()[:LONGEST_LINE]
            if not line:
                (before if not found else after).append("")
                continue
            if after and any(after):
                after.append(raw)
                continue
            command = self._read_line(line) if len(found) < MOST_COMMANDS else None
            if command is None or (command.misfit and found and command.command.name != "move"):
                (after if found else before).append(raw)
            elif found and number and command.text == found[0].text == bare_subject(subject):
                continue  # the Subject said it already
            else:
                found.append(command)
        first = next((line.strip() for line in before if line.strip()), "")
        return Reading(tuple(found), _trimmed([*before, "", *after] if found else []), first)

    def _read_line(self, written: str) -> Line | None:
        """The line as a command, whatever characters a phone made of it; words to be passed on stay as written."""
        plain = smoothed(written)
        line = self._line(plain)
        if line is None or plain == written:
            return line
        words = written[len(written) - len(line.words) :] if line.command.name == "say" else line.words
        return replace(line, words=words, text=written if line.text == plain else line.text)

    def _line(self, text: str) -> Line | None:
        """The line as a command; None for prose."""
        words, match, named_match, pointed = text, self._match, False, False
        ply: int | None = None
        if text.startswith("#") and (number := NUMBER.match(text)):
            match, words, named_match, pointed = int(number[1]), text[number.end() :], True, True
            ply = _ply(number)
        verb, _, rest = words.partition(" ")
        game: str | None = None
        if verb.lower().rstrip(":") in GAMES and rest:
            game = verb.lower().rstrip(":")
            verb, _, rest = rest.strip().partition(" ")
        command = named(self._commands, verb.lower().rstrip(":!.") if not rest else verb.lower().rstrip(":"))
        if command is None:
            # "quadraphages c1b1 g9h9 3": a game in front of a bare move does no harm, but "quadrupel c3e5" means it.
            bare = f"{verb} {rest}" if game is not None and not pointed else ""
            moved = self._move(words, match, text, pointed=pointed) or (
                self._move(bare, match, text, pointed=False) if bare else None
            )
            return replace(moved, misfit=True) if moved and ply is not None else moved
        rest = rest.strip()
        if game is not None and command.name in ("challenge", "help", "rules"):
            rest = f"{game} {rest}".strip()
        if command.name == "join" and rest:
            # "signup alice PASSWORD", as Rognlie's players write it: we have no use for it, and never repeat it.
            rest = rest.split()[0]
            text = f"join {rest}"
        if (
            command.of_match
            and not named_match
            and (number := NUMBER.match(rest))
            and (rest.startswith("#") or self._leads(command, rest, number, game))
        ):
            match, ply, rest = int(number[1]), _ply(number), rest[number.end() :].strip()
        is_prose = command.takes_turn and bool(rest) and not self._is_turn(rest, match)  # "board looks good"
        misfit = is_prose or not command.fits(rest) or (ply is not None and not command.looks_back)
        return Line(command, rest, match, text, misfit=misfit, ply=ply)

    def _is_turn(self, rest: str, match: int | None) -> bool:
        """Whether what follows `move` is meant as a turn: nearly all have digits, a few are just readable."""
        if any(character.isdigit() for character in rest):
            return True
        key = self._game_of(match) if match is not None else None
        return any(_is_readable(rest, each) for each in ([key] if key else NOTATIONS))

    def _leads(self, command: Command, rest: str, number: re.Match[str], game: str | None) -> bool:
        """Whether a number without # names a match: a move or words may begin with a number themselves."""
        if not command.takes_turn or self._match is None or game is not None or number[2]:
            return True
        key = self._game_of(self._match)
        if key is None or _is_readable(rest, key) or (command.looks_back and _read_to(rest, key) > 0):
            return False
        return self._game_of(int(number[1])) is not None

    def _move(self, words: str, match: int | None, text: str, *, pointed: bool) -> Line | None:
        """The line as a bare move: readable, or readable at its beginning, or put behind a match's number."""
        move = self._commands["move"]
        key = self._game_of(match) if match is not None else None
        if pointed:
            return Line(move, words.strip(), match, text, misfit=not words.strip())
        if _is_board_or_record(words):
            return None
        for notation in [NOTATIONS[key]] if key else NOTATIONS.values():
            try:
                notation.parse(words)
            except BadNotation as error:
                if key is None or not _begins_like_a_move(words[: error.at]) or _is_sentence(words):
                    continue
            return Line(move, words, match, text)
        return None


def _is_readable(words: str, key: str) -> bool:
    """Whether the words are a turn of that game, on some position.

    >>> _is_readable("setup +x+x", "kvadratik"), _is_readable("looks good", "kvadratik")
    (True, False)
    """
    try:
        NOTATIONS[key].parse(words)
    except BadNotation:
        return False
    return True


def _read_to(words: str, key: str) -> int:
    """How far the words can be read as a turn of that game: a turn that is only begun may lead with its number.

    >>> _read_to("1 c1", "quadraphages"), _read_to("42 c1", "quadraphages")
    (4, 0)
    """
    try:
        NOTATIONS[key].parse(words)
    except BadNotation as error:
        return error.at
    return len(words)


def _ply(number: re.Match[str]) -> int | None:
    """The turn behind a match's number, as in 42#7."""
    return int(number[2]) if number[2] else None


def _is_board_or_record(words: str) -> bool:
    """Whether a line is a row of a board or of a record: ours, quoted without marks.

    >>> _is_board_or_record("x o . O x x . . x  3"), _is_board_or_record("1.  ....  ....  1  c1b1  g9h9")
    (True, True)
    >>> _is_board_or_record("5 c1b1 g9h9")
    False
    """
    first = words.split(maxsplit=1)[0] if words.strip() else "."
    return (len(first) == 1 and not first.isdigit()) or RECORD_ROW.match(words) is not None


def _begins_like_a_move(read: str) -> bool:
    """Whether what a notation could read of a line names a square at least."""
    return any(character.isalpha() for character in read) and any(character.isdigit() for character in read)


def _is_sentence(words: str) -> bool:
    """Whether a text that begins like a move is rather prose ("3 cheers for you", "a1 is a fine square").

    >>> _is_sentence("c1b1 g9h9 9"), _is_sentence("c1 b1 is what I feared")
    (False, True)
    """
    return sum(word.strip(".,!?").isalpha() and len(word) > 1 for word in words.split()) > 1


def _trimmed(lines: Sequence[str]) -> tuple[str, ...]:
    """The lines without blank ones at the ends, and never two blank ones together."""
    kept: list[str] = []
    for line in lines:
        if line.strip() or (kept and kept[-1]):
            kept.append(line.rstrip())
    while kept and not kept[-1]:
        kept.pop()
    return tuple(kept)
