"""A second, simple and slow implementation of Quadrature, to check the engine against.

It shares nothing with the engine: a board is a dict from pairs of numbers to "#" and "O", rectangles are checked corner
by corner, men are exchanged one at a time, and the whole board is searched again after each.
"""

from collections.abc import Iterator
from dataclasses import dataclass

Cell = tuple[int, int]

LETTERS = "abcdefghijk"
GOALS = {"#": {(4, 10), (5, 10), (6, 10)}, "O": {(4, 0), (5, 0), (6, 0)}}
UP = {"#": 1, "O": -1}
AGAINST = {"#": "O", "O": "#"}


def cell(name: str) -> Cell:
    return LETTERS.index(name[0]), int(name[1:]) - 1


def name(cell: Cell) -> str:
    return f"{LETTERS[cell[0]]}{cell[1] + 1}"


def rectangles(one: Cell) -> Iterator[tuple[Cell, Cell, Cell]]:
    """Yield the other three corners of every rectangle with this corner."""
    for x in range(11):
        for y in range(11):
            if x != one[0] and y != one[1]:
                yield (x, one[1]), (one[0], y), (x, y)


@dataclass
class State:
    board: dict[Cell, str]
    side: str
    men: int
    dots: dict[str, int]
    before: list[dict[Cell, str]]
    over: bool = False
    winner: str | None = None
    sat_out: bool = False
    ran_out: bool = False
    """Whether more men were squared in the last turn than there were in reserve."""

    def on_board(self, side: str) -> int:
        return sum(man == side for man in self.board.values())

    def squared(self, new: set[Cell]) -> set[Cell]:
        """Return every opposing man that forms a rectangle with three own men, one of them new."""
        found = set()
        for one in new:
            for corners in rectangles(one):
                men = [self.board.get(corner, ".") for corner in corners]
                if men.count(self.side) == 2 and men.count(AGAINST[self.side]) == 1:
                    found.add(corners[men.index(AGAINST[self.side])])
        return found

    def steps(self) -> Iterator[tuple[Cell, Cell]]:
        """Yield every step of an own man, legal or not."""
        for here in [c for c, man in self.board.items() if man == self.side]:
            for right, up in [(-1, 1), (0, 1), (1, 1), (-1, 0), (1, 0)]:
                yield here, (here[0] + right, here[1] + up * UP[self.side])

    def turns(self) -> list[str]:
        """Return every legal turn as text."""
        if self.over:
            return []
        return [name(here) + name(there) for here, there in self.steps() if self.moved(here, there) is not None]

    def can_move(self) -> bool:
        return any(self.moved(here, there) is not None for here, there in self.steps())

    def moved(self, here: Cell, there: Cell) -> "State | None":
        """Return the state after a step and its exchanges, but not the end of the turn; None if the step is illegal."""
        if there in self.board or not (0 <= there[0] <= 10 and 0 <= there[1] <= 10):
            return None
        hostile = AGAINST[self.side]
        if any(all(self.board.get(c) == hostile for c in corners) for corners in rectangles(there)):
            return None
        after = State(dict(self.board), self.side, self.men, dict(self.dots), self.before)
        after.board[there] = after.board.pop(here)
        new, reserve = {there}, self.men - self.on_board(self.side)
        while reserve and (squared := after.squared(new)):
            victim = max(squared)  # one at a time, from the far corner
            after.board[victim] = self.side
            new.add(victim)
            reserve -= 1
        after.ran_out = bool(after.squared(new))
        quiet = here[1] == there[1] and len(new) == 1
        after.dots[self.side] = self.dots[self.side] + 1 if quiet else 0
        return None if after.dots[self.side] > 2 else after

    def played(self, text: str) -> "State":
        """Return the state after a turn: the game is over, or it's the other side's turn, or the same side's again."""
        half = len(text) - len(text[1:].lstrip("0123456789"))
        after = self.moved(cell(text[:half]), cell(text[half:]))
        assert after is not None
        hostile = AGAINST[self.side]
        after.before = [*self.before, after.board]
        goal = sum(after.board.get(c) == self.side for c in GOALS[self.side])
        if after.on_board(hostile) <= 2 or goal == 3:
            after.over, after.winner = True, self.side
        elif after.board in self.before:
            after.over = True
        else:
            after.side = hostile
            if not after.can_move():
                after.side, after.sat_out = self.side, True
                after.over = not after.can_move()
        return after

    def count(self, depth: int) -> int:
        """Return the number of lines of that many turns."""
        if depth == 1:
            return len(self.turns())
        return sum(self.played(text).count(depth - 1) for text in self.turns())


def start(men: str) -> State:
    board = {(x, 2): "#" for x in range(1, 10)} | {(x, 8): "O" for x in range(1, 10)}
    return State(board, "#", int(men), {"#": 0, "O": 0}, [board])
