"""What positions offer to the search agrees with their rules: the same turns, and the same positions after them."""

import random
from itertools import islice
from typing import Any

import pytest

from engines.core import Position
from engines.kvadratik import KvadratikPosition, Turn
from engines.search.state import Plain, state_of
from notation.games import GAMES
from tests.search.turns import turns_of
from tests.variants import PLAIN_FIRST

LONGEST = 60
MOST_TURNS = 300


def wanted(position: Position[Any]) -> set[Any]:
    """Return the legal turns that a state has: in Kvadratik not all set-ups, and one of each set that is the same."""
    if not isinstance(position, KvadratikPosition):
        return set(islice(position.moves(), 20_000))
    turns = [turn for turn in islice(position.distinct_moves(), 20_000) if isinstance(turn, Turn)]
    return {turn for turn in turns if not (position.flip == "any" and moves_what_it_uncovers(turn))}


def moves_what_it_uncovers(turn: Turn) -> bool:
    return turn.bonus is not None and turn.bonus.disc is None and turn.bonus.step.origin == turn.step.origin


@pytest.mark.parametrize(("game", "options"), PLAIN_FIRST)
def test_the_choices_of_a_state_are_the_legal_turns(game: str, options: dict[str, str]) -> None:
    position, chance = GAMES[game].game.position(options), random.Random(str(options))
    for _ in range(LONGEST):
        if position.turn is None:
            break
        state = state_of(position)
        assert not isinstance(state, Plain)
        found = [(state.turn_of(choices), after) for choices, after in islice(turns_of(state), MOST_TURNS)]
        turns = [turn for turn, _ in found]
        assert len(turns) == len(set(turns))
        if len(turns) < MOST_TURNS:
            assert wanted(position) <= set(turns)
        for turn, after in chance.sample(found, min(8, len(found))):
            then = state_of(position.play(turn))
            assert (after.turn, after.winner) == (then.turn, then.winner)
            assert after.turn is None or after.key == then.key
        position = position.play(chance.choice(turns))


@pytest.mark.parametrize(("game", "options"), PLAIN_FIRST)
def test_an_estimate_is_less_than_a_win_and_the_opposite_for_the_other_seat(game: str, options: dict[str, str]) -> None:
    state, chance = state_of(GAMES[game].game.position(options)), random.Random(1)
    for _ in range(LONGEST):
        if state.turn is None:
            break
        assert -0.9 <= state.estimate(0) == -state.estimate(1) <= 0.9
        state = state.after(chance.choice(state.choices()))


def test_a_side_with_no_other_disc_puts_one_down() -> None:
    """Kvadratik: all of Blue's discs are covered, and only the right to put one down keeps it in the game."""
    towers = ["Bg", "bG", *[""] * 14]
    position = KvadratikPosition("row", "any", 0, False, tuple(towers), (2, 2), (1, 0))
    found = [state_of(position).turn_of(choices) for choices, _ in turns_of(state_of(position))]

    assert found
    for turn in found:
        position.play(turn)
