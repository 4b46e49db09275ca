"""A second, simple and slow implementation of Quadrupel, to check the engine against.

It shares nothing with the engine: squares are pairs of numbers, jumps are found by walking every chain, a figure is a
set of squares compared with its definition, and texts are built by hand.
"""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import permutations

Square = tuple[int, int]

BLACK = ["d2", "c3", "d3", "c4"]
WHITE = ["c2", "b3", "e3", "d4"]
DOTTED = ("minimum-points", "maximum-points", "combination")


def square(name: str) -> Square:
    return "abcdef".index(name[0]), int(name[1]) - 1


def name(place: Square) -> str:
    return "abcdef"[place[0]] + str(place[1] + 1)


def on_board(place: Square) -> bool:
    return 0 <= place[0] < 6 and 0 <= place[1] < 6


def zone(place: Square) -> int:
    ring = {0: 1, 5: 1, 1: 2, 4: 2, 2: 3, 3: 3}
    return min(ring[place[0]], ring[place[1]])


def kind(places: set[Square]) -> int:
    """Return the value of the figure that four squares form: 1 Square, 2 Straight, 3 Diamond, 4 Diagonal, 0 none."""
    rows, columns = sorted(y for _, y in places), sorted(x for x, _ in places)
    runs = [list(range(line[0], line[0] + 4)) == line for line in (columns, rows)]
    if (
        columns[0] == columns[1] == columns[2] - 1 == columns[3] - 1
        and rows[0] == rows[1] == rows[2] - 1 == rows[3] - 1
    ):
        return 1
    if (len(set(rows)) == 1 and runs[0]) or (len(set(columns)) == 1 and runs[1]):
        return 2
    for x in range(1, 5):
        for y in range(1, 5):
            if places == {(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)}:
                return 3
    if all(runs) and (len({x - y for x, y in places}) == 1 or len({x + y for x, y in places}) == 1):
        return 4
    return 0


@dataclass
class State:
    options: dict[str, str]
    seat: int = 0
    stones: list[dict[Square, int]] = field(
        default_factory=lambda: [dict.fromkeys(map(square, s), 0) for s in (BLACK, WHITE)]
    )
    ready: list[bool] = field(default_factory=lambda: [False, False])
    done: list[list[tuple[Square, Square]]] = field(default_factory=lambda: [[], []])
    value: int = 0
    first: int | None = None
    extra: int = 0
    scores: list[int] = field(default_factory=lambda: [0, 0])
    games: int = 1
    swapped: bool = False
    over: bool = False
    winner: int | None = None

    @property
    def variant(self) -> str:
        return self.options.get("variant", "basic")

    @property
    def auto(self) -> bool:
        return self.options.get("announce", "strict") == "auto"

    def ways(self, start: Square) -> set[Square]:
        """Return where a stone can end, by a step or any chain of jumps."""
        others = (set(self.stones[0]) | set(self.stones[1])) - {start}
        x, y = start
        found = {p for p in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)) if on_board(p) and p not in others}

        def jump_on(here: Square, been: frozenset[Square]) -> None:
            for dx in (-1, 0, 1):
                for dy in (-1, 0, 1):
                    over, end = (here[0] + dx, here[1] + dy), (here[0] + 2 * dx, here[1] + 2 * dy)
                    if over in others and on_board(end) and end not in others and end not in been:
                        reached.add(end)
                        jump_on(end, been | {end})

        reached: set[Square] = set()
        jump_on(start, frozenset({start}))
        found |= reached
        found.discard(start)
        again = self.done[self.seat][-4:]
        if len(again) == 4 and again[0] == again[2] and again[1] == again[3] == again[0][::-1] and start == again[0][0]:
            found.discard(again[0][1])
        return found

    def turns(self) -> Iterator[tuple[str, "State"]]:
        """Yield every legal turn as text, with the state after it."""
        if self.over:
            return
        own = self.stones[self.seat]
        if self.variant in (*DOTTED, "position") and not self.ready[self.seat]:
            yield from self.setups()
            return
        is_first_answer = self.seat == 1 and self.games == 1 and [len(turns) for turns in self.done] == [1, 0]
        if self.options.get("swap", "on") == "on" and is_first_answer and not self.swapped:
            after = deepcopy(self)
            after.stones, after.done, after.seat, after.swapped = self.stones[::-1], [[], []], 0, True
            yield "swap", after
        for start in own:
            for end in self.ways(start):
                after = deepcopy(self)
                after.stones[self.seat][end] = after.stones[self.seat].pop(start)
                after.done[self.seat].append((start, end))
                text = name(start) + name(end)
                value, points = kind(set(after.stones[self.seat])), after.points()
                verdict = self.verdict(value, points, after)
                if verdict == "loses":
                    lost = after.ended(1 - self.seat)
                    yield text, lost
                    if not self.auto:
                        yield f"{text} quadrupel", lost
                    continue
                announced = deepcopy(after).announced(value, points) if verdict == "counts" else None
                if self.auto and announced:
                    yield text, announced
                    continue
                yield text, after.passed()
                if announced:
                    yield f"{text} quadrupel", announced

    def setups(self) -> Iterator[tuple[str, "State"]]:
        squares = [BLACK, WHITE][self.seat]
        if self.variant == "position":
            ways = [(f"setup {a} {b}", {a: 1, b: 1}) for i, a in enumerate(squares) for b in squares[i + 1 :]]
        else:
            ways = [
                ("setup " + "".join(map(str, dots)), dict(zip(squares, dots, strict=True)))
                for dots in permutations([1, 2, 3, 4])
            ]
        for text, dots in ways:
            after = deepcopy(self)
            after.stones[self.seat] = {square(s): dots.get(s, 0) for s in squares}
            after.ready[self.seat] = True
            after.seat = 1 - self.seat
            yield text, after

    def points(self) -> int:
        return sum(zone(place) * dots for place, dots in self.stones[self.seat].items())

    def verdict(self, value: int, points: int, after: "State") -> str:
        """Return the effect of a figure: "counts", "loses" or ""."""
        if value == 0:
            return ""
        if self.variant == "minimum-points":
            return "counts" if points >= int(self.options.get("minimum", "20")) else "loses"
        if self.variant == "position":
            inside = [zone(place) == 2 for place, dots in after.stones[self.seat].items() if dots == 1]
            right = all(inside) if self.options.get("zone2", "place") == "place" else not any(inside)
            return "counts" if right else "loses"
        if self.first is not None and self.worth(value, points) < self.value:
            return ""
        return "counts"

    def worth(self, value: int, points: int) -> int:
        return (value - self.extra) * points if self.variant == "combination" else value - self.extra

    def announced(self, value: int, points: int) -> "State":
        """Return the state that follows if this one was just reached by an announced turn that counts."""
        if self.variant in ("basic", "minimum-points", "position"):
            return self.ended(self.seat)
        if self.variant == "maximum-points":
            self.scores[self.seat] += points
            if self.games >= 2 and self.scores[0] != self.scores[1]:
                return self.ended(0 if self.scores[0] > self.scores[1] else 1)
            return State(self.options, 1 - self.seat, scores=list(self.scores), games=self.games + 1)
        worth = self.worth(value, points)
        if self.first is None:
            self.first, self.value, self.seat = self.seat, worth, 1 - self.seat
            return self.next_extra_turn()
        return self.ended(self.seat if worth > self.value else None)

    def next_extra_turn(self) -> "State":
        self.extra += 1
        best = {1: 30, 2: 27, 3: 27, 4: 27} if self.variant == "combination" else dict.fromkeys((1, 2, 3, 4), 1)
        left = [(v - k) * p for k in range(self.extra, 4) for v, p in best.items()]
        return self if left and max(left) >= self.value else self.ended(self.first)

    def passed(self) -> "State":
        if self.first is not None:
            return self.next_extra_turn()
        self.seat = 1 - self.seat
        return self

    def ended(self, winner: int | None) -> "State":
        self.over, self.winner = True, winner
        return self

    def count(self, depth: int) -> int:
        """Return the number of lines of that many turns."""
        if depth == 0:
            return 1
        return sum(then.count(depth - 1) for _, then in self.turns())


def played(state: State, text: str) -> State:
    """Return the state after a turn."""
    return dict(state.turns())[text]
