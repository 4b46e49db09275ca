"""Ladder: who beats somebody above takes their rung, and nobody else gains anything."""

from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest

from pbem.features.tournaments.formats.ladder import (
    AGAIN,
    Challenge,
    Entered,
    Event,
    Ladder,
    Left,
    Obstacle,
    after,
    order,
)
from tests.tournaments.playing import NOW

FOUR = (1, 2, 3, 4)


def test_players_enter_at_the_bottom_and_a_place_that_becomes_free_is_filled_from_below() -> None:
    assert order(map(Entered, FOUR)) == FOUR
    assert order([*map(Entered, FOUR), Left(2), Entered(2)]) == (1, 3, 4, 2)


@pytest.mark.parametrize(
    ("challenge", "stand"),
    [
        (Challenge(4, 2, winner=4), (1, 4, 2, 3)),
        (Challenge(4, 2, winner=2), FOUR),
        (Challenge(4, 2), FOUR),
        (Challenge(2, 4, winner=2), FOUR),
        (Challenge(4, 2, winner=4, late=2), (1, 4, 3)),
        (Challenge(4, 2, winner=2, late=4), (1, 2, 3)),
        (Challenge(4, 9, winner=4), FOUR),
        (Challenge(9, 1, winner=9), FOUR),
    ],
    ids=["won", "lost", "drawn", "passed before", "on time", "late", "gone", "left"],
)
def test_only_a_win_of_the_challenger_takes_a_rung(challenge: Challenge, stand: tuple[int, ...]) -> None:
    assert after(FOUR, challenge) == stand


@pytest.mark.parametrize("seed", range(20))
def test_nobody_is_lost_or_doubled_and_all_others_keep_their_order(seed: int) -> None:
    chance, stand = Random(seed), tuple(range(10))
    for _ in range(100):
        one, other = chance.sample(range(12), 2)
        event = chance.choice(
            (Entered(one), Left(one), Challenge(one, other, winner=chance.choice((one, other, None)))),
        )
        moved = {event.player} if isinstance(event, Entered | Left) else {event.challenger}
        now = after(stand, event)
        assert len({*now}) == len(now)
        assert [each for each in now if each not in moved] == [each for each in stand if each not in moved]
        if isinstance(event, Challenge):
            assert {*now} == {*stand}
        stand = now


LADDER = Ladder(tuple(range(1, 9)), reach=3, at_once=2)


def met(challenger: int, challenged: int, days: int | None = None) -> Challenge:
    return Challenge(challenger, challenged, None if days is None else NOW - timedelta(days=days))


@pytest.mark.parametrize(
    ("challenges", "challenged", "obstacle"),
    [
        ((), 3, None),
        ((), 2, Obstacle.TOO_FAR),
        ((), 6, Obstacle.BELOW),
        ((), 7, Obstacle.BELOW),
        ((met(6, 3),), 3, Obstacle.PLAYING),
        ((met(3, 6),), 3, Obstacle.PLAYING),
        ((met(6, 3, days=6),), 3, Obstacle.TOO_SOON),
        ((met(3, 6, days=6),), 3, Obstacle.TOO_SOON),
        ((met(6, 3, days=AGAIN.days),), 3, None),
        ((met(6, 4), met(6, 5)), 3, Obstacle.BUSY),
        ((met(6, 4, days=1), met(6, 5)), 3, None),
        ((met(7, 6), met(8, 6)), 3, None),
        ((met(4, 3), met(5, 3)), 3, Obstacle.TAKEN),
        ((met(3, 1), met(3, 2)), 3, None),
    ],
)
def test_who_can_be_challenged(challenges: tuple[Challenge, ...], challenged: int, obstacle: Obstacle | None) -> None:
    assert replace(LADDER, challenges=challenges).obstacle(6, challenged, NOW) is obstacle


def test_who_is_within_reach_is_near_the_top_too() -> None:
    assert LADDER.above(6) == (3, 4, 5)
    assert LADDER.above(2) == (1,)
    assert LADDER.above(1) == LADDER.above(99) == ()


def test_every_event_can_be_replayed() -> None:
    events: list[Event] = [*map(Entered, FOUR), Challenge(3, 1, winner=3), Left(2), Challenge(4, 3, winner=4, late=3)]

    assert order(events) == (4, 1)


def test_two_friends_who_play_slowly_keep_the_top_from_others_for_two_weeks_only() -> None:
    friends = Challenge(2, 1, begun=NOW)
    top = Ladder((1, 2, 3), reach=2, at_once=1, challenges=(friends,))

    assert top.obstacle(3, 1, NOW + timedelta(days=13)) is Obstacle.TAKEN
    assert top.obstacle(3, 1, NOW + timedelta(days=14)) is None
    assert top.obstacle(2, 1, NOW + timedelta(days=99)) is Obstacle.PLAYING
