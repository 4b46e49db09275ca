"""Kvadratik as the house searches it: a turn in two or three choices, captures first, and a count of free discs.

Where discs can be flipped before every move, the sides that they show make no difference to what can follow, except
where a step uncovers a disc that the same turn moves. The house never does that, and expects of its opponent that
they can move such a disc all eight ways. So discs show no sides here, every disc goes all eight ways, and the flips
that a turn needs are added when it is written down. What steps and discs do
is in `board` and `draft`.
"""

from collections.abc import Sequence
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
    OWN,
    PLACED,
    PLACINGS,
    SHOWN,
    STEPS,
    WITH_DISC,
    WITHOUT_DISC,
    Towers,
    names,
    open_squares,
    uncovered,
)
from engines.kvadratik.draft import Draft
from engines.kvadratik.turns import Bonus, Disc, Move, Setup, Turn
from engines.repetition import History
from engines.seats import other, with_entry
from engines.step import Step

ALL_WAYS = tuple((*straight, *slant) for straight, slant in zip(STEPS["B"], STEPS["b"], strict=True))
FEW_SIDES = ("+x+x", "xx++", "++++", "xxxx")
OCCURRENCES = 2
"""A position that has occurred so often, and occurs again, is a draw."""


class Put(NamedTuple):
    """The choice of discs to put down by right, perhaps none."""

    discs: tuple[Disc, ...]


class Add(NamedTuple):
    """The choice of what entering the other half adds, perhaps nothing."""

    bonus: Bonus | None


Choice = Setup | Put | Step | Add


@dataclass(frozen=True, slots=True)
class Match:
    """What stays the same in a search: the options, who searches, the towers now, and the positions of the match."""

    setup: Literal["row", "half"]
    flip: Literal["any", "none"]
    searcher: Seat | None
    towers: Towers
    seen: History[str]


@dataclass(slots=True, eq=False)  # frozen, it would be slower by a tenth
class KvadratikState:
    """A position of Kvadratik for the search, perhaps in the midst of a turn.

    `gained` are the discs of each seat covered in this turn; `is_put` says that the choice of what to put down by
    right was made, `entered` that a disc has just entered the other half. `is_lasting` says that no position of the
    match can recur.
    """

    match: Match
    turn: Seat | None
    setting_up: bool
    towers: Towers
    reserves: tuple[int, int]
    rights: tuple[int, int]
    is_lasting: bool = False
    winner: Seat | None = None
    gained: tuple[int, int] = (0, 0)
    is_put: bool = False
    entered: Step | None = None

    @property
    def is_between_turns(self) -> bool:
        """Whether a turn has just been completed."""
        return not self.is_put and self.entered is None

    @property
    def key(self) -> object:
        """Everything that matters for the rest of the match."""
        return self.turn, self.towers, self.reserves, self.rights, self.gained, self.is_put, self.entered

    def choices(self) -> Sequence[Choice]:
        """Return the choices here, captures and covering the opponent's discs first; of set-ups only a selection."""
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
        """Return the ways to put discs down by right, many discs first; none at all only if another disc can move."""
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
        own, opposing, entering = OWN[seat], OWN[1 - seat], ENTERING[seat]
        found: list[tuple[int, Step]] = []
        for cell in uncovered(self.towers, seat):
            tower = self.towers[cell]
            ways = ALL_WAYS[cell] if self.match.flip == "any" else STEPS[tower[-1]][cell]
            frees = 3 if len(tower) > 1 and tower[-2] in own else -3 if len(tower) > 1 else 0
            for step in ways:
                target = self.towers[INDEX[step.target]]
                worth = frees + (2 if step in entering else 0)
                if target[-1:] in opposing:
                    worth += 5
                elif target:
                    worth += 10 * sum(1 for disc in target if disc in opposing) - 4
                found.append((-worth, step))
        found.sort()
        return [step for _, step in found]

    def _bonuses(self, seat: Seat, entered: Step) -> list[Choice]:
        if self.reserves[seat]:
            return [Add(bonus) for cell in open_squares(self.towers, seat) for bonus in WITH_DISC[seat][cell]]
        found: list[Choice] = []
        for cell in uncovered(self.towers, seat):
            if cell == INDEX[entered.origin] and seat == self.match.searcher and self.match.flip == "any":
                continue
            ways = ALL_WAYS[cell] if self.match.flip == "any" else STEPS[self.towers[cell][-1]][cell]
            found += [Add(bonus) for step in ways if (bonus := Bonus(None, step)) in WITHOUT_DISC[seat]]
        return found

    def after(self, choice: Choice) -> "KvadratikState":
        """Return the state after a choice."""
        seat = self.turn or 0
        draft = Draft(seat, list(self.towers), self.reserves[seat], list(self.gained))
        if isinstance(choice, Put):
            for disc in choice.discs:
                draft.put(disc)
            return self._within(draft, None)
        if isinstance(choice, Step):
            draft.step(choice)
            if choice in ENTERING[seat]:
                within = self._within(draft, choice)
                if within._bonuses(seat, choice):  # noqa: SLF001 - the same class
                    return within
            return self._completed(draft)
        if isinstance(choice, Add):
            if choice.bonus is not None:
                if choice.bonus.disc is not None:
                    draft.put(choice.bonus.disc)
                draft.step(choice.bonus.step)
            return self._completed(draft)
        cells = [INDEX[name] for name in choice.cells] or FIRST_ROWS[seat]
        for cell, shown in zip(cells, choice.shown, strict=True):
            draft.towers[cell] = DISCS[seat][shown]
        return self._completed(draft)

    def _within(self, draft: Draft, entered: Step | None) -> "KvadratikState":
        """Return the state in the midst of a turn."""
        seat = draft.seat
        reserves = with_entry(self.reserves, seat, draft.reserve)
        gained = (draft.gained[0], draft.gained[1])
        lasting = self.is_lasting or draft.lasting
        towers = self._shown(draft)
        return KvadratikState(
            self.match, seat, False, towers, reserves, self.rights, lasting, None, gained, True, entered
        )

    def _completed(self, draft: Draft) -> "KvadratikState":
        """Return the state after a turn: the other seat to move, or the game over."""
        seat = draft.seat
        opponent = other(seat)
        gained = draft.gained
        gained[opponent] += self.rights[opponent]
        reserves = with_entry(self.reserves, seat, draft.reserve)
        setting_up = self.setting_up and seat == 0
        lasting = self.is_lasting or draft.lasting
        after = KvadratikState(
            self.match, opponent, setting_up, self._shown(draft), reserves, (gained[0], gained[1]), lasting
        )
        return after if setting_up else after._settled(seat)

    def _settled(self, mover: Seat) -> "KvadratikState":
        """Return the state, or the end of the game if it is one."""
        opponent = other(mover)
        winner: Seat | None = None
        if any(tower[-1:] in OWN[opponent] for tower in self.towers) or self._placeable(opponent):
            if self.is_lasting or not len(self.match.seen):
                return self
            key = f"{opponent}{self.reserves}{self.rights}{','.join(self.towers)}"
            if self.match.seen.count(key) < OCCURRENCES:
                return self
        else:
            winner = mover
        return KvadratikState(self.match, None, False, self.towers, self.reserves, self.rights, winner=winner)

    def _shown(self, draft: Draft) -> Towers:
        """Return the towers, without the sides of their discs where sides make no difference."""
        towers = tuple(draft.towers)
        return unsided(towers) if self.match.flip == "any" else towers

    def _placeable(self, seat: Seat) -> int:
        """Return how many discs the seat could put down by right now."""
        allowed = min(self.rights[seat], self.reserves[seat])
        return min(allowed, len(open_squares(self.towers, seat))) if allowed else 0

    def estimate(self, seat: Seat) -> float:
        """Return who has more free discs and more discs in all, between -0.9 and 0.9."""
        free = [0, 0]
        for tower in self.towers:
            if tower:
                free[tower[-1] in OWN[1]] += 1
        all_discs = "".join(self.towers).upper()
        blue, green = all_discs.count("B") + self.reserves[0], all_discs.count("G") + self.reserves[1]
        more = 0.07 * (free[0] - free[1]) + 0.06 * (blue - green) + 0.01 * (self.reserves[1] - self.reserves[0])
        more += 0.02 * (self.rights[0] - self.rights[1]) + (0.05 if self.turn == 0 else -0.05)
        more *= 0.9 / (0.5 + abs(more))
        return more if seat == 0 else -more

    def turn_of(self, choices: Sequence[Choice]) -> Move:
        """Return the turn that consists of these choices, with the flips that it needs."""
        placed: tuple[Disc, ...] = ()
        steps: list[Step] = []
        bonus = None
        for choice in choices:
            if isinstance(choice, Setup):
                return choice
            if isinstance(choice, Put):
                placed = choice.discs
            elif isinstance(choice, Step):
                steps.append(choice)
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
        return Turn(tuple(sorted(placed)), tuple(sorted(flipped)), steps[0], bonus)


def unsided(towers: Towers) -> Towers:
    """Return the towers with all discs as if they showed the same side.

    >>> unsided(("bG", "", "g"))
    ('BG', '', 'G')
    """
    return tuple([tower.upper() for tower in towers])
