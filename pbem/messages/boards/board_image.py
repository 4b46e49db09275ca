"""Boards as pictures: the SVG of a board as PNG, with a key below it.

The picture has a ground of its own, so it looks the same in a light and in a dark mail. It is as wide as
the column of text in a mail program on a desktop, 500 CSS pixels with `scale` dots each, and a phone shows it as wide
as its screen; so whatever must be read is drawn large enough for that.

The boards of a match make an animated GIF, and not an APNG: Gmail, Apple Mail, Outlook and the viewers of phones all
play a GIF, while an APNG stands still in Outlook and in most viewers of attachments.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache, partial
from io import BytesIO
from math import ceil
from pathlib import Path
from textwrap import wrap
from typing import Any, NamedTuple, Self

from PIL import Image, ImageFont
from resvg_py import svg_to_bytes

from engines.diagram import Diagram, Shape
from notation.illustrations import LAST_TURN
from pbem.messages.boards import svg_board_parts
from pbem.messages.boards.svg_board import BoardSheet
from pbem.messages.boards.svg_board_parts import CELL, Point
from pbem.messages.palette import FRAME, LABEL, OURS, Colour, Look, css

WIDTH = 500  # in CSS pixels, like all measures here
MARGIN, KEY, TILE, LINE = 16, 30, 24, 25
LARGEST_CELL, TALLEST = 84, 700
LETTERS, CHARACTERS = 17, 46
"""The size of letters, of which a line has as many; on a phone, they are two thirds as large."""
FONT = Path(__file__).with_name("Aileron-Regular.ttf")
"""The only font of pictures (of Sora Sagano, CC0; ASCII only), so that letters look the same everywhere."""
SCALE, PAGE_SCALE = 1.0, 0.7
"""For a message, which has 20 KB so, and for a page of rules, which shows several, and smaller."""
COLOURS = 32
KEPT = 64  # the pictures that are kept: many matches begin alike, and a preview is often played


class Layout(NamedTuple):
    """Where the shapes of a board stand in its picture, in dots: each cell on a whole one, so that they look alike."""

    across: float  # the dots of a unit of the shapes; `down` is about the same
    down: float
    left: float
    top: float
    below: int  # where the key begins

    @classmethod
    def of(cls, diagram: Diagram, scale: float) -> Self:
        (width, height), (x, y) = svg_board_parts.size_of(diagram), svg_board_parts.corner_of(diagram)
        across = int(min(WIDTH / width, TALLEST / height, LARGEST_CELL / CELL) * scale * CELL / 2) * 2 / CELL
        step = svg_board_parts.step_of(diagram)
        down = int(step * across + 0.01) / step
        left = round((WIDTH * scale - width * across) / 2 + x * across) - x * across
        return cls(across, down, left, round(y * down) - y * down, round(height * down))

    def place(self, shape: Point) -> tuple[int, int]:
        """Return where a place among the shapes is in the picture."""
        return round(self.left + shape[0] * self.across), round(self.top + shape[1] * self.down)


@lru_cache(maxsize=KEPT)
def png(diagram: Diagram, *, scale: float = SCALE, highlight: str = LAST_TURN) -> bytes:
    """Return the board as PNG, 500 CSS pixels wide with `scale` dots each; the key says what highlighted cells are."""
    return as_png(painted(diagram, scale, highlight=highlight))


def as_png(image: Image.Image) -> bytes:
    """Return a picture as PNG, with a byte for a dot: four bits make larger files."""
    rgb, content = image.convert("RGB"), BytesIO()
    few = rgb.quantize(palette=_palette(rgb), dither=Image.Dither.NONE)
    few.save(content, "PNG", bits=8, compress_level=8)
    return content.getvalue()


def _palette(*images: Image.Image) -> Image.Image:
    """Return the palette of those of our colours that are there, so that cells keep theirs, and of frequent shades."""
    counted: Counter[Any] = Counter()
    for image in images:
        counted.update({colour: number for number, colour in image.getcolors(image.width * image.height) or ()})
    most = sorted(counted, key=lambda colour: (colour not in OURS, -counted[colour]))[:COLOURS]
    palette = Image.new("P", (1, 1))
    palette.putpalette([channel for colour in most for channel in colour])
    return palette


def rendered(content: str, width: float, height: float) -> Image.Image:
    """Return SVG as a picture, with only the font that we carry."""
    image = svg_to_bytes(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{round(width)}" height="{round(height)}">{content}</svg>',
        skip_system_fonts=True,
        font_files=[str(FONT)],
        sans_serif_family="Aileron",
        monospace_family="Aileron",
    )
    return Image.open(BytesIO(image))


def painted(
    diagram: Diagram, scale: float, words: Sequence[str] = (), lines: int = 0, highlight: str = LAST_TURN
) -> Image.Image:
    """Return the picture of a board, with words in some of so many lines below it."""
    layout = Layout.of(diagram, scale)
    image = _ground(svg_board_parts.emptied(diagram), scale, lines, highlight, is_lit=bool(diagram.lit)).copy()
    for name, place, look in svg_board_parts.filled(diagram):
        tile = _cell(diagram.shape, look, name if look.kind == "empty" else "", layout[:2])
        image.paste(tile, layout.place(place), tile)
    if words:
        text = "".join(written(MARGIN, (number + 0.5) * LINE, line) for number, line in enumerate(words))
        strip = rendered(f'<g transform="scale({scale})">{text}</g>', WIDTH * scale, len(words) * LINE * scale)
        image.paste(strip, (0, image.height - round((MARGIN / 2 + LINE * lines) * scale)), strip)
    return image


@lru_cache(maxsize=256)
def _cell(shape: Shape, look: Look, name: str, factor: tuple[float, float]) -> Image.Image:
    cell = "".join(svg_board_parts.cell(shape, look))
    named = svg_board_parts.names([((0, 0), name)]) if name and shape == "hex" else ""
    content = f'<g transform="scale({factor[0]} {factor[1]})">{cell}{named}</g>'
    return rendered(content, CELL * factor[0], ceil(svg_board_parts.tall(shape) * factor[1]))


@lru_cache(maxsize=8)
def _ground(empty: Diagram, scale: float, lines: int, highlight: str, *, is_lit: bool) -> Image.Image:
    """Return the picture of a board with nothing on it; to be copied, not painted on, since others share it."""
    (across, down, left, top, start), sheet = Layout.of(empty, scale), BoardSheet()
    board = f'<g transform="translate({left} {top}) scale({across} {down})">{sheet.ground(empty)}</g>'
    key, key_lines = _key_drawn(sheet, empty, highlight)
    below = "".join(key if is_lit else key[:-1])
    content = f'{board}<g transform="translate(0 {start}) scale({scale})">{below}</g>'
    height = start + (key_lines * KEY + lines * LINE + MARGIN / 2) * scale
    ground = f'{sheet.defined()}<rect width="100%" height="100%" fill="{css(FRAME)}"/>'
    return rendered(ground + content, WIDTH * scale, height).convert("RGB")


def _key_drawn(sheet: BoardSheet, diagram: Diagram, highlight: str) -> tuple[list[str], int]:
    """Return what the key explains, in CSS pixels from its upper left corner, and how many lines it has."""
    drawn: list[str] = []
    left, line, step = float(MARGIN), 0, TILE + 2
    for looks, words in _key(diagram, highlight):
        width = len(looks) * step + length(words)
        if left > MARGIN and left + width > WIDTH - MARGIN:
            left, line = MARGIN, line + 1
        tiles = "".join(sheet.used("square", look, (step / TILE * CELL * at, 0)) for at, look in enumerate(looks))
        text = written(left + len(looks) * step + 3, line * KEY + TILE / 2, words)
        drawn.append(f'<g transform="translate({left} {line * KEY}) scale({TILE / CELL})">{tiles}</g>{text}')
        left += width + 13
    return drawn, line + 1


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
    yield from ((looks, words) for words, looks in traces.items())
    for level, name in enumerate(legend.area_names, start=1):
        yield (Look(level),), name
    left = (Look(0, lit="left"),) if highlight == LAST_TURN else ()
    yield (*left, Look(0, lit="reached")), highlight


def written(left: float, middle: float, text: str, colour: Colour = LABEL) -> str:
    """Return a line of text from that place on."""
    return svg_board_parts.texts([((left + length(text) / 2, middle), legible(text))], LETTERS, colour)


def length(text: str) -> float:
    return _font().getlength(legible(text)) * LETTERS / 100


@cache
def _font() -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(FONT, 100)


def legible(text: str) -> str:
    """Return the text without characters that the font lacks."""
    return "".join(c for c in text if c.isascii() and c.isprintable())


FRAME_MS, LAST_FRAME_MS = 900, 4000
LARGEST = 43_000  # in bytes: an animation comes unasked with the last message of a match, which has 80 KB at most
MOST_BOARDS = 200  # three minutes to watch, and a second to draw
BROADEST, HIGHEST = 280, 310
"""In dots. Filters take an animation of 180,000 dots and few words for a picture of an advertisement."""


def animation(diagrams: Sequence[Diagram], *, captions: Sequence[str] = (), largest: int = LARGEST) -> bytes:
    """Return the boards of a match as an animated GIF of at most 43 KB: every second or fewer, where all take more."""
    words = [wrap(legible(caption), CHARACTERS) for caption in captions or [""] * len(diagrams)]
    scale, lines, every = BROADEST / WIDTH, max(map(len, words)), ceil(len(diagrams) / MOST_BOARDS)
    scale *= min(1, HIGHEST / (painted(diagrams[0], scale, lines=lines).height + 16))  # cells have even sizes
    while True:
        chosen = list(zip(diagrams, words, strict=True))[::-every][::-1]
        paint = [partial(painted, board, scale, below, lines) for board, below in chosen]
        palette = _palette(paint[len(paint) // 2](), paint[-1]())
        frames = (frame().quantize(palette=palette, dither=Image.Dither.NONE) for frame in paint)
        content, times = BytesIO(), [FRAME_MS] * (len(paint) - 1) + [LAST_FRAME_MS]
        next(frames).save(content, "GIF", save_all=True, append_images=frames, duration=times, loop=0)
        size = content.tell()
        if size <= largest or every >= len(diagrams):
            return content.getvalue()
        every = max(every + 1, ceil(every * size / largest))
