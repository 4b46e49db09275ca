"""The numbers of legal turns at each depth, from the start and from late positions, in a file for each game.

They were computed by the brute force of each game (tests/engines/brute*.py); pbem.conformance.counts reads them.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from notation.games import GAMES
from pbem.conformance.counts import Block, counts, read
from tests.engines import brute, brute_kvadratik, brute_quadrature, brute_quadrupel

HERE = Path(__file__).parent
SLOW = 8_000
QUICK = 1_000
CHEAP = 1_000
LATE = 8
LARGEST = 100_000
"""Blocks with more leaves than QUICK are left to `make test-all`. In those with at most SLOW leaves the brute force
counts up to CHEAP of them, but after turn LATE only in `make test-all`, since it takes long to get there, and with
more than LARGEST in `make soak`."""


# The functions of each game's brute force that begin a match and play a turn.
BRUTE: Mapping[str, tuple[Callable[[dict[str, str]], Any], Callable[[Any, str], Any]]] = {
    "quadraphages": (lambda options: brute.start("quadraphages", options["first"]), brute.played),
    "hexaphages": (lambda options: brute.start("hexaphages", options["first"]), brute.played),
    "quadrature": (lambda options: brute_quadrature.start(options["men"]), brute_quadrature.State.played),
    "quadrupel": (brute_quadrupel.State, brute_quadrupel.played),
    "kvadratik": (lambda options: brute_kvadratik.State(**options), brute_kvadratik.played),
}


BLOCKS = [block for path in sorted(HERE.glob("*.perft")) for block in read(path)]


def parameters(blocks: list[Block], latest: int = 1_000, largest: int = 100_000_000) -> list[Any]:
    """Return the blocks as test parameters, with large and late ones marked as slow, and still larger ones as soak."""
    return [pytest.param(b, id=f"{b.game}-{b.id}", marks=list(marks(b, latest, largest))) for b in blocks]


def marks(block: Block, latest: int, largest: int) -> Iterator[pytest.MarkDecorator]:
    """Yield the marks of a block."""
    if max(block.nodes) > QUICK or len(block.turns) > latest:
        yield pytest.mark.slow
    if max(block.nodes) > largest:
        yield pytest.mark.soak


@pytest.mark.parametrize("block", parameters(BLOCKS))
def test_the_engine_counts_as_many_turns(block: Block) -> None:
    position = GAMES[block.game].game.position(block.options)
    for text in block.turns:
        position = position.play(GAMES[block.game].notation.parse(text))

    assert counts(position, len(block.nodes)) == list(block.nodes)


@pytest.mark.parametrize("block", parameters(BLOCKS, latest=LATE, largest=LARGEST))
def test_the_brute_force_counts_as_many_turns(block: Block) -> None:
    start, played = BRUTE[block.game]
    state = start(block.options)
    for text in block.turns:
        state = played(state, text)

    for depth, nodes in enumerate(block.nodes, start=1):
        if nodes <= CHEAP or max(block.nodes) > SLOW:
            assert state.count(depth) == nodes


def test_every_game_has_a_brute_force() -> None:
    assert set(BRUTE) == set(GAMES)


def test_every_game_has_a_file_that_reaches_the_end_of_games() -> None:
    assert {block.game for block in BLOCKS} == set(GAMES)
    assert {block.game for block in BLOCKS if 0 in block.nodes} == set(GAMES)
