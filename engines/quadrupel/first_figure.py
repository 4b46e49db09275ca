"""The variants that the first good figure decides: basic, minimum-points and position."""

from dataclasses import dataclass
from typing import Literal

from engines.core import Seat
from engines.quadrupel.board import ZONES, Figure
from engines.quadrupel.legend import ALIKE, SECOND_APART, ZONED, Empty
from engines.quadrupel.variant import ANY_FIGURE, Built, SetUp, Stones, Tally, Verdict, passed_on, points, won


@dataclass(frozen=True, slots=True)
class Basic:
    """Quadrupel 1: the first announced figure wins, whatever it is."""

    setup: SetUp = "none"
    empty: Empty = ALIKE

    def worth(self, figure: Figure, stones: Stones, tally: Tally) -> int:
        """Nothing is counted."""
        return 1

    def meets(self, built: Built, tally: Tally) -> bool:
        """Any figure does."""
        return True

    def loses(self, built: Built) -> bool:
        """No figure does."""
        return False

    def announced(self, built: Built, tally: Tally) -> Verdict:
        """Its builder has won."""
        return won(built.seat, built.figure, tally, str(built))

    def lost(self, built: Built) -> str:
        """No figure loses."""
        return ""

    def quiet(self, seat: Seat, tally: Tally) -> Verdict:
        """The other one is to move."""
        return passed_on(seat, tally)

    def claim(self, tally: Tally) -> str:
        """Any figure."""
        return ANY_FIGURE

    def aim(self, tally: Tally) -> str:
        """To be the first with a figure."""
        return "Whoever first announces a figure of all four own stones wins."

    def notes(self, tally: Tally) -> tuple[str, ...]:
        """There is nothing to say."""
        return ()


@dataclass(frozen=True, slots=True)
class MinimumPoints:
    """Quadrupel 3: the first announced figure of at least so many points wins; one below loses."""

    minimum: int
    setup: SetUp = "dots"
    empty: Empty = ZONED

    def worth(self, figure: Figure, stones: Stones, tally: Tally) -> int:
        """Its points."""
        return points(stones)

    def meets(self, built: Built, tally: Tally) -> bool:
        """Whether it has points enough."""
        return built.worth >= self.minimum

    def loses(self, built: Built) -> bool:
        """Whether it has too few points."""
        return built.worth < self.minimum

    def announced(self, built: Built, tally: Tally) -> Verdict:
        """Its builder has won."""
        return won(built.seat, built.figure, tally, f"{built}, {built.worth} points; {self.minimum} were needed")

    def lost(self, built: Built) -> str:
        """It has too few points."""
        return f"{built} has only {built.worth} points; {self.minimum} were needed"

    def quiet(self, seat: Seat, tally: Tally) -> Verdict:
        """The other one is to move."""
        return passed_on(seat, tally)

    def claim(self, tally: Tally) -> str:
        """Any figure; one of too few points loses, so it need not be kept from being announced."""
        return ANY_FIGURE

    def aim(self, tally: Tally) -> str:
        """To be the first with points enough."""
        return (
            f"Whoever first announces a figure of at least {self.minimum} points wins. "
            f"To end a turn in a figure of fewer points loses, announced or not."
        )

    def notes(self, tally: Tally) -> tuple[str, ...]:
        """What is needed, and what points are."""
        return ("points: dots times zone", f"a figure needs {self.minimum} points")


@dataclass(frozen=True, slots=True)
class Placing:
    """Quadrupel 4, position game: both 1-stones must be on zone 2 (`place`), or neither (`ban`)."""

    zone2: Literal["place", "ban"]
    setup: SetUp = "ones"
    empty: Empty = SECOND_APART

    def worth(self, figure: Figure, stones: Stones, tally: Tally) -> int:
        """1 where the 1-stones stand as they should, else 0."""
        inside = sum(ZONES[cell] == 2 for cell, dots in stones if dots)
        return int(inside == (2 if self.zone2 == "place" else 0))

    def meets(self, built: Built, tally: Tally) -> bool:
        """Whether the 1-stones stand as they should."""
        return built.worth == 1

    def loses(self, built: Built) -> bool:
        """Whether they don't."""
        return built.worth == 0

    def announced(self, built: Built, tally: Tally) -> Verdict:
        """Its builder has won."""
        return won(built.seat, built.figure, tally, f"{built}, with {self._wanted}")

    def lost(self, built: Built) -> str:
        """The 1-stones stand wrong."""
        return f"{built} is not with {self._wanted}"

    def quiet(self, seat: Seat, tally: Tally) -> Verdict:
        """The other one is to move."""
        return passed_on(seat, tally)

    def claim(self, tally: Tally) -> str:
        """Any figure; a wrong one loses, so it need not be kept from being announced."""
        return ANY_FIGURE

    def aim(self, tally: Tally) -> str:
        """To be the first with a figure and the 1-stones in their places."""
        return (
            f"Whoever first announces a figure with {self._wanted} wins. "
            f"To end a turn in any other figure loses, announced or not."
        )

    def notes(self, tally: Tally) -> tuple[str, ...]:
        """Where the 1-stones belong."""
        return (f"a figure needs {self._wanted}",)

    @property
    def _wanted(self) -> str:
        return "both 1-stones in zone 2" if self.zone2 == "place" else "no 1-stone in zone 2"
