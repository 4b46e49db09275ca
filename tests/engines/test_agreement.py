"""`play` accepts and `moves` lists the same turns as the brute force."""

import random
from itertools import combinations, product
from typing import Any

import pytest

from engines.phages import PhagesPosition, Turn
from engines.phages.board import BOARDS
from engines.step import Step
from notation.games import GAMES
from tests.cases import quick_where
from tests.engines import brute
from tests.engines.legal import accepts

PHAGES = ("quadraphages", "hexaphages")
SKIPPED = {"quadraphages": 0, "hexaphages": 3}
"""The number of turns after which positions have few enough turns to be listed by brute force."""


def match(game: str, seed: int) -> list[tuple[PhagesPosition, Turn, brute.State]]:
    """Return a random match: every position, the move played there, and the same position in brute force."""
    chance = random.Random(seed)
    first = chance.choice("xo")
    position: Any = GAMES[game].game.position({"first": first})
    state = brute.start(game, first)
    found = []
    while position.turn is not None:
        move = chance.choice(list(position.moves()))
        found.append((position, move, state))
        state = brute.played(state, GAMES[game].notation.format(move, position))
        position = position.play(move)
        assert len(found) < 1000, "the game does not end"
    return found


@pytest.mark.parametrize(
    ("game", "seed"), quick_where(lambda case: case == ("quadraphages", 0), product(PHAGES, range(3)))
)
def test_moves_are_what_the_brute_force_finds(game: str, seed: int) -> None:
    for position, _, state in match(game, seed)[SKIPPED[game] :]:
        texts = [GAMES[game].notation.format(move, position) for move in position.moves()]

        assert sorted(texts) == sorted(text for text, _ in state.turns())


@pytest.mark.parametrize(("game", "seed"), quick_where(lambda case: case[1] == 0, product(PHAGES, range(3))))
def test_the_end_is_where_the_brute_force_finds_it(game: str, seed: int) -> None:
    for position, move, state in match(game, seed)[-6:]:
        after = position.play(move)
        then = brute.played(state, GAMES[game].notation.format(move, position))

        assert (after.turn is None) == then.over


def operations(position: PhagesPosition) -> list[tuple[Step, ...]]:
    """Return every operation that can be written with the stones' cells as origins: up to two steps."""
    names = BOARDS[position.game].names
    steps = [Step(origin, target) for origin in names for target in names if origin != target]
    own = [step for step in steps if step.origin in position.own_stones()]
    pairs = [tuple(sorted(pair)) for pair in combinations(own, 2) if pair[0].origin != pair[1].origin]
    return [(), *((step,) for step in steps), *pairs]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_play_accepts_exactly_what_moves_lists(seed: int) -> None:
    """Each operation is replaced by any that can be written, while the rest of the turn stays legal."""
    position, _, _ = match("quadraphages", seed)[-5]
    legal = set(position.moves())
    firsts = {first for first, _, _ in legal}
    numbers = {first: {number or 0 for f, number, _ in legal if f == first} for first in firsts}
    everything = operations(position)

    for first in everything:
        for number in range(10):
            part = Turn(first, number, None)
            assert accepts(position, part) == (first in firsts and number in numbers[first])
    for first in firsts:
        for number in numbers[first]:
            begun = position.play(Turn(first, number, None))
            for second in operations(begun):
                expected = Turn(first, number, second) in legal
                assert accepts(position, Turn(first, number, second)) == expected
                assert accepts(begun, Turn((), None, second)) == expected


@pytest.mark.parametrize("seed", quick_where(lambda seed: seed == 0, range(4)))
def test_play_accepts_no_changed_turn_that_moves_does_not_list(seed: int) -> None:
    """Hexaphages has too many possible texts, so legal ones are changed a little."""
    chance = random.Random(seed)
    refused = 0
    for position, _, _ in match("hexaphages", seed)[4::3]:
        legal = set(position.moves())
        names = BOARDS["hexaphages"].names
        for move in chance.sample(sorted(legal), min(60, len(legal))):
            steps = [list(move.first), list(move.second or ())]
            operation = chance.choice(steps)
            number = move.number
            change = chance.randrange(4)
            if change == 0 and operation:
                operation.pop()
            elif change == 1 and operation:
                operation[0] = operation[0]._replace(target=chance.choice(names))
            elif change == 2:
                operation.append(Step(chance.choice(position.own_stones()), chance.choice(names)))
            else:
                number = chance.randint(1, 8)
            changed = Turn(tuple(sorted(steps[0])), number, tuple(sorted(steps[1])))

            assert accepts(position, changed) == (changed in legal)
            refused += changed not in legal
    assert refused > 50


@pytest.mark.parametrize("game", quick_where(lambda game: game == "quadraphages", PHAGES))
def test_a_turn_may_be_given_in_parts_in_every_position(game: str) -> None:
    notation = GAMES[game].notation
    for position, move, _ in match(game, 5):
        part = move._replace(second=None)
        begun = position.play(part)

        assert (begun.turn, begun.part) == (position.turn, part)
        completions = list(begun.moves())
        whole = {m.second for m in position.moves() if (m.first, m.number) == (move.first, move.number)}
        assert {m.second for m in completions} == whole
        assert len(completions) == len(whole)
        for completion in completions[:5]:
            assert notation.parse(notation.format(completion, begun)) == completion
        assert begun.play(Turn((), None, move.second)) == position.play(move) == begun.play(move)
        assert begun.play(part) == begun
        assert notation.parse(notation.format(part, position)) == part
