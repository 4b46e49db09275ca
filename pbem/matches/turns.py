"""A turn as somebody writes it, on a position: read, played, completed where one way is left; or refused.

By mail and at the terminal alike; nothing here knows of matches, players or rows.
"""

from dataclasses import dataclass
from typing import Any

from engines.core import IllegalMove, Position
from notation.core import BadNotation, Notation
from pbem.errors import Refused


@dataclass(frozen=True, slots=True)
class Taken:
    """What a text came to: a whole turn, or the beginning of one."""

    text: str
    """The canonical text, of the whole turn or of what is begun of it."""
    position: Position[Any]
    """Where it leads."""

    @property
    def complete(self) -> bool:
        """Whether the turn is over."""
        return self.position.part is None


def take(notation: Notation[Any], base: Position[Any], part: str | None, text: str) -> Taken:
    """Play the text on the position between turns, after the part that was kept of the present turn.

    Where a part leaves one way to complete it, that is played too. Raises Refused.
    """
    here = base if part is None else base.play(notation.parse(part))
    try:
        wanted = notation.parse(text)
        after = here.play(wanted)
    except BadNotation as error:
        raise unreadable(notation, error) from error
    except IllegalMove as error:
        raise _illegal(notation.format(wanted, here), error) from error
    written = notation.format(wanted, here)
    if after.part is not None:
        completions = after.moves()
        only, more = next(completions), next(completions, None)
        if more is not None:
            return Taken(part or written, after)
        written = f"{written} {notation.format(only, after)}"
    return _whole(notation, base, part, written)


def _whole(notation: Notation[Any], base: Position[Any], part: str | None, written: str) -> Taken:
    """The turn that `written` completes.

    A part's text and a completion's text, one after the other, are the text of the whole turn.
    """
    for candidate in (f"{part} {written}", written) if part else (written,):
        try:
            turn = notation.parse(candidate)
            after = base.play(turn)
        except (BadNotation, IllegalMove):
            continue
        if after.part is None:
            return Taken(notation.format(turn, base), after)
    raise AssertionError(f"{written!r} completes no turn")


def unreadable(notation: Notation[Any], error: BadNotation) -> Refused:
    """What to say of a text that is no move."""
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
