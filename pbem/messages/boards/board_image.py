"""Boards as pictures: the shapes of a board, painted as PNG, with a key below it.

The picture has a ground of its own, so it looks the same in a light and in a dark mail. It is as wide as
the column of text in a mail program on a desktop, 500 CSS pixels with `scale` dots each, and a phone shows it as wide
as its screen; so whatever must be read is drawn large enough for that. Nothing here knows a game.

The boards of a match make an animated GIF, and not an APNG: Gmail, Apple Mail, Outlook and the viewers of phones all
play a GIF, while an APNG stands still in Outlook and in most viewers of attachments.
"""

import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from math import ceil
from typing import Any, Self

from PIL import Image, ImageDraw, ImageFont

from engines.diagram import Diagram, Shape
from notation.illustrations import LAST_TURN
from pbem.messages.boards.board_shapes import (
    CELL,
    Area,
    Disc,
    Drawn,
    Strokes,
    Text,
    cell,
    edges,
    emptied,
    labels,
    looks,
    name_at,
    place_of,
    size_of,
    tall,
)
from pbem.messages.boards.palette import FRAME, LABEL, Look

WIDTH = 500
"""In CSS pixels, like all measures here."""
MARGIN, KEY, LINE = 16, 30, 25
LARGEST_CELL, TALLEST = 84, 700
LETTERS = 17
"""The size of the key and of words; on a phone, letters are two thirds as large."""
SCALE, PAGE_SCALE = 1.0, 0.7
"""For a message, and for a page of rules, which shows several, and smaller.

A message about a turn has 20 KB so, and a few more where free cells have names."""
FINER = 4
"""The factor by which cells and edges are painted larger and then reduced, for smooth outlines."""
COLOURS = 16
"""Those of the cells, which are the most frequent, and some for the edges between them."""
KEPT = 64
"""How many pictures are kept: many matches begin alike, and a preview is often played."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the board stands in its picture: all in dots."""

    scale: float
    cell: tuple[int, int]
    left: int
    below: int
    """Where the key begins."""

    @classmethod
    def of(cls, diagram: Diagram, scale: float) -> Self:
        """Return the layout of the picture of a board."""
        width, height = size_of(diagram)
        dots = min(WIDTH / width, TALLEST / height, LARGEST_CELL / CELL) * scale * CELL
        each = int(dots / 2) * 2  # so that half a cell is a number of dots too
        factor = each / CELL
        left, below = round((WIDTH * scale - width * factor) / 2), round(height * factor)
        return cls(scale, (each, round(tall(diagram.shape) * factor)), left, below)

    @property
    def factor(self) -> float:
        """How many dots a unit of the shapes has."""
        return self.cell[0] / CELL

    def place(self, diagram: Diagram, name: str, row: int) -> tuple[int, int]:
        x, y = place_of(diagram, name, row)
        return self.left + round(x * self.factor), round(y * self.factor)

    def dots(self, measure: float) -> int:
        return round(measure * self.scale)


@lru_cache(maxsize=KEPT)
def png(diagram: Diagram, *, scale: float = SCALE, highlight: str = LAST_TURN) -> bytes:
    """Return the board as PNG, 500 CSS pixels wide with `scale` dots each; the key says what highlighted cells are."""
    return as_png(painted(diagram, scale, highlight=highlight))


def as_png(image: Image.Image) -> bytes:
    """Return a picture with few colours as PNG, with four bits a dot.

    Pillow filters such rows, which makes the file half as large again.
    """
    few = few_colours(image, COLOURS)
    rows, width = few.tobytes("raw", "P;4"), (image.width + 1) // 2
    unfiltered = b"".join(b"\0" + rows[at : at + width] for at in range(0, len(rows), width))
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", *image.size, 4, 3, 0, 0, 0)),
        (b"PLTE", bytes((few.getpalette() or [])[: 3 * COLOURS])),
        (b"IDAT", zlib.compress(unfiltered, 9)),
        (b"IEND", b""),
    )
    number = struct.Struct(">I").pack
    chunks = (number(len(each)) + name + each + number(zlib.crc32(name + each)) for name, each in parts)
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def few_colours(image: Image.Image, most: int) -> Image.Image:
    """Return the picture with its most frequent colours, so that cells keep theirs."""
    counted: Any = image.getcolors(image.width * image.height)
    palette = Image.new("P", (1, 1))
    palette.putpalette([channel for _, colour in sorted(counted, reverse=True)[:most] for channel in colour])
    return image.quantize(palette=palette, dither=Image.Dither.NONE)


def painted(
    diagram: Diagram, scale: float, words: Sequence[str] = (), lines: int = 0, highlight: str = LAST_TURN
) -> Image.Image:
    """Return the picture of a board, with words in some of so many lines below it."""
    layout = Layout.of(diagram, scale)
    image = _ground(emptied(diagram), scale, lines, highlight, is_lit=bool(diagram.lit)).copy()
    _put_cells(image, layout, diagram, (each for each in looks(diagram) if each[2].kind != "empty" or each[2].lit))
    top = image.height - layout.dots(MARGIN / 2 + LINE * (lines - 0.5))
    for number, line in enumerate(words):
        _write(image, (layout.dots(MARGIN), top + number * layout.dots(LINE)), layout.dots(LETTERS), line)
    return image


def wrapped(text: str, scale: float) -> tuple[str, ...]:
    """Return the text in lines that fit below a board."""
    size, room, lines = round(LETTERS * scale), (WIDTH - 2 * MARGIN) * scale, [""]
    for word in legible(text).split():
        longer = f"{lines[-1]} {word}".lstrip()
        if lines[-1] and font(size).getlength(longer) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return tuple(lines)


@lru_cache(maxsize=8)
def _ground(empty: Diagram, scale: float, lines: int, highlight: str, *, is_lit: bool) -> Image.Image:
    """Return the picture of a board with nothing on it; to be copied, not painted on, since others share it."""
    layout = Layout.of(empty, scale)
    key = list(_key_placed(empty, layout, highlight))
    key_lines = 1 + max(line for *_, line in key)
    height = layout.below + layout.dots(key_lines * KEY + lines * LINE + MARGIN / 2)
    image = Image.new("RGB", (layout.dots(WIDTH), height), FRAME)
    if empty.legend.edges or empty.legend.lines:
        finer = Image.new("RGB", (image.width * FINER, layout.below * FINER), FRAME)
        _paint(finer, edges(empty), layout.factor * FINER, layout.left * FINER)
        image.paste(finer.reduce(FINER))
    _put_cells(image, layout, empty, looks(empty))
    _paint(image, labels(empty), layout.factor, layout.left)
    size = layout.dots(KEY - 6)
    for shown, name, left, line in key if is_lit else key[:-1]:
        top = layout.below + layout.dots(line * KEY)
        for look in shown:
            image.paste(_tile("square", look, (size, size)), (left, top))
            left += size + layout.dots(2)
        _write(image, (left + layout.dots(3), top + size // 2), layout.dots(LETTERS), name)
    return image


def _put_cells(image: Image.Image, layout: Layout, diagram: Diagram, cells: Iterable[tuple[str, int, Look]]) -> None:
    """Paint cells, with their names in free hexagons."""
    for name, row, look in cells:
        place, tile = layout.place(diagram, name, row), _tile(diagram.shape, look, layout.cell)
        image.paste(tile, place, tile)
        if diagram.shape == "hex" and look.kind == "empty":
            _paint(image, [name_at(0, 0, name)], layout.factor, *place)


@lru_cache(maxsize=256)
def _tile(shape: Shape, look: Look, size: tuple[int, int]) -> Image.Image:
    """Return a cell with its content; clear around it."""
    image = Image.new("RGBA", (size[0] * FINER, size[1] * FINER), (*FRAME, 0))
    _paint(image, cell(shape, look), size[0] * FINER / CELL)
    return image.reduce(FINER)


def _paint(image: Image.Image, shapes: Iterable[Drawn], factor: float, left: float = 0, top: float = 0) -> None:
    """Paint shapes on a picture that has so many dots for a unit, from that place on."""
    pen = ImageDraw.Draw(image)

    def round_dot(x: float, y: float, reach: float) -> tuple[float, float, float, float]:
        return x - reach, y - reach, x + reach, y + reach

    def at(point: tuple[float, float]) -> tuple[float, float]:
        return left + point[0] * factor, top + point[1] * factor

    for shape in shapes:
        match shape:
            case Area():
                pen.polygon([at(corner) for corner in shape.corners], shape.fill)
            case Disc():
                width = max(1, round(shape.width * factor))
                box = round_dot(*at(shape.centre), shape.radius * factor + width / 2)
                pen.ellipse(box, shape.fill, shape.rim, width)
            case Strokes():
                width = max(1, round(shape.width * factor))
                for line in shape.lines:
                    ends = [at(end) for end in line]
                    pen.line(ends, shape.colour, width)
                    for end in ends:
                        pen.ellipse(round_dot(*end, width / 2), shape.colour)
            case Text():
                place = at((shape.centre[0], shape.baseline))
                pen.text(place, shape.text, shape.colour, font(round(shape.size * factor)), "ms")


def _write(image: Image.Image, place: tuple[float, float], size: int, text: str) -> None:
    """Write a line of text on the ground; the place is the middle of its left end."""
    ImageDraw.Draw(image).text(place, text, LABEL, font(size), "lm")


def _key_placed(diagram: Diagram, layout: Layout, highlight: str) -> Iterator[tuple[Sequence[Look], str, int, int]]:
    """Yield what the key explains: looks, their name, and its place: dots from the left, and the line of the key."""
    size, margin, line = layout.dots(KEY - 6), layout.dots(MARGIN), 0
    left = margin
    for shown, words in _key(diagram, highlight):
        name = legible(words)
        width = len(shown) * (size + layout.dots(2)) + round(font(layout.dots(LETTERS)).getlength(name))
        if left > margin and left + width > layout.dots(WIDTH - MARGIN):
            left, line = margin, line + 1
        yield shown, name, left, line
        left += width + layout.dots(13)


def _key(diagram: Diagram, highlight: str) -> Iterator[tuple[Sequence[Look], str]]:
    """Yield what the key explains: the sides, marked cells, areas, and last what the last turn touched."""
    legend = diagram.legend
    for seat, side in enumerate(legend.sides):
        pieces = {mark.shown for mark in legend.marks if mark.side == seat and mark.kind == "piece"}
        if pieces:
            yield (Look(0, "piece", legend.tones[seat], *(pieces if len(pieces) == 1 else ())),), side
    for mark in legend.marks:
        if mark.kind == "piece" and mark.side is None and not mark.shown.isdigit():
            yield (Look(0, "piece", legend.tone_of(mark), mark.shown, mark.height),), mark.words[1]
    traces: dict[str, list[Look]] = {}
    for mark in legend.marks:
        if mark.kind == "trace":
            traces.setdefault(mark.words[1], []).append(Look(0, "trace", legend.tone_of(mark), mark.shown))
    yield from ((shown, words) for words, shown in traces.items())
    for level, name in enumerate(legend.area_names, start=1):
        yield (Look(level),), name
    left = (Look(0, lit="left"),) if highlight == LAST_TURN else ()
    yield (*left, Look(0, lit="reached")), highlight


def legible(text: str) -> str:
    """Return the text without characters that the font lacks.

    >>> legible("Jo\N{LATIN SMALL LETTER A WITH TILDE}o: c1b1")
    'Joo: c1b1'
    """
    return "".join(c for c in text if c.isascii() and (c.isprintable() or c.isspace()))


@lru_cache(maxsize=64)
def font(size: int) -> ImageFont.FreeTypeFont:
    """Return the font that comes with Pillow (Aileron, public domain), so that letters look the same everywhere."""
    loaded = ImageFont.load_default(size)
    assert isinstance(loaded, ImageFont.FreeTypeFont)  # noqa: S101 - Pillow's wheels have FreeType
    return loaded


FRAME_MS, LAST_FRAME_MS = 900, 4000
LARGEST = 43_000
"""In bytes: an animation comes unasked with the last message of a match, which has 80 KB at most."""
MOST_BOARDS = 200
"""Three minutes to watch, and a second to draw."""
SHADES = 15
"""And one for what stays as it was: with 16 instead of all shades, an animation is half as large."""
BROADEST, TALLEST = 400, 440
"""In dots. Filters take an animation of 180,000 dots and few words for a picture of an advertisement."""
SMALLER = 0.7
"""The share of that which the boards of long matches have."""

Steps = list[tuple[Diagram, str]]
"""Boards with their captions."""


def animation(diagrams: Sequence[Diagram], *, captions: Sequence[str] = (), largest: int = LARGEST) -> bytes:
    """Return the boards of a match as an animated GIF of at most 43 KB; the last one is shown longer.

    Where they take too much room they are drawn smaller, and of long matches every second board or fewer is shown.
    """
    steps = list(zip(diagrams, captions or [""] * len(diagrams), strict=True))
    steps = _thinned(steps, ceil(len(steps) / MOST_BOARDS))
    scale = BROADEST / WIDTH
    lines = max(len(wrapped(caption, scale)) for _, caption in steps)
    scale *= min(1, TALLEST / (painted(steps[0][0], scale, (), lines).height + 4))  # sizes are rounded
    content = _animated(steps, scale)
    if len(content) > largest:
        content = _animated(steps, scale * SMALLER)
    each = ceil(len(content) / largest)
    while len(content) > largest and each <= len(steps):
        content = _animated(_thinned(steps, each), scale * SMALLER)
        each += 1
    return content


def _thinned(steps: Steps, each: int) -> Steps:
    """Return the last step, and every second, third or nth of those before it.

    >>> [caption for _, caption in _thinned([(Diagram("square", (), ()), each) for each in "abcde"], 3)]
    ['b', 'e']
    """
    return steps[::-each][::-1]


def _animated(steps: Steps, scale: float) -> bytes:
    """Return the boards with their captions as an animated GIF."""
    words = [wrapped(caption, scale) for _, caption in steps]
    lines = max(map(len, words))
    samples = [painted(steps[at][0], scale, words[at], lines) for at in (0, len(steps) // 2, -1)]
    beside = Image.new("RGB", (sum(each.width for each in samples), samples[0].height))
    for number, each in enumerate(samples):
        beside.paste(each, (number * each.width, 0))
    palette = few_colours(beside, SHADES)
    frames = (
        painted(board, scale, below, lines).quantize(palette=palette, dither=Image.Dither.NONE)
        for (board, _), below in zip(steps, words, strict=True)
    )
    content, times = BytesIO(), [FRAME_MS] * (len(steps) - 1) + [LAST_FRAME_MS]
    next(frames).save(content, "GIF", save_all=True, append_images=frames, duration=times, loop=0)
    return content.getvalue()
