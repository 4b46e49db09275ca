"""The variants in which the opponent gets extra turns after the first figure: added-value and combination."""

from dataclasses import dataclass
from typing import ClassVar

from engines.core import Seat
from engines.quadrupel.board import SIDES, Figure
from engines.quadrupel.marks import ALIKE, ZONED, Empty
from engines.quadrupel.variant import ANY_FIGURE, Formed, Score, SetUp, Stones, Variant, Verdict, points, won
from engines.seats import other

MOST_EXTRA_TURNS = 3
BEST_POINTS = {1: 30, 2: 27, 3: 27, 4: 27}
"""The most points that a figure can have, by its value: a Square in zone 3, the others half in zone 2."""


@dataclass(frozen=True, slots=True)
class AddedValue(Variant):
    """Quadrupel 2, added value game: figures have values, and each extra turn costs 1 of them."""

    empty: ClassVar[Empty] = ALIKE
    dots: ClassVar[bool] = False
    """Whether a figure is worth its value times its points."""

    def worth(self, figure: Figure, stones: Stones, score: Score) -> int:
        """Return its value less the extra turns, in combination times its points."""
        return (figure.value - score.extra) * (points(stones) if self.dots else 1)

    def meets(self, formed: Formed, score: Score) -> bool:
        return score.extra == 0 or formed.worth >= score.announced[0].worth

    def announced(self, formed: Formed, score: Score) -> Verdict:
        """Start the opponent's extra turns if any can reach this figure; end the match if this is the second one."""
        if not score.extra:
            return self._next(other(formed.seat), Score((formed,), 1), shown=formed.figure)
        first = score.announced[0]
        said = f"{formed}, worth {formed.worth} in extra turn {score.extra}"
        if formed.worth == first.worth:
            return won(None, formed.figure, score, f"{said}, equals {first}")
        return won(formed.seat, formed.figure, score, f"{said}, beats {first}, worth {first.worth}")

    def quiet(self, seat: Seat, score: Score) -> Verdict:
        """Let the other side move; in extra turns the same one, as long as the first figure can be reached."""
        if not score.extra:
            return Verdict(other(seat), score)
        return self._next(seat, Score(score.announced, score.extra + 1))

    def claim(self, score: Score) -> str:
        if not score.extra:
            return ANY_FIGURE
        return f"a figure worth {score.announced[0].worth} or more in extra turn {score.extra}"

    def aim(self, score: Score) -> str:
        if not score.extra:
            return (
                "After the first player announces a figure of all four stones, only their opponent moves, in extra "
                "turns. They win with a figure that is worth more, even after 1 is taken off for each extra turn."
            )
        first = score.announced[0]
        by = f"{score.extra} taken off its value" + (", which is then multiplied by its points" if self.dots else "")
        return (
            f"This is extra turn {score.extra} of {self.extra_turns(first.worth)}. A figure now has "
            f"{by}: more than {first.worth} wins, {first.worth} draws, and less can't be announced."
        )

    def notes(self, score: Score) -> tuple[str, ...]:
        about = ("points: dots times zone",) if self.dots else ()
        if not score.announced:
            return about
        first = score.announced[0]
        most = self.extra_turns(first.worth)
        whose = SIDES[other(first.seat)]
        over = f"extra turn {score.extra} of {most}, {whose}'s" if score.extra <= most else "no extra turn is left"
        return (*about, f"{first.side}'s {first.figure.name} is worth {first.worth}", over)

    def extra_turns(self, worth: int) -> int:
        return sum(self._best(extra) >= worth for extra in range(1, MOST_EXTRA_TURNS + 1))

    def _next(self, seat: Seat, score: Score, shown: Figure | None = None) -> Verdict:
        first = score.announced[0]
        if score.extra <= self.extra_turns(first.worth):
            return Verdict(seat, score, figure=shown)
        why = f"{first}, worth {first.worth}, which {SIDES[seat]} can no longer reach"
        return won(first.seat, first.figure, score, why)

    def _best(self, extra: int) -> int:
        return max((value - extra) * (most if self.dots else 1) for value, most in BEST_POINTS.items())


@dataclass(frozen=True, slots=True)
class Combination(AddedValue):
    """Quadrupel 5, combination game: as in added value, but the value counts times the points of the figure."""

    setup: ClassVar[SetUp] = "dots"
    empty: ClassVar[Empty] = ZONED
    dots: ClassVar[bool] = True
