"""Boards as SVG for web pages: what looks alike is drawn once on a page, and used by every board.

The boards look like the pictures in messages (board_image): the same colours, signs and proportions, on a ground of
their own, in a light page and in a dark one. There is no style in them, so a page can forbid inline styles. Nothing
here knows a game.
"""

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from math import sqrt

from engines.diagram import Diagram, Legend, Mark, Shape, Tone
from pbem.messages.boards.looks import TEXT_SIZES, Lit, Look, lit_in
from pbem.messages.boards.outline import Sides, outer_sides
from pbem.messages.boards.palette import FIELDS, FILLS, FRAME, INK, LIT_EDGE, PAPER, RIMS, SIGNS, Colour, css
from pbem.messages.boards.palette import LABEL as LABELLED

CELL = 40.0
"""The width of a cell; all measures are in the units of the drawing."""
MARGIN, LABEL = 10.0, 22.0
NAMES = "Menlo, Consolas, 'DejaVu Sans Mono', monospace"
"""The font of the names of cells: it tells i, j, l and 1 apart."""
TALL = CELL * 2 / sqrt(3)
"""The height of a hexagon, which stands on a corner."""
NAME_SIZE = CELL * 0.34
BAND = 4.0
"""The breadth of an edge that belongs to a side."""
SQUARE = ((0.0, 0.0), (CELL, 0.0), (CELL, CELL), (0.0, CELL))
HEXAGON = (
    (CELL / 2, 0.0),
    (CELL, TALL / 4),
    (CELL, TALL * 3 / 4),
    (CELL / 2, TALL),
    (0.0, TALL * 3 / 4),
    (0.0, TALL / 4),
)
"""The corners of a cell, clockwise: each begins the side of its number."""
Cells = tuple[tuple[str, str], ...]
"""A row: names and marks."""
Names = tuple[str, ...]
Empty = tuple[
    Shape,
    Names,
    tuple[tuple[str, Names], ...],
    tuple[frozenset[str], ...],
    tuple[int, ...],
    tuple[tuple[str, Sides], ...],
]
"""What boards with nothing on them differ in: columns, rows with the cells' names, areas, places, edges."""


class BoardSheet:
    """Draws the boards of one page. `shapes` is to be on that page too, once, after all boards were drawn."""

    def __init__(self) -> None:
        self._ids: dict[tuple[Shape, Look], str] = {}
        self._empty: dict[Empty, tuple[str, str]] = {}
        """Empty boards with their labels: their ids and their contents."""
        self._rows: dict[tuple[str, Legend], dict[tuple[int, Cells, tuple[Lit, ...]], str]] = {}
        """What stands in the rows of boards: most of them are as on the board before."""

    def board(self, diagram: Diagram, title: str) -> str:
        """Return a board as an SVG element that is called by its title."""
        (width, height), ground = _size(diagram), self._ground(diagram)
        return "".join(
            (
                f'<svg class="board" viewBox="0 0 {_n(width)} {_n(height)}" role="img" aria-label="{escape(title)}">',
                f'<use href="#{ground}"/>',
                *self._filled(diagram, ground),
                "</svg>\n",
            )
        )

    def shapes(self) -> str:
        """Return the cells that the boards use, in an element that shows nothing."""
        cells = (f'<g id="{name}">{"".join(_drawn(*look))}</g>' for look, name in self._ids.items())
        boards = (f'<g id="{name}">{content}</g>' for name, content in self._empty.values())
        defined = "".join((*cells, *boards))
        return f'<svg class="shapes" width="0" height="0" aria-hidden="true"><defs>{defined}</defs></svg>\n'

    def file(self, diagram: Diagram, title: str) -> str:
        """Return a board as a file of its own."""
        board = self.board(diagram, title)
        head, _, rest = board.partition(">")
        symbols = self.shapes().partition("<defs>")[2].removesuffix("</svg>\n")
        return f'{head} xmlns="http://www.w3.org/2000/svg"><defs>{symbols}{rest}'

    def changing(self, diagram: Diagram, marks: Iterable[str], label: str) -> tuple[str, dict[str, list[str]]]:
        """Return a board whose cells a script can change, and the ids of what each mark looks like, by area.

        Each cell is a group with its name and its area; the frame in it is for the style sheet to show.
        """
        ground, levels, known = self._ground(diagram), _levels(diagram), diagram.legend.by_text()
        frame = _frame(diagram.shape)
        areas = range(len(diagram.legend.areas) + 1)
        looks = {
            each: [self._look(diagram, known[each], level, "") for level in areas]
            for each in dict.fromkeys((*marks, *(mark for _, cells in diagram.rows for _, mark in cells)))
        }
        drawn = []
        for row, (_, cells) in enumerate(diagram.rows):
            for name, text in cells:
                mark, level = known[text], levels.get(name, 0)
                look = self._look(diagram, mark, level, lit_in(diagram, name))
                x, y = _place(diagram, name, row)
                drawn.append(
                    f'<g data-cell="{name}" data-area="{level}" data-mark="{escape(text)}"'
                    f' transform="translate({_n(x)} {_n(y)})"><use href="#{look}"/>'
                    f'{"" if diagram.shape == "square" else _name(0, 0, name)}<path class="frame" d="{frame}"/></g>'
                )
        width, height = _size(diagram)
        return (
            f'<svg class="board" viewBox="0 0 {_n(width)} {_n(height)}" role="group" aria-label="{escape(label)}">'
            f'<use href="#{ground}"/>{"".join(drawn)}</svg>\n'
        ), looks

    def _look(self, diagram: Diagram, mark: Mark, level: int, lit: Lit) -> str:
        """Return the id of what a mark looks like in that area."""
        look = Look(level, mark.kind, diagram.legend.tone_of(mark), mark.shown, mark.height, lit)
        return self._ids.setdefault((diagram.shape, look), f"cell{len(self._ids)}")

    def _ground(self, diagram: Diagram) -> str:
        """Return the id of the board with nothing on it."""
        rows = tuple((label, tuple(name for name, _ in cells)) for label, cells in diagram.rows)
        edges = tuple(outer_sides(diagram).items())
        areas, places = diagram.legend.areas, tuple(diagram.places.values())
        empty = (diagram.shape, diagram.columns, rows, areas, places, edges)
        if empty not in self._empty:
            width, height = _size(diagram)
            paper = f'<rect width="{_n(width)}" height="{_n(height)}" rx="8" fill="{css(FRAME)}"/>'
            levels = _levels(diagram)
            cells = (
                self._cell(diagram, name, row, Look(levels.get(name, 0)))
                for row, (_, names) in enumerate(rows)
                for name in names
            )
            drawn = (paper, *_edges(diagram, dict(edges)), *cells)
            content = "".join((*drawn, _names(diagram), _texts(15, "sans-serif", LABELLED, _labels(diagram))))
            self._empty[empty] = f"board{len(self._empty)}", content
        return self._empty[empty][0]

    def _filled(self, diagram: Diagram, ground: str) -> Iterator[str]:
        """Yield the rows of a board, without the empty board."""
        known = self._rows.setdefault((ground, diagram.legend), {})
        for row, (_, cells) in enumerate(diagram.rows):
            key = (row, cells, tuple(lit_in(diagram, name) for name, _ in cells))
            if key not in known:
                known[key] = "".join(self._cells(diagram, row, cells))
            yield known[key]

    def _cells(self, diagram: Diagram, row: int, cells: Cells) -> Iterator[str]:
        """Yield the cells of a row that look different from those of an empty board."""
        legend, marks, levels = diagram.legend, diagram.legend.by_text(), _levels(diagram)
        for name, text in cells:
            mark, lit = marks[text], lit_in(diagram, name)
            if mark.kind != "empty" or lit:
                look = Look(levels.get(name, 0), mark.kind, legend.tone_of(mark), mark.shown, mark.height, lit)
                yield self._cell(diagram, name, row, look)

    def _cell(self, diagram: Diagram, name: str, row: int, look: Look) -> str:
        """Return a cell, with its name if it is a free hexagon that covers the one below it."""
        x, y = _place(diagram, name, row)
        known = self._ids.setdefault((diagram.shape, look), f"cell{len(self._ids)}")
        used = f'<use href="#{known}" x="{_n(x)}" y="{_n(y)}"/>'
        if diagram.shape == "square" or look.kind != "empty" or not look.lit:
            return used
        return used + _name(x, y, name)


def _levels(diagram: Diagram) -> dict[str, int]:
    """Return the number of the area of each cell that is in one."""
    return {name: level for level, area in enumerate(diagram.legend.areas, start=1) for name in area}


def _size(diagram: Diagram) -> tuple[float, float]:
    halves, rows = diagram.broad, len(diagram.rows)
    around = 2 * MARGIN + (2 * LABEL if _is_labelled_all_round(diagram) else LABEL)
    tall = (rows - 1) * TALL * 0.75 + TALL if diagram.shape == "hex" else rows * CELL
    return around + halves * CELL / 2, around + tall


def _is_labelled_all_round(diagram: Diagram) -> bool:
    """Return whether the letters and numbers stand all round; if not, they are below and on the left."""
    return diagram.shape == "hex" or diagram.is_slanted


def _place(diagram: Diagram, name: str, row: int) -> tuple[float, float]:
    """Return the upper left corner of a cell's box."""
    top = MARGIN + (LABEL if _is_labelled_all_round(diagram) else 0)
    return MARGIN + LABEL + diagram.place(name) * CELL / 2, top + row * (
        TALL * 0.75 if diagram.shape == "hex" else CELL
    )


def _edges(diagram: Diagram, edges: Mapping[str, Sides]) -> Iterator[str]:
    """Yield the edges that belong to sides, as bands below the cells; a light rim sets off the dark ones."""
    lines: dict[Tone, list[str]] = {}
    corners = SQUARE if diagram.shape == "square" else HEXAGON
    for row, (_, cells) in enumerate(diagram.rows):
        for name, _ in cells:
            left, top = _place(diagram, name, row)
            for side, tone in edges.get(name, ()):
                (x, y), (to_x, to_y) = corners[side], corners[(side + 1) % len(corners)]
                line = f"M{_n(left + x)} {_n(top + y)}L{_n(left + to_x)} {_n(top + to_y)}"
                lines.setdefault(tone, []).append(line)
    for tone, path in lines.items():
        for width, colour in ((2 * BAND, LABELLED), (1.4 * BAND, FILLS[tone])):
            yield (
                f'<path d="{"".join(path)}" stroke="{css(colour)}" stroke-width="{_n(width)}" stroke-linecap="round"/>'
            )


def _names(diagram: Diagram) -> str:
    """Return the names of the cells of a board with nothing on it, if they are hexagons."""
    if diagram.shape == "square":
        return ""
    placed = ((*_place(diagram, name, row), name) for row, (_, cells) in enumerate(diagram.rows) for name, _ in cells)
    return _texts(NAME_SIZE, NAMES, INK, ((x + CELL / 2, y + TALL / 2, name) for x, y, name in placed))


def _labels(diagram: Diagram) -> Iterator[tuple[float, float, str]]:
    """Yield letters and numbers with their centres: of a square board below and on the left, of others all round."""
    all_round, (_, height) = _is_labelled_all_round(diagram), _size(diagram)
    tall = TALL if diagram.shape == "hex" else CELL
    off = 2 + (BAND if diagram.legend.edges else 0)
    below = height - (MARGIN + LABEL / 2) if all_round else MARGIN + len(diagram.rows) * CELL + LABEL / 2 + 2
    lines = zip((MARGIN + LABEL / 2, below), diagram.letters(), strict=True)
    for place, y, letter in sorted((place, y, letter) for y, letters in lines for place, letter in letters):
        if all_round or y == below:
            yield MARGIN + LABEL + place * CELL / 2 + CELL / 2, y, letter
    for row, (label, cells) in enumerate(diagram.rows):
        (left, top), (last, _) = (_place(diagram, cells[end][0], row) for end in (0, -1))
        for x in (left - LABEL / 2 - off, last + CELL + LABEL / 2 + off) if all_round else (left - LABEL / 2 - off,):
            yield x, top + tall / 2, label


def _drawn(shape: Shape, look: Look) -> Iterator[str]:
    """Yield the elements of a cell with its content, in a box at 0, 0."""
    yield _outline(shape, 0.6, LIT_EDGE if look.lit else look.ground)
    if look.lit:
        yield _outline(shape, 1.6 if look.lit == "left" else 3, look.ground)
    size, height = (CELL, CELL / 2) if shape == "square" else (CELL * 0.95, TALL / 2)
    centre = (CELL / 2, height)
    if look.kind == "piece":
        yield from _piece(centre, size, look)
    elif look.kind == "trace":
        yield from _sign(centre, size * 0.2, look.shown, RIMS[look.tone])


def _outline(shape: Shape, inset: float, fill: Colour) -> str:
    if shape == "square":
        side = CELL - 2 * inset
        return f'<rect x="{_n(inset)}" y="{_n(inset)}" width="{_n(side)}" height="{_n(side)}" fill="{css(fill)}"/>'
    middle, reach, side = CELL / 2, TALL / 2 - inset * 2 / sqrt(3), CELL / 2 - inset
    down, half = TALL / 2, reach / 2
    corners = ((0, -reach), (side, -half), (side, half), (0, reach), (-side, half), (-side, -half))
    points = " ".join(f"{_n(middle + x)},{_n(down + y)}" for x, y in corners)
    return f'<polygon points="{points}" fill="{css(fill)}"/>'


def _piece(centre: tuple[float, float], size: float, look: Look) -> Iterator[str]:
    """Yield a piece with its sign; a tower has more rims and a number for its height."""
    x, y = centre
    radius = size * (0.37 if look.height == 1 else 0.33)
    if look.height > 1:
        y -= size * 0.06
        for step in range(min(look.height - 1, 3), 0, -1):
            yield _disc((x, y + step * size * 0.05), radius, RIMS[look.tone], FIELDS[2])
    yield _disc((x, y), radius, RIMS[look.tone], FILLS[look.tone])
    if look.shown:
        yield from _sign((x, y), radius * 0.5, look.shown, SIGNS[look.tone])
    elif FILLS[look.tone] != RIMS[look.tone]:
        yield _ring((x, y), radius * 0.6, radius * 0.07, SIGNS[look.tone])
    if look.height > 1:
        badge = (x + radius * 0.85, y + radius * 0.85)
        yield _disc(badge, radius * 0.36, INK, PAPER)
        yield _text(*badge, radius * 0.56, str(look.height), INK)


def _sign(centre: tuple[float, float], reach: float, sign: str, colour: Colour) -> Iterator[str]:
    """Yield a sign as strokes, which are clearer than letters; anything else as text."""
    x, y = centre
    if sign == "o":
        yield _ring(centre, reach, reach * 0.3, colour)
    elif sign in ("x", "+"):
        far = reach * 0.78
        ways = ((far, far), (far, -far)) if sign == "x" else ((reach, 0.0), (0.0, reach))
        path = "".join(f"M{_n(x - a)} {_n(y - b)}L{_n(x + a)} {_n(y + b)}" for a, b in ways)
        yield f'<path d="{path}" stroke="{css(colour)}" stroke-width="{_n(reach * 0.3)}" stroke-linecap="round"/>'
    elif sign:
        yield _text(x, y, reach * TEXT_SIZES[len(sign)], sign, colour)


def _disc(centre: tuple[float, float], radius: float, rim: Colour, fill: Colour) -> str:
    return (
        f'<circle cx="{_n(centre[0])}" cy="{_n(centre[1])}" r="{_n(radius)}" fill="{css(fill)}"'
        f' stroke="{css(rim)}" stroke-width="{_n(radius * 0.13)}"/>'
    )


def _ring(centre: tuple[float, float], radius: float, width: float, colour: Colour) -> str:
    return (
        f'<circle cx="{_n(centre[0])}" cy="{_n(centre[1])}" r="{_n(radius)}" fill="none"'
        f' stroke="{css(colour)}" stroke-width="{_n(max(width, 1))}"/>'
    )


def _frame(shape: Shape) -> str:
    """Return the path of a cell's frame, in a box at 0, 0; a line of 4 stays within the cell."""
    corners, high = (SQUARE, CELL) if shape == "square" else (HEXAGON, TALL)
    share = 1 - 2 * 2.2 / CELL
    inset = ((CELL / 2 + (x - CELL / 2) * share, high / 2 + (y - high / 2) * share) for x, y in corners)
    return f"M{' '.join(f'{_n(x)},{_n(y)}' for x, y in inset)}z"


def _name(x: float, y: float, name: str) -> str:
    """Return the name of a free hexagon, in a box at that place."""
    return _text(x + CELL / 2, y + TALL / 2, CELL * 0.34, name, INK, NAMES)


def _text(x: float, y: float, size: float, text: str, colour: Colour, font: str = "sans-serif") -> str:
    """Return short text around a centre."""
    return (
        f'<text x="{_n(x)}" y="{_n(y + size * 0.35)}" font-size="{_n(size)}" text-anchor="middle"'
        f' font-family="{font}" fill="{css(colour)}">{escape(text)}</text>'
    )


def _texts(size: float, font: str, colour: Colour, placed: Iterable[tuple[float, float, str]]) -> str:
    """Return short texts around centres; what they share is said once."""
    each = "".join(f'<text x="{_n(x)}" y="{_n(y + size * 0.35)}">{escape(text)}</text>' for x, y, text in placed)
    return f'<g font-size="{_n(size)}" text-anchor="middle" font-family="{font}" fill="{css(colour)}">{each}</g>'


def _n(number: float) -> str:
    """Return a number with at most two decimals.

    >>> _n(40.0), _n(23.094)
    ('40', '23.09')
    """
    return f"{number:.2f}".rstrip("0").rstrip(".")
