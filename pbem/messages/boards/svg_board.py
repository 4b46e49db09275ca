"""Boards as SVG: what looks alike is drawn once on a page, and used by every board.

They stand on a ground of their own, in a light page and in a dark one. There is no style in them, so a page can forbid
inline styles.
"""

from collections.abc import Iterable
from html import escape

from engines.diagram import Diagram, Mark, Shape
from pbem.messages.boards import svg_board_parts
from pbem.messages.boards.svg_board_parts import Point, names, short
from pbem.messages.palette import FRAME, Look, css

SELECTED = 2.2  # how far inside a cell the frame stands that a script shows; a line of 4 stays within the cell


class BoardSheet:
    """Draws the boards of one page. `shapes` is to be on that page too, once, after all boards were drawn."""

    def __init__(self) -> None:
        self._ids: dict[tuple[Shape, Look], str] = {}
        self._empty: dict[Diagram, tuple[str, str]] = {}
        """The ids and the contents of empty boards with their labels."""

    def board(self, diagram: Diagram, title: str) -> str:
        elements = [_opened(diagram, "img", title), self.ground(diagram)]
        for name, place, look in svg_board_parts.filled(diagram):
            elements.append(self.used(diagram.shape, look, place))
            if look.kind == "empty" and diagram.shape == "hex":  # it covers the name below it
                elements.append(names([(place, name)]))
        return "".join((*elements, "</svg>\n"))

    def shapes(self) -> str:
        return f'<svg class="shapes" width="0" height="0" aria-hidden="true">{self.defined()}</svg>\n'

    def defined(self) -> str:
        cells = (f'<g id="{name}">{"".join(svg_board_parts.cell(*look))}</g>' for look, name in self._ids.items())
        boards = (f'<g id="{name}">{content}</g>' for name, content in self._empty.values())
        return f"<defs>{''.join((*cells, *boards))}</defs>"

    def file(self, diagram: Diagram, title: str) -> str:
        head, _, rest = self.board(diagram, title).partition(">")
        return f'{head} xmlns="http://www.w3.org/2000/svg">{self.defined()}{rest}'

    def changing(self, diagram: Diagram, marks: Iterable[str], label: str) -> tuple[str, dict[str, list[str]]]:
        """Return a board whose cells a script can change, and the ids of what each mark looks like, by area."""
        ground, legend, shape = self.ground(diagram), diagram.legend, diagram.shape
        frame, by_text = svg_board_parts.outline(svg_board_parts.inset(shape, SELECTED)), legend.by_text()
        texts = {name: text for _, cells in diagram.rows for name, text in cells}

        def id_of(mark: Mark, level: int) -> str:
            return self._id(shape, Look(level, mark.kind, legend.tone_of(mark), mark.shown, mark.height))

        areas = range(len(legend.areas) + 1)
        possible = dict.fromkeys((*marks, *texts.values()))
        ids = {text: [id_of(by_text[text], level) for level in areas] for text in possible}
        drawn = []
        for name, (x, y), look in svg_board_parts.looks(diagram):
            drawn.append(
                f'<g data-cell="{name}" data-area="{look.level}" data-mark="{escape(texts[name])}"'
                f' transform="translate({short(x)} {short(y)})"><use href="#{self._id(shape, look)}"/>'
                f"{'' if shape == 'square' else names([((0, 0), name)])}"
                f'<path class="frame" d="{frame}"/></g>'
            )
        return f"{_opened(diagram, 'group', label)}{ground}{''.join(drawn)}</svg>\n", ids

    def _id(self, shape: Shape, look: Look) -> str:
        return self._ids.setdefault((shape, look), f"cell{len(self._ids)}")

    def ground(self, diagram: Diagram) -> str:
        """Return the board with nothing on it, with its edges and labels."""
        empty = svg_board_parts.emptied(diagram)
        if empty not in self._empty:
            width, height = map(short, svg_board_parts.size_of(empty))
            paper = f'<rect width="{width}" height="{height}" rx="8" fill="{css(FRAME)}"/>'
            cells = (self.used(empty.shape, look, place) for _, place, look in svg_board_parts.looks(empty))
            hexagons = ((place, name) for name, place in svg_board_parts.boxes(empty).items())
            named = names(hexagons) if empty.shape == "hex" else ""
            content = "".join((paper, *svg_board_parts.edges(empty), *cells, named, svg_board_parts.labels(empty)))
            self._empty[empty] = f"board{len(self._empty)}", content
        return f'<use href="#{self._empty[empty][0]}"/>'

    def used(self, shape: Shape, look: Look, place: Point) -> str:
        """Return a cell in a box at that place."""
        return f'<use href="#{self._id(shape, look)}" x="{short(place[0])}" y="{short(place[1])}"/>'


def _opened(diagram: Diagram, role: str, label: str) -> str:
    width, height = map(short, svg_board_parts.size_of(diagram))
    return f'<svg class="board" viewBox="0 0 {width} {height}" role="{role}" aria-label="{escape(label)}">'
