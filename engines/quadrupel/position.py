"""Where a game of Quadrupel stands, and what a turn makes of it; what figures are good for, its Variant says."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations, permutations
from typing import NamedTuple, Self

from engines.core import IllegalMove, Outcome, Seat
from engines.diagram import Diagram
from engines.quadrupel.board import COLUMNS, FIGURES, INDEX, NAMES, ROWS, SIDES, START, ZONES, bits, cells, reach
from engines.quadrupel.legend import LEGENDS, MARKS, NOTES
from engines.quadrupel.refusals import Reason, example, goes_by_jumps, set_up_refusal, turn_refusal
from engines.quadrupel.turns import ANNOUNCEMENT, Dots, Move, Ones, Turn
from engines.quadrupel.variant import AT_START, NOTHING_YET, Built, Stone, Stones, Tally, Variant, Verdict, other, won

OFTEN = 4
"""So many moves of one stone between two squares, in a row, are the most."""


class Shuttle(NamedTuple):
    """A seat's last move, and how many of its last moves in a row went between these two squares (at most 4)."""

    origin: int
    target: int
    times: int


@dataclass(frozen=True, slots=True)
class QuadrupelPosition:
    """Where a game of Quadrupel stands. `lit` is for the picture: the last turn, or the figure that ended the game."""

    variant: Variant
    auto: bool
    turn: Seat | None = 0
    stones: tuple[Stones, Stones] = AT_START
    shuttles: tuple[Shuttle | None, Shuttle | None] = (None, None)
    tally: Tally = NOTHING_YET
    outcome: Outcome | None = None
    lit: frozenset[str] = field(default=frozenset(), compare=False)

    # What the player may do -----------------------------------------------------------------------

    def moves(self) -> Iterator[Move]:
        """Every legal turn, each once; one that announces comes right behind the same one that doesn't.

        With announce=auto the word is not needed, so no turn is listed with it.
        """
        if self.turn is None:
            return
        if self.setting_up:
            yield from self._set_ups(self.turn)
            return
        for stone in self.stones[self.turn]:
            origin = NAMES[stone.cell]
            for target in cells(self._reach(self.turn, stone.cell)):
                yield Turn(origin, NAMES[target])
                if not self.auto and self._may_announce(self._built(self._carried(self.turn, stone, target))):
                    yield Turn(origin, NAMES[target], announced=True)

    def parts(self) -> Iterator[Move]:
        """Nothing: a turn is played at once."""
        return iter(())

    def _set_ups(self, seat: Seat) -> Iterator[Move]:
        """Every way to set up the stones of a seat."""
        if self.variant.setup == "dots":
            yield from map(Dots, permutations((1, 2, 3, 4)))
        else:
            yield from map(Ones, combinations(START[seat], 2))

    def _reach(self, seat: Seat, cell: int) -> int:
        """Where an own stone may go, as bits; not back and forth once more."""
        targets = reach(cell, self._occupied)
        barred = self._barred(seat)
        return targets & ~(1 << barred[1]) if barred and barred[0] == cell else targets

    def _barred(self, seat: Seat) -> tuple[int, int] | None:
        """The move that would be back and forth once more.

        Quadrupel, game play: not more than twice. Ruling: after A-B, B-A, A-B, B-A the next is not A-B.
        """
        shuttle = self.shuttles[seat]
        return (shuttle.target, shuttle.origin) if shuttle and shuttle.times >= OFTEN else None

    # Playing --------------------------------------------------------------------------------------

    def play(self, move: Move) -> Self:
        """The position after the turn or set-up; raises IllegalMove."""
        if self.turn is None:
            raise IllegalMove(Reason.GAME_OVER, outcome=self.outcome.reason if self.outcome else "")
        if isinstance(move, Turn):
            return self._turned(self.turn, move)
        return self._set_up(self.turn, move)

    def _turned(self, seat: Seat, turn: Turn) -> Self:
        """The position after a stone has moved."""
        if self.setting_up:
            raise IllegalMove(Reason.SET_UP_FIRST, side=SIDES[seat], fits=example(seat, self.variant.setup))
        stone, target = self._way(seat, turn)
        carried = self._carried(seat, stone, target)
        built = self._built(carried)
        if turn.announced and not self._may_announce(built):
            names = {"token": ANNOUNCEMENT, "origin": turn.origin, "target": turn.target}
            raise IllegalMove(Reason.NO_FIGURE, **names, goal=self.variant.claim(self.tally))
        verdict = self._verdict(seat, built, announced=turn.announced or self.auto)
        if verdict.anew:
            return type(self)(self.variant, self.auto, verdict.turn, tally=verdict.tally)
        shuttle = self._shuttle(seat, stone.cell, target)
        stones = (carried, self.stones[1]) if seat == 0 else (self.stones[0], carried)
        shuttles = (shuttle, self.shuttles[1]) if seat == 0 else (self.shuttles[0], shuttle)
        lit = frozenset(verdict.figure.squares if verdict.figure else (turn.origin, turn.target))
        now = (verdict.turn, stones, shuttles, verdict.tally, verdict.outcome, lit)
        return type(self)(self.variant, self.auto, *now).settled()

    def _way(self, seat: Seat, turn: Turn) -> tuple[Stone, int]:
        """The stone that goes and the square where it ends; raises IllegalMove."""
        origin, target = INDEX.get(turn.origin, -1), INDEX.get(turn.target, -1)
        stone = next((stone for stone in self.stones[seat] if stone.cell == origin), None)
        if (
            stone is None
            or target < 0
            or not self._reach(seat, origin) >> target & 1
            or (turn.via and not goes_by_jumps(origin, turn, self._occupied))
        ):
            raise turn_refusal(self.stones, seat, turn, self._barred(seat))
        return stone, target

    def _verdict(self, seat: Seat, built: Built | None, *, announced: bool) -> Verdict:
        """What follows from what the turn has built, if anything."""
        if built is not None:
            if self.variant.loses(built):
                return won(other(seat), built.figure, self.tally, self.variant.lost(built))
            if announced and self.variant.meets(built, self.tally):
                return self.variant.announced(built, self.tally)
        return self.variant.quiet(seat, self.tally)

    def settled(self) -> Self:
        """The position itself, or a draw where the player to move cannot (ruling)."""
        seat = self.turn
        if seat is None or any(self._reach(seat, stone.cell) for stone in self.stones[seat]):
            return self
        return replace(self, turn=None, outcome=Outcome(None, f"{SIDES[seat]} has no legal move"))

    def _carried(self, seat: Seat, stone: Stone, target: int) -> Stones:
        """The stones of a seat when one of them has gone to a square."""
        return tuple(sorted([*(s for s in self.stones[seat] if s is not stone), Stone(target, stone.dots)]))

    def _shuttle(self, seat: Seat, origin: int, target: int) -> Shuttle:
        """The seat's last move when it has made this one."""
        last = self.shuttles[seat]
        if last is not None and (last.target, last.origin) == (origin, target):
            return Shuttle(origin, target, min(last.times + 1, OFTEN))
        return Shuttle(origin, target, 1)

    def _set_up(self, seat: Seat, move: Dots | Ones) -> Self:
        """The position after a seat has set up its stones.

        Ruling: the seat that begins sets up first, the other one sees that and answers, then play starts.
        """
        if not self.setting_up:
            there_is_none = self.variant.setup == "none"
            reason = Reason.NOTHING_TO_SET_UP if there_is_none else Reason.SET_UP_ALREADY
            raise IllegalMove(reason, fits=next(self.moves()))
        refusal = set_up_refusal(seat, self.variant.setup, move)
        if refusal is not None:
            raise refusal
        dots = move.dots if isinstance(move, Dots) else tuple(int(name in move.squares) for name in START[seat])
        own = tuple(sorted(Stone(INDEX[name], shown) for name, shown in zip(START[seat], dots, strict=True)))
        stones = (own, self.stones[1]) if seat == 0 else (self.stones[0], own)
        lit = frozenset(NAMES[stone.cell] for stone in own if stone.dots)
        return replace(self, turn=other(seat), stones=stones, lit=lit)

    # Figures --------------------------------------------------------------------------------------

    def _built(self, stones: Stones) -> Built | None:
        """The figure that the stones of the player to move form, if any."""
        figure = FIGURES.get(bits(cell for cell, _ in stones))
        if figure is None or self.turn is None:
            return None
        return Built(self.turn, figure, self.variant.worth(figure, stones, self.tally))

    def _may_announce(self, built: Built | None) -> bool:
        """Whether a turn that ends so may announce: what meets the goal, and what loses "announced or not"."""
        return built is not None and (self.variant.loses(built) or self.variant.meets(built, self.tally))

    # Seen from outside ----------------------------------------------------------------------------

    @property
    def setting_up(self) -> bool:
        """Whether the player to move has his stones to set up before he can move them."""
        if self.turn is None or self.variant.setup == "none":
            return False
        return not any(stone.dots for stone in self.stones[self.turn])

    @property
    def part(self) -> Move | None:
        """Nothing: a turn is played at once."""
        return None

    @property
    def _occupied(self) -> int:
        """All squares with stones, as bits."""
        return bits(cell for side in self.stones for cell, _ in side)

    def diagram(self) -> Diagram:
        """The board: black stones x and white stones o with their dots, empty squares by zone where it matters."""
        shown = {name: self.variant.empty[zone - 1] for name, zone in zip(NAMES, ZONES, strict=True)}
        for mark, side in zip(MARKS, self.stones, strict=True):
            shown |= {NAMES[cell]: f"{mark}{dots or ''}" for cell, dots in side}
        rows = tuple((label, tuple((cell, shown[cell]) for cell in names)) for label, names in ROWS)
        notes, empty = self.variant.notes(self.tally), self.variant.empty
        remarks = tuple(f"{note[:1].upper()}{note[1:]}." for note in notes)
        return Diagram("square", COLUMNS, rows, self.lit, (*NOTES[empty], *notes), remarks, LEGENDS[empty])
