"""The variants that the first good figure decides: basic, minimum-points and position."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from engines.quadrupel.board import ZONES, Figure
from engines.quadrupel.marks import ALIKE, SECOND_APART, ZONED, Empty
from engines.quadrupel.variant import Formed, Score, SetUp, Stones, Variant, Verdict, points, won


@dataclass(frozen=True, slots=True)
class Basic(Variant):
    """Quadrupel 1: the first announced figure wins, whatever it is."""

    empty: ClassVar[Empty] = ALIKE

    def announced(self, formed: Formed, score: Score) -> Verdict:
        return won(formed.seat, formed.figure, score, str(formed))

    def aim(self, score: Score) -> str:
        return "The first player to announce a figure of all four stones wins."


@dataclass(frozen=True, slots=True)
class MinimumPoints(Variant):
    """Quadrupel 3: the first announced figure of at least `minimum` points wins; one with fewer points loses."""

    setup: ClassVar[SetUp] = "dots"
    empty: ClassVar[Empty] = ZONED

    minimum: int

    def worth(self, figure: Figure, stones: Stones, score: Score) -> int:
        return points(stones)

    def meets(self, formed: Formed, score: Score) -> bool:
        return formed.worth >= self.minimum

    def loses(self, formed: Formed) -> bool:
        return formed.worth < self.minimum

    def announced(self, formed: Formed, score: Score) -> Verdict:
        return won(formed.seat, formed.figure, score, f"{formed}, {formed.worth} points; {self.minimum} were needed")

    def lost(self, formed: Formed) -> str:
        return f"{formed} has only {formed.worth} points; {self.minimum} were needed"

    def aim(self, score: Score) -> str:
        return (
            f"The first player to announce a figure of at least {self.minimum} points wins. "
            f"A turn that ends in a figure of fewer points loses, announced or not."
        )

    def notes(self, score: Score) -> tuple[str, ...]:
        return ("points: dots times zone", f"a figure needs {self.minimum} points")


@dataclass(frozen=True, slots=True)
class Placing(Variant):
    """Quadrupel 4, position game: both 1-stones must be in zone 2 (`place`), or neither (`ban`)."""

    setup: ClassVar[SetUp] = "ones"
    empty: ClassVar[Empty] = SECOND_APART

    zone2: Literal["place", "ban"]

    def worth(self, figure: Figure, stones: Stones, score: Score) -> int:
        inside = sum(ZONES[cell] == 2 for cell, dots in stones if dots)
        return int(inside == (2 if self.zone2 == "place" else 0))

    def meets(self, formed: Formed, score: Score) -> bool:
        return formed.worth == 1

    def loses(self, formed: Formed) -> bool:
        return formed.worth == 0

    def announced(self, formed: Formed, score: Score) -> Verdict:
        return won(formed.seat, formed.figure, score, f"{formed}, with {self._wanted}")

    def lost(self, formed: Formed) -> str:
        return f"{formed} is not with {self._wanted}"

    def aim(self, score: Score) -> str:
        return (
            f"The first player to announce a figure with {self._wanted} wins. "
            f"A turn that ends in any other figure loses, announced or not."
        )

    def notes(self, score: Score) -> tuple[str, ...]:
        return (f"a figure needs {self._wanted}",)

    @property
    def _wanted(self) -> str:
        return "both 1-stones in zone 2" if self.zone2 == "place" else "no 1-stone in zone 2"
