"""Ladder: who beats somebody above takes their rung, and nobody else gains anything."""

from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest

from pbem.features.tournaments.ladders import AGAIN, Ladder, LadderChallenge, LadderObstacle, after
from tests.tournaments.playing import NOW

FOUR = (1, 2, 3, 4)


@pytest.mark.parametrize(
    ("challenge", "stand"),
    [
        (LadderChallenge(4, 2, winner=4), (1, 4, 2, 3)),
        (LadderChallenge(4, 2, winner=2), FOUR),
        (LadderChallenge(4, 2), FOUR),
        (LadderChallenge(2, 4, winner=2), FOUR),
        (LadderChallenge(4, 2, winner=4, late=2), (1, 4, 3)),
        (LadderChallenge(4, 2, winner=2, late=4), (1, 2, 3)),
        (LadderChallenge(4, 9, winner=4), FOUR),
        (LadderChallenge(9, 1, winner=9), FOUR),
    ],
    ids=["won", "lost", "drawn", "passed before", "on time", "late", "gone", "left"],
)
def test_only_a_win_of_the_challenger_takes_a_rung(challenge: LadderChallenge, stand: tuple[int, ...]) -> None:
    assert after(FOUR, challenge) == stand


@pytest.mark.parametrize("seed", range(20))
def test_nobody_is_lost_or_doubled_and_all_others_keep_their_order(seed: int) -> None:
    chance, stand = Random(seed), tuple(range(10))
    for _ in range(100):
        one, other = chance.sample(range(12), 2)
        challenge = LadderChallenge(one, other, winner=chance.choice((one, other, None)))
        now = after(stand, challenge)
        assert [each for each in now if each != one] == [each for each in stand if each != one]
        assert sorted(now) == sorted(stand)
        stand = now


LADDER = Ladder(tuple(range(1, 9)), reach=3, at_once=2)


def met(challenger: int, challenged: int, days: int | None = None) -> LadderChallenge:
    return LadderChallenge(challenger, challenged, None if days is None else NOW - timedelta(days=days))


@pytest.mark.parametrize(
    ("challenges", "challenged", "obstacle"),
    [
        ((), 3, None),
        ((), 2, LadderObstacle.TOO_FAR),
        ((), 6, LadderObstacle.SELF),
        ((), 7, LadderObstacle.BELOW),
        ((met(6, 3),), 3, LadderObstacle.PLAYING),
        ((met(3, 6),), 3, LadderObstacle.PLAYING),
        ((met(6, 3, days=6),), 3, LadderObstacle.TOO_SOON),
        ((met(3, 6, days=6),), 3, LadderObstacle.TOO_SOON),
        ((met(6, 3, days=AGAIN.days),), 3, None),
        ((met(6, 4), met(6, 5)), 3, LadderObstacle.BUSY),
        ((met(6, 4, days=1), met(6, 5)), 3, None),
        ((met(7, 6), met(8, 6)), 3, None),
        ((met(4, 3), met(5, 3)), 3, LadderObstacle.TAKEN),
        ((met(3, 1), met(3, 2)), 3, None),
    ],
)
def test_who_can_be_challenged(
    challenges: tuple[LadderChallenge, ...], challenged: int, obstacle: LadderObstacle | None
) -> None:
    assert replace(LADDER, challenges=challenges).obstacle(6, challenged, NOW) is obstacle
