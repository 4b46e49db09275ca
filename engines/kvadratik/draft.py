"""The board of Kvadratik during a turn: what each part of a turn can do, and what it does."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from engines.core import Seat
from engines.kvadratik.board import (
    DISCS,
    FIRST_ROWS,
    HALVES,
    INDEX,
    OWN,
    STEPS,
    WITH_DISC,
    WITHOUT_DISC,
    landed,
    open_squares,
    turned,
    uncovered,
)
from engines.kvadratik.turns import Bonus, Disc
from engines.step import Step


@dataclass(slots=True)
class Draft:
    """The board while a seat plays its turn. Each part of the turn changes it."""

    seat: Seat
    towers: list[str]
    reserve: int
    gained: list[int] = field(default_factory=lambda: [0, 0])
    """How many discs of each seat this turn has covered in the half of the other."""
    lasting: bool = False
    """Whether this turn has done something that no later turn can undo, so that no earlier position can recur."""

    def copy(self) -> "Draft":
        return Draft(self.seat, self.towers.copy(), self.reserve, self.gained.copy(), self.lasting)

    def can_put(self, disc: Disc) -> bool:
        cell = INDEX.get(disc.cell)
        return self.reserve > 0 and disc.shown in DISCS[0] and cell in FIRST_ROWS[self.seat] and not self.towers[cell]

    def put(self, disc: Disc) -> None:
        self.towers[INDEX[disc.cell]] = DISCS[self.seat][disc.shown]
        self.reserve -= 1
        self.lasting = True

    def is_movable(self, name: str) -> bool:
        cell = INDEX.get(name)
        return cell is not None and self.towers[cell][-1:] in OWN[self.seat]

    def flip(self, cell: int) -> None:
        self.towers[cell] = turned(self.towers[cell])

    def can_step(self, step: Step) -> bool:
        if not self.is_movable(step.origin):
            return False
        cell = INDEX[step.origin]
        return step in STEPS[self.towers[cell][-1]][cell]

    def step(self, step: Step) -> None:
        """The discs under it stay behind; those on its target are covered or captured."""
        origin, target = INDEX[step.origin], INDEX[step.target]
        tower, below = self.towers[origin], self.towers[target]
        self.towers[origin] = tower[:-1]
        self.towers[target] = after = landed(below, tower[-1], self.seat)
        if below:
            # Ruling, covered: the disc is in its opponent's half; it doesn't matter whose disc covers it
            owner = 0 if below[-1] in OWN[0] else 1
            if target not in HALVES[owner]:
                self.gained[owner] += 1
            if len(after) <= len(below):
                self.lasting = True

    def can_add(self, bonus: Bonus) -> bool:
        """Ruling, entering: a disc from the reserve makes the step itself, or an own disc moves within its own half."""
        if bonus.disc is not None:
            return self.can_put(bonus.disc) and bonus in WITH_DISC[self.seat][INDEX[bonus.disc.cell]]
        return not self.reserve and bonus in WITHOUT_DISC[self.seat] and self.can_step(bonus.step)

    def bonuses(self, step: Step) -> Iterator[Bonus]:
        if self.reserve:  # the step starts in the row beside the other half, so it leaves the first row unchanged
            for cell in open_squares(self.towers, self.seat):
                yield from WITH_DISC[self.seat][cell]
            return
        after = self.copy()
        after.step(step)
        for cell in uncovered(after.towers, self.seat):
            for way in STEPS[after.towers[cell][-1]][cell]:
                if (bonus := Bonus(None, way)) in WITHOUT_DISC[self.seat]:
                    yield bonus
