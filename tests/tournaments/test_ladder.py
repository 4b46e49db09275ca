"""Ladder: who beats somebody above takes their rung, and nobody else gains anything."""

from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest

from pbem.features.tournaments.ladders import (
    AGAIN,
    Entered,
    Ladder,
    LadderChallenge,
    LadderEvent,
    LadderLeft,
    LadderObstacle,
    after,
    order,
)
from tests.tournaments.playing import NOW

FOUR = (1, 2, 3, 4)


def test_players_enter_at_the_bottom_and_a_place_that_becomes_free_is_filled_from_below() -> None:
    assert order(map(Entered, FOUR)) == FOUR
    assert order([*map(Entered, FOUR), LadderLeft(2), Entered(2)]) == (1, 3, 4, 2)


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
        event = chance.choice(
            (Entered(one), LadderLeft(one), LadderChallenge(one, other, winner=chance.choice((one, other, None)))),
        )
        moved = {event.player} if isinstance(event, Entered | LadderLeft) else {event.challenger}
        now = after(stand, event)
        assert len({*now}) == len(now)
        assert [each for each in now if each not in moved] == [each for each in stand if each not in moved]
        if isinstance(event, LadderChallenge):
            assert {*now} == {*stand}
        stand = now


LADDER = Ladder(tuple(range(1, 9)), reach=3, at_once=2)


def met(challenger: int, challenged: int, days: int | None = None) -> LadderChallenge:
    return LadderChallenge(challenger, challenged, None if days is None else NOW - timedelta(days=days))


@pytest.mark.parametrize(
    ("challenges", "challenged", "obstacle"),
    [
        ((), 3, None),
        ((), 2, LadderObstacle.TOO_FAR),
        ((), 6, LadderObstacle.BELOW),
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


def test_who_is_within_reach_is_near_the_top_too() -> None:
    assert LADDER.above(6) == (3, 4, 5)
    assert LADDER.above(2) == (1,)
    assert LADDER.above(1) == LADDER.above(99) == ()


def test_every_event_can_be_replayed() -> None:
    events: list[LadderEvent] = [
        *map(Entered, FOUR),
        LadderChallenge(3, 1, winner=3),
        LadderLeft(2),
        LadderChallenge(4, 3, winner=4, late=3),
    ]

    assert order(events) == (4, 1)


def test_two_friends_who_play_slowly_keep_the_top_from_others_for_two_weeks_only() -> None:
    friends = LadderChallenge(2, 1, begun=NOW)
    top = Ladder((1, 2, 3), reach=2, at_once=1, challenges=(friends,))

    assert top.obstacle(3, 1, NOW + timedelta(days=13)) is LadderObstacle.TAKEN
    assert top.obstacle(3, 1, NOW + timedelta(days=14)) is None
    assert top.obstacle(2, 1, NOW + timedelta(days=99)) is LadderObstacle.PLAYING
