"""Kvadratik: `play` accepts and `moves` lists the same turns as the brute force."""

import random
from collections.abc import Iterable, Iterator
from itertools import combinations, product
from typing import Any

import pytest

from engines.kvadratik import Bonus, Disc, KvadratikPosition, Move, Setup, Turn
from engines.kvadratik.board import NAMES
from engines.step import Step
from notation.games import GAMES
from tests.cases import quick_where
from tests.engines import brute_kvadratik as brute
from tests.engines.legal import accepts

NOTATION = GAMES["kvadratik"].notation
OPTIONS = [{"setup": setup, "flip": flip} for setup in ("row", "half") for flip in ("any", "none")]
QUICK = ((OPTIONS[0], 1), (OPTIONS[3], 0))
LISTED = 150
"""The brute force doesn't list the turns of positions that have more."""


def match(options: dict[str, str], seed: int) -> Iterator[tuple[KvadratikPosition, list[Move], Move, brute.State]]:
    """Yield a random match: every position, its turns, the one played there, and the same position in brute force."""
    chance = random.Random(seed)
    position: Any = GAMES["kvadratik"].game.position(options)
    state = brute.State(**options)
    simply = seed % 2 == 1  # without many flips, so that discs meet other than at random
    for _ in range(600):
        if position.turn is None:
            break
        moves = list(position.moves())
        move = chance.choice(moves[:20] if simply else moves)
        yield position, moves, move, state
        state = brute.played(state, NOTATION.format(move, position))
        position = position.play(move)


@pytest.mark.parametrize(("options", "seed"), quick_where(lambda case: case in QUICK, product(OPTIONS, range(4))))
def test_a_match_goes_as_the_brute_force_has_it(options: dict[str, str], seed: int) -> None:
    """Where the turns aren't too many, they are the same in every fifth position."""
    compared = 0
    for number, (position, moves, move, state) in enumerate(match(options, seed)):
        if len(moves) <= LISTED and number % 5 == seed % 5:
            texts = [NOTATION.format(move, position) for move in moves]
            assert sorted(texts) == sorted(text for text, _ in state.turns())
            compared += 1
        after = position.play(move)
        then = brute.played(state, NOTATION.format(move, position))

        assert (after.turn is None) == then.over
        assert after.outcome is None or after.outcome.winner == then.winner
        assert after.reserves == tuple(then.reserve)
        assert after.rights == tuple(map(len, then.covered))
        assert [len(tower) for tower in after.towers] == [len(then.towers[brute.square(name)]) for name in NAMES]
    assert compared > 5


# Every turn that can be written ---------------------------------------------------------------------

SQUARES = sorted([*NAMES, "e1", "a5"])
STEPS = [Step(origin, target) for origin in SQUARES for target in SQUARES]
DISCS = [Disc(cell, shown) for cell in SQUARES for shown in "+x?"]


def spelled(move: Turn) -> Iterator[Turn]:
    """Yield the turn with each of its parts replaced by everything that can be written there."""
    for step in STEPS:
        yield move._replace(step=step)
    for number in (0, 1, 2):
        for cells in combinations(SQUARES, number):
            yield move._replace(flipped=cells)
    yield from (move._replace(placed=()), *(move._replace(placed=(disc,)) for disc in DISCS))
    yield from (move._replace(placed=pair) for pair in combinations(DISCS, 2))
    yield move._replace(bonus=None)
    yield from (move._replace(bonus=Bonus(None, step)) for step in STEPS)
    for disc in DISCS:
        ends = [Step(disc.cell, target) for target in SQUARES]
        yield from (move._replace(bonus=Bonus(disc, step)) for step in [*ends, Step("a4", "a3"), Step("b1", "a2")])


def chosen(moves: Iterable[Move], chance: random.Random) -> Iterator[Turn]:
    """Yield turns of every kind: plain, with discs placed by right, and with either kind of bonus."""
    turns = [move for move in moves if isinstance(move, Turn)]
    kinds: dict[object, list[Turn]] = {}
    for turn in turns:
        kind = len(turn.placed), turn.bonus is None, turn.bonus is not None and turn.bonus.disc is None
        kinds.setdefault(kind, []).append(turn)
    yield from (chance.choice(kinds[kind]) for kind in sorted(kinds, key=str))


@pytest.mark.parametrize(
    ("options", "seed"), quick_where(lambda case: case == (OPTIONS[-1], 1), product(OPTIONS, (1, 2)))
)
def test_play_accepts_exactly_what_moves_lists(options: dict[str, str], seed: int) -> None:
    chance = random.Random(seed)
    kinds = set()
    for number, (position, moves, _, _) in enumerate(match(options, seed)):
        if position.setting_up or number % 17 or len(moves) > 4000:
            continue
        legal = set(moves)
        for base in chosen(moves, chance):
            kinds.add((bool(base.placed), base.bonus is not None))
            for move in spelled(base):
                assert accepts(position, move) == (move in legal)
    assert len(kinds) > 1


@pytest.mark.parametrize("setup", quick_where(lambda setup: setup == "row", ["row", "half"]))
def test_play_accepts_exactly_the_set_ups_that_moves_lists(setup: str) -> None:
    position: Any = GAMES["kvadratik"].game.position({"setup": setup})
    other: Any = GAMES["kvadratik"].game.position({"setup": setup}).play(next(position.moves()))
    sides = ["".join(four) for count in (3, 4, 5) for four in product("+x", repeat=count)] + ["++?+", ""]
    everything = [Setup(cells, shown) for shown in sides[8:13] for cells in combinations(SQUARES, 4)]
    everything += [Setup((), shown) for shown in sides]
    everything += [Setup(cells, "++++") for count in (1, 3, 5) for cells in combinations(SQUARES[:8], count)]
    everything += [Setup(("a4", "a4", "b4", "c4"), "+x+x")]
    for here in (position, other):
        legal = set(here.moves())
        assert sum(move in legal for move in everything) == (16 if setup == "row" else 5 * 70)
        for move in everything:
            assert accepts(here, move) == (move in legal)
