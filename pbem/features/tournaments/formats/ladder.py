"""Ladder: players stand on rungs, and who beats a player whom they have challenged takes that player's rung.

The rules are those of the ladders of online-go.com (docs/decisions/ladders-and-leagues.md): a challenge begins a match
at once, which nobody can refuse; if the challenger wins, they take the rung, and everybody from there on moves down
one; any other result changes nothing; and who runs out of time is off the ladder.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import reduce

AGAIN = timedelta(days=7)
"""How long two players who have met on a ladder don't meet there again."""
HOLDS = timedelta(days=14)
"""How long a challenge keeps a place from others: two friends who play slowly don't lock the top."""
REST = timedelta(days=1)
"""How long somebody who is off a ladder can't enter it again."""

Rungs = tuple[int, ...]
"""Who stands on the ladder, from the top."""


@dataclass(frozen=True, slots=True)
class Entered:
    """A player has entered, at the bottom."""

    player: int


@dataclass(frozen=True, slots=True)
class LadderLeft:
    """A player has left; everybody below moves up."""

    player: int


@dataclass(frozen=True, slots=True)
class LadderChallenge:
    """A match on the ladder."""

    challenger: int
    challenged: int
    ended: datetime | None = None
    """When it ended; None while they play."""
    winner: int | None = None
    late: int | None = None
    """The one who ran out of time."""
    begun: datetime | None = None

    @property
    def players(self) -> frozenset[int]:
        """Both players."""
        return frozenset((self.challenger, self.challenged))


LadderEvent = Entered | LadderLeft | LadderChallenge
"""What can change a ladder; a challenge does once its match has ended."""


class LadderObstacle(StrEnum):
    """Why a player can't challenge another."""

    BELOW = "they stand below"
    TOO_FAR = "they stand too far above"
    PLAYING = "the two are playing"
    TOO_SOON = "the two have met lately"
    BUSY = "the challenger has challenged enough others"
    TAKEN = "enough others have challenged them"


def order(events: Iterable[LadderEvent]) -> Rungs:
    """Return who stands on the ladder after those events.

    >>> order([Entered(1), Entered(2), Entered(3), LadderChallenge(3, 1, winner=3), LadderLeft(1)])
    (3, 2)
    """
    return reduce(after, events, ())


def after(rungs: Rungs, event: LadderEvent) -> Rungs:
    """Return the ladder after the event."""
    match event:
        case Entered(player):
            return (*_without(rungs, player), player)
        case LadderLeft(player):
            return _without(rungs, player)
        case LadderChallenge():
            return _without(_climbed(rungs, event), event.late)


def _without(rungs: Rungs, player: int | None) -> Rungs:
    return tuple(each for each in rungs if each != player)


def _climbed(rungs: Rungs, challenge: LadderChallenge) -> Rungs:
    """Return the ladder with a challenger who has won on the rung of the challenged, if that is still above theirs."""
    challenger, challenged = challenge.challenger, challenge.challenged
    if challenge.winner != challenger or not {challenger, challenged} <= {*rungs}:
        return rungs
    old, new = rungs.index(challenger), rungs.index(challenged)
    return rungs if old < new else (*rungs[:new], challenger, *rungs[new:old], *rungs[old + 1 :])


@dataclass(frozen=True, slots=True)
class Ladder:
    """All that a challenge depends on."""

    rungs: Rungs
    reach: int
    """How many rungs above one's own a challenge can go."""
    at_once: int
    """How many others one can have challenged at a time, and by how many one can be challenged."""
    challenges: tuple[LadderChallenge, ...] = ()
    """Those that are being played, and those that ended lately."""

    def rung_of(self, player: int) -> int:
        """Return the rung of a player, from 1 at the top; 0 for somebody who isn't on the ladder."""
        return self.rungs.index(player) + 1 if player in self.rungs else 0

    def above(self, player: int) -> Rungs:
        """Return those on the rungs that the player can reach, from the top."""
        own = self.rung_of(player)
        return self.rungs[max(own - 1 - self.reach, 0) : own - 1] if own else ()

    def running(self, player: int) -> int:
        """Return how many matches on the ladder a player plays."""
        return sum(player in each.players for each in self._running)

    @property
    def _running(self) -> tuple[LadderChallenge, ...]:
        return tuple(each for each in self.challenges if each.ended is None)

    def obstacle(self, challenger: int, challenged: int, now: datetime) -> LadderObstacle | None:
        """Return why the one can't challenge the other, who are both on the ladder; None if they can."""
        if self.rung_of(challenged) >= self.rung_of(challenger):
            return LadderObstacle.BELOW
        if challenged not in self.above(challenger):
            return LadderObstacle.TOO_FAR
        met = [each for each in self.challenges if each.players == {challenger, challenged}]
        if any(each.ended is None for each in met):
            return LadderObstacle.PLAYING
        if any(each.ended is not None and now < each.ended + AGAIN for each in met):
            return LadderObstacle.TOO_SOON
        if sum(each.challenger == challenger for each in self._running) >= self.at_once:
            return LadderObstacle.BUSY
        holds = [each for each in self._running if each.begun is None or now < each.begun + HOLDS]
        if sum(each.challenged == challenged for each in holds) >= self.at_once:
            return LadderObstacle.TAKEN
        return None
