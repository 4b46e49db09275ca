"""A second, simple and slow implementation of Kvadratik, to check the engine against.

It shares nothing with the engine: a square is a pair of numbers, a tower a list of discs like "0+" (the seat, then the
side that is up), a turn is built by adding part after part to a list of ways, every position of the match is kept, and
texts are built by hand.
"""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import combinations, product

Square = tuple[int, int]
Ways = list[tuple[str, "State"]]

BOARD = sorted((x, y) for x in range(4) for y in range(4))
"""All squares, column by column, in the order of their names."""
WAYS = {"+": [(0, 1), (1, 0), (0, -1), (-1, 0)], "x": [(1, 1), (1, -1), (-1, 1), (-1, -1)]}


def name(square: Square) -> str:
    return "abcd"[square[0]] + "1234"[square[1]]


def square(name: str) -> Square:
    return "abcd".index(name[0]), "1234".index(name[1])


def home(square: Square) -> int:
    """Return the seat whose half the square is in."""
    return 0 if name(square)[1] in "34" else 1


def first_row(seat: int) -> list[Square]:
    return [square(letter + "41"[seat]) for letter in "abcd"]


def step(square: Square, way: tuple[int, int]) -> Square:
    return square[0] + way[0], square[1] + way[1]


@dataclass
class State:
    setup: str
    flip: str
    seat: int = 0
    set_up: int = 0
    towers: dict[Square, list[str]] = field(default_factory=lambda: {square: [] for square in BOARD})
    reserve: list[int] = field(default_factory=lambda: [4, 4])
    covered: list[list[str]] = field(default_factory=lambda: [[], []])
    """By seat, the squares in the other half where one of its discs was covered since its last turn."""
    history: list[str] = field(default_factory=list)
    over: bool = False
    winner: int | None = None

    # The parts of a turn, each changing this state -----------------------------------------------------

    def put(self, word: str) -> None:
        """Place a disc from the reserve: "a4+"."""
        self.towers[square(word)].append(f"{self.seat}{word[2]}")
        self.reserve[self.seat] -= 1

    def turn_over(self, word: str) -> None:
        tower = self.towers[square(word)]
        tower[-1] = tower[-1][0] + {"+": "x", "x": "+"}[tower[-1][1]]

    def go(self, word: str) -> None:
        """Make a step: "b4b3"."""
        disc = self.towers[square(word[:2])].pop()
        end = square(word[2:])
        tower = self.towers[end]
        if tower:
            owner = int(tower[-1][0])
            if home(end) != owner:
                self.covered[owner].append(name(end))
        tower.append(disc)
        if len(tower) > 1 and tower[-2][0] == disc[0]:
            tower[:] = [each for each in tower if each[0] == disc[0]]

    def steps(self) -> list[str]:
        """Return every step of an own disc on top."""
        found = []
        for start in BOARD:
            tower = self.towers[start]
            if tower and tower[-1][0] == str(self.seat):
                ends = [step(start, way) for way in WAYS[tower[-1][1]]]
                found += [name(start) + name(end) for end in ends if end in BOARD]
        return found

    # Turns ------------------------------------------------------------------------------------------

    def turns(self) -> Iterator[tuple[str, "State"]]:
        """Yield every legal turn as text, with the state after it."""
        if self.over:
            return
        for text in self.setups() if self.set_up < 2 else ():
            yield text, played(self, text)
        if self.set_up < 2:
            return
        ways: Ways = [("", deepcopy(self))]
        for part in (self.with_discs, self.with_flips, self.with_step, self.with_bonus):
            ways = [way for text, state in ways for way in part(text, state)]
        for text, state in ways:
            yield text.strip(), state.ended()

    def setups(self) -> Iterator[str]:
        sides = ["".join(four) for four in product("+x", repeat=4)]
        if self.setup == "row":
            yield from (f"setup {four}" for four in sides)
        else:
            half = [name(place) for place in BOARD if home(place) == self.seat]
            for places in combinations(half, 4):
                for four in sides:
                    yield "setup " + " ".join(place + side for place, side in zip(places, four, strict=True))

    def with_discs(self, text: str, state: "State") -> Ways:
        """Return the ways to place no, one, two or three discs on empty squares of the first row."""
        ways: Ways = [(text, state)]
        rights = len(state.covered[state.seat])
        for place in first_row(state.seat):
            for before, here in list(ways):
                if here.towers[place] or not here.reserve[here.seat] or before.count("@") >= rights:
                    continue
                for side in "+x":
                    after = deepcopy(here)
                    after.put(name(place) + side)
                    ways.append((f"{before} @{name(place)}{side}", after))
        return ways

    def with_flips(self, text: str, state: "State") -> Ways:
        """Return the ways to turn over any of the own discs on top."""
        ways: Ways = [(text, state)]
        for place in BOARD if self.flip == "any" else ():
            if state.towers[place] and state.towers[place][-1][0] == str(state.seat):
                for before, here in list(ways):
                    after = deepcopy(here)
                    after.turn_over(name(place))
                    ways.append((f"{before} ~{name(place)}", after))
        return ways

    def with_step(self, text: str, state: "State") -> Ways:
        state.covered[state.seat] = []
        ways: Ways = []
        for word in state.steps():
            after = deepcopy(state)
            after.go(word)
            ways.append((f"{text} {word}", after))
        return ways

    def with_bonus(self, text: str, state: "State") -> Ways:
        ways: Ways = [(text, state)]
        word = text.split()[-1]
        mine = state.seat
        if not (home(square(word[:2])) == mine != home(square(word[2:]))):
            return ways
        if state.reserve[mine]:
            starts = [f"{name(place)}{side}" for place in first_row(mine) if not state.towers[place] for side in "+x"]
        else:
            starts = [""]
        for start in starts:
            here = deepcopy(state)
            if start:
                here.put(start)
            for more in here.steps():
                stays_home = home(square(more[:2])) == home(square(more[2:])) == mine
                if more[:2] == start[:2] if start else stays_home:
                    after = deepcopy(here)
                    after.go(more)
                    ways.append((f"{text} @{start} {more}" if start else f"{text} {more}", after))
        return ways

    def ended(self) -> "State":
        """End the turn: it's the other seat's, unless the game is over. Return this state."""
        self.seat = 1 - self.seat
        if self.set_up < 2:
            return self
        self.history.append(f"{self.seat} {self.towers} {self.reserve} {[len(c) for c in self.covered]}")
        room = [place for place in first_row(self.seat) if not self.towers[place]]
        can_put = room and self.reserve[self.seat] and self.covered[self.seat]
        if not self.steps() and not can_put:
            self.over, self.winner = True, 1 - self.seat
        elif self.history.count(self.history[-1]) == 3:
            self.over = True
        return self

    def count(self, depth: int) -> int:
        """Return the number of lines of that many turns."""
        if depth == 0:
            return 1
        return sum(then.count(depth - 1) for _, then in self.turns())


def played(state: State, text: str) -> State:
    """Return the state after a turn that is known to be legal."""
    after = deepcopy(state)
    words = text.split()
    if words[0] == "setup":
        discs = words[1:]
        if len(discs) == 1:
            discs = [name(place) + side for place, side in zip(first_row(state.seat), words[1], strict=True)]
        for disc in discs:
            after.towers[square(disc)] = [f"{state.seat}{disc[2]}"]
        after.set_up += 1
        return after.ended()
    moved = False
    for word in words:
        if word[0] == "@":
            after.put(word[1:])
        elif word[0] == "~":
            after.turn_over(word[1:])
        else:
            if not moved:
                after.covered[after.seat] = []
            moved = True
            after.go(word)
    return after.ended()
