"""A Diagram as text: plain, exactly as the records print their boards, or with the last move lit and notes."""

from collections.abc import Sequence
from itertools import zip_longest

from engines.diagram import Diagram

GAP = "    "
"""Between the board and the notes beside it."""


def format_board(diagram: Diagram, *, lit: bool = False, notes: bool = False) -> str:
    """The board in plain characters, without a newline at the end.

    Square boards have one space between cells, row numbers at the right and letters below; where marks have
    more than one character, every cell is as wide as the widest mark. Hexagonal boards stand under their
    letters, every second one in a row, with the letters once more below. With `lit` the
    cells of the last move stand in brackets (everything moves one column to the right, to make room); with
    `notes` the diagram's notes stand beside the rows, from the top.
    """
    each = max(len(mark) for _, cells in diagram.rows for _, mark in cells)
    rows = [_row(diagram, cells, each, lit=lit) for _, cells in diagram.rows]
    labels = [label for label, _ in diagram.rows]
    margin = " " if lit else ""
    if diagram.shape == "hex":
        letters = margin + "".join(diagram.columns)
        board = [letters, *(f"{row} {label}" for row, label in zip(rows, labels, strict=True)), letters]
    else:
        width = max(len(label) for label in labels)
        gap = " " if lit else "  "  # a lit last cell ends with its bracket
        board = [f"{row}{gap}{label:>{width}}" for row, label in zip(rows, labels, strict=True)]
        board.append(margin + " ".join(f"{letter:<{each}}" for letter in diagram.columns).rstrip())
    return "\n".join(_beside(board, diagram.notes) if notes else [line.rstrip() for line in board])


def _row(diagram: Diagram, cells: Sequence[tuple[str, str]], each: int, *, lit: bool) -> str:
    """The cells of a row, `each` so wide and a column apart, with a bracket at each end of a run of lit ones."""
    if diagram.shape == "hex":
        places = [diagram.columns.index(name.rstrip("0123456789")) for name, _ in cells]
        width = len(diagram.columns)
    else:
        places = [(each + 1) * number for number in range(len(cells))]
        width = (each + 1) * len(cells) - 1
    row = [" "] * (width + 2)  # with room for a bracket at each end
    shown = [lit and name in diagram.lit for name, _ in cells]
    for number, (place, (_, mark)) in enumerate(zip(places, cells, strict=True)):
        row[place + 1 : place + 1 + len(mark)] = mark
        if shown[number] and not (number and shown[number - 1]):
            row[place] = "["
        if shown[number] and not (number + 1 < len(cells) and shown[number + 1]):
            row[place + 1 + len(mark)] = "]"
    return "".join(row if lit else row[1:-1])


def _beside(board: Sequence[str], notes: Sequence[str]) -> list[str]:
    """The board with the notes to the right of it, or below where the board is too short."""
    width = max(len(line) for line in board)
    lines = zip_longest(board, notes, fillvalue="")
    return [f"{line:<{width}}{GAP if note else ''}{note}".rstrip() for line, note in lines]
