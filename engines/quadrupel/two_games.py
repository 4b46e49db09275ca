"""The variant of two games in a row, with a third on a tie: maximum-points."""

from dataclasses import dataclass
from typing import ClassVar

from engines.core import Seat
from engines.quadrupel.board import SIDES, Figure
from engines.quadrupel.marks import ZONED, Empty
from engines.quadrupel.variant import Formed, Score, SetUp, Stones, Variant, Verdict, points, won
from engines.seats import other

GAMES_PLANNED = 2


@dataclass(frozen=True, slots=True)
class MaximumPoints(Variant):
    """Quadrupel 3: the first announced figure of each game scores its points for the side that formed it."""

    setup: ClassVar[SetUp] = "dots"
    empty: ClassVar[Empty] = ZONED

    def worth(self, figure: Figure, stones: Stones, score: Score) -> int:
        return points(stones)

    def announced(self, formed: Formed, score: Score) -> Verdict:
        """Ruling: the player who did not form the figure begins the next game, and the colours stay."""
        after = Score((*score.announced, formed))
        if not _decided(after):
            return Verdict(other(formed.seat), after, anew=True)
        black, white = totals(after)
        winner: Seat = 0 if black > white else 1
        last = f"{formed}, {formed.worth} points"
        return won(winner, formed.figure, after, f"{max(black, white)} points to {min(black, white)} after {last}")

    def aim(self, score: Score) -> str:
        game = len(score.announced) + 1
        rest = "The match has two games, and a third if they tie; more points in all win."
        return f"This is game {game}. The first player to announce a figure in it scores its points. {rest}"

    def notes(self, score: Score) -> tuple[str, ...]:
        black, white = totals(score)
        played = tuple(
            f"game {number}: {formed.side}'s {formed.figure.name}, {formed.worth} points"
            for number, formed in enumerate(score.announced, start=1)
        )
        game = "" if _decided(score) else f"game {len(score.announced) + 1}; "
        total = f"{SIDES[0]} {black}, {SIDES[1]} {white} points"
        return ("points: dots times zone", f"{game}{total}", *played)


def totals(score: Score) -> tuple[int, int]:
    black, white = (sum(formed.worth for formed in score.announced if formed.seat == seat) for seat in (0, 1))
    return black, white


def _decided(score: Score) -> bool:
    black, white = totals(score)
    return len(score.announced) >= GAMES_PLANNED and black != white
