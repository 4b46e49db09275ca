"""Each game of the shelf keeps what pbem promises, and goes as a second source has it."""

import random
from pathlib import Path

import pytest

from pbem.conformance import counts
from pbem.conformance.checks import CHECKS, Check
from pbem.conformance.samples import options_at
from second_sources import GAMES, SOURCES

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("key", GAMES)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_every_promise_is_kept(key: str, check: Check) -> None:
    check.run(GAMES[key])


@pytest.mark.parametrize("key", SOURCES)
def test_turns_are_counted_alike(key: str) -> None:
    perft = Path(__file__).parent / "perft" / f"{key}.perft"
    counts.turns_are_counted(GAMES[key], perft)
    counts.the_brute_force_agrees(GAMES[key], SOURCES[key], perft)


@pytest.mark.parametrize("key", SOURCES)
@pytest.mark.parametrize("seeds", [range(6), pytest.param(range(6, 206), marks=pytest.mark.soak)], ids=["six", "many"])
def test_random_matches_go_as_the_second_source_has_them(key: str, seeds: range) -> None:
    for seed in seeds:
        _agree(key, seed)


def _agree(key: str, seed: int) -> None:
    """Play a random match, and compare the turns, who is to move and who wins."""
    pack, chance, options = GAMES[key], random.Random(f"{key} {seed}"), options_at(GAMES[key].game, seed)
    position, source = pack.game.position(options), SOURCES[key](options)
    while position.turn is not None:
        texts = sorted(map(str, position.moves()))
        assert (sorted(source.turns()), source.seat) == (texts, position.turn)
        turn = chance.choice(texts)
        position, source = position.play(pack.notation.parse(turn)), source.play(turn)
    assert not source.turns()
    assert position.outcome is not None
    assert position.outcome.winner == source.winner()
