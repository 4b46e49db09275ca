"""The colours of everything that we show: boards, messages and the pages of the site; and their type and space.

Nothing is told by colour alone: the sides differ in lightness and in their rims, and what the last move touched is
framed, where it came to with a broader line.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from engines.diagram import Diagram, Kind, Tone

Colour = tuple[int, int, int]  # red, green and blue, 0 to 255

FRAME: Colour = (0x3B, 0x33, 0x2A)
"""The ground of a board: dark wood, which neither glares in a dark mail nor is lost in a light one."""
LABEL: Colour = (0xE3, 0xD8, 0xC3)  # letters and numbers on the frame
PAPER: Colour = (0xEF, 0xE6, 0xD3)
EDGE: Colour = (0xA8, 0x96, 0x76)
INK: Colour = (0x36, 0x2F, 0x26)
FAINT: Colour = (0x5F, 0x54, 0x43)
FIELDS: tuple[Colour, ...] = ((0xDC, 0xCD, 0xAE), (0xC7, 0xB3, 0x8B), (0xB0, 0x99, 0x6D))
"""Plain cells, and those of the first and the second area of a legend."""
LIT: tuple[Colour, ...] = ((0xFF, 0xDB, 0x6B), (0xF3, 0xC9, 0x4A), (0xE3, 0xB4, 0x33))
"""The same cells where the last move touched them."""
LIT_EDGE: Colour = (0xA8, 0x5F, 0x00)
_TONES: dict[Tone, tuple[Colour, Colour, Colour]] = {
    "dark": ((0x2C, 0x31, 0x3A), (0x2C, 0x31, 0x3A), (0xA9, 0xAD, 0xB5)),
    "light": ((0xFF, 0xFC, 0xF5), (0x5C, 0x50, 0x40), (0xFF, 0xFC, 0xF5)),
    "blue": ((0x1F, 0x4E, 0x8C), (0x1F, 0x4E, 0x8C), (0x9F, 0xB6, 0xD6)),
    "green": ((0xC4, 0xE8, 0xB0), (0x2B, 0x66, 0x38), (0xDD, 0xF0, 0xD2)),
    "red": ((0xA3, 0x26, 0x26), (0xA3, 0x26, 0x26), (0xE3, 0xA6, 0xA2)),
    "purple": ((0x5E, 0x2D, 0x86), (0x5E, 0x2D, 0x86), (0xC4, 0xAC, 0xD8)),
    "yellow": ((0xFB, 0xE5, 0x5F), (0x6B, 0x55, 0x00), (0xFD, 0xF3, 0xB8)),
    "pink": ((0xF9, 0xC6, 0xD9), (0x8F, 0x24, 0x58), (0xFC, 0xE2, 0xEC)),
    "grey": ((0xB6, 0xB2, 0xAC), (0x45, 0x42, 0x3E), (0xCD, 0xCA, 0xC5)),
}
FILLS, RIMS, TRACES = ({tone: each[at] for tone, each in _TONES.items()} for at in range(3))
"""Of pieces, and of cells that a side has marked."""
SIGNS: dict[Tone, Colour] = {tone: PAPER if FILLS[tone] == rim else rim for tone, rim in RIMS.items()}
"""What is drawn on a piece."""


def blend(one: Colour, other: Colour, share: float) -> Colour:
    """Return a colour between two: the first for a share of 0, the other for 1."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


LEFT: tuple[Colour, ...] = tuple(blend(plain, lit, 0.4) for plain, lit in zip(FIELDS, LIT, strict=True))
"""The cells that the last move has left: tinted in the colour of those to which it has come."""
LEFT_TRACES: dict[Tone, Colour] = {tone: blend(plain, LIT[0], 0.6) for tone, plain in TRACES.items()}

OURS = frozenset(
    (FRAME, LABEL, PAPER, INK, LIT_EDGE, *FIELDS, *LIT, *LEFT, *FILLS.values(), *TRACES.values(), *LEFT_TRACES.values())
)


def css(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


PAGE: Mapping[str, tuple[str, str]] = {
    "page": ("#fdfcfa", "#1b1917"),
    "band": ("#f3f1ea", "#161512"),
    "card": ("#ffffff", "#211f1b"),
    "soft": ("#f8f6f0", "#2b2923"),
    "line": ("#e2ddd0", "#38352e"),
    "ink": ("#26231d", "#ece7db"),
    "dim": ("#6c665a", "#aaa394"),
    "link": ("#1d6b58", "#8fd3bf"),
    "key": ("#1d6b58", "#26806a"),
    "key_ink": ("#ffffff", "#ffffff"),
    "lit": ("#ffedb3", "#4a3e1d"),
    "wood": (css(FRAME), "#2a241e"),
    "wood_ink": (css(LABEL), css(LABEL)),
}
"""The colours of messages and pages, in light and in dark: grounds, lines, text, links, buttons, what is marked."""
SIZES: Mapping[str, int] = {"small": 14, "text": 16, "lead": 20, "title": 28, "hero": 40}
"""The sizes of type, in pixels."""
SPACES: tuple[int, ...] = (4, 8, 16, 28, 48)
"""The spaces between things, in pixels: from those within a line to those between sections."""

CSS: Mapping[str, object] = {
    "LIGHT": {name: light for name, (light, _) in PAGE.items()},
    "DARK": {name: dark for name, (_, dark) in PAGE.items()},
    "SIZES": SIZES,
    "SPACES": SPACES,
    "PIECES": {tone: (css(FILLS[tone]), css(RIMS[tone]), css(SIGNS[tone])) for tone in FILLS},
    "TRACES": {tone: css(colour) for tone, colour in TRACES.items()},
    "FIELDS": tuple(css(colour) for colour in FIELDS),
    "LIT": tuple(css(colour) for colour in (*LIT, *LEFT)),
    "LIT_EDGE": css(LIT_EDGE),
    "EDGE": css(EDGE),
    "FAINT": css(FAINT),
}
"""All of these for templates: of a piece, its fill, its rim and what is written on it."""

TEXT_SIZES = {1: 2.3, 2: 2.1, 3: 1.65}
"""The size of a text on a piece by its length: a text of three characters stays inside, too."""
Lit = Literal["", "left", "reached"]  # whether the last turn has touched a cell, and if so, whether a piece has left it


def lit_in(diagram: Diagram, name: str) -> Lit:
    return "" if name not in diagram.lit else "left" if name in diagram.left else "reached"


@dataclass(frozen=True, slots=True)
class Look:
    level: int = 0
    kind: Kind = "empty"
    tone: Tone = "light"
    shown: str = ""
    height: int = 1
    lit: Lit = ""

    @property
    def ground(self) -> Colour:
        if self.kind == "trace":
            return (LEFT_TRACES if self.lit == "left" else TRACES)[self.tone]
        grounds = LEFT if self.lit == "left" else LIT if self.lit else FIELDS
        return grounds[min(self.level, len(grounds) - 1)]
