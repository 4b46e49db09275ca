"""What a board looks like: where its cells stand, and their content, edges, names and labels as elements of SVG.

All measures are in the units of the drawing, in which a cell is CELL wide. Nothing here knows a game.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from html import escape
from math import sqrt

from engines.board import WAYS, Place
from engines.diagram import Diagram, Shape, Tone, Towards
from pbem.messages import palette
from pbem.messages.palette import FILLS, RIMS, SIGNS, Colour, Look, css

CELL = 40.0
TALL = CELL * 2 / sqrt(3)  # the height of a hexagon, which stands on a corner
MARGIN = 10.0
NAME_SIZE, NAME_FONT = CELL * 0.34, "Menlo, Consolas, 'DejaVu Sans Mono', monospace"
"""Of the names of cells; the font tells i, j, l and 1 apart."""
SMALLEST_LABEL, LARGEST_LABEL = 15.0, 26.0
MOST_ROWS_WITH_LABELS_ON_TWO_SIDES = 8
BAND, LINE = 4.0, 2.5  # the breadth of an edge that belongs to a side
SQUARE = ((0.0, 0.0), (CELL, 0.0), (CELL, CELL), (0.0, CELL))
HEXAGON = tuple((CELL * x, TALL * y) for x, y in ((0.5, 0), (1, 0.25), (1, 0.75), (0.5, 1), (0, 0.75), (0, 0.25)))
"""The corners of a cell, clockwise: each begins the side of its number."""

Point = tuple[float, float]


def polygon(corners: Iterable[Point], fill: Colour) -> str:
    return f'<path d="{outline(corners)}" fill="{css(fill)}"/>'


def outline(corners: Iterable[Point]) -> str:
    return f"M{' '.join(f'{short(x)},{short(y)}' for x, y in corners)}z"


def disc(centre: Point, radius: float, rim: Colour, width: float, fill: Colour | None = None) -> str:
    """Return a circle with a rim, whose middle has that radius."""
    (x, y), filled = centre, css(fill) if fill else "none"
    circle = f'<circle cx="{short(x)}" cy="{short(y)}" r="{short(radius)}" fill="{filled}"'
    return f'{circle} stroke="{css(rim)}" stroke-width="{short(width)}"/>'


def strokes(lines: Iterable[tuple[Point, Point]], width: float, colour: Colour) -> str:
    """Return lines with round ends."""
    path = "".join(f"M{short(x)} {short(y)}L{short(to_x)} {short(to_y)}" for (x, y), (to_x, to_y) in lines)
    return f'<path d="{path}" stroke="{css(colour)}" stroke-width="{short(width)}" stroke-linecap="round"/>'


def texts(placed: Iterable[tuple[Point, str]], size: float, colour: Colour, font: str = "sans-serif") -> str:
    """Return short texts around their centres."""
    elements = (f'<text x="{short(x)}" y="{short(y + size * 0.35)}">{escape(text)}</text>' for (x, y), text in placed)
    style = f'font-size="{short(size)}" text-anchor="middle" font-family="{font}" fill="{css(colour)}"'
    return f"<g {style}>{''.join(elements)}</g>"


def short(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")


def size_of(diagram: Diagram) -> Point:
    """Return how wide and how tall a board is with its labels."""
    label = _label_room(diagram)
    around = 2 * MARGIN + (2 * label if is_labelled_all_round(diagram) else label)
    return around + diagram.broad * CELL / 2, around + (len(diagram.rows) - 1) * step_of(diagram) + tall(diagram.shape)


def tall(shape: Shape) -> float:
    return TALL if shape == "hex" else CELL


def step_of(diagram: Diagram) -> float:
    """Return the step from row to row; rows of hexagons overlap by their corners."""
    return TALL * 0.75 if diagram.shape == "hex" else CELL


def is_labelled_all_round(diagram: Diagram) -> bool:
    """Return whether the letters and numbers stand all round; if not, they are below and on the left."""
    return diagram.shape == "hex" or diagram.is_slanted or len(diagram.rows) > MOST_ROWS_WITH_LABELS_ON_TWO_SIDES


def corner_of(diagram: Diagram) -> Point:
    """Return the upper left corner of the cells."""
    label = _label_room(diagram)
    return MARGIN + label, MARGIN + (label if is_labelled_all_round(diagram) else 0)


def boxes(diagram: Diagram) -> dict[str, Point]:
    """Return the upper left corner of each cell's box."""
    (left, top), step = corner_of(diagram), step_of(diagram)
    return {
        name: (left + diagram.place(name) * CELL / 2, top + row * step)
        for row, (_, cells) in enumerate(diagram.rows)
        for name, _ in cells
    }


def looks(diagram: Diagram) -> Iterator[tuple[str, Point, Look]]:
    """Yield the name, the upper left corner and the look of each cell."""
    legend, corners = diagram.legend, boxes(diagram)
    marks, levels = legend.by_text(), {name: level for level, area in enumerate(legend.areas, 1) for name in area}
    for name, text in (cell for _, cells in diagram.rows for cell in cells):
        mark, lit = marks[text], palette.lit_in(diagram, name)
        look = Look(levels.get(name, 0), mark.kind, legend.tone_of(mark), mark.shown, mark.height, lit)
        yield name, corners[name], look


def filled(diagram: Diagram) -> Iterator[tuple[str, Point, Look]]:
    """Yield the cells that look different from those of an empty board."""
    return (cell for cell in looks(diagram) if cell[2].kind != "empty" or cell[2].lit)


def emptied(diagram: Diagram) -> Diagram:
    free = diagram.legend.marks[0].text
    rows = tuple((label, tuple((name, free) for name, _ in cells)) for label, cells in diagram.rows)
    none: frozenset[str] = frozenset()
    return replace(diagram, rows=rows, lit=none, left=none, notes=(), remarks=(), told="")


def edges(diagram: Diagram) -> Iterator[str]:
    """Yield the lines between cells, and the edges that belong to sides; a light rim sets off the dark ones."""
    places, sides = boxes(diagram), outer_sides(diagram)
    if diagram.legend.lines:
        centres = {name: (x + CELL / 2, y + tall(diagram.shape) / 2) for name, (x, y) in places.items()}
        lines = ((centres[one], centres[other]) for one, other in diagram.legend.lines)
        yield strokes(lines, LINE, palette.LABEL)
    corners = SQUARE if diagram.shape == "square" else HEXAGON
    by_tone: dict[Tone, list[tuple[Point, Point]]] = {}
    for name, (left, top) in places.items():
        for side, tone in sides.get(name, ()):
            (x, y), (to_x, to_y) = corners[side], corners[(side + 1) % len(corners)]
            by_tone.setdefault(tone, []).append(((left + x, top + y), (left + to_x, top + to_y)))
    for tone, edge in by_tone.items():
        yield strokes(edge, 2 * BAND, palette.LABEL)
        yield strokes(edge, 1.4 * BAND, FILLS[tone])


def names(hexagons: Iterable[tuple[Point, str]]) -> str:
    """Return the names that stand in free hexagons whose boxes are at these places."""
    placed = (((x + CELL / 2, y + TALL / 2), name) for (x, y), name in hexagons)
    return texts(placed, NAME_SIZE, palette.INK, NAME_FONT)


def labels(diagram: Diagram) -> str:
    """Return letters and numbers: of a small square board below and on the left, of others all round."""
    all_round, (_, height), places = is_labelled_all_round(diagram), size_of(diagram), boxes(diagram)
    room, off = _label_room(diagram), 2 + (BAND if diagram.legend.edges else 0)
    left, top = corner_of(diagram)
    below = height - MARGIN - room / 2 + off / 2
    placed: list[tuple[Point, str]] = []
    for y, letters in zip((top - room / 2 - off / 2, below), diagram.letters(), strict=True):
        if all_round or y == below:
            placed += [((left + place * CELL / 2 + CELL / 2, y), letter) for place, letter in letters]
    for label, cells in diagram.rows:
        (first, y), (last, _) = (places[cells[end][0]] for end in (0, -1))
        first = left if diagram.legend.lines else first
        sides = (first - room / 2 - off, last + CELL + room / 2 + off)
        placed += [((x, y + tall(diagram.shape) / 2), label) for x in (sides if all_round else sides[:1])]
    return texts(placed, _label_size(diagram), palette.LABEL)


def _label_size(diagram: Diagram) -> float:
    """Return the size of labels: on a large board, which is shown smaller, they are larger."""
    return max(SMALLEST_LABEL, min(diagram.broad * CELL / 2 * 0.037, LARGEST_LABEL))


def _label_room(diagram: Diagram) -> float:
    return _label_size(diagram) * 1.45


def cell(shape: Shape, look: Look) -> Iterator[str]:
    """Yield a cell with its content, in a box at 0, 0."""
    yield polygon(inset(shape, 0.6), palette.LIT_EDGE if look.lit else look.ground)
    if look.lit:
        yield polygon(inset(shape, 1.6 if look.lit == "left" else 3), look.ground)
    size = CELL if shape == "square" else CELL * 0.95
    centre = (CELL / 2, tall(shape) / 2)
    if look.kind == "piece":
        yield from _piece(centre, size, look)
    elif look.kind == "trace":
        yield from _sign(centre, size * 0.2, look.shown, RIMS[look.tone])


def inset(shape: Shape, by: float) -> tuple[Point, ...]:
    """Return the corners of a cell whose sides are that much further in."""
    corners, high = (SQUARE, CELL) if shape == "square" else (HEXAGON, TALL)
    share = 1 - 2 * by / CELL
    return tuple((CELL / 2 + (x - CELL / 2) * share, high / 2 + (y - high / 2) * share) for x, y in corners)


def _piece(centre: Point, size: float, look: Look) -> Iterator[str]:
    x, y = centre
    radius, rim = size * (0.37 if look.height == 1 else 0.33), RIMS[look.tone]
    if look.height > 1:
        y -= size * 0.06
        for step in range(min(look.height - 1, 3), 0, -1):
            yield disc((x, y + step * size * 0.05), radius, rim, radius * 0.13, palette.FIELDS[2])
    yield disc((x, y), radius, rim, radius * 0.13, FILLS[look.tone])
    if look.shown:
        yield from _sign((x, y), radius * 0.5, look.shown, SIGNS[look.tone])
    elif FILLS[look.tone] != rim:
        yield disc((x, y), radius * 0.6, SIGNS[look.tone], max(1.0, radius * 0.07))
    if look.height > 1:
        badge = (x + radius * 0.85, y + radius * 0.85)
        yield disc(badge, radius * 0.36, palette.INK, radius * 0.05, palette.PAPER)
        yield texts([(badge, str(look.height))], radius * 0.56, palette.INK)


def _sign(centre: Point, reach: float, sign: str, colour: Colour) -> Iterator[str]:
    """Yield a sign as strokes, which are clearer than letters; anything else as text."""
    x, y = centre
    if sign == "o":
        yield disc(centre, reach, colour, max(1.0, reach * 0.3))
    elif sign in ("x", "+"):
        far = reach * 0.78
        ways = ((far, far), (far, -far)) if sign == "x" else ((reach, 0.0), (0.0, reach))
        yield strokes((((x - a, y - b), (x + a, y + b)) for a, b in ways), reach * 0.3, colour)
    elif sign:
        yield texts([(centre, sign)], reach * palette.TEXT_SIZES[len(sign)], colour)


FACING: Mapping[Shape, Mapping[Towards, tuple[int, ...]]] = {
    "square": {"top": (0,), "right": (1,), "bottom": (2,), "left": (3,)},
    "hex": {"top": (0, 5), "right": (0, 1, 2), "bottom": (2, 3), "left": (3, 4, 5)},
}
"""The numbers of the sides of a cell that face a way: clockwise from the top, or of a hexagon from the top right."""
_STEPS: Mapping[Shape, tuple[Place, ...]] = {"square": WAYS["square"], "hex": (*WAYS["hex"][1:], WAYS["hex"][0])}
Sides = tuple[tuple[int, Tone], ...]  # sides of a cell, by their numbers, with the tones of their owners


def outer_sides(diagram: Diagram) -> dict[str, Sides]:
    """Return the outer sides of cells that are part of an edge. A side that two edges claim belongs to the first."""
    if not diagram.legend.edges:
        return {}
    places = {name: (diagram.place(name), row) for row, (_, cells) in enumerate(diagram.rows) for name, _ in cells}
    taken, steps = frozenset(places.values()), _STEPS[diagram.shape]
    owned: dict[str, dict[int, Tone]] = {}
    for edge in diagram.legend.edges:
        for name in sorted(edge.cells & places.keys()):
            place, row = places[name]
            for side in FACING[diagram.shape][edge.towards]:
                right, down = steps[side]
                if (place + right, row + down) not in taken:
                    owned.setdefault(name, {}).setdefault(side, diagram.legend.tones[edge.side])
    return {name: tuple(sorted(sides.items())) for name, sides in owned.items()}
