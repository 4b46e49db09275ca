"""Turns as people write them: read on a position, and completed where only one way is left.

Used for mail and at the terminal; nothing here knows of matches, players or rows.
"""

import re
from dataclasses import dataclass
from typing import Any

from engines.core import IllegalMove, Position
from notation.core import BadNotation, Notation
from pbem.errors import Refused

SET_UP = re.compile(r"^(?:I\s+)?set(?:\s*up)?\b[\s:=]*", re.IGNORECASE)
"""How people begin a set-up who don't begin with the word that it takes."""


@dataclass(frozen=True, slots=True)
class ParsedTurn:
    text: str
    move: Any  # the move; None if the text isn't one
    error: BadNotation | None = None

    @property
    def length(self) -> int:
        """How many characters can be read: an unfinished turn is readable up to its end."""
        return len(self.text) if self.error is None else self.error.at


@dataclass(frozen=True, slots=True)
class ReadTurn:
    text: str  # the canonical text
    move: Any
    position: Position[Any]  # the one it leads to

    @property
    def complete(self) -> bool:
        return self.position.part is None


def parse(notation: Notation[Any], text: str) -> ParsedTurn:
    """Return the turn that a text spells, whatever the position.

    >>> from notation.games import GAMES
    >>> parse(GAMES["quadraphages"].notation, "1 c1").length, parse(GAMES["quadraphages"].notation, "42 c1").length
    (4, 0)
    """
    try:
        return ParsedTurn(text, notation.parse(text))
    except BadNotation as error:
        return ParsedTurn(text, None, error)


def read(notation: Notation[Any], base: Position[Any], part: str | None, turn: ParsedTurn) -> ReadTurn:
    """Read a turn on the position between turns, after the part of the present turn that is kept.

    Where a part leaves only one way to complete it, the complete turn is read. Raises Refused.
    """
    here, move = base if part is None else base.play(notation.parse(part)), turn.move
    if turn.error is not None:
        raise _unreadable_here(notation, here, turn.error) from turn.error
    try:
        after = here.play(move)
    except IllegalMove as error:
        raise _illegal(notation.format(move, here), error) from error
    written = notation.format(move, here)
    if after.part is None:
        return ReadTurn(written, move, after) if part is None else _joined(notation, base, part, written)
    completions = after.moves()
    only, more = next(completions), next(completions, None)
    if more is None:
        return _joined(notation, base, part, f"{written} {notation.format(only, after)}")
    return ReadTurn(written, move, after) if part is None else ReadTurn(part, notation.parse(part), after)


def is_legal(notation: Notation[Any], position: Position[Any], text: str) -> bool:
    return after(notation, position, text) is not None


def after(notation: Notation[Any], position: Position[Any], text: str) -> Position[Any] | None:
    turn = parse(notation, text)
    if turn.error is not None or position.turn is None:
        return None
    try:
        return position.play(turn.move)
    except IllegalMove:
        return None


def _joined(notation: Notation[Any], base: Position[Any], part: str | None, written: str) -> ReadTurn:
    """Return the whole turn of a part and the text that completes it: one text after the other, read as one."""
    for candidate in (f"{part} {written}", written) if part else (written,):
        try:
            move = notation.parse(candidate)
            after = base.play(move)
        except (BadNotation, IllegalMove):
            continue
        if after.part is None:
            return ReadTurn(notation.format(move, base), move, after)
    raise AssertionError(f"{written!r} completes no turn")


def unreadable(notation: Notation[Any], error: BadNotation) -> Refused:
    return Refused(
        f"We can't read this as a turn: we expected {error.expected}.", read=error.text, at=error.at, fits=notation.help
    )


def _unreadable_here(notation: Notation[Any], here: Position[Any], error: BadNotation) -> Refused:
    """Return the refusal of a text that isn't a move; where only a set-up is possible, it says so."""
    hint, refusal = notation.hint(here), unreadable(notation, error)
    if hint is not None and hint.sets_up:
        refusal.sentence = "We can't read this as a set-up, and only a set-up is possible now."
        refusal.fits = f'For example "{hint.example}".'
    return refusal


def set_up_in(notation: Notation[Any], position: Position[Any], text: str) -> str | None:
    """Return the set-up that a text is without its first word, where only a set-up is possible; None otherwise.

    >>> from notation.games import GAMES
    >>> set_up_in(GAMES["kvadratik"].notation, GAMES["kvadratik"].game.position({}), "+x+x")
    'setup +x+x'
    """
    hint = notation.hint(position) if position.turn is not None else None
    if hint is None or not hint.sets_up:
        return None
    text = SET_UP.sub("", text)
    for candidate in (f"setup {text}", f"setup {''.join(text.split())}"):
        if is_legal(notation, position, candidate):
            return notation.format(notation.parse(candidate), position)
    return None


def _illegal(read: str, error: IllegalMove) -> Refused:
    start, end = error.span_in(read) or (None, 0)
    return Refused(f"{error}.", read=read, at=start, width=end - (start or 0))
