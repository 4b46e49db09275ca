"""The colours of boards, in pictures and in HTML.

Nothing is told by colour alone: the sides differ in lightness and in their rims, and the last move has a frame.
"""

from collections.abc import Mapping

from engines.diagram import Tone

Colour = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""

PAPER: Colour = (0xEF, 0xE6, 0xD3)
EDGE: Colour = (0xA8, 0x96, 0x76)
INK: Colour = (0x36, 0x2F, 0x26)
FAINT: Colour = (0x5F, 0x54, 0x43)
FIELDS: tuple[Colour, ...] = ((0xDC, 0xCD, 0xAE), (0xC7, 0xB3, 0x8B), (0xB0, 0x99, 0x6D))
"""Plain cells, and those of the first and the second area of a legend."""
LIT: tuple[Colour, ...] = ((0xFF, 0xDB, 0x6B), (0xF3, 0xC9, 0x4A), (0xE3, 0xB4, 0x33))
"""The same cells where the last move touched them."""
LIT_EDGE: Colour = (0xA8, 0x5F, 0x00)
FILLS: dict[Tone, Colour] = {
    "dark": (0x2C, 0x31, 0x3A),
    "light": (0xFF, 0xFC, 0xF5),
    "blue": (0x1F, 0x4E, 0x8C),
    "green": (0xC4, 0xE8, 0xB0),
}
"""Pieces."""
RIMS: dict[Tone, Colour] = {
    "dark": (0x2C, 0x31, 0x3A),
    "light": (0x5C, 0x50, 0x40),
    "blue": (0x1F, 0x4E, 0x8C),
    "green": (0x2B, 0x66, 0x38),
}
TRACES: dict[Tone, Colour] = {
    "dark": (0xA9, 0xAD, 0xB5),
    "light": (0xFF, 0xFC, 0xF5),
    "blue": (0x9F, 0xB6, 0xD6),
    "green": (0xDD, 0xF0, 0xD2),
}
"""Cells that a side has marked."""
SIGNS: dict[Tone, Colour] = {"dark": PAPER, "light": RIMS["light"], "blue": PAPER, "green": RIMS["green"]}
"""What is drawn on a piece."""


def css(colour: Colour) -> str:
    """Return the colour as HTML writes it.

    >>> css((255, 219, 107))
    '#ffdb6b'
    """
    return "#{:02x}{:02x}{:02x}".format(*colour)


CSS: Mapping[str, object] = {
    "PIECES": {tone: (css(FILLS[tone]), css(RIMS[tone]), css(SIGNS[tone])) for tone in FILLS},
    "TRACES": {tone: css(colour) for tone, colour in TRACES.items()},
    "FIELDS": tuple(css(colour) for colour in FIELDS),
    "LIT": tuple(css(colour) for colour in LIT),
    "LIT_EDGE": css(LIT_EDGE),
    "EDGE": css(EDGE),
    "FAINT": css(FAINT),
}
"""The colours for templates: of a piece, its fill, its rim and what is written on it."""
