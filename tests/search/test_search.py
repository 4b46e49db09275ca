"""The house's player: legal turns in every game, found again by the seed, within the budget."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, pairwise, product
from random import Random
from typing import Any, Self

import pytest

from engines.core import Outcome
from engines.search import CARELESS, LEVELS, choose, uct
from engines.search.state import MOST_TURNS, Plain
from engines.seats import other
from notation.games import GAMES
from tests.toys import Heap
from tests.variants import PLAIN_FIRST


@pytest.mark.parametrize(("game", "options"), PLAIN_FIRST)
def test_the_first_turns_are_legal_in_every_variant(game: str, options: dict[str, str]) -> None:
    position = GAMES[game].game.position(options)
    for seed in range(3):
        position = position.play(choose(position, 1, seed).turn)


@pytest.mark.parametrize("game", GAMES)
def test_the_same_seed_finds_the_same_turn(game: str) -> None:
    position = GAMES[game].game.position({})

    assert choose(position, 1, 7) == choose(position, 1, 7)


@pytest.mark.parametrize("game", GAMES)
def test_the_budget_of_nodes_is_kept(game: str) -> None:
    assert 0 < choose(GAMES[game].game.position({}), 1, 7, careful=True).nodes <= LEVELS[0].nodes


def test_levels_are_numbered_and_grow() -> None:
    assert [level.number for level in LEVELS] == [1, 2, 3, 4, 5]
    assert all(low.nodes < high.nodes for low, high in pairwise(LEVELS))
    assert all(low.lapses > high.lapses for low, high in pairwise(LEVELS))
    assert LEVELS[-1].lapses == 0


@pytest.mark.parametrize("level", [1, *(pytest.param(level, marks=pytest.mark.slow) for level in (2, 5))])
def test_some_turns_are_careless_but_none_that_is_to_be_careful_and_none_of_the_highest_level(level: int) -> None:
    position, seeds = GAMES["quadrupel"].game.position({}), range(1 if level == 5 else 20)
    careless = [choose(position, level, seed).nodes <= CARELESS for seed in seeds]
    careful = [choose(position, level, seed, careful=True).nodes > CARELESS for seed in seeds]

    assert all(careful)
    assert any(careless) == (LEVELS[level - 1].lapses > 0)
    assert not all(careless)


def test_a_game_that_is_over_has_no_turn_to_choose() -> None:
    position = GAMES["quadraphages"].game.position({})
    while position.turn is not None:
        position = position.play(next(position.moves()))

    with pytest.raises(ValueError, match="over"):
        choose(position, 1, 0)


@pytest.mark.parametrize("game", ["quadraphages", "quadrupel"])
def test_a_game_that_offers_no_states_is_searched_by_its_rules(game: str) -> None:
    """As a new game is at first: the last turns of a match are found, by random play and by proof."""
    position, before = GAMES[game].game.position({}), None
    for seed in range(200):
        if position.turn is None:
            break
        before, position = position, position.play(choose(position, 1, seed, careful=True).turn)
    assert before is not None
    assert position.outcome is not None

    choices, value, is_exact, nodes = uct.search(Plain(before), 1_000, Random(1))
    turn = Plain(before).turn_of(choices)

    assert nodes <= 1_000
    assert is_exact
    winner = before.play(turn).outcome.winner
    assert value == (0 if winner is None else 1 if winner == before.turn else -1)


@pytest.mark.parametrize("game", ["quadraphages", "hexaphages"])
def test_after_a_part_of_a_turn_the_rest_is_found(game: str) -> None:
    position = GAMES[game].game.position({})
    for seed in range(2):
        position = position.play(choose(position, 1, seed).turn)
    begun = position.play(next(position.parts()))

    after = begun.play(choose(begun, 1, 0).turn)

    assert begun.turn == position.turn
    assert after.turn != begun.turn
    assert after.part is None


# Games that offer no states --------------------------------------------------------------------------


@dataclass(frozen=True)
class Pair(Heap):
    """A heap of which a turn takes two numbers of stones, one after the other: each is a part of the turn."""

    begun: int | None = None

    @property
    def part(self) -> Any:
        """The stones that were taken first."""
        return self.begun

    def moves(self) -> Iterator[Any]:
        """Yield every pair of numbers that can be taken; after the first, the second ones."""
        if self.turn is None:
            return
        if self.begun is not None:
            yield from (second for second in range(1, self.most + 1) if second <= self.left)
            return
        pairs = product(range(1, self.most + 1), repeat=2)
        yield from (pair for pair in pairs if sum(pair) <= self.left)

    def parts(self) -> Iterator[Any]:
        """Yield every first number."""
        return iter(range(1, min(self.most, self.left - 1) + 1) if self.begun is None else ())

    def play(self, move: Any) -> Self:
        """Return the position after the turn or a part of it."""
        if isinstance(move, tuple):
            return self.play(move[0]).play(move[1])
        if self.begun is None:
            return replace(self, left=self.left - move, begun=move)
        left, seat = self.left - move, self.turn
        outcome = None if left > 1 else Outcome(seat, "too few are left")
        return replace(self, left=left, begun=None, turn=None if outcome else other(seat or 0), outcome=outcome)


def test_a_win_among_two_thousand_turns_is_found() -> None:
    found = choose(Heap(1_990, 2_000), 3, 1, careful=True)

    assert (found.turn, found.value, found.is_solved) == (1_990, 1.0, True)


@pytest.mark.parametrize(("left", "level"), [(18, 2), pytest.param(29, 5, marks=pytest.mark.slow)])
def test_the_one_good_turn_of_ten_is_found(left: int, level: int) -> None:
    """Who leaves a multiple of 11 stones wins, whatever the other does."""
    assert choose(Heap(left, 10), level, 1, careful=True).turn == 7


def test_a_turn_of_parts_is_searched_part_by_part_and_told_whole() -> None:
    position = Pair(60, 50)
    found = choose(position, 3, 1, careful=True)

    assert Plain(position).in_parts().by_parts
    assert found.turn in set(position.moves())
    assert position.play(found.turn).outcome is not None
    assert found.is_solved


def test_parts_that_miss_some_turns_are_not_used() -> None:
    class Partly(Pair):
        def parts(self) -> Iterator[Any]:
            return islice(super().parts(), 1)

    assert not Plain(Partly(60, 50)).in_parts().by_parts


def test_a_long_game_is_played_to_its_end() -> None:
    """Of 300 stones one or two are taken: a match takes 150 turns and more, and who leaves a multiple of 3 wins."""
    lost, won = (uct.search(Plain(Heap(left, 2)), 300, Random(1))[1] for left in (300, 301))

    assert lost != 0
    assert won != 0


def test_a_search_that_is_late_answers_with_what_it_has() -> None:
    late = iter([False] * 50)
    found = choose(Heap(3_000, 2_000), 5, 1, is_late=lambda: next(late, True))

    assert found.turn in range(1, 2_001)
    assert found.nodes < 50


def test_the_same_seed_finds_the_same_turn_by_the_rules_alone() -> None:
    assert choose(Heap(900, 300), 3, 7) == choose(Heap(900, 300), 3, 7)


def test_more_turns_than_a_search_can_hold_are_looked_at_in_part() -> None:
    found = choose(Heap(10**9, 10**8), 1, 1, careful=True)

    assert 1 <= found.turn <= MOST_TURNS
