"""What a player of Quadrupel can play: a turn that moves a stone, one of the two kinds of set-up, or the swap."""

from dataclasses import dataclass, field
from typing import Literal

from engines.special import Special
from engines.wording import together

ANNOUNCEMENT = "quadrupel"
"""The word after a turn that announces a figure."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A stone's way from square to square, and whether a figure is announced.

    Ruling: a turn is its origin and its end. `via` holds the squares between them that the player named; they are
    checked when the turn is played, and ignored otherwise.
    """

    origin: str
    target: str
    announced: bool = False
    via: tuple[str, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return f"{self.origin}{self.target} {ANNOUNCEMENT}" if self.announced else self.origin + self.target

    @property
    def spoken(self) -> str:
        return f"{self.origin} to {self.target}{', announced' if self.announced else ''}"


@dataclass(frozen=True, slots=True)
class Dots:
    """A set-up: the dots of the stones on the side's start squares, in reading order."""

    dots: tuple[int, ...]

    def __str__(self) -> str:
        return f"setup {''.join(map(str, self.dots))}"

    @property
    def spoken(self) -> str:
        return "the dots of four stones set up"


@dataclass(frozen=True, slots=True)
class Ones:
    """A set-up: the start squares of the two 1-stones, in reading order."""

    squares: tuple[str, ...]

    def __str__(self) -> str:
        return f"setup {' '.join(self.squares)}"

    @property
    def spoken(self) -> str:
        return f"1-stones set up on {together(self.squares)}"


Move = Turn | Dots | Ones | Literal[Special.SWAP]
