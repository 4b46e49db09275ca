"""Amazons once more, plainly and with nothing from the engine: it has the same turns in all positions of matches."""

import random
from collections.abc import Iterator
from itertools import count

import pytest

from pbem_classics.amazons import AMAZONS

# Published as a test of an interpreter of board games: github.com/radekmie/rg, interpreter_node/src/bench.test.ts
# (amazons-naive.hrg), and in tests/perft.sh of github.com/fairy-stockfish/Fairy-Stockfish.
FIRST = 2_176

NAMES = {complex(x, y): f"{letter}{y + 1}" for x, letter in enumerate("abcdefghij") for y in range(10)}
START = {"a4": "W", "d1": "W", "g1": "W", "j4": "W", "a7": "B", "d10": "B", "g10": "B", "j7": "B"}
Board = dict[complex, str]


def queen(board: Board, origin: complex) -> Iterator[complex]:
    """Yield where a queen can go, one square at a time."""
    for way in (1, 1 + 1j, 1j, -1 + 1j, -1, -1 - 1j, -1j, 1 - 1j):
        for square in (origin + way * steps for steps in count(1)):
            if square not in NAMES or square in board:
                break
            yield square


def turns(board: Board, side: str) -> Iterator[tuple[str, Board]]:
    """Yield every legal turn with the board to which it leads; arrows are x."""
    for origin in [square for square, what in board.items() if what == side]:
        for target in queen(board, origin):
            moved = {square: what for square, what in board.items() if square != origin} | {target: side}
            for arrow in queen(moved, target):
                yield f"{NAMES[origin]}{NAMES[target]} {NAMES[arrow]}", moved | {arrow: "x"}


def test_the_first_turns_are_as_many_as_published() -> None:
    assert sum(1 for _ in AMAZONS.game.position({}).moves()) == FIRST


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_random_matches_go_as_the_brute_force_has_them(seed: int) -> None:
    chance, position, played = random.Random(seed), AMAZONS.game.position({}), 0
    board = {square: START[name] for square, name in NAMES.items() if name in START}
    while position.turn is not None:
        after = dict(turns(board, "WB"[played % 2]))
        assert sorted(after) == sorted(AMAZONS.notation.format(move, position) for move in position.moves())
        turn = chance.choice(sorted(after))
        board, position, played = after[turn], position.play(AMAZONS.notation.parse(turn)), played + 1

    assert not dict(turns(board, "WB"[played % 2]))
    assert position.outcome is not None
    assert position.outcome.winner == (played - 1) % 2
