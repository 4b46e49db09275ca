"""The tokens that the notations of several games share: dashes, arrows, cells, steps; and how a cell is read."""

import re
from typing import NoReturn

from engines.special import Special
from engines.square import Rows
from engines.wording import either
from notation.core import BadNotation

LONGEST = 300
"""The length of the longest text that is read as a turn. No turn needs more, however it is spaced."""

DASH = "-\u2010-\u2015\u2212"
"""For a character class: mail programs turn two hyphens into a typographic dash."""
ARROW = rf"(?:[{DASH}]{{1,2}}+>?+|[:=>\u2192]|[tT][oO](?![A-Za-z]{{2}}))"
"""What players write between two cells."""
CELL = "[A-Za-z][0-9]"
"""A cell of a board with at most nine rows."""
STEP = rf"(?P<origin>{CELL})\s*+(?:{ARROW}\s*+)?+(?P<target>{CELL})"
"""Two cells, with or without an arrow between them."""
_CELL = re.compile(r"[A-Za-z][0-9]++")
_SPECIAL = re.compile(r"[\s.!]*+([A-Za-z]{4})[\s.!]*+")


def check_length(text: str) -> None:
    """Refuse a text that is too long for a turn."""
    if len(text) > LONGEST:
        raise BadNotation(text, LONGEST, f"the end of the turn: none is longer than {LONGEST} characters")


def skip(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Return where the text continues after what the pattern matches at this place."""
    found = pattern.match(text, at)
    return found.end() if found else at


def read_cell(text: str, at: int, expected: str, rows: Rows | None = None) -> tuple[str, int]:
    """Return the cell at this place, in small letters, and where the text continues; raise BadNotation.

    `expected` says what should be there. With the rows of a board, the cell must be on it.

    >>> read_cell("to F11.", 3, "a cell")
    ('f11', 6)
    """
    found = _CELL.match(text, at)
    if found is None:
        raise BadNotation(text, at, expected)
    cell = found[0].lower()
    if rows is not None and not any(cell in cells for _, cells in rows):
        refuse_cell(text, at, cell, rows)
    return cell, found.end()


def refuse_cell(text: str, at: int, cell: str, rows: Rows) -> NoReturn:
    """Refuse a cell that isn't on the board of these rows, and say what the board has in its place.

    `at` is where the cell starts in the text.
    """
    by_label, label = dict(rows), cell[1:]
    letters = sorted({name[0] for _, cells in rows for name in cells})
    if cell[0] not in letters:
        raise BadNotation(text, at, f"a letter from {letters[0]} to {letters[-1]}")
    if label not in by_label:
        numbers = sorted(map(int, by_label))
        raise BadNotation(text, at + 1, f"a row from {numbers[0]} to {numbers[-1]}")
    raise BadNotation(text, at, f"a cell of row {label}: {either(by_label[label])}")


def check_end_of_cell(text: str, at: int, what: str = "move") -> None:
    """Refuse a digit right after a cell, as in `c1b12`."""
    if text[at : at + 1].isdigit():
        raise BadNotation(text, at, f"a space or the end after the {what}")


def read_special(text: str, *known: Special) -> Special | None:
    """Return which of the known turns a text is; None if it is none of them.

    >>> read_special("Swap!", Special.SWAP), read_special("pass", Special.SWAP)
    (<Special.SWAP: 'swap'>, None)
    """
    found = _SPECIAL.fullmatch(text)
    return next((turn for turn in known if found and found[1].lower() == turn.value), None)
