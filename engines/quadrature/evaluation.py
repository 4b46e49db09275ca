"""Quadrature as the house searches it: steps as numbers, exchanges first, and a count of men and their way.

What a step and its exchanges do is in `board`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from engines.bitboard import cells_in
from engines.core import Seat
from engines.quadrature.board import (
    BOARD,
    FEW,
    GOAL_CELLS,
    MOST,
    NAMES,
    SIZE,
    WAYS,
    Both,
    Men,
    Way,
    barred,
    can_step_forward,
    exchanged,
    squared,
)
from engines.repetition import History
from engines.seats import other
from engines.step import Step


def _column_first(way: Way) -> tuple[int, int, int, int]:
    return way.origin % SIZE, way.origin // SIZE, way.target % SIZE, way.target // SIZE


ALL_WAYS = tuple(sorted({way for ways in WAYS for way in ways.values()}, key=_column_first))
"""The steps of both sides; a choice is the number of a step here."""


def _numbered(seat: Seat) -> tuple[tuple[tuple[int, int, int, bool], ...], ...]:
    """Return a side's steps from each square: number, target and the target as a bit; forward first, then sideways."""
    found: list[list[tuple[int, int, int, bool]]] = [[] for _ in NAMES]
    numbers = {way: number for number, way in enumerate(ALL_WAYS)}
    for way in sorted(WAYS[seat].values(), key=lambda way: (way.sideways, way.target)):
        found[way.origin].append((numbers[way], way.target, way.landing, way.sideways))
    return tuple(map(tuple, found))


NUMBERED = (_numbered(0), _numbered(1))

NEAR = (0b00001110000, 0b00011111000, 0b00111111100, 0b01111111110)
"""The columns from which a man still gets to its goal, in the goal's row and the rows before it."""


def _ahead(seat: Seat, cell: int) -> int:
    """Return how far a man on this square has come; near the goal, only the way to it counts full."""
    row, column = divmod(cell, SIZE)
    gone = row if seat == 0 else SIZE - 1 - row
    left = SIZE - 1 - gone
    return gone + (3 if left < len(NEAR) and NEAR[left] >> column & 1 else 0)


AHEAD = tuple(tuple(_ahead(seat, cell) for cell in range(len(NAMES))) for seat in (0, 1))
ANYONE = tuple(AHEAD[0][cell] + AHEAD[1][cell] for cell in range(len(NAMES)))
"""What the lead changes by when the man on this square is exchanged."""


@dataclass(slots=True, eq=False)  # frozen, it would be slower by a tenth
class QuadratureState:
    """A position of Quadrature for the search; `seen` are the arrangements of the match before the search.

    `lead` is how much further Black's men have come than White's.
    """

    each: int
    turn: Seat | None
    men: Both
    markers: tuple[int, int]
    seen: History[Both]
    lead: int
    winner: Seat | None = None

    @property
    def is_between_turns(self) -> bool:
        """True: each choice is a complete turn."""
        return True

    @property
    def key(self) -> object:
        """Everything that matters for the rest of the match, but for the arrangements seen in the search itself."""
        return self.turn, self.men, self.markers

    def choices(self) -> Sequence[int]:
        """Turns that square men come first, then those that go forward."""
        return () if self.turn is None else self._ways(self.turn)

    def _ways(self, seat: Seat) -> list[int]:
        own, opposing, table = self.men[seat], self.men[1 - seat], NUMBERED[seat]
        free, reserve = BOARD & ~(own | opposing | barred(opposing)), self.each - own.bit_count()
        quiet: list[int] = []
        beside: list[int] = []
        sharp: list[tuple[int, int]] = []
        for cell in cells_in(own):
            rest = own ^ 1 << cell
            for way, target, landing, sideways in table[cell]:
                if not landing & free:
                    continue
                if squared(rest | landing, opposing, target):
                    sharp.append((-len(exchanged(rest | landing, opposing, target, reserve)[2]), way))
                elif not sideways:
                    quiet.append(way)
                elif self.markers[seat] < MOST:
                    beside.append(way)
        sharp.sort()
        return [*(way for _, way in sharp), *quiet, *beside]

    def after(self, choice: int) -> "QuadratureState":
        seat = self.turn or 0
        origin, target, sideways, landing = ALL_WAYS[choice]
        before, markers = self.men[seat], self.markers
        own, opposing, new = exchanged(
            before ^ 1 << origin ^ landing, self.men[1 - seat], target, self.each - before.bit_count()
        )
        ahead = AHEAD[seat]
        gained = ahead[target] - ahead[origin]
        for cell in new:
            gained += ANYONE[cell]
        marker = markers[seat] + 1 if sideways and not new else 0
        if seat == 0:
            men, lead, markers = (own, opposing), self.lead + gained, (marker, markers[1])
        else:
            men, lead, markers = (opposing, own), self.lead - gained, (markers[0], marker)
        goal = GOAL_CELLS[seat]
        if own & goal == goal or (new and opposing.bit_count() <= FEW):
            return QuadratureState(self.each, None, men, markers, self.seen, lead, seat)
        if not new and sideways and self.seen.count(men):
            return QuadratureState(self.each, None, men, markers, self.seen, lead)
        after = QuadratureState(self.each, other(seat), men, markers, self.seen, lead)
        if not can_step_forward(other(seat), opposing, own) and not after.choices():
            after.turn = seat if after.can_move(seat) else None
        return after

    def can_move(self, seat: Seat) -> bool:
        return can_step_forward(seat, self.men[seat], self.men[1 - seat]) or bool(self._ways(seat))

    def estimate(self, seat: Seat) -> float:
        """Return who has more men, and men further ahead and nearer to their goal, between -0.9 and 0.9."""
        black, white = self.men
        lead = 0.08 * (black.bit_count() - white.bit_count()) + 0.01 * self.lead
        lead += 0.02 if self.turn == 0 else -0.02
        lead *= 0.9 / (0.5 + abs(lead))
        return lead if seat == 0 else -lead

    def turn_of(self, choices: Sequence[int]) -> Step:
        way = ALL_WAYS[choices[0]]
        return Step(NAMES[way.origin], NAMES[way.target])


def lead_of(men: Both) -> int:
    return _sum(AHEAD[0], men[0]) - _sum(AHEAD[1], men[1])


def _sum(table: Sequence[int], men: Men) -> int:
    return sum(table[cell] for cell in cells_in(men))
