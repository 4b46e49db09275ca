"""Hex once more, plainly and with nothing from the engine: it has the same turns, and ends matches alike."""

import random
from dataclasses import dataclass

import pytest

from pbem_classics.hex import HEX

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
