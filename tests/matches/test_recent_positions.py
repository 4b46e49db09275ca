"""Positions that are kept for the next turn of a match: the same as those of a replay, whatever has changed."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notation.games import GAMES
from notation.record import BadRecord, Record, replay
from pbem.matches.snapshot import RecentPositions
from pbem.storage.models import Match
from tests.correspondence import MORNING

TURNS = 8


def match(number: int = 1, game: str = "quadraphages") -> Match:
    return Match(id=number, game=game, options={}, seat0=1, seat1=2, challenger=1, created=MORNING)


def record(seed: int = 1, turns: int = TURNS, game: str = "quadraphages") -> Record:
    return Record(game, {}, ("alice", "bob"), tuple(islice(texts(game, seed), turns)))


def texts(game: str, seed: int) -> Iterator[str]:
    """Yield the turns of a match played at random."""
    chance, position = random.Random(seed), GAMES[game].game.position({})
    while position.turn is not None:
        move = chance.choice(list(islice(position.moves(), 100)))
        yield GAMES[game].notation.format(move, position)
        position = position.play(move)


def same(found: Sequence[object], others: Sequence[object]) -> int:
    """Return how many of the positions are the same objects, and so were not made again."""
    return sum(each is other for each, other in zip(found, others, strict=False))


def test_a_turn_makes_one_position() -> None:
    recent, whole = RecentPositions(100), record()
    before = recent.positions(match(), replace(whole, moves=whole.moves[:-1]))

    after = recent.positions(match(), whole)

    assert after == replay(whole)
    assert same(after, before) == TURNS


@pytest.mark.parametrize(
    "other",
    [record(game="hexaphages"), replace(record(), options={"first": "x"}), record(seed=2)],
    ids=["another game", "other options", "other turns"],
)
def test_a_match_of_another_database_with_the_same_number_is_another_match(other: Record) -> None:
    recent = RecentPositions(100)
    recent.positions(match(), record())

    assert recent.positions(match(game=other.game), other) == replay(other)


def test_what_is_not_legal_is_refused_and_what_was_known_stays() -> None:
    recent, whole = RecentPositions(100), record()
    before = recent.positions(match(), whole)

    with pytest.raises(BadRecord, match="turn 9"):
        recent.positions(match(), replace(whole, moves=(*whole.moves, whole.moves[0])))

    assert same(recent.positions(match(), whole), before) == TURNS + 1


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 2), st.integers(0, 5)), max_size=12))
def test_whatever_is_asked_for_in_turn_they_are_the_positions_of_a_replay(asked: list[tuple[int, int, int]]) -> None:
    recent = RecentPositions(12)

    for number, seed, turns in asked:
        wanted = record(seed, turns, "quadrature")
        assert recent.positions(match(number, "quadrature"), wanted) == replay(wanted)
