"""A second, simple and slow implementation of the phages games, to check the engine against.

It shares nothing with the engine: cells are pairs of numbers, an operation is played stone by stone as the rule sheet
describes it, and texts are built by hand.
"""

from collections.abc import Iterator
from dataclasses import dataclass

Cell = tuple[int, int]
Operation = frozenset[tuple[Cell, Cell]]

SQUARE = {(x, y) for x in range(9) for y in range(9)}
HEXAGON = {(x, y) for y in range(9) for x in range(17) if abs(x - 8) + abs(y - 4) <= 8 and (x + y) % 2 == 0}
GAMES = {
    "quadraphages": (SQUARE, [(1, 0), (-1, 0), (0, 1), (0, -1)], ["a7 i3", "c1 g9"]),
    "hexaphages": (
        HEXAGON,
        [(2, 0), (-2, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)],
        ["e5 k3 k7", "g3 g7 m5"],
    ),
}


def cell(name: str) -> Cell:
    return "abcdefghijklmnopq".index(name[0]), int(name[1]) - 1


def name(cell: Cell) -> str:
    return "abcdefghijklmnopq"[cell[0]] + str(cell[1] + 1)


@dataclass
class State:
    game: str
    seat: int
    stones: list[set[Cell]]
    marks: dict[Cell, int]
    number: int | None = None
    over: bool = False

    def copy(self) -> "State":
        return State(self.game, self.seat, [set(s) for s in self.stones], dict(self.marks), self.number)

    def ways(self, stone: Cell, number: int) -> list[Cell]:
        """Return where an own stone can go, by counting steps along every line."""
        cells, directions, _ = GAMES[self.game]
        found = []
        for dx, dy in directions:
            x, y = stone
            for _ in range(number - 1):
                x, y = x + dx, y + dy
                if (x, y) in self.stones[1 - self.seat]:
                    break
            else:
                end = (x + dx, y + dy)
                free = end not in self.marks and not any(end in side for side in self.stones)
                if end in cells and free:
                    found.append(end)
        return found

    def operations(self, number: int | None) -> dict[Operation, "State"]:
        """Return every operation, stone by stone: each stone that can move, then each other stone that still can."""
        found: dict[Operation, State] = {}

        def go_on(here: "State", done: Operation) -> None:
            moved = {end for _, end in done}
            chances = []
            if number is not None and len(done) < 2:
                for stone in here.stones[here.seat] - moved:
                    chances += [(stone, end) for end in here.ways(stone, number)]
            if not chances:
                found[done] = here
            for stone, end in chances:
                after = here.copy()
                after.stones[here.seat].remove(stone)
                after.stones[here.seat].add(end)
                after.marks[stone] = here.seat
                go_on(after, done | {(stone, end)})

        go_on(self, frozenset())
        return found

    def turns(self) -> Iterator[tuple[str, "State"]]:
        """Yield every legal turn as text, with the state after it."""
        if self.over:
            return
        for first, between in self.operations(self.number).items():
            moving = [n for n in range(1, 9) if frozenset() not in between.operations(n)]
            for number in moving or range(1, 9):
                for second, after in between.operations(number).items():
                    then = self.ended(after, number, second)
                    words = [str(number), written(second)]
                    yield " ".join(words if self.number is None else [written(first), *words]), then

    def ended(self, after: "State", number: int, second: Operation) -> "State":
        """Return the state after a turn; it's over if neither operation 3 nor the next operation 1 moves a stone."""
        then = after.copy()
        then.number, then.seat = number, 1 - self.seat
        then.over = not second and set(then.operations(number)) == {frozenset()}
        return then

    def count(self, depth: int) -> int:
        """Return the number of lines of that many turns."""
        if depth == 0:
            return 1
        return sum(then.count(depth - 1) for _, then in self.turns())


def start(game: str, first: str) -> State:
    stones = [set(map(cell, names.split())) for names in GAMES[game][2]]
    return State(game, "xo".index(first), stones, {})


def written(operation: Operation) -> str:
    words = sorted(name(a) + name(b) for a, b in operation)
    return " ".join([*words, "----", "----"][:2])


def played(state: State, text: str) -> State:
    """Return the state after a turn, without listing all turns."""
    words = text.split()
    words = words if state.number is not None else ["----", "----", *words]
    steps = [{(cell(w[:2]), cell(w[2:])) for w in ws if w[0] != "-"} for ws in (words[:2], words[3:])]
    number = int(words[2])
    between = state.operations(state.number)[frozenset(steps[0])]
    after = between.operations(number)[frozenset(steps[1])]
    return state.ended(after, number, frozenset(steps[1]))
