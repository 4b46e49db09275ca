"""A Diagram as text: plain, exactly as the records print their boards, or with the last move lit and notes."""

from collections.abc import Sequence
from itertools import zip_longest

from engines.diagram import Diagram

GAP = "    "
"""Between the board and the notes beside it."""


def format_board(diagram: Diagram, *, lit: bool = False, notes: bool = False) -> str:
    """The board in plain characters, without a newline at the end.

    Square boards have one space between cells, row numbers at the right and letters below; hexagonal ones
    stand under their letters, every second one in a row, with the letters once more below. With `lit` the
    cells of the last move stand in brackets (everything moves one column to the right, to make room); with
    `notes` the diagram's notes stand beside the rows, from the top.
    """
    rows = [_row(diagram, cells, lit=lit) for _, cells in diagram.rows]
    labels = [label for label, _ in diagram.rows]
    margin = " " if lit else ""
    if diagram.shape == "hex":
        letters = margin + "".join(diagram.columns)
        board = [letters, *(f"{row} {label}" for row, label in zip(rows, labels, strict=True)), letters]
    else:
        width = max(len(label) for label in labels)
        gap = " " if lit else "  "  # a lit last cell ends with its bracket
        board = [f"{row}{gap}{label:>{width}}" for row, label in zip(rows, labels, strict=True)]
        board.append(margin + " ".join(diagram.columns))
    return "\n".join(_beside(board, diagram.notes) if notes else [line.rstrip() for line in board])


def _row(diagram: Diagram, cells: Sequence[tuple[str, str]], *, lit: bool) -> str:
    """The cells of a row: in every second column, a bracket at each end of a run of lit ones."""
    if diagram.shape == "hex":
        places = [diagram.columns.index(name.rstrip("0123456789")) for name, _ in cells]
        width = len(diagram.columns)
    else:
        places = [2 * number for number in range(len(cells))]
        width = 2 * len(cells) - 1
    if not lit:
        row = [" "] * width
        for place, (_, mark) in zip(places, cells, strict=True):
            row[place] = mark
        return "".join(row)
    row = [" "] * (width + 2)
    shown = [name in diagram.lit for name, _ in cells]
    for number, (place, (_, mark)) in enumerate(zip(places, cells, strict=True)):
        row[place + 1] = mark
        if shown[number] and not (number and shown[number - 1]):
            row[place] = "["
        if shown[number] and not (number + 1 < len(cells) and shown[number + 1]):
            row[place + 2] = "]"
    return "".join(row)


def _beside(board: Sequence[str], notes: Sequence[str]) -> list[str]:
    """The board with the notes to the right of it, or below where the board is too short."""
    width = max(len(line) for line in board)
    lines = zip_longest(board, notes, fillvalue="")
    return [f"{line:<{width}}{GAP if note else ''}{note}".rstrip() for line, note in lines]
