"""Quadrature: `play` accepts and `moves` lists the same turns as the brute force."""

import random
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import pytest

from engines.quadrature import QuadraturePosition
from engines.quadrature.board import PLACES
from engines.step import Step
from notation.games import GAMES
from tests.cases import SEEDS, quick_where
from tests.engines import brute_quadrature as brute
from tests.engines.brute_quadrature import State
from tests.engines.legal import accepts

MEN = GAMES["quadrature"].game.options[0].choices
PARSE: Callable[[str], Step] = GAMES["quadrature"].notation.parse


def start(men: str) -> QuadraturePosition:
    position: Any = GAMES["quadrature"].game.position({"men": men})
    return position


def by_lot(chance: random.Random, state: State, turns: list[str]) -> str:
    """Return a random turn."""
    return chance.choice(turns)


def to_and_fro(chance: random.Random, state: State, turns: list[str]) -> str:
    """Return a sideways turn if there is one, so that markers fill and arrangements recur."""
    return chance.choice([text for text in turns if text[1:2] == text[3:4]] or turns)


def match(men: str, seed: int, choose: Callable[..., str]) -> Iterator[tuple[QuadraturePosition, State, list[str]]]:
    """Yield every position of a random match, the same in brute force, and its turns according to the brute force."""
    chance = random.Random(seed)
    position, state = start(men), brute.start(men)
    while position.turn is not None:
        turns = sorted(state.turns())
        yield position, state, turns
        text = choose(chance, state, turns)
        position, state = position.play(PARSE(text)), state.played(text)
    yield position, state, []


def assert_alike(position: QuadraturePosition, state: State, turns: list[str]) -> None:
    """Assert that the engine and the brute force agree about a position."""
    men = {name: mark for _, cells in position.diagram().rows for name, mark in cells if mark in "#O"}
    sides = ("#", "O")

    assert sorted(map(str, position.moves())) == turns
    if not state.ran_out:  # else the two may have exchanged others of those that were squared
        assert men == {brute.name(cell): man for cell, man in state.board.items()}
    else:
        assert (position.each, state.over, state.winner) == (16, True, state.side)
    assert position.markers == tuple(state.dots[side] for side in sides)
    assert position.reserve(0) == state.men - state.on_board("#")
    assert position.reserve(1) == state.men - state.on_board("O")
    assert (position.turn is None) == (position.outcome is not None) == state.over
    if position.turn is not None:
        assert sides[position.turn] == state.side
        assert (position.sitting_out is not None) == state.sat_out
    if position.outcome is not None:
        winner = position.outcome.winner
        assert (None if winner is None else sides[winner]) == state.winner


@pytest.mark.parametrize(("men", "choose"), quick_where(("16", by_lot).__eq__, [("18", to_and_fro), ("16", by_lot)]))
def test_a_match_begins_as_the_brute_force_has_it(men: str, choose: Callable[..., str]) -> None:
    for position, state, turns in islice(match(men, 1, choose), 24):
        assert_alike(position, state, turns)


@pytest.mark.slow
@pytest.mark.parametrize("choose", [by_lot, to_and_fro])
@pytest.mark.parametrize("men", MEN)
def test_many_matches_go_as_the_brute_force_has_them(men: str, choose: Callable[..., str]) -> None:
    for seed in range(100, 100 + 2 * SEEDS):
        for position, state, turns in match(men, seed, choose):
            assert_alike(position, state, turns)


def spellable() -> Iterator[Step]:
    for origin in PLACES:
        for target in PLACES:
            yield Step(origin, target)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_play_accepts_exactly_what_moves_lists(seed: int) -> None:
    """For all turns that can be written, in the last position of a match in which the mover's marker shows 2."""
    chance = random.Random(seed)
    position, late = start("18"), None
    while position.turn is not None:
        late = position if position.markers[position.turn] == 2 else late
        position = position.play(chance.choice(list(position.moves())))
    assert late is not None

    assert {turn for turn in spellable() if accepts(late, turn)} == set(late.moves())
