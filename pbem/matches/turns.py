"""Turns as people write them: read on a position, and completed where only one way is left.

Used for mail and at the terminal; nothing here knows of matches, players or rows.
"""

from dataclasses import dataclass
from typing import Any

from engines.core import IllegalMove, Position
from notation.core import BadNotation, Notation
from pbem.errors import Refused


@dataclass(frozen=True, slots=True)
class ReadTurn:
    """A turn, or the beginning of one, that was read on a position and is legal there."""

    text: str
    """The canonical text."""
    move: Any
    """The move."""
    position: Position[Any]
    """The position it leads to."""

    @property
    def complete(self) -> bool:
        """Whether the turn is complete."""
        return self.position.part is None


def read(notation: Notation[Any], base: Position[Any], part: str | None, text: str) -> ReadTurn:
    """Read a text on the position between turns, after the part of the present turn that is kept.

    Where a part leaves only one way to complete it, the complete turn is read. Raises Refused.
    """
    here = base if part is None else base.play(notation.parse(part))
    try:
        move = notation.parse(text)
        after = here.play(move)
    except BadNotation as error:
        raise unreadable(notation, error) from error
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
    """Return the refusal of a text that isn't a move."""
    return Refused(
        f"I can't read this as a turn: I expected {error.expected}.",
        read=error.text,
        at=error.at,
        fits=notation.help,
    )


def _illegal(read: str, error: IllegalMove) -> Refused:
    """Return the refusal of a move that the rules forbid, with the place of the wrong word."""
    start, end = error.span_in(read) or (None, 0)
    return Refused(f"{error}.", read=read, at=start, width=end - (start or 0))
