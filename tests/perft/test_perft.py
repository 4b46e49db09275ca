"""The numbers of legal turns at each depth, from the start and from late positions, in a file for each game.

A file is a list of blocks: `id` is a name, `position` has the options and, after semicolons, the turns that lead to it,
and `perft 2 6659` is the number of lines of two turns. Lines that end with the game before that depth don't count. The
numbers were computed by the brute force of each game (tests/engines/brute*.py).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from engines.core import Position
from notation.games import GAMES
from tests.engines import brute, brute_kvadratik, brute_quadrature, brute_quadrupel

HERE = Path(__file__).parent
SLOW = 8_000
CHEAP = 1_000
LATE = 8
LARGEST = 100_000
"""Blocks with more leaves than SLOW are left to `make test-all`. Up to CHEAP leaves, the brute force counts them too,
but after turn LATE only in `make test-all`, since it takes long to get there, and more than LARGEST in `make soak`."""


# The functions of each game's brute force that begin a match and play a turn.
BRUTE: Mapping[str, tuple[Callable[[dict[str, str]], Any], Callable[[Any, str], Any]]] = {
    "quadraphages": (lambda options: brute.start("quadraphages", options["first"]), brute.played),
    "hexaphages": (lambda options: brute.start("hexaphages", options["first"]), brute.played),
    "quadrature": (lambda options: brute_quadrature.start(options["men"]), brute_quadrature.State.played),
    "quadrupel": (brute_quadrupel.State, brute_quadrupel.played),
    "kvadratik": (lambda options: brute_kvadratik.State(**options), brute_kvadratik.played),
}


@dataclass(frozen=True)
class Block:
    """A position and its numbers for depth 1, 2 and so on."""

    game: str
    id: str
    options: dict[str, str]
    turns: tuple[str, ...]
    nodes: tuple[int, ...]


def read(path: Path) -> list[Block]:
    """Return every block of a file."""
    found = []
    for block in path.read_text().split("\n\n"):
        lines = [line.partition(" ")[::2] for line in block.splitlines() if not line.startswith("#")]
        words = dict(lines)
        if "id" in words:
            chosen, *turns = words["position"].split("; ")
            nodes = tuple(int(rest.split()[1]) for word, rest in lines if word == "perft")
            options = dict(pair.split("=") for pair in chosen.split())
            found.append(Block(path.stem, words["id"], options, tuple(turns), nodes))
    return found


BLOCKS = [block for path in sorted(HERE.glob("*.perft")) for block in read(path)]


def parameters(blocks: list[Block], latest: int = 1_000, largest: int = 100_000_000) -> list[Any]:
    """Return the blocks as test parameters, with large and late ones marked as slow, and still larger ones as soak."""
    return [pytest.param(b, id=f"{b.game}-{b.id}", marks=list(marks(b, latest, largest))) for b in blocks]


def marks(block: Block, latest: int, largest: int) -> Iterator[pytest.MarkDecorator]:
    """Yield the marks of a block."""
    if max(block.nodes) > SLOW or len(block.turns) > latest:
        yield pytest.mark.slow
    if max(block.nodes) > largest:
        yield pytest.mark.soak


def counts(here: Position[Any], depth: int) -> list[int]:
    """Return the numbers of lines of 1, 2, ... turns; the moves of the last turn are only listed."""
    moves = list(here.moves())
    if depth == 1:
        return [len(moves)]
    below = [counts(here.play(move), depth - 1) for move in moves]
    return [len(moves), *(map(sum, zip(*below, strict=True)) if below else [0] * (depth - 1))]


@pytest.mark.sampled(30)
@pytest.mark.parametrize("block", parameters(BLOCKS))
def test_the_engine_counts_as_many_turns(block: Block) -> None:
    position = GAMES[block.game].game.position(block.options)
    for text in block.turns:
        position = position.play(GAMES[block.game].notation.parse(text))

    assert counts(position, len(block.nodes)) == list(block.nodes)


@pytest.mark.sampled(21, 30)
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
