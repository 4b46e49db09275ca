"""Boards as SVG for web pages: what looks alike is drawn once on a page, and used by every board.

They stand on a ground of their own, in a light page and in a dark one. There is no style in them, so a page can forbid
inline styles.
"""

from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby

from engines.diagram import Diagram, Mark, Shape
from pbem.messages.boards.board_shapes import (
    Area,
    Disc,
    Drawn,
    Point,
    Strokes,
    Text,
    cell,
    edges,
    emptied,
    inset,
    labels,
    levels_of,
    looks,
    name_at,
    place_of,
    size_of,
)
from pbem.messages.boards.palette import FRAME, Lit, Look, css, lit_in

FONTS = {"sans-serif": "sans-serif", "monospace": "Menlo, Consolas, 'DejaVu Sans Mono', monospace"}
"""The second is for the names of cells: it tells i, j, l and 1 apart."""
SELECTED = 2.2
"""How far inside a cell the frame stands that a script shows; a line of 4 stays within the cell."""


class BoardSheet:
    """Draws the boards of one page. `shapes` is to be on that page too, once, after all boards were drawn."""

    def __init__(self) -> None:
        self._ids: dict[tuple[Shape, Look], str] = {}
        self._empty: dict[Diagram, tuple[str, str]] = {}
        """Empty boards with their labels: their ids and their contents."""

    def board(self, diagram: Diagram, title: str) -> str:
        width, height = size_of(diagram)
        return "".join(
            (
                f'<svg class="board" viewBox="0 0 {_n(width)} {_n(height)}" role="img" aria-label="{escape(title)}">',
                f'<use href="#{self._ground(diagram)}"/>',
                *self._filled(diagram),
                "</svg>\n",
            )
        )

    def shapes(self) -> str:
        cells = (f'<g id="{name}">{"".join(map(_written, cell(*look)))}</g>' for look, name in self._ids.items())
        boards = (f'<g id="{name}">{content}</g>' for name, content in self._empty.values())
        defined = "".join((*cells, *boards))
        return f'<svg class="shapes" width="0" height="0" aria-hidden="true"><defs>{defined}</defs></svg>\n'

    def file(self, diagram: Diagram, title: str) -> str:
        board = self.board(diagram, title)
        head, _, rest = board.partition(">")
        symbols = self.shapes().partition("<defs>")[2].removesuffix("</svg>\n")
        return f'{head} xmlns="http://www.w3.org/2000/svg"><defs>{symbols}{rest}'

    def changing(self, diagram: Diagram, marks: Iterable[str], label: str) -> tuple[str, dict[str, list[str]]]:
        """Return a board whose cells a script can change, and the ids of what each mark looks like, by area.

        Each cell is a group with its name and its area; the frame in it is for the style sheet to show.
        """
        ground, levels, known = self._ground(diagram), levels_of(diagram), diagram.legend.by_text()
        frame = _path(inset(diagram.shape, SELECTED))
        areas = range(len(diagram.legend.areas) + 1)
        ids = {
            each: [self._look(diagram, known[each], level, "") for level in areas]
            for each in dict.fromkeys((*marks, *(mark for _, cells in diagram.rows for _, mark in cells)))
        }
        drawn = []
        for row, (_, cells) in enumerate(diagram.rows):
            for name, text in cells:
                mark, level = known[text], levels.get(name, 0)
                look = self._look(diagram, mark, level, lit_in(diagram, name))
                x, y = place_of(diagram, name, row)
                drawn.append(
                    f'<g data-cell="{name}" data-area="{level}" data-mark="{escape(text)}"'
                    f' transform="translate({_n(x)} {_n(y)})"><use href="#{look}"/>'
                    f"{'' if diagram.shape == 'square' else _written(name_at(0, 0, name))}"
                    f'<path class="frame" d="{frame}"/></g>'
                )
        width, height = size_of(diagram)
        return (
            f'<svg class="board" viewBox="0 0 {_n(width)} {_n(height)}" role="group" aria-label="{escape(label)}">'
            f'<use href="#{ground}"/>{"".join(drawn)}</svg>\n'
        ), ids

    def _look(self, diagram: Diagram, mark: Mark, level: int, lit: Lit) -> str:
        look = Look(level, mark.kind, diagram.legend.tone_of(mark), mark.shown, mark.height, lit)
        return self._id(diagram.shape, look)

    def _id(self, shape: Shape, look: Look) -> str:
        return self._ids.setdefault((shape, look), f"cell{len(self._ids)}")

    def _ground(self, diagram: Diagram) -> str:
        empty = emptied(diagram)
        if empty not in self._empty:
            width, height = size_of(empty)
            paper = f'<rect width="{_n(width)}" height="{_n(height)}" rx="8" fill="{css(FRAME)}"/>'
            cells = (self._cell(empty, name, row, look) for name, row, look in looks(empty))
            names = (self._name(empty, name, row) for name, row, _ in looks(empty) if empty.shape == "hex")
            content = "".join((paper, *map(_written, edges(empty)), *cells, *_texts((*names, *labels(empty)))))
            self._empty[empty] = f"board{len(self._empty)}", content
        return self._empty[empty][0]

    def _filled(self, diagram: Diagram) -> Iterator[str]:
        """Yield the cells that look different from those of an empty board."""
        for name, row, look in looks(diagram):
            if look.kind != "empty" or look.lit:
                yield self._cell(diagram, name, row, look)
                if look.kind == "empty" and diagram.shape == "hex":  # it covers the name below it
                    yield _written(self._name(diagram, name, row))

    def _cell(self, diagram: Diagram, name: str, row: int, look: Look) -> str:
        x, y = place_of(diagram, name, row)
        return f'<use href="#{self._id(diagram.shape, look)}" x="{_n(x)}" y="{_n(y)}"/>'

    def _name(self, diagram: Diagram, name: str, row: int) -> Text:
        return name_at(*place_of(diagram, name, row), name)


def _written(shape: Drawn) -> str:
    """Return a shape as an element."""
    match shape:
        case Area():
            return f'<path d="{_path(shape.corners)}" fill="{css(shape.fill)}"/>'
        case Disc():
            (x, y), fill = shape.centre, css(shape.fill) if shape.fill else "none"
            rim = f'stroke="{css(shape.rim)}" stroke-width="{_n(shape.width)}"'
            return f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(shape.radius)}" fill="{fill}" {rim}/>'
        case Strokes():
            path = "".join(f"M{_n(x)} {_n(y)}L{_n(to_x)} {_n(to_y)}" for (x, y), (to_x, to_y) in shape.lines)
            width = f'stroke-width="{_n(shape.width)}" stroke-linecap="round"'
            return f'<path d="{path}" stroke="{css(shape.colour)}" {width}/>'
        case Text():
            return f"<text {_place(shape)} {_style(shape)}>{escape(shape.text)}</text>"


def _texts(texts: Iterable[Text]) -> Iterator[str]:
    """Yield texts as elements; what those share that follow each other is said once."""
    for style, alike in groupby(texts, key=_style):
        yield f"<g {style}>{''.join(f'<text {_place(text)}>{escape(text.text)}</text>' for text in alike)}</g>"


def _place(text: Text) -> str:
    return f'x="{_n(text.centre[0])}" y="{_n(text.baseline)}"'


def _style(text: Text) -> str:
    letters = f'font-size="{_n(text.size)}" text-anchor="middle" font-family="{FONTS[text.font]}"'
    return f'{letters} fill="{css(text.colour)}"'


def _path(corners: Iterable[Point]) -> str:
    return f"M{' '.join(f'{_n(x)},{_n(y)}' for x, y in corners)}z"


def _n(number: float) -> str:
    """Return a number with at most two decimals.

    >>> _n(40.0), _n(23.094)
    ('40', '23.09')
    """
    return f"{number:.2f}".rstrip("0").rstrip(".")
