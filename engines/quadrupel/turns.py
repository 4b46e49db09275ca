"""What a player of Quadrupel may say: a turn that moves a stone, or one of the two ways to set up."""

from dataclasses import dataclass, field

ANNOUNCEMENT = "quadrupel"
"""The word behind a turn that announces a figure."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A stone's way from square to square, and whether a figure is announced.

    Ruling: a turn is its origin and its end. `via`, the squares between that the player named, is checked
    when the turn is played, and otherwise does not count.
    """

    origin: str
    target: str
    announced: bool = False
    via: tuple[str, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        """Return the turn as it is written."""
        return f"{self.origin}{self.target} {ANNOUNCEMENT}" if self.announced else self.origin + self.target


@dataclass(frozen=True, slots=True)
class Dots:
    """A set-up: the dots of the own start squares in reading order."""

    dots: tuple[int, ...]

    def __str__(self) -> str:
        """Return the set-up as it is written."""
        return f"setup {''.join(map(str, self.dots))}"


@dataclass(frozen=True, slots=True)
class Ones:
    """A set-up: the start squares of the two 1-stones, in reading order."""

    squares: tuple[str, ...]

    def __str__(self) -> str:
        """Return the set-up as it is written."""
        return f"setup {' '.join(self.squares)}"


Move = Turn | Dots | Ones
