"""The variants in which the opponent of the first builder has extra turns: added-value and combination."""

from dataclasses import dataclass

from engines.core import Seat
from engines.quadrupel.board import SIDES, Figure
from engines.quadrupel.legend import ALIKE, ZONED, Empty
from engines.quadrupel.variant import ANY_FIGURE, Built, SetUp, Stones, Tally, Verdict, other, passed_on, points, won

MOST_EXTRA_TURNS = 3
BEST_POINTS = {1: 30, 2: 27, 3: 27, 4: 27}
"""The most points that a figure can have, by its value: a Square in zone 3, the others half in zone 2."""


@dataclass(frozen=True, slots=True)
class ExtraTurns:
    """Quadrupel 2, added value game: figures have values, and each extra turn costs 1 of them.

    With `dots` it is Quadrupel 5, combination game: that times the points of the figure.
    """

    dots: bool
    setup: SetUp
    empty: Empty

    def worth(self, figure: Figure, stones: Stones, tally: Tally) -> int:
        """Its value less the extra turns, in combination times its points."""
        return (figure.value - tally.extra) * (points(stones) if self.dots else 1)

    def meets(self, built: Built, tally: Tally) -> bool:
        """Whether it is the first figure, or in an extra turn reaches the first one."""
        return tally.extra == 0 or built.worth >= tally.announced[0].worth

    def loses(self, built: Built) -> bool:
        """No figure does."""
        return False

    def announced(self, built: Built, tally: Tally) -> Verdict:
        """The opponent's extra turns begin if any can reach this figure; it ends where this one is the second."""
        if not tally.extra:
            return self._next(other(built.seat), Tally((built,), 1), shown=built.figure)
        first = tally.announced[0]
        said = f"{built}, worth {built.worth} in extra turn {tally.extra}"
        if built.worth == first.worth:
            return won(None, built.figure, tally, f"{said}, equals {first}")
        return won(built.seat, built.figure, tally, f"{said}, beats {first}, worth {first.worth}")

    def lost(self, built: Built) -> str:
        """No figure loses."""
        return ""

    def quiet(self, seat: Seat, tally: Tally) -> Verdict:
        """The other one is to move; in extra turns the same one, as long as the first figure can be reached."""
        if not tally.extra:
            return passed_on(seat, tally)
        return self._next(seat, Tally(tally.announced, tally.extra + 1))

    def claim(self, tally: Tally) -> str:
        """Any figure at first; in extra turns one that reaches the first."""
        if not tally.extra:
            return ANY_FIGURE
        return f"a figure worth {tally.announced[0].worth} or more in extra turn {tally.extra}"

    def aim(self, tally: Tally) -> str:
        """To build the figure that is worth most."""
        if not tally.extra:
            return (
                "Once a figure of all four own stones is announced, only the opponent of its builder "
                "moves, in extra turns, and wins with a figure worth more, each extra turn deducted."
            )
        first = tally.announced[0]
        by = f"{tally.extra} off its value" + (", then times its points" if self.dots else "")
        return (
            f"This is extra turn {tally.extra} of {self.extra_turns(first.worth)}. A figure counts "
            f"with {by}: more than {first.worth} wins, {first.worth} draws, less cannot be announced."
        )

    def notes(self, tally: Tally) -> tuple[str, ...]:
        """The first figure and the extra turn to be played."""
        about = ("points: dots times zone",) if self.dots else ()
        if not tally.announced:
            return about
        first = tally.announced[0]
        most = self.extra_turns(first.worth)
        whose = SIDES[other(first.seat)]
        over = f"extra turn {tally.extra} of {most}, {whose}'s" if tally.extra <= most else "no extra turn is left"
        return (*about, f"{first.side}'s {first.figure.name} is worth {first.worth}", over)

    def extra_turns(self, worth: int) -> int:
        """How many extra turns there are at most against a first figure of that worth."""
        return sum(self._best(extra) >= worth for extra in range(1, MOST_EXTRA_TURNS + 1))

    def _next(self, seat: Seat, tally: Tally, shown: Figure | None = None) -> Verdict:
        """The extra turn that comes, or the end where the first figure cannot be reached any more."""
        first = tally.announced[0]
        if tally.extra <= self.extra_turns(first.worth):
            return Verdict(seat, tally, figure=shown)
        why = f"{first}, worth {first.worth}, which {SIDES[seat]} can no longer reach"
        return won(first.seat, first.figure, tally, why)

    def _best(self, extra: int) -> int:
        """The most that any figure can be worth in an extra turn."""
        return max((value - extra) * (most if self.dots else 1) for value, most in BEST_POINTS.items())


ADDED_VALUE = ExtraTurns(dots=False, setup="none", empty=ALIKE)
COMBINATION = ExtraTurns(dots=True, setup="dots", empty=ZONED)
