"""The numbers of legal turns at each depth, from the start and from late positions; a file for each game.

A file is a list of blocks: `id` names one, `position` gives the options and then, behind semicolons, the turns
that lead to it, and `perft 2 6659` says how many lines of two turns there are. Lines that end with the game
before that depth do not count. The numbers were found by tests/engines/brute.py.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from engines import GAMES
from engines.core import Position
from notation import NOTATIONS
from tests.engines import brute

HERE = Path(__file__).parent
SLOW = 50_000
CHEAP = 2_000
"""More leaves than SLOW are for `make slow`; as many as CHEAP are counted once more by brute force."""


@dataclass(frozen=True)
class Perft:
    """One number of one block."""

    game: str
    id: str
    options: dict[str, str]
    turns: tuple[str, ...]
    depth: int
    nodes: int


def read(path: Path) -> list[Perft]:
    """Every number in a file."""
    found = []
    name, options, turns = "", {}, ()
    for line in path.read_text().splitlines():
        word, _, rest = line.partition(" ")
        if word == "id":
            name = rest
        elif word == "position":
            chosen, *texts = (part.strip() for part in rest.split(";"))
            options = dict(pair.split("=") for pair in chosen.split())
            turns = tuple(texts)
        elif word == "perft":
            depth, nodes = map(int, rest.split())
            found.append(Perft(path.stem, name, options, turns, depth, nodes))
    return found


PERFTS = [perft for path in sorted(HERE.glob("*.perft")) for perft in read(path)]


def parameters(perfts: list[Perft]) -> list[Any]:
    """The numbers as test parameters, the large ones marked slow."""
    return [
        pytest.param(p, id=f"{p.game}-{p.id}-{p.depth}", marks=[pytest.mark.slow] if p.nodes > SLOW else [])
        for p in perfts
    ]


def position(perft: Perft) -> Position[Any]:
    """The position that a block is about."""
    here = GAMES[perft.game].position(perft.options)
    for text in perft.turns:
        here = here.play(NOTATIONS[perft.game].parse(text))
    return here


def count(here: Position[Any], depth: int) -> int:
    """How many lines of that many turns there are; at the last turn only the list is counted."""
    if depth == 1:
        return sum(1 for _ in here.moves())
    return sum(count(here.play(move), depth - 1) for move in here.moves())


@pytest.mark.parametrize("perft", parameters(PERFTS))
def test_the_engine_counts_as_many_turns(perft: Perft) -> None:
    assert count(position(perft), perft.depth) == perft.nodes


def state(perft: Perft) -> brute.State:
    """The position that a block is about, in brute force."""
    here = brute.start(perft.game, perft.options.get("first", "x"))
    for text in perft.turns:
        here = brute.played(here, text)
    return here


@pytest.mark.parametrize(
    "perft", parameters([p for p in PERFTS if p.game in brute.GAMES and (p.nodes <= CHEAP or p.nodes > SLOW)])
)
def test_the_brute_force_counts_as_many_turns(perft: Perft) -> None:
    assert state(perft).count(perft.depth) == perft.nodes


def test_every_game_has_a_file_that_reaches_the_end_of_games() -> None:
    assert {perft.game for perft in PERFTS} == set(GAMES)
    assert {perft.game for perft in PERFTS if perft.nodes == 0} == set(GAMES)
