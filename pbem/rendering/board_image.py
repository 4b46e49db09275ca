"""Boards as pictures: one board as PNG, the boards of a match as an animated GIF.

The picture has a ground and an edge of its own, so it looks the same in a light and in a dark mail, and is as wide
as the text of a phone: 360 CSS pixels, of which every one has `scale` dots each way. Sides and cells are those of the
diagram's legend; nothing here knows a game.

An animation is a GIF and not an APNG: Gmail, Apple Mail, Outlook and the viewers of phones all play a GIF, while an
APNG stands still in Outlook and in most viewers of attachments. With so few colours a GIF loses nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from math import ceil, sqrt
from typing import Self

from PIL import Image

from engines.diagram import Diagram, Legend, Shape
from pbem.rendering.palette import EDGE, FAINT, PAPER
from pbem.rendering.tiles import (
    CORNER_ALPHAS,
    INDEX,
    PALETTE,
    Look,
    corner,
    font,
    legible,
    lettering,
    mask,
    tile,
)

WIDTH = 360
"""In CSS pixels, like all measures here."""
MARGIN, LABEL, HEAD, GAP = 8, 16, 26, 6
LARGEST_CELL = 56
SMALL_TEXT, TEXT, LINE = 11, 13, 18
RADIUS = 12

FRAME_MS, LAST_FRAME_MS = 900, 4000
LARGEST_ANIMATION = 1_000_000
MOST_BOARDS = 200
"""Three minutes to watch, and a second to draw."""
SCALES = (1.5, 1.0, 0.75)
"""The scales of animations, from the one for phones to the one for the longest matches."""

Steps = list[tuple[Diagram, str]]
"""Boards with their captions."""


def png(diagram: Diagram, *, caption: str = "", scale: float = 2) -> bytes:
    """Return the board as PNG, 360 CSS pixels wide with `scale` dots each, and the caption below it."""
    words = _words(diagram, caption, scale)
    layout = Layout.of(diagram, len(words), scale)
    content = BytesIO()
    _drawn(layout, diagram, words).save(content, "PNG", transparency=bytes(CORNER_ALPHAS), compress_level=6)
    return content.getvalue()


def animation(diagrams: Sequence[Diagram], *, captions: Sequence[str] = (), largest: int = LARGEST_ANIMATION) -> bytes:
    """Return the boards of a match as an animated GIF of at most 1 MB; the last one is shown longer.

    Where they take too much room they are drawn smaller, and of long matches every second board or fewer is shown.
    """
    steps = list(zip(diagrams, captions or [""] * len(diagrams), strict=True))
    steps = _thinned(steps, ceil(len(steps) / MOST_BOARDS))
    for scale in SCALES:
        content = _animated(steps, scale)
        if len(content) <= largest:
            return content
    while len(content) > largest and len(steps) > 1:
        steps = _thinned(steps, 2)
        content = _animated(steps, SCALES[-1])
    return content


def _thinned(steps: Steps, each: int) -> Steps:
    """Return the last step, and every second, third or nth of those before it.

    >>> [caption for _, caption in _thinned([(Diagram("square", (), ()), each) for each in "abcde"], 3)]
    ['b', 'e']
    """
    return steps[::-each][::-1]


def _animated(steps: Steps, scale: float) -> bytes:
    """Return the boards with their captions as an animated GIF."""
    words = [_words(diagram, caption, scale) for diagram, caption in steps]
    layout = Layout.of(steps[0][0], max(map(len, words)), scale)
    frames = (_drawn(layout, diagram, lines) for (diagram, _), lines in zip(steps, words, strict=True))
    first = next(frames)
    content = BytesIO()
    first.save(
        content,
        "GIF",
        save_all=True,
        append_images=frames,
        duration=[FRAME_MS] * (len(steps) - 1) + [LAST_FRAME_MS],
        loop=0,
        transparency=0,
        disposal=1,
        optimize=True,
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
    step: tuple[int, int]
    """The steps from column to column and from row to row."""
    board: tuple[int, int]

    @classmethod
    def of(cls, diagram: Diagram, lines: int, scale: float) -> Self:
        """Return the layout of a board with that many lines of text below."""
        room = WIDTH - 2 * (MARGIN + LABEL)
        columns, rows = len(diagram.columns), len(diagram.rows)
        if diagram.shape == "hex":  # cells are two columns apart, and rows overlap by their corners
            across = int(room / (columns + 1) * scale)
            step = (across, round(sqrt(3) * across))
            cell = (2 * across, round(4 * across / sqrt(3)))
            board = ((columns + 1) * across, (rows - 1) * step[1] + cell[1])
        else:
            side = int(min(room / columns, LARGEST_CELL) * scale)
            step = cell = (side, side)
            board = (columns * side, rows * side)
        above = HEAD + (LABEL if diagram.shape == "hex" else 0)
        height = MARGIN + above + LABEL + (GAP + lines * LINE if lines else 0) + MARGIN
        width, top = int(WIDTH * scale), int((MARGIN + above) * scale)
        left = (width - board[0]) // 2
        return cls(scale, diagram.shape, width, int(height * scale) + board[1], left, top, cell, step, board)

    def dots(self, measure: float) -> int:
        """Return a measure in dots."""
        return round(measure * self.scale)

    def place(self, diagram: Diagram, name: str, row: int) -> tuple[int, int]:
        """Return the upper left corner of a cell's box."""
        column = diagram.columns.index(name.rstrip("0123456789"))
        return self.left + column * self.step[0], self.top + row * self.step[1]


def _drawn(layout: Layout, diagram: Diagram, words: Sequence[Image.Image]) -> Image.Image:
    """Return the whole picture."""
    image = _framed(layout)
    _put_head(image, layout, diagram.legend)
    _put_cells(image, layout, diagram)
    _put_labels(image, layout, diagram)
    top = layout.top + layout.board[1] + layout.dots(LABEL + GAP)
    for number, line in enumerate(words):
        image.paste(line, (layout.dots(MARGIN + GAP), top + number * layout.dots(LINE)))
    return image


def _framed(layout: Layout) -> Image.Image:
    """Return paper with an edge and round corners."""
    width, height = layout.width, layout.height
    image = Image.new("P", (width, height), INDEX[PAPER])
    image.putpalette(PALETTE)
    border = max(1, layout.dots(1))
    for side in ((0, 0, width, border), (0, height - border, width, height)):
        image.paste(INDEX[EDGE], side)
    for side in ((0, 0, border, height), (width - border, 0, width, height)):
        image.paste(INDEX[EDGE], side)
    turned = corner(layout.dots(RADIUS), border)
    reach = turned.width
    for place in ((0, 0), (0, height - reach), (width - reach, height - reach), (width - reach, 0)):
        image.paste(turned, place)
        turned = turned.transpose(Image.Transpose.ROTATE_90)
    return image


def _put_head(image: Image.Image, layout: Layout, legend: Legend) -> None:
    """Draw the sides with their pieces."""
    size, left = layout.dots(HEAD - 4), layout.dots(MARGIN + GAP)
    for seat, side in enumerate(legend.sides):
        pieces = {mark.shown for mark in legend.marks if mark.side == seat and mark.kind == "piece"}
        look = Look(None, "piece", legend.tones[seat], *(pieces if len(pieces) == 1 else ()))
        name = lettering(layout.dots(TEXT), legible(side))
        image.paste(tile("square", size, size, look), (left, layout.dots(MARGIN)))
        image.paste(name, (left + size + layout.dots(4), layout.dots(MARGIN) + (size - name.height) // 2))
        left += size + name.width + layout.dots(20)


def _put_cells(image: Image.Image, layout: Layout, diagram: Diagram) -> None:
    """Draw every cell with its content."""
    marks, tones = diagram.legend.by_text(), diagram.legend.tones
    levels = {name: level for level, area in enumerate(diagram.legend.areas, start=1) for name in area}
    inside = mask(layout.shape, *layout.cell)
    for row, (_, cells) in enumerate(diagram.rows):
        for name, text in cells:
            mark = marks[text]
            look = Look(
                levels.get(name, 0),
                mark.kind,
                tones[mark.side or 0],
                mark.shown,
                mark.height,
                name in diagram.lit,
            )
            image.paste(tile(layout.shape, *layout.cell, look), layout.place(diagram, name, row), inside)


def _put_labels(image: Image.Image, layout: Layout, diagram: Diagram) -> None:
    """Draw the letters of the columns, and the numbers of the rows at both ends."""
    (width, height), half = layout.cell, layout.dots(LABEL) // 2
    below = layout.top + layout.board[1] + half
    for column, letter in enumerate(diagram.columns):
        x = layout.left + column * layout.step[0] + width // 2
        for y in (layout.top - half, below) if layout.shape == "hex" else (below,):
            _put_label(image, layout, letter, (x, y))
    for row, (label, cells) in enumerate(diagram.rows):
        first, y = layout.place(diagram, cells[0][0], row)
        last, _ = layout.place(diagram, cells[-1][0], row)
        for x in (first - half, last + width + half):
            _put_label(image, layout, label, (x, y + height // 2))


def _put_label(image: Image.Image, layout: Layout, text: str, centre: tuple[int, int]) -> None:
    label = lettering(layout.dots(SMALL_TEXT), text, FAINT)
    image.paste(label, (centre[0] - label.width // 2, centre[1] - label.height // 2))


def _words(diagram: Diagram, caption: str, scale: float) -> list[Image.Image]:
    """Return the lines below the board: the caption and the notes."""
    size, room = round(TEXT * scale), (WIDTH - 2 * (MARGIN + GAP)) * scale
    lines = [*_wrapped(caption, size, room)] if caption else []
    for remark in diagram.remarks:
        lines += _wrapped(remark, size, room)
    return [lettering(size, line) for line in lines]


def _wrapped(text: str, size: int, room: float) -> Iterator[str]:
    """Return the text in lines that fit the width."""
    line = ""
    for word in legible(text).split():
        longer = f"{line} {word}".lstrip()
        if line and font(size).getlength(longer) > room:
            yield line
            longer = word
        line = longer
    yield line
