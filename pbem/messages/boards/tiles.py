"""The parts of a picture of a board: letters, and one cell with what stands there.

All pictures have the colours of the palette, so a tile is reduced to them once, kept, and then only copied.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from math import ceil, sqrt

from PIL import Image, ImageDraw, ImageFont

from engines.diagram import Legend, Shape, Tone
from pbem.messages.boards.looks import TEXT_SIZES, Look
from pbem.messages.boards.palette import (
    EDGE,
    FAINT,
    FIELDS,
    FILLS,
    FRAME,
    FRAME_EDGE,
    INK,
    LABEL,
    LEFT,
    LEFT_TRACES,
    LIT,
    LIT_EDGE,
    PAPER,
    RIMS,
    SIGNS,
    TRACES,
    Colour,
    blend,
)

FINER = 4
"""The factor by which tiles are drawn larger and then reduced, for smooth edges."""
SHADES = 2
"""The number of shades between two adjacent colours."""
CORNER_ALPHAS = (0, 64, 128, 192)


USUAL: tuple[Tone, ...] = ("dark", "light", "blue", "green")
"""The tones whose colours every picture has. A picture with another tone has more."""
MOST = 256


def _of(tones: Sequence[Tone], colours: Mapping[Tone, Colour]) -> tuple[Colour, ...]:
    return tuple(colours[tone] for tone in tones)


def _colours() -> Iterator[Colour]:
    """Yield every colour that can occur: the plain ones, and the shades between adjacent ones."""
    cells, traces = (*FIELDS, *LIT, *LEFT), (*_of(USUAL, TRACES), *_of(USUAL, LEFT_TRACES))
    fills, rims = _of(USUAL, FILLS), _of(USUAL, RIMS)
    yield from (EDGE, INK, FAINT, FRAME_EDGE, LABEL, LIT_EDGE, PAPER, *cells, *traces, *fills, *rims)
    meeting = [*product(cells, dict.fromkeys(rims))]
    meeting += [(ground[tone], RIMS[tone]) for ground in (TRACES, LEFT_TRACES) for tone in USUAL]
    meeting += [(FILLS[tone], SIGNS[tone]) for tone in USUAL]
    meeting += [(PAPER, INK), (PAPER, FAINT), (PAPER, EDGE), (FRAME, LABEL), (FRAME, FRAME_EDGE), (FRAME, LIT_EDGE)]
    meeting += [(ground, FRAME) for ground in (*cells, *traces)]
    meeting += [(ground, INK) for ground in cells]
    meeting += [(ground, LIT_EDGE) for ground in (*LIT, *LEFT, *traces)]
    yield from _shades(meeting)


def _shades(meeting: Iterable[tuple[Colour, Colour]]) -> Iterator[Colour]:
    """Yield the shades between adjacent colours."""
    for one, other in meeting:
        yield from (blend(one, other, step / (SHADES + 1)) for step in range(1, SHADES + 1))


def _more_colours(tones: Sequence[Tone]) -> Iterator[Colour]:
    """Yield the colours that further tones need, the most important first: there may not be room for all."""
    for colours in (FILLS, RIMS, TRACES, LEFT_TRACES):
        yield from _of(tones, colours)
    for grounds in (FIELDS[:1], LIT[:1], (FIELDS[1], LEFT[0]), (FIELDS[2], *LIT[1:], *LEFT[1:])):
        yield from _shades((ground, RIMS[tone]) for tone in tones for ground in grounds)
        yield from _shades((FILLS[tone], SIGNS[tone]) for tone in tones)
        yield from _shades((TRACES[tone], RIMS[tone]) for tone in tones)


COLOURS: tuple[Colour, ...] = tuple(dict.fromkeys((FRAME, *_colours())))
CLEAR = len(CORNER_ALPHAS)
"""The number of palette entries for the edge's colour in various transparencies; the colours follow."""
PALETTE = tuple(value for colour in (*(FRAME_EDGE,) * CLEAR, *COLOURS) for value in colour)
INDEX = {colour: number for number, colour in enumerate(COLOURS, start=CLEAR)}


@lru_cache(maxsize=64)
def palette_with(tones: tuple[Tone, ...]) -> tuple[int, ...]:
    """Return the palette of pictures with these tones: PALETTE, and after it what further tones need."""
    further = dict.fromkeys(_more_colours([tone for tone in tones if tone not in USUAL]))
    added = [colour for colour in further if colour not in INDEX]
    return (*PALETTE, *(value for colour in added for value in colour))[: 3 * MOST]


@lru_cache(maxsize=64)
def index_with(tones: tuple[Tone, ...]) -> Mapping[Colour, int]:
    """Return the numbers of the colours in that palette."""
    values = iter(palette_with(tones)[3 * CLEAR :])
    return {colour: number for number, colour in enumerate(zip(values, values, values, strict=True), start=CLEAR)}


def unusual(tones: Iterable[Tone]) -> tuple[Tone, ...]:
    """Return the tones that a picture needs beyond the usual ones, sorted."""
    return tuple(sorted({*tones} - {*USUAL}))


def tones_of(legend: Legend) -> tuple[Tone, ...]:
    """Return the tones of what can be on a board beyond the usual ones."""
    return unusual((*legend.tones, *(legend.tone_of(mark) for mark in legend.marks if mark.kind != "empty")))


@lru_cache(maxsize=4096)
def tile(shape: Shape, width: int, height: int, look: Look, tones: tuple[Tone, ...] = ()) -> Image.Image:
    """Return a cell with its content, in a box of that size; the cell leaves a gap to its neighbours.

    The picture is in the palette with those tones.
    """
    image = Image.new("RGB", (width * FINER, height * FINER), FRAME)
    pen = ImageDraw.Draw(image)
    gap = FINER * max(1, round(width / 36))
    outline = _outline(shape, width * FINER, height * FINER, gap / 2)
    pen.polygon(outline, look.ground)
    if look.lit:
        inner = _outline(shape, width * FINER, height * FINER, (1.3 if look.lit == "left" else 2.6) * gap)
        pen.polygon(outline, LIT_EDGE)
        pen.polygon(inner, look.ground)
    size = width if shape == "square" else width * 0.95
    centre = (width * FINER / 2, height * FINER / 2)
    if look.kind == "piece":
        _draw_piece(pen, centre, size * FINER, look)
    elif look.kind == "trace":
        _draw_sign(pen, centre, size * FINER * 0.2, look.shown, RIMS[look.tone])
    return reduced(image, tones)


@lru_cache(maxsize=256)
def band(
    shape: Shape, width: int, height: int, thick: int, tones: tuple[Tone, ...], sides: tuple[tuple[int, Colour], ...]
) -> tuple[Image.Image, Image.Image]:
    """Return bands outside of these sides of a cell, and what they cover, in its box with `thick` dots around it."""
    size = ((width + 2 * thick) * FINER, (height + 2 * thick) * FINER)
    image, covered = Image.new("RGB", size, FRAME), Image.new("L", size)
    outline = [(x + thick * FINER, y + thick * FINER) for x, y in _outline(shape, width * FINER, height * FINER, 0)]
    for side, colour in sides:
        line = (outline[side], outline[(side + 1) % len(outline)])
        _stroke(ImageDraw.Draw(image), line, thick * FINER, colour)
        _stroke(ImageDraw.Draw(covered), line, thick * FINER, 255)
    return reduced(image, tones), covered.reduce(FINER).point([0] * 64 + [255] * 192).convert("1")


def _stroke(
    pen: ImageDraw.ImageDraw, line: tuple[tuple[float, float], ...], reach: float, colour: Colour | int
) -> None:
    """Draw a broad line with round ends."""
    pen.line(line, colour, round(2 * reach))
    for x, y in line:
        pen.ellipse((x - reach, y - reach, x + reach, y + reach), colour)


@lru_cache(maxsize=64)
def mask(shape: Shape, width: int, height: int) -> Image.Image:
    """Return the part of its box that a cell covers: a hexagon without the line that it shares with its neighbours."""
    image = Image.new("1", (width, height))
    ImageDraw.Draw(image).polygon(_outline(shape, width, height, 0.5), 1)
    return image


def _outline(shape: Shape, width: float, height: float, inset: float) -> list[tuple[float, float]]:
    """Return the corners of a cell in its box; a hexagon stands on a corner."""
    if shape == "square":
        low, right, bottom = inset, width - inset - 1, height - inset - 1
        return [(low, low), (right, low), (right, bottom), (low, bottom)]
    middle, reach, side = (width - 1) / 2, (height - 1) / 2 - inset * 2 / sqrt(3), (width - 1) / 2 - inset
    down, half = (height - 1) / 2, ((height - 1) / 2 - inset * 2 / sqrt(3)) / 2
    return [
        (middle, down - reach),
        (middle + side, down - half),
        (middle + side, down + half),
        (middle, down + reach),
        (middle - side, down + half),
        (middle - side, down - half),
    ]


def _draw_piece(pen: ImageDraw.ImageDraw, centre: tuple[float, float], size: float, look: Look) -> None:
    """Draw a piece with its sign; a tower has more rims and a number for its height."""
    x, y = centre
    radius = size * (0.39 if look.height == 1 else 0.35)
    if look.height > 1:
        y -= size * 0.06
        for step in range(min(look.height - 1, 3), 0, -1):
            _draw_disc(pen, (x, y + step * size * 0.05), radius, RIMS[look.tone], FIELDS[2])
    _draw_disc(pen, (x, y), radius, RIMS[look.tone], FILLS[look.tone])
    if look.shown:
        _draw_sign(pen, (x, y), radius * 0.5, look.shown, SIGNS[look.tone])
    elif FILLS[look.tone] != RIMS[look.tone]:
        _ring(pen, (x, y), radius * 0.6, radius * 0.07, SIGNS[look.tone])
    if look.height > 1:
        badge = (x + radius * 0.85, y + radius * 0.85)
        _draw_disc(pen, badge, radius * 0.36, INK, PAPER)
        _draw_text(pen, badge, radius * 0.56, str(look.height), INK)


def _draw_disc(pen: ImageDraw.ImageDraw, centre: tuple[float, float], radius: float, rim: Colour, fill: Colour) -> None:
    x, y = centre
    pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill, rim, max(1, round(radius * 0.13)))


def _ring(pen: ImageDraw.ImageDraw, centre: tuple[float, float], radius: float, width: float, colour: Colour) -> None:
    x, y = centre
    pen.ellipse((x - radius, y - radius, x + radius, y + radius), None, colour, max(1, round(width)))


def _draw_sign(pen: ImageDraw.ImageDraw, centre: tuple[float, float], reach: float, sign: str, colour: Colour) -> None:
    """Draw a sign as strokes, which are clearer than letters; anything else as text."""
    x, y = centre
    width = round(reach * 0.3)
    if sign == "o":
        _ring(pen, centre, reach, width, colour)
    elif sign in ("x", "+"):
        across = reach * 0.78 if sign == "x" else 0
        ways = ((across, across), (across, -across)) if sign == "x" else ((reach, 0), (0, reach))
        for right, down in ways:
            pen.line((x - right, y - down, x + right, y + down), colour, width)
            for end in (1, -1):
                _draw_disc(pen, (x + end * right, y + end * down), width / 2, colour, colour)
    elif sign:
        _draw_text(pen, centre, reach * TEXT_SIZES[len(sign)], sign, colour)


def _draw_text(pen: ImageDraw.ImageDraw, centre: tuple[float, float], size: float, text: str, colour: Colour) -> None:
    """Draw short text around a centre; the stroke stands in for bold, which the font lacks."""
    weight = size * 0.02
    pen.text(centre, text, colour, font(round(size)), "mm", stroke_width=weight)


@lru_cache(maxsize=64)
def font(size: int) -> ImageFont.FreeTypeFont:
    """Return the font that comes with Pillow (Aileron, public domain) in that size; no system font is needed."""
    loaded = ImageFont.load_default(size)
    assert isinstance(loaded, ImageFont.FreeTypeFont)  # noqa: S101 - Pillow's wheels have FreeType
    return loaded


@lru_cache(maxsize=4096)
def width_of(size: int, word: str) -> float:
    """Return how wide a word is in that size."""
    return font(size).getlength(word)


@lru_cache(maxsize=1024)
def lettering(size: int, text: str, colour: Colour = INK, ground: Colour = PAPER) -> Image.Image:
    """Return the text in that size on its ground; to be copied, not drawn on, since every picture shares it."""
    image = _written(size, text)
    table = [INDEX[c] for c in _ramp(ground, colour)]
    return Image.frombytes("P", image.size, image.point(table).tobytes())


def _written(size: int, text: str) -> Image.Image:
    """Return the text in white on black."""
    ascent, descent = font(size).getmetrics()
    image = Image.new("L", (ceil(font(size).getlength(text)) or 1, ascent + descent))
    ImageDraw.Draw(image).text((0, ascent), text, 255, font(size), "ls")
    return image


def legible(text: str) -> str:
    """Return the text without characters that the font lacks.

    >>> legible("Jo\N{LATIN SMALL LETTER A WITH TILDE}o: c1b1")
    'Joo: c1b1'
    """
    return "".join(c for c in text if c.isascii() and (c.isprintable() or c.isspace()))


@lru_cache(maxsize=16)
def _ramp(one: Colour, other: Colour) -> tuple[Colour, ...]:
    """Return the colours for 256 steps from one to the other."""
    shades = [one, *(blend(one, other, step / (SHADES + 1)) for step in range(1, SHADES + 1)), other]
    return tuple(shades[round(value / 255 * (SHADES + 1))] for value in range(256))


@lru_cache(maxsize=16)
def corner(radius: int, border: int) -> Image.Image:
    """Return the upper left corner of a picture: clear, then the edge, more transparent outwards, then the frame."""
    size = radius * FINER
    outside, inside = Image.new("L", (size, size)), Image.new("L", (size, size))
    ImageDraw.Draw(outside).ellipse((0, 0, 2 * size - 1, 2 * size - 1), 255)
    low, high = border * FINER, 2 * size - 1 - border * FINER
    ImageDraw.Draw(inside).ellipse((low, low, high, high), 255)
    outer, inner = outside.reduce(FINER), inside.reduce(FINER)
    edge = [INDEX[c] for c in _ramp(FRAME_EDGE, FRAME)]
    image = Image.frombytes("P", outer.size, inner.point(edge).tobytes())
    clear = outer.point([min(value * CLEAR // 255, CLEAR - 1) for value in range(256)])
    image.paste(Image.frombytes("P", outer.size, clear.tobytes()), mask=outer.point([255] * 255 + [0]))
    return image


def reduced(image: Image.Image, tones: tuple[Tone, ...]) -> Image.Image:
    """Return a drawing in its final size and in the colours of the palette with those tones."""
    return image.reduce(FINER).quantize(palette=_reference(tones), dither=Image.Dither.NONE)


@lru_cache(maxsize=64)
def _reference(tones: tuple[Tone, ...]) -> Image.Image:
    """Return an image with the palette, as Pillow needs it; no colour matches the entries of the clear ones."""
    image = Image.new("P", (1, 1))
    unused = (0xFF, 0x00, 0xFF)
    image.putpalette([*unused * CLEAR, *palette_with(tones)[3 * CLEAR :]])
    return image
