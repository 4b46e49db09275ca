"""Boards as the rows of an HTML table: cells of one size, letters and numbers, and offset rows of hexagons."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engines.diagram import Diagram, Mark, Shape, Tone
from pbem.messages.boards.palette import LIT, Sides, outer_sides

BROAD = 280
"""The maximum width of a board in pixels, without its labels: a phone shows it without scrolling."""
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
    kind: str
    """Whether it is empty, or holds a piece or a trace."""
    tone: str
    """The colour of the piece or trace; "" if there is none."""
    tint: int
    """The number of its ground: among FIELDS the area it belongs to, 0 for none; among LIT, those left come second."""
    lit: bool
    uri: str | None
    span: int
    """Its width in columns of the table."""
    before: int
    """The number of empty columns before it."""
    edges: tuple[tuple[str, Tone], ...]
    """The edges of the board beside it that belong to a side: which of its borders, and the side's colour."""


@dataclass(frozen=True, slots=True)
class BoardRow:
    label: str
    cells: tuple[Cell, ...]
    after: int
    """The number of empty columns between the last cell and the label."""


@dataclass(frozen=True, slots=True)
class Letter:
    text: str
    before: int


@dataclass(frozen=True, slots=True)
class Letters:
    each: tuple[Letter, ...]
    after: int


@dataclass(frozen=True, slots=True)
class Grid:
    above: Letters | None
    """The letters above the board; None where those below are enough."""
    below: Letters
    rows: tuple[BoardRow, ...]
    size: int
    """The width and height of a cell in pixels."""
    span: int
    """The width of a letter in columns of the table."""
    unit: int
    """The width of a column of the table in pixels."""
    broad: int
    """The width of the board in columns of the table, without its labels."""
    slanted: bool
    """Whether rows have their labels right after the last cell."""

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
    return Grid(above if has_both else None, below, rows, unit * width, span, unit, broad, slanted)


def _letters(letters: Iterable[tuple[int, str]], width: int, span: int, broad: int) -> Letters:
    each, end = [], 0
    for place, text in letters:
        start = place * width // 2 + (width - span) // 2
        each.append(Letter(text, start - end))
        end = start + span
    return Letters(tuple(each), broad - end)


def _row(
    diagram: Diagram,
    label: str,
    cells: tuple[tuple[str, str], ...],
    width: int,
    broad: int,
    links: Mapping[str, str],
    edges: Mapping[str, Sides],
) -> BoardRow:
    starts = [place * width // 2 for place in diagram.places_in(cells)]
    ends = [0, *(start + width for start in starts)]
    marks = diagram.legend.by_text()
    gaps = [start - end for start, end in zip(starts, ends, strict=False)]  # one end more: the last cell's
    return BoardRow(
        label,
        tuple(
            Cell(
                name,
                mark,
                *_meaning(diagram, marks, name, mark),
                name in diagram.lit,
                links.get(name),
                width,
                gap,
                tuple({BORDERS[diagram.shape][side]: tone for side, tone in edges.get(name, ())}.items()),
            )
            for (name, mark), gap in zip(cells, gaps, strict=True)
        ),
        broad - ends[-1],
    )


def _meaning(diagram: Diagram, marks: Mapping[str, Mark], name: str, mark: str) -> tuple[str, str, int]:
    meant = marks[mark]
    tone = "" if meant.kind == "empty" else diagram.legend.tone_of(meant)
    area = next((n for n, area in enumerate(diagram.legend.areas, start=1) if name in area), 0)
    return meant.kind, tone, area + len(LIT) * (name in diagram.left)
