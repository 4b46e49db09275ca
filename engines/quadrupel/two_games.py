"""The variant of two games in a row, and a third on a tie: maximum-points."""

from dataclasses import dataclass

from engines.core import Seat
from engines.quadrupel.board import SIDES, Figure
from engines.quadrupel.legend import ZONED, Empty
from engines.quadrupel.variant import ANY_FIGURE, Built, SetUp, Stones, Tally, Verdict, other, passed_on, points, won

GAMES_PLANNED = 2


@dataclass(frozen=True, slots=True)
class MaximumPoints:
    """Quadrupel 3: the first announced figure of each game scores its points for its builder."""

    setup: SetUp = "dots"
    empty: Empty = ZONED

    def worth(self, figure: Figure, stones: Stones, tally: Tally) -> int:
        """Its points."""
        return points(stones)

    def meets(self, built: Built, tally: Tally) -> bool:
        """Any figure does."""
        return True

    def loses(self, built: Built) -> bool:
        """No figure does."""
        return False

    def announced(self, built: Built, tally: Tally) -> Verdict:
        """The next game begins, or it is over after the second or, on a tie, the third.

        Ruling: the player who did not build begins the next game, and the colours stay.
        """
        after = Tally((*tally.announced, built))
        if not _decided(after):
            return Verdict(other(built.seat), after, anew=True)
        black, white = scores(after)
        winner: Seat = 0 if black > white else 1
        last = f"{built}, {built.worth} points"
        return won(winner, built.figure, after, f"{max(black, white)} points to {min(black, white)} after {last}")

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
        """To score most in all games."""
        game = len(tally.announced) + 1
        rest = "Two games are played; more points in all win, and a tie is broken by a third."
        return f"This is game {game}. Whoever first announces a figure in it scores its points. {rest}"

    def notes(self, tally: Tally) -> tuple[str, ...]:
        """Which game it is, how it stands, and what was built in the games before."""
        black, white = scores(tally)
        played = tuple(
            f"game {number}: {built.side}'s {built.figure.name}, {built.worth} points"
            for number, built in enumerate(tally.announced, start=1)
        )
        game = "" if _decided(tally) else f"game {len(tally.announced) + 1}; "
        score = f"{SIDES[0]} {black}, {SIDES[1]} {white} points"
        return ("points: dots times zone", f"{game}{score}", *played)


def scores(tally: Tally) -> tuple[int, int]:
    """The points of Black and White in the games that are over."""
    black, white = (sum(built.worth for built in tally.announced if built.seat == seat) for seat in (0, 1))
    return black, white


def _decided(tally: Tally) -> bool:
    """Whether the games that are over decide the match."""
    black, white = scores(tally)
    return len(tally.announced) >= GAMES_PLANNED and black != white
