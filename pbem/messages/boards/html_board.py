"""Boards as the rows of an HTML table: cells of one size, letters and numbers, and offset rows of hexagons."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engines.diagram import Diagram, Shape, Tone
from pbem.messages.boards.svg_board_parts import Sides, outer_sides
from pbem.messages.palette import LIT

BROAD = 280  # the maximum width of a board in pixels, without its labels: a phone shows it without scrolling
LARGEST, SMALLEST = 46, 20
"""The maximum and the minimum size of a cell in pixels. A very broad board is scrolled on a phone."""
BORDERS: Mapping[Shape, Sequence[str]] = {
    "square": ("top", "right", "bottom", "left"),
    "hex": ("top", "right", "bottom", "bottom", "left", "top"),
}
"""The border of a cell that stands for each of its sides."""


@dataclass(frozen=True, slots=True)
class Cell:
    name: str
    mark: str
    kind: str  # whether it is empty, or holds a piece or a trace
    tone: str  # the colour of the piece or trace; "" if there is none
    tint: int
    """The number of its ground: among FIELDS the area it belongs to, 0 for none; among LIT, those left come second."""
    lit: bool
    uri: str | None
    span: int
    before: int  # the number of empty columns before it
    edges: Mapping[str, Tone]
    """Its borders that are an edge of the board, and the colours of the sides to which they belong."""


@dataclass(frozen=True, slots=True)
class BoardRow:
    label: str
    cells: tuple[Cell, ...]
    after: int  # the number of empty columns between the last cell and the label


@dataclass(frozen=True, slots=True)
class Letter:
    text: str  # "" for the end of the line
    before: int


@dataclass(frozen=True, slots=True)
class Grid:
    above: tuple[Letter, ...]  # the letters above the board; none where those below are enough
    below: tuple[Letter, ...]
    rows: tuple[BoardRow, ...]
    size: int  # the width and height of a cell in pixels
    span: int  # the number of columns of a letter
    unit: int  # the width of a column in pixels
    broad: int  # the number of columns of the board, without its labels
    slanted: bool  # whether rows have their labels right after the last cell

    @property
    def pixels(self) -> int:
        return self.unit * self.broad


def grid(diagram: Diagram, links: Mapping[str, str]) -> Grid:
    """Return the diagram as a table; `links` maps cells to URIs."""
    # Where rows are shifted by half a cell, a column of the table is a quarter of one, and a letter spans two.
    width, span = (4, 2) if diagram.is_staggered else (1, 1)
    broad = diagram.broad * width // 2
    edges = outer_sides(diagram)
    rows = tuple(_row(diagram, label, cells, width, broad, links, edges) for label, cells in diagram.rows)
    size = max(SMALLEST, min(LARGEST, BROAD * width // broad))
    above, below = (_letters(letters, width, span, broad) for letters in diagram.letters())
    slanted, unit = diagram.is_slanted, size // width
    has_both = diagram.shape == "hex" or slanted
    return Grid(above if has_both else (), below, rows, unit * width, span, unit, broad, slanted)


def _letters(letters: Iterable[tuple[int, str]], width: int, span: int, broad: int) -> tuple[Letter, ...]:
    line, end = [], 0
    for place, text in letters:
        start = place * width // 2 + (width - span) // 2
        line.append(Letter(text, start - end))
        end = start + span
    return (*line, Letter("", broad - end))


def _row(
    diagram: Diagram,
    label: str,
    cells: tuple[tuple[str, str], ...],
    width: int,
    broad: int,
    links: Mapping[str, str],
    edges: Mapping[str, Sides],
) -> BoardRow:
    legend, marks, row, end = diagram.legend, diagram.legend.by_text(), [], 0
    for (name, text), place in zip(cells, diagram.places_in(cells), strict=True):
        mark, start = marks[text], place * width // 2
        area = next((number for number, area in enumerate(legend.areas, start=1) if name in area), 0)
        cell = Cell(
            name=name,
            mark=text,
            kind=mark.kind,
            tone="" if mark.kind == "empty" else legend.tone_of(mark),
            tint=area + len(LIT) * (name in diagram.left),
            lit=name in diagram.lit,
            uri=links.get(name),
            span=width,
            before=start - end,
            edges={BORDERS[diagram.shape][side]: tone for side, tone in edges.get(name, ())},
        )
        row.append(cell)
        end = start + width
    return BoardRow(label, tuple(row), broad - end)
