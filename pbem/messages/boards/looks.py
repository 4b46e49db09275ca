"""How a cell of a board looks, in a picture and on a page: what stands there, in which tone, and how it is lit."""

from dataclasses import dataclass
from typing import Literal

from engines.diagram import Diagram, Kind, Tone
from pbem.messages.boards.palette import FIELDS, LEFT, LEFT_TRACES, LIT, TRACES, Colour

TEXT_SIZES = {1: 2.3, 2: 2.1, 3: 1.65}
"""The size of a text on a piece by its length: a text of three characters stays inside, too."""
Lit = Literal["", "left", "reached"]
"""Whether the last turn has touched a cell, and if so, whether a piece has left it."""


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
