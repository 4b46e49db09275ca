"""Kvadratik as the house searches it: a turn in two or three choices, captures first, and a count of free discs.

Where discs can be flipped before every move, the sides that they show make no difference to what can follow, except
where a step uncovers a disc that the same turn moves. The house never does that, and expects of its opponent that
they can move such a disc all eight ways. So discs show no sides here, every disc goes all eight ways, and the flips
that a turn needs are added when it is written down. What steps and discs do
is in `board` and `draft`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Literal, NamedTuple

from engines.core import Seat
from engines.kvadratik.board import (
    BY_NAME,
    DISCS,
    ENTERING,
    FIRST_ROWS,
    HALVES,
    INDEX,
    NAMES,
    OWN,
    PLACED,
    PLACINGS,
    SHOWN,
    STEPS,
    WITH_DISC,
    WITHOUT_DISC,
    Occurred,
    Towers,
    landed,
    names,
    open_squares,
    uncovered,
)
from engines.kvadratik.turns import Bonus, Disc, Move, Setup, Turn
from engines.repetition import History
from engines.seats import other, with_entry
from engines.step import Step

FEW_SIDES = ("+x+x", "xx++", "++++", "xxxx")
GREEN = OWN[1]
OCCURRENCES = 2
"""A position that has occurred so often, and occurs again, is a draw."""


class Put(NamedTuple):
    discs: tuple[Disc, ...]


class Add(NamedTuple):
    bonus: Bonus | None


Choice = Setup | Put | int | Add
"""A step is a number: the places of the two squares in the order of their names."""

ORIGIN, TARGET = tuple(cell for cell in BY_NAME for _ in BY_NAME), BY_NAME * len(NAMES)
"""The squares between which a step goes."""
Ways = tuple[tuple[int, int], ...]
"""Steps from a square, each with its target."""


def _number(step: Step) -> int:
    return BY_NAME.index(INDEX[step.origin]) * len(NAMES) + BY_NAME.index(INDEX[step.target])


def _numbered(steps: Iterable[Step]) -> Ways:
    return tuple((_number(step), INDEX[step.target]) for step in steps)


WAYS: Mapping[str, tuple[Ways, ...]] = {disc: tuple(map(_numbered, steps)) for disc, steps in STEPS.items()}
ALL_WAYS = tuple((*straight, *slant) for straight, slant in zip(WAYS["B"], WAYS["b"], strict=True))
"""The steps of a disc whose side makes no difference, from every square."""
INTO = tuple(frozenset(map(_number, steps)) for steps in ENTERING)
"""Each seat's steps into the other half."""
ADD_DISC = tuple(
    {cell: tuple(Add(bonus) for bonus in bonuses) for cell, bonuses in by_cell.items()} for by_cell in WITH_DISC
)
ADD_STEP = tuple({_number(bonus.step): Add(bonus) for bonus in bonuses} for bonuses in WITHOUT_DISC)
"""What entering the other half can add, by the square of a disc from the reserve, and by the step of another disc."""


@dataclass(slots=True)
class Scratch:
    """A board in the midst of a turn; `tops` and `discs` are how many towers and discs each seat has there.

    If `is_plain`, discs show no sides.
    """

    seat: Seat
    is_plain: bool
    towers: list[str]
    gained: list[int]
    tops: list[int]
    discs: list[int]
    reserve: int
    lasting: bool

    def put(self, cell: int, disc: str) -> None:
        self.towers[cell] = disc.upper() if self.is_plain else disc
        self.tops[self.seat] += 1
        self.discs[self.seat] += 1

    def put_down(self, disc: Disc) -> None:
        self.put(INDEX[disc.cell], DISCS[self.seat][disc.shown])
        self.reserve -= 1
        self.lasting = True

    def go(self, origin: int, target: int) -> None:
        """Do as Draft.step does, and count what that frees, covers and captures."""
        seat, towers = self.seat, self.towers
        tower, below = towers[origin], towers[target]
        left = tower[:-1]
        towers[origin] = left
        if left:
            self.tops[left[-1] in GREEN] += 1
        if below:
            owner = below[-1] in GREEN
            self.tops[owner] -= 1
            if target not in HALVES[owner]:
                self.gained[owner] += 1
        towers[target] = after = landed(below, tower[-1], seat)
        if len(after) <= len(below):
            self.lasting = True
            self.discs[1 - seat] -= len(below) + 1 - len(after)


@dataclass(frozen=True, slots=True)
class Match:
    """What stays the same in a search: the options, who searches, the towers now, and the positions of the match."""

    setup: Literal["row", "half"]
    flip: Literal["any", "none"]
    searcher: Seat | None
    towers: Towers
    seen: History[Occurred] | None
    """None if nothing can recur."""


@dataclass(slots=True, eq=False)  # frozen, it would be slower by a tenth
class KvadratikState:
    """A position of Kvadratik for the search, perhaps in the midst of a turn.

    `gained` are the discs of each seat covered in this turn; `is_put` says that the choice of what to put down by
    right was made, `entered` that a disc has just entered the other half. `is_lasting` says that no position of the
    match can recur. `tops` and `discs` are how many towers and discs each seat has on the board.
    """

    match: Match
    turn: Seat | None
    setting_up: bool
    towers: Towers
    reserves: tuple[int, int]
    rights: tuple[int, int]
    tops: tuple[int, int]
    discs: tuple[int, int]
    is_lasting: bool = False
    winner: Seat | None = None
    gained: tuple[int, int] = (0, 0)
    is_put: bool = False
    entered: int | None = None

    @property
    def is_between_turns(self) -> bool:
        return not self.is_put and self.entered is None

    @property
    def key(self) -> object:
        return self.turn, self.towers, self.reserves, self.rights, self.gained, self.is_put, self.entered

    def choices(self) -> Sequence[Choice]:
        """Captures and covering the opponent's discs come first; of set-ups there is only a selection."""
        seat = self.turn
        if seat is None:
            return ()
        if self.setting_up:
            return self._setups(seat)
        if self.entered is not None:
            return [*self._bonuses(seat, self.entered), Add(None)]
        if not self.is_put and self._placeable(seat):
            return self._puts(seat)
        return self._steps(seat)

    def _setups(self, seat: Seat) -> list[Choice]:
        sides = FEW_SIDES if self.match.flip == "none" else FEW_SIDES[:1]
        if self.match.setup == "row":
            return [Setup((), shown) for shown in (map("".join, product(SHOWN, repeat=PLACED)))]
        half = names([cell for cell in BY_NAME if cell in HALVES[seat]])
        return [Setup(cells, shown) for cells in combinations(half, PLACED) for shown in sides]

    def _puts(self, seat: Seat) -> list[Choice]:
        """Many discs come first; putting down none is a choice only if another disc can move."""
        squares = open_squares(self.towers, seat)
        fewest = 0 if uncovered(self.towers, seat) else 1
        sides = slice(None) if self.match.flip == "none" else slice(1)
        return [
            Put(discs)
            for number in range(self._placeable(seat), fewest - 1, -1)
            for cells in combinations(squares, number)
            for discs in product(*(PLACINGS[seat][cell][sides] for cell in cells))
        ]

    def _steps(self, seat: Seat) -> list[Choice]:
        towers, opposing, into, is_plain = self.towers, OWN[1 - seat], INTO[seat], self.match.flip == "any"
        found: list[int] = []
        for cell in uncovered(towers, seat):
            tower = towers[cell]
            frees = (3 if tower[-2] not in opposing else -3) if len(tower) > 1 else 0
            for step, target in ALL_WAYS[cell] if is_plain else WAYS[tower[-1]][cell]:
                worth = frees + 2 if step in into else frees
                if below := towers[target]:
                    if below[-1] in opposing:
                        worth += 5
                    else:
                        worth += 10 * sum([1 for disc in below if disc in opposing]) - 4
                found.append((-worth << 8) + step)
        found.sort()
        return [step & 255 for step in found]

    def _bonuses(self, seat: Seat, entered: int) -> list[Choice]:
        if self.reserves[seat]:
            return [add for cell in open_squares(self.towers, seat) for add in ADD_DISC[seat][cell]]
        found: list[Choice] = []
        is_plain, within = self.match.flip == "any", ADD_STEP[seat]
        for cell in uncovered(self.towers, seat):
            if is_plain and cell == ORIGIN[entered] and seat == self.match.searcher:
                continue
            ways = ALL_WAYS[cell] if is_plain else WAYS[self.towers[cell][-1]][cell]
            found += [within[step] for step, _ in ways if step in within]
        return found

    def after(self, choice: Choice) -> "KvadratikState":
        seat, match = self.turn or 0, self.match
        board = Scratch(
            seat,
            match.flip == "any",
            list(self.towers),
            list(self.gained),
            list(self.tops),
            list(self.discs),
            self.reserves[seat],
            self.is_lasting,
        )
        if isinstance(choice, int):
            board.go(ORIGIN[choice], TARGET[choice])
            if choice in INTO[seat]:
                within = self._within(board, choice)
                if within._bonuses(seat, choice):  # noqa: SLF001 - the same class
                    return within
            return self._completed(board)
        if isinstance(choice, Put):
            for disc in choice.discs:
                board.put_down(disc)
            return self._within(board, None)
        if isinstance(choice, Add):
            if choice.bonus is not None:
                if choice.bonus.disc is not None:
                    board.put_down(choice.bonus.disc)
                board.go(INDEX[choice.bonus.step.origin], INDEX[choice.bonus.step.target])
            return self._completed(board)
        cells = [INDEX[name] for name in choice.cells] or FIRST_ROWS[seat]
        for cell, shown in zip(cells, choice.shown, strict=True):
            board.put(cell, DISCS[seat][shown])
        return self._completed(board)

    def _within(self, board: Scratch, entered: int | None) -> "KvadratikState":
        return KvadratikState(
            self.match,
            board.seat,
            False,
            tuple(board.towers),
            with_entry(self.reserves, board.seat, board.reserve),
            self.rights,
            _pair(board.tops),
            _pair(board.discs),
            board.lasting,
            None,
            _pair(board.gained),
            True,
            entered,
        )

    def _completed(self, board: Scratch) -> "KvadratikState":
        seat, gained = board.seat, board.gained
        opponent = other(seat)
        gained[opponent] += self.rights[opponent]
        setting_up = self.setting_up and seat == 0
        after = KvadratikState(
            self.match,
            opponent,
            setting_up,
            tuple(board.towers),
            with_entry(self.reserves, seat, board.reserve),
            _pair(gained),
            _pair(board.tops),
            _pair(board.discs),
            board.lasting,
        )
        return after if setting_up else after._settled(seat)

    def _settled(self, mover: Seat) -> "KvadratikState":
        opponent = other(mover)
        if self.tops[opponent] or self._placeable(opponent):
            if self.is_lasting or self.match.seen is None:
                return self
            if self.match.seen.count((opponent, self.reserves, self.rights, self.towers)) < OCCURRENCES:
                return self
        else:
            self.winner = mover
        self.turn = None
        return self

    def _placeable(self, seat: Seat) -> int:
        allowed = min(self.rights[seat], self.reserves[seat])
        return min(allowed, len(open_squares(self.towers, seat))) if allowed else 0

    def estimate(self, seat: Seat) -> float:
        """Return who has more free discs and more discs in all, between -0.9 and 0.9."""
        blue, green = self.discs[0] + self.reserves[0], self.discs[1] + self.reserves[1]
        more = 0.07 * (self.tops[0] - self.tops[1]) + 0.06 * (blue - green)
        more += 0.01 * (self.reserves[1] - self.reserves[0])
        more += 0.02 * (self.rights[0] - self.rights[1]) + (0.05 if self.turn == 0 else -0.05)
        more *= 0.9 / (0.5 + abs(more))
        return more if seat == 0 else -more

    def turn_of(self, choices: Sequence[Choice]) -> Move:
        placed: tuple[Disc, ...] = ()
        steps: list[Step] = []
        bonus = None
        for choice in choices:
            if isinstance(choice, Setup):
                return choice
            if isinstance(choice, Put):
                placed = choice.discs
            elif isinstance(choice, int):
                steps.append(Step(NAMES[ORIGIN[choice]], NAMES[TARGET[choice]]))
            elif choice.bonus is not None:
                bonus = choice.bonus
                if bonus.disc is None:
                    steps.append(bonus.step)
        if self.match.flip == "none":
            return Turn(tuple(sorted(placed)), (), steps[0], bonus)
        tops = {disc.cell: DISCS[self.turn or 0][disc.shown] for disc in placed}
        flipped = [
            step.origin
            for step in steps
            if step not in STEPS[tops.get(step.origin) or self.match.towers[INDEX[step.origin]][-1]][INDEX[step.origin]]
        ]
        return Turn(tuple(sorted(placed)), tuple(sorted(flipped)), steps[0], bonus).with_sides_put()


def _pair(counts: list[int]) -> tuple[int, int]:
    return counts[0], counts[1]


def unsided(towers: Towers) -> Towers:
    """Return the towers with all discs as if they showed the same side.

    >>> unsided(("bG", "", "g"))
    ('BG', '', 'G')
    """
    return tuple([tower.upper() for tower in towers])


def counted(towers: Towers) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return how many towers each seat has on top of, and how many discs on the board.

    >>> counted(("bG", "", "g"))
    ((0, 2), (1, 2))
    """
    tops, discs = [tower[-1] for tower in towers if tower], "".join(towers)
    green = sum(top in GREEN for top in tops), sum(disc in GREEN for disc in discs)
    return (len(tops) - green[0], green[0]), (len(discs) - green[1], green[1])
