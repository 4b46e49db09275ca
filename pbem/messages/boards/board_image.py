"""Boards as pictures: one board as PNG.

The picture has a frame of its own, so it looks the same in a light and in a dark mail. It is as wide as
the column of text in a mail program on a desktop, 500 CSS pixels with `scale` dots each, and a phone shows it as wide
as its screen; so whatever must be read is drawn large enough for that. Sides and cells are those of the diagram's
legend, and the key below the board explains what they look like. Nothing here knows a game.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from math import sqrt
from typing import Self

from PIL import Image

from engines.diagram import Diagram, Shape
from notation.illustrations import LAST_TURN
from pbem.messages.boards.looks import Look, lit_in
from pbem.messages.boards.outline import outer_sides
from pbem.messages.boards.palette import FILLS, FRAME, FRAME_EDGE, INK
from pbem.messages.boards.palette import LABEL as LABELLED
from pbem.messages.boards.tiles import (
    CORNER_ALPHAS,
    INDEX,
    band,
    corner,
    legible,
    lettering,
    mask,
    palette_with,
    tile,
    tones_of,
    width_of,
)

WIDTH = 500
"""In CSS pixels, like all measures here."""
MARGIN, LABEL, KEY, GAP = 12, 26, 30, 8
LARGEST_CELL, TALLEST = 100, 640
BAND = 5
"""The breadth of an edge that belongs to a side."""
MOST_ROWS_WITH_LABELS_ON_TWO_SIDES = 8
SMALL_TEXT, TEXT, LINE = 17, 18, 25
"""On a phone, letters are two thirds as large."""
NAME_SIZE = 0.34
"""The size of the names in free hexagons, in widths of a cell."""
RADIUS = 12
SCALE, SMALL_SCALE, PAGE_SCALE = 1.35, 1.2, 0.8
"""Twice the dots that a phone's screen has in CSS pixels are enough: no message about a turn has more than 45 KB.

For a message with one board, for one with several, and for a page of rules, which shows them smaller."""
COMPRESSION = 6
"""zlib's level: 3 takes half the time, for a third more bytes; 9 takes six times as long, for a sixth less."""
KEPT = 64
"""How many pictures are kept: many matches begin alike, and a preview is often played."""


@lru_cache(maxsize=KEPT)
def png(diagram: Diagram, *, scale: float = SCALE, highlight: str = LAST_TURN) -> bytes:
    """Return the board as PNG, 500 CSS pixels wide with `scale` dots each; the key says what highlighted cells are."""
    content = BytesIO()
    drawn(Layout.of(diagram, 0, scale), diagram, (), highlight).save(
        content, "PNG", transparency=bytes(CORNER_ALPHAS), compress_level=COMPRESSION
    )
    return content.getvalue()


@dataclass(frozen=True, slots=True)
class Layout:
    """The positions of everything in dots: the corner of the board, the steps between cells, the lines of text."""

    scale: float
    shape: Shape
    width: int
    height: int
    left: int
    top: int
    cell: tuple[int, int]
    """The size of a cell's box."""
    step: int
    """The step from row to row."""
    board: tuple[int, int]
    all_round: bool
    """Whether the letters and numbers stand on all four sides, for a board too large for two."""
    key_lines: int
    rim: int
    """The breadth of the edges that belong to sides; 0 if there are none."""

    @classmethod
    def of(cls, diagram: Diagram, lines: int, scale: float) -> Self:
        """Return the layout of a board with that many lines of text below."""
        halves, rows = diagram.broad, len(diagram.rows)
        all_round = rows > MOST_ROWS_WITH_LABELS_ON_TWO_SIDES or diagram.is_slanted
        if diagram.shape == "hex":  # rows overlap by their corners
            across = int((WIDTH - 2 * (MARGIN + LABEL)) / halves * scale)
            across = min(across, int(TALLEST / sqrt(3) / rows * scale), int(LARGEST_CELL / 2 * scale))
            step = round(sqrt(3) * across)
            cell = (2 * across, round(4 * across / sqrt(3)))
            board = (halves * across, (rows - 1) * step + cell[1])
        else:
            side = int(min((WIDTH - 2 * (MARGIN + LABEL)) * 2 / halves, TALLEST / rows, LARGEST_CELL) * scale)
            step, cell = side, (side, side)
            board = (halves * side // 2, rows * side)
        top = MARGIN + (LABEL if all_round else 0)
        key_lines = 1 + max(line for *_, (_, line) in _key_placed(diagram, LAST_TURN, scale, lit=True))
        rim = BAND if diagram.legend.edges else 0
        height = top + LABEL + rim + key_lines * KEY + (lines * LINE) + MARGIN
        width = int(WIDTH * scale)
        left = (width - board[0]) // 2
        return cls(
            scale,
            diagram.shape,
            width,
            int(height * scale) + board[1],
            left,
            int(top * scale),
            cell,
            step,
            board,
            all_round,
            key_lines,
            round(rim * scale),
        )

    @property
    def key(self) -> int:
        """Where the key begins, below the board and its letters."""
        return self.top + self.board[1] + self.dots(LABEL + GAP / 2) + self.rim

    @property
    def words(self) -> int:
        """Where the text begins, below the key."""
        return self.key + self.key_lines * self.dots(KEY)

    def dots(self, measure: float) -> int:
        """Return a measure in dots."""
        return round(measure * self.scale)

    def place(self, diagram: Diagram, name: str, row: int) -> tuple[int, int]:
        """Return the upper left corner of a cell's box."""
        return self.left + diagram.place(name) * self.cell[0] // 2, self.top + row * self.step


def drawn(layout: Layout, diagram: Diagram, words: Sequence[Image.Image], highlight: str = LAST_TURN) -> Image.Image:
    """Return the whole picture, with lines of words below it."""
    image = _framed(layout, diagram)
    _put_labels(image, layout, diagram)
    _put_edges(image, layout, diagram)
    _put_cells(image, layout, diagram)
    _put_key(image, layout, diagram, highlight)
    _put_words(image, layout, words)
    return image


def _put_words(image: Image.Image, layout: Layout, words: Sequence[Image.Image]) -> None:
    """Draw lines of words below the board."""
    top = layout.words
    for number, line in enumerate(words):
        image.paste(line, (layout.dots(MARGIN + GAP), top + number * layout.dots(LINE)))


def _framed(layout: Layout, diagram: Diagram) -> Image.Image:
    """Return an empty board: a frame with round corners."""
    width, height = layout.width, layout.height
    image = Image.new("P", (width, height), INDEX[FRAME])
    image.putpalette(palette_with(tones_of(diagram.legend)))
    border = max(1, layout.dots(1))
    for side in ((0, 0, width, border), (0, height - border, width, height)):
        image.paste(INDEX[FRAME_EDGE], side)
    for side in ((0, 0, border, height), (width - border, 0, width, height)):
        image.paste(INDEX[FRAME_EDGE], side)
    turned = corner(layout.dots(RADIUS), border)
    reach = turned.width
    for place in ((0, 0), (0, height - reach), (width - reach, height - reach), (width - reach, 0)):
        image.paste(turned, place)
        turned = turned.transpose(Image.Transpose.ROTATE_90)
    return image


def is_alike(one: Diagram, other: Diagram) -> bool:
    """Return whether the pictures of two boards differ in nothing but their cells."""
    return (one.shape, one.columns, one.legend, bool(one.lit)) == (
        other.shape,
        other.columns,
        other.legend,
        bool(other.lit),
    )


def redrawn(
    image: Image.Image, layout: Layout, before: Diagram, after: Diagram, words: Sequence[Image.Image]
) -> tuple[int, int, int, int]:
    """Change a picture of a board so that it shows another one, with those lines below it. Return the box that changed.

    The boards are alike (see there).
    """
    names = [
        name
        for (_, cells), (_, others) in zip(before.rows, after.rows, strict=True)
        if cells is not others
        for (name, mark), (_, other) in zip(cells, others, strict=True)
        if mark != other
    ]
    changed = {*names, *(before.lit ^ after.lit), *(before.left ^ after.left)}
    _put_cells(image, layout, after, changed)
    (width, height), top = layout.cell, layout.words
    boxes = [
        (x, y, x + width, y + height)
        for row, (_, cells) in enumerate(after.rows)
        for name, _ in cells
        if name in changed
        for x, y in (layout.place(after, name, row),)
    ]
    below = (layout.dots(RADIUS), top, layout.width - layout.dots(RADIUS), layout.height - max(1, layout.dots(1)))
    image.paste(INDEX[FRAME], below)
    _put_words(image, layout, words)
    boxes.append(below)
    left, tops, right, bottom = zip(*boxes, strict=True)
    return min(left), min(tops), max(right), max(bottom)


def _put_cells(image: Image.Image, layout: Layout, diagram: Diagram, wanted: Collection[str] | None = None) -> None:
    """Draw every cell with its content, or with its name if it's a free hexagon; or only those that are wanted."""
    marks, tones = diagram.legend.by_text(), tones_of(diagram.legend)
    levels = {name: level for level, area in enumerate(diagram.legend.areas, start=1) for name in area}
    inside = mask(layout.shape, *layout.cell) if layout.shape == "hex" else None  # a square covers its box
    width, height = layout.cell
    for row, (_, cells) in enumerate(diagram.rows):
        for name, text in cells:
            if wanted is not None and name not in wanted:
                continue
            mark = marks[text]
            look = Look(
                levels.get(name, 0),
                mark.kind,
                diagram.legend.tone_of(mark),
                mark.shown,
                mark.height,
                lit_in(diagram, name),
            )
            x, y = layout.place(diagram, name, row)
            image.paste(tile(layout.shape, width, height, look, tones), (x, y), inside)
            if layout.shape == "hex" and mark.kind == "empty":
                label = lettering(round(width * NAME_SIZE), name, INK, look.ground)
                image.paste(label, (x + (width - label.width) // 2, y + (height - label.height) // 2))


def _put_edges(image: Image.Image, layout: Layout, diagram: Diagram) -> None:
    """Draw the edges that belong to sides as bands outside the board."""
    bands, tones = outer_sides(diagram), tones_of(diagram.legend)
    for share in (1, 0.7):  # a light rim around all bands sets off a dark one
        thick = round(layout.rim * share)
        for row, (_, cells) in enumerate(diagram.rows):
            for name in (name for name, _ in cells if name in bands):
                sides = tuple((side, LABELLED if share == 1 else FILLS[tone]) for side, tone in bands[name])
                drawn, covered = band(layout.shape, *layout.cell, thick, tones, sides)
                x, y = layout.place(diagram, name, row)
                image.paste(drawn, (x - thick, y - thick), covered)


def _put_labels(image: Image.Image, layout: Layout, diagram: Diagram) -> None:
    """Draw the letters of the columns below, and the numbers beside the rows; or all round."""
    width, height = layout.cell
    half = layout.dots(LABEL) // 2 + layout.rim
    below, above = layout.top + layout.board[1] + half, layout.top - half
    for y, letters in zip((above, below), diagram.letters(), strict=True):
        for place, letter in letters if layout.all_round or y == below else ():
            _put_label(image, layout, letter, (layout.left + place * width // 2 + width // 2, y))
    for row, (label, cells) in enumerate(diagram.rows):
        (left, top), (last, _) = (layout.place(diagram, cells[end][0], row) for end in (0, -1))
        for x in (left - half, last + width + half) if layout.all_round else (left - half,):
            _put_label(image, layout, label, (x, top + height // 2))


def _put_label(image: Image.Image, layout: Layout, text: str, centre: tuple[int, int]) -> None:
    label = lettering(min(layout.dots(SMALL_TEXT), layout.step * 4 // 5), text, LABELLED, FRAME)
    image.paste(label, (centre[0] - label.width // 2, centre[1] - label.height // 2))


def _put_key(image: Image.Image, layout: Layout, diagram: Diagram, highlight: str) -> None:
    """Draw what things look like, each with its name: the sides, marked cells, areas, and the last turn."""
    size, tones = layout.dots(KEY - 6), tones_of(diagram.legend)
    for looks, name, (left, line) in _key_placed(diagram, highlight, layout.scale, lit=bool(diagram.lit)):
        top = layout.key + line * layout.dots(KEY)
        for look in looks:
            image.paste(tile("square", size, size, look, tones), (left, top))
            left += size + layout.dots(2)
        image.paste(name, (left + layout.dots(3), top + (size - name.height) // 2))


def _key_placed(
    diagram: Diagram, highlight: str, scale: float, *, lit: bool
) -> Iterator[tuple[Sequence[Look], Image.Image, tuple[int, int]]]:
    """Yield what the key explains: looks, their name, and its place: dots from the left, and the line of the key."""

    def dots(measure: float) -> int:
        return round(measure * scale)

    size, left, line = dots(KEY - 6), dots(MARGIN + GAP), 0
    for looks, words in _key(diagram, highlight, lit=lit):
        name = lettering(dots(SMALL_TEXT), legible(words), LABELLED, FRAME)
        width = len(looks) * (size + dots(2)) + name.width
        if left > dots(MARGIN + GAP) and left + width > dots(WIDTH - MARGIN):
            left, line = dots(MARGIN + GAP), line + 1
        yield looks, name, (left, line)
        left += width + dots(13)


def _key(diagram: Diagram, highlight: str, *, lit: bool) -> Iterator[tuple[Sequence[Look], str]]:
    """Yield what the key explains."""
    legend = diagram.legend
    for seat, side in enumerate(legend.sides):
        pieces = {mark.shown for mark in legend.marks if mark.side == seat and mark.kind == "piece"}
        yield (Look(0, "piece", legend.tones[seat], *(pieces if len(pieces) == 1 else ())),), side
    for mark in legend.marks:
        if mark.kind == "piece" and mark.side is None:
            yield (Look(0, "piece", legend.tone_of(mark), mark.shown, mark.height),), mark.words[1]
    traces: dict[str, list[Look]] = {}
    for mark in legend.marks:
        if mark.kind == "trace":
            traces.setdefault(mark.words[1], []).append(Look(0, "trace", legend.tone_of(mark), mark.shown))
    yield from ((looks, words) for words, looks in traces.items())
    for level, name in enumerate(legend.area_names, start=1):
        yield (Look(level),), name
    if lit:
        left = (Look(0, lit="left"),) if highlight == LAST_TURN else ()
        yield (*left, Look(0, lit="reached")), highlight


def lines(text: str, scale: float) -> list[Image.Image]:
    """Return text as lines that fit below a board."""
    size, room = round(TEXT * scale), (WIDTH - 2 * (MARGIN + GAP)) * scale
    return [lettering(size, line, LABELLED, FRAME) for line in _wrapped(text, size, room)] if text else []


def _wrapped(text: str, size: int, room: float) -> Iterator[str]:
    """Return the text in lines that fit the width."""
    line, length = "", 0.0
    for word in legible(text).split():
        longer = length + (width_of(size, " ") if line else 0.0) + width_of(size, word)
        if line and longer > room:
            yield line
            line, longer = "", width_of(size, word)
        line, length = f"{line} {word}".lstrip(), longer
    yield line
