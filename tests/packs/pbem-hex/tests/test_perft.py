"""Hex once more, plainly and with nothing from the engine: it counts as many turns, and ends matches alike."""

import random
from dataclasses import dataclass
from typing import Any

import pytest

from pbem_hex import HEX
from pbem_hex.engine import HexPosition

Cell = tuple[int, int]
BESIDE = {(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)}


@dataclass(frozen=True)
class State:
    """The stones of the side to move and of the other one, as columns and rows; side 0 joins rows, side 1 columns."""

    size: int
    swap: bool
    side: int = 0
    own: frozenset[Cell] = frozenset()
    opposing: frozenset[Cell] = frozenset()

    def lost(self) -> bool:
        """Return whether the stones of the side that moved last reach across the board."""
        axis, reached = self.side, set[Cell]()
        for _ in self.opposing:
            reached |= {(x, y) for x, y in self.opposing if (x, y)[axis] == 0}
            reached |= {(x, y) for x, y in self.opposing for i, j in BESIDE if (x + i, y + j) in reached}
        return any(cell[axis] == self.size - 1 for cell in reached)

    def after(self) -> dict[str, "State"]:
        """Return every legal turn with the state to which it leads."""
        cells = [] if self.lost() else [(x, y) for x in range(self.size) for y in range(self.size)]
        found = {
            f"{'abcdefghi'[x]}{y + 1}": State(self.size, self.swap, 1 - self.side, self.opposing, self.own | {(x, y)})
            for x, y in cells
            if (x, y) not in self.own | self.opposing
        }
        if self.swap and self.side == 1 and len(self.opposing) == 1 and not self.own:
            found["swap"] = State(self.size, self.swap, 0, frozenset(), frozenset((y, x) for x, y in self.opposing))
        return found

    def count(self, depth: int) -> int:
        """Return the number of lines of play of that length."""
        return sum(after.count(depth - 1) for after in self.after().values()) if depth else 1


def count(position: Any, depth: int) -> int:
    """Return the number of lines of play of that length, by the engine."""
    return sum(count(position.play(move), depth - 1) for move in position.moves()) if depth else 1


# Without the swap, published as a test of an interpreter of board games: github.com/radekmie/rg,
# interpreter_node/src/bench.test.ts (hex2.rbg and hex9.rbg). With it, by the brute force above.
@pytest.mark.parametrize(
    ("size", "swap", "counts"),
    [
        (2, False, [4, 12, 24, 12, 0]),
        (9, False, [81, 6480]),
        (2, True, [4, 16, 36, 36, 12, 0]),
        (3, True, [9, 81, 576, 3528]),
    ],
)
def test_engine_and_brute_force_count_as_many_turns(size: int, swap: bool, counts: list[int]) -> None:
    for depth, nodes in enumerate(counts, start=1):
        assert count(HexPosition(size, swap), depth) == State(size, swap).count(depth) == nodes


@pytest.mark.parametrize("seed", range(4))
def test_random_matches_go_as_the_brute_force_has_them(seed: int) -> None:
    chance, swap = random.Random(seed), seed % 2 == 0
    position, state = HEX.game.position({"size": "9", "swap": "yes" if swap else "no"}), State(9, swap)
    while position.turn is not None:
        after = state.after()
        assert sorted(after) == sorted(HEX.notation.format(move, position) for move in position.moves())
        turn = chance.choice(sorted(after))
        state, position = after[turn], position.play(HEX.notation.parse(turn))

    assert state.lost()
    assert position.outcome is not None
    assert position.outcome.winner == 1 - state.side
