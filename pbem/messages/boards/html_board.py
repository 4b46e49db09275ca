"""Boards as the rows of an HTML table: cells of one size, letters and numbers, and offset rows of hexagons."""

from collections.abc import Mapping
from dataclasses import dataclass

from engines.diagram import Diagram, Mark
from pbem.messages.boards.palette import LIT

BROAD = 280
"""The maximum width of a board in pixels, without its labels: a phone shows it without scrolling."""
LARGEST = 46
"""The maximum size of a cell in pixels."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of the board: its name, its content, and the link to follow when it is tapped."""

    name: str
    mark: str
    kind: str
    """Whether it is empty, or holds a piece or a trace."""
    tone: str
    """The colour of the side that owns the piece or trace; "" if there is none."""
    tint: int
    """The number of its ground: among FIELDS the area it belongs to, 0 for none; among LIT, those left come second."""
    lit: bool
    uri: str | None
    span: int
    """Its width in columns of the table."""
    before: int
    """The number of empty columns before it."""


@dataclass(frozen=True, slots=True)
class BoardRow:
    """The cells of a row, and the label after them."""

    label: str
    cells: tuple[Cell, ...]
    after: int
    """The number of empty columns between the last cell and the label."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A board as a table."""

    shape: str
    columns: tuple[str, ...]
    rows: tuple[BoardRow, ...]
    size: int
    """The width and height of a cell in pixels."""
    span: int
    """The width of a letter in columns of the table."""
    margin: int
    """The number of empty columns before the first letter and after the last."""

    @property
    def unit(self) -> int:
        """The width of a column of the table in pixels."""
        return self.size // (self.span + 2 * self.margin)

    @property
    def pixels(self) -> int:
        """The width of the board in pixels, without its labels."""
        return self.unit * (self.span * len(self.columns) + 2 * self.margin)


def grid(diagram: Diagram, links: Mapping[str, str]) -> Grid:
    """Return the diagram as a table; `links` maps cells to URIs."""
    hexagonal = diagram.shape == "hex"
    # A hexagon spans two letters and is centred below its own, so a table column is a quarter of it.
    span, width = (2, 4) if hexagonal else (1, 1)
    margin = (width - span) // 2
    broad = span * len(diagram.columns) + 2 * margin
    rows = tuple(_row(diagram, label, cells, span, width, broad, links) for label, cells in diagram.rows)
    size = min(LARGEST, BROAD * width // broad)
    return Grid(diagram.shape, diagram.columns, rows, size - size % width, span, margin)


def _row(
    diagram: Diagram,
    label: str,
    cells: tuple[tuple[str, str], ...],
    span: int,
    width: int,
    broad: int,
    links: Mapping[str, str],
) -> BoardRow:
    starts = [span * diagram.columns.index(name.rstrip("0123456789")) for name, _ in cells]
    ends = [0, *(start + width for start in starts)]
    marks = diagram.legend.by_text()
    gaps = [start - end for start, end in zip(starts, ends, strict=False)]  # one end more: the last cell's
    return BoardRow(
        label,
        tuple(
            Cell(name, mark, *_meaning(diagram, marks, name, mark), name in diagram.lit, links.get(name), width, gap)
            for (name, mark), gap in zip(cells, gaps, strict=True)
        ),
        broad - ends[-1],
    )


def _meaning(diagram: Diagram, marks: Mapping[str, Mark], name: str, mark: str) -> tuple[str, str, int]:
    """Return kind, tone and tint of a cell."""
    meant = marks[mark]
    tone = "" if meant.side is None else diagram.legend.tones[meant.side]
    area = next((n for n, area in enumerate(diagram.legend.areas, start=1) if name in area), 0)
    return meant.kind, tone, area + len(LIT) * (name in diagram.left)
