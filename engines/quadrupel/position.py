"""The state of a game of Quadrupel, and what a turn makes of it; its Variant says what figures are good for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from typing import NamedTuple, Self

from engines.bitboard import cells_in
from engines.core import GameOver, IllegalMove, Outcome, Played, PlayedWhole, Seat
from engines.diagram import Diagram, last_move
from engines.quadrupel import proof
from engines.quadrupel.board import COLUMNS, FIGURES, INDEX, NAMES, ROWS, SIDES, START, STEPS, ZONES, Figure, reach
from engines.quadrupel.evaluation import MOST_REPEATS, Judge, QuadrupelState, repeated
from engines.quadrupel.first_figure import Basic
from engines.quadrupel.marks import LEGENDS, MARKS, NOTES
from engines.quadrupel.refusals import Reason, example, goes_by_jumps, set_up_refusal, turn_refusal
from engines.quadrupel.turns import ANNOUNCEMENT, Dots, Move, Ones, Turn
from engines.quadrupel.variant import (
    AT_START,
    NO_SCORE,
    Formed,
    Score,
    Stone,
    Stones,
    Variant,
    Verdict,
    carried,
    squares_of,
    won,
)
from engines.seats import other, seat_of, with_entry
from engines.special import Special

SWAPPED = "White took Black's stones, and Black has White's"


class RepeatCount(NamedTuple):
    """A seat's last move, and how many of its last moves in a row went between the same two squares (at most 4)."""

    origin: int
    target: int
    times: int


@dataclass(frozen=True, slots=True)
class QuadrupelPosition(PlayedWhole):
    """The state of a game of Quadrupel; pairs are by seat."""

    variant: Variant
    auto: bool
    turn: Seat | None = 0
    stones: tuple[Stones, Stones] = AT_START
    repeats: tuple[RepeatCount | None, RepeatCount | None] = (None, None)
    score: Score = NO_SCORE
    outcome: Outcome | None = None
    can_swap: bool = False
    """Whether White can take Black's stones once Black has moved one; not any more once White has moved."""

    # Legal moves ----------------------------------------------------------------------------------

    def moves(self) -> Iterator[Move]:
        """Yield every legal turn once; a turn that announces comes right after the same turn without the word.

        With announce=auto the word isn't needed, so no turn is listed with it.
        """
        if self.turn is None:
            return
        if self.setting_up:
            yield from self._set_ups(self.turn)
            return
        seat, occupied = self.turn, self._occupied
        stones = self.stones[seat]
        own = squares_of(stones)
        if self.swaps_now:
            yield Special.SWAP
        for cell, _ in stones:
            origin, rest = NAMES[cell], own ^ 1 << cell
            for target in cells_in(self._reach(seat, cell, occupied)):
                yield Turn(origin, NAMES[target])
                if (
                    rest | 1 << target in FIGURES
                    and not self.auto
                    and self._can_announce(self._formed(*carried(stones, cell, target)))
                ):
                    yield Turn(origin, NAMES[target], announced=True)

    @property
    def swaps_now(self) -> bool:
        return self.can_swap and self.turn == 1 and self.repeats[0] is not None

    def _set_ups(self, seat: Seat) -> Iterator[Move]:
        if self.variant.setup == "dots":
            yield from map(Dots, permutations((1, 2, 3, 4)))
        else:
            yield from map(Ones, combinations(START[seat], 2))

    def _reach(self, seat: Seat, cell: int, occupied: int) -> int:
        targets, barred = reach(cell, occupied), self._barred(seat)
        return targets & ~(1 << barred[1]) if barred and barred[0] == cell else targets

    def _barred(self, seat: Seat) -> tuple[int, int] | None:
        """Quadrupel, game play: not more than twice. Ruling: after A-B, B-A, A-B, B-A the next move can't be A-B."""
        last = self.repeats[seat]
        return (last.target, last.origin) if last and last.times >= MOST_REPEATS else None

    # Playing --------------------------------------------------------------------------------------

    def play(self, move: Move) -> Self:
        if self.turn is None:
            raise GameOver(self.outcome)
        if isinstance(move, Turn):
            return self._turned(self.turn, move)
        if isinstance(move, Special):
            return self._swapped(move)
        return self._set_up(self.turn, move)

    def _turned(self, seat: Seat, turn: Turn) -> Self:
        if self.setting_up:
            raise IllegalMove(Reason.SET_UP_FIRST, side=SIDES[seat], fits=example(seat, self.variant.setup))
        origin, target = self._way(seat, turn)
        own, figure = carried(self.stones[seat], origin, target)
        verdict = self._verdict(seat, turn, self._formed(own, figure))
        if verdict.anew:
            return type(self)(self.variant, self.auto, verdict.turn, score=verdict.score)
        repeat, (first, second), (last, latest) = self._repeated(seat, origin, target), self.stones, self.repeats
        stones, repeats = ((own, second), (repeat, latest)) if seat == 0 else ((first, own), (last, repeat))
        after = type(self)(self.variant, self.auto, verdict.turn, stones, repeats, verdict.score, verdict.outcome)
        return (replace(after, can_swap=True) if self.can_swap and seat == 0 else after).settled()

    def _swapped(self, move: Special) -> Self:
        if move is not Special.SWAP or not self.swaps_now:
            raise IllegalMove(Reason.NO_SWAP, token=str(move))
        return type(self)(self.variant, self.auto, 0, self.stones[::-1], score=self.score).settled()

    def _way(self, seat: Seat, turn: Turn) -> tuple[int, int]:
        occupied, origin, target = self._occupied, INDEX.get(turn.origin, -1), INDEX.get(turn.target, -1)
        if (
            origin in [cell for cell, _ in self.stones[seat]]
            and target >= 0
            and self._reach(seat, origin, occupied) >> target & 1
            and (not turn.via or goes_by_jumps(origin, turn, occupied))
        ):
            return origin, target
        raise turn_refusal(self.stones, seat, turn, self._barred(seat))

    def _verdict(self, seat: Seat, turn: Turn, formed: Formed | None) -> Verdict:
        if turn.announced and not self._can_announce(formed):
            names = {"token": ANNOUNCEMENT, "origin": turn.origin, "target": turn.target}
            raise IllegalMove(Reason.NO_FIGURE, **names, goal=self.variant.claim(self.score))
        if formed is not None:
            if self.variant.loses(formed):
                return won(other(seat), formed.figure, self.score, self.variant.lost(formed))
            if (turn.announced or self.auto) and self.variant.meets(formed, self.score):
                return self.variant.announced(formed, self.score)
        return self.variant.quiet(seat, self.score)

    def settled(self) -> Self:
        """Return the position, or a draw if the player to move can't move (ruling)."""
        seat, occupied = self.turn, self._occupied
        if seat is None:
            return self
        if self._barred(seat) is None:
            for cell, _ in self.stones[seat]:
                if STEPS[cell] & ~occupied:
                    return self
        if any(self._reach(seat, cell, occupied) for cell, _ in self.stones[seat]):
            return self
        return replace(self, turn=None, outcome=Outcome(None, f"{SIDES[seat]} has no legal move"))

    def _repeated(self, seat: Seat, origin: int, target: int) -> RepeatCount:
        last = self.repeats[seat]
        if last is not None and (last.target, last.origin) == (origin, target):
            return RepeatCount(origin, target, min(last.times + 1, MOST_REPEATS))
        return RepeatCount(origin, target, 1)

    def _set_up(self, seat: Seat, move: Dots | Ones) -> Self:
        """Ruling: the seat that begins sets up first, the other one sees that and answers, then play starts."""
        if not self.setting_up:
            there_is_none = self.variant.setup == "none"
            reason = Reason.NOTHING_TO_SET_UP if there_is_none else Reason.SET_UP_ALREADY
            raise IllegalMove(reason, fits=next(self.moves()))
        refusal = set_up_refusal(seat, self.variant.setup, move)
        if refusal is not None:
            raise refusal
        dots = move.dots if isinstance(move, Dots) else tuple(int(name in move.squares) for name in START[seat])
        own = tuple(sorted(Stone(INDEX[name], shown) for name, shown in zip(START[seat], dots, strict=True)))
        return replace(self, turn=other(seat), stones=with_entry(self.stones, seat, own))

    def dotted(self, dots: Mapping[str, int]) -> Self:
        """Return the board in the midst of a set-up, with these dots of own stones: only to be drawn."""
        seat = self.turn or 0
        own = tuple(Stone(cell, dots.get(NAMES[cell], 0)) for cell, _ in self.stones[seat])
        return replace(self, stones=with_entry(self.stones, seat, own))

    # Searching ------------------------------------------------------------------------------------

    def state(self) -> QuadrupelState:
        winner = self.outcome.winner if self.outcome else None
        first, second = (repeated(*last) if last else 0 for last in self.repeats)
        state = QuadrupelState.of(Judge(self.variant, self.auto), self.turn, self.stones, (first, second), self.score)
        state.winner, state.can_swap = winner, self.can_swap
        return state

    def known_turns(self) -> tuple[Sequence[Move], bool]:
        """Return the turns that the proof recommends, and whether each wins by force."""
        seat = self.turn
        if seat is None or not isinstance(self.variant, Basic):
            return (), False
        if self.swaps_now:
            last = self.repeats[0]
            is_won = last is not None and NAMES[last.origin] + NAMES[last.target] in proof.WINNING
            return ((Special.SWAP,), True) if is_won else ((), False)
        if self.stones == AT_START and seat == 0:
            good = proof.OPEN if self.can_swap else proof.WINNING
            return [move for move in self.moves() if str(move) in good], not self.can_swap
        own, theirs = (tuple(cell for cell, _ in self.stones[side]) for side in (seat, other(seat)))
        found = proof.proven(own, theirs)
        if found is None or found == self._barred(seat):
            return (), False
        is_figure = carried(self.stones[seat], *found)[1] is not None
        return (Turn(NAMES[found[0]], NAMES[found[1]], announced=is_figure and not self.auto),), True

    # Figures --------------------------------------------------------------------------------------

    def _formed(self, stones: Stones, figure: Figure | None) -> Formed | None:
        if figure is None or self.turn is None:
            return None
        return Formed(self.turn, figure, self.variant.worth(figure, stones, self.score))

    def _can_announce(self, formed: Formed | None) -> bool:
        """Return whether a turn that ends so can announce: if it meets the goal, or loses "announced or not"."""
        return formed is not None and (self.variant.loses(formed) or self.variant.meets(formed, self.score))

    # Drawing --------------------------------------------------------------------------------------

    @property
    def setting_up(self) -> bool:
        if self.turn is None or self.variant.setup == "none":
            return False
        return not any(dots for _, dots in self.stones[self.turn])

    @property
    def _occupied(self) -> int:
        return squares_of(self.stones[0]) | squares_of(self.stones[1])

    def diagram(self, last: Played[Self, Move] | None = None) -> Diagram:
        """The last turn highlights the move, or the figure that counted; a set-up highlights the stones with dots."""
        shown = {name: self.variant.empty[zone - 1] for name, zone in zip(NAMES, ZONES, strict=True)}
        for mark, side in zip(MARKS, self.stones, strict=True):
            shown |= {NAMES[cell]: f"{mark}{dots or ''}" for cell, dots in side}
        rows = tuple((label, tuple((cell, shown[cell]) for cell in names)) for label, names in ROWS)
        lit = frozenset(() if last is None else last.before._lit_by(last.move))  # noqa: SLF001 - the same class
        notes, empty = self.variant.notes(self.score), self.variant.empty
        barred = None if self.turn is None else self._barred(self.turn)
        if barred is not None:
            notes = (*notes, f"{NAMES[barred[0]]}{NAMES[barred[1]]} would go back and forth too often")
        remarks = tuple(f"{note[:1].upper()}{note[1:]}." for note in notes)
        told = "" if last is None else last_move(SWAPPED if isinstance(last.move, Special) else last.move.spoken)
        left = frozenset({last.move.origin} & lit if last is not None and isinstance(last.move, Turn) else ())
        return Diagram("square", COLUMNS, rows, lit, (*NOTES[empty], *notes), remarks, LEGENDS[empty], left, told)

    def _lit_by(self, move: Move) -> tuple[str, ...]:
        seat = seat_of(self.turn or 0)
        if isinstance(move, Dots):
            return START[seat]
        if isinstance(move, Ones):
            return move.squares
        if isinstance(move, Special):
            return tuple(NAMES[cell] for cell, _ in self.stones[0])
        origin, target = self._way(seat, move)
        verdict = self._verdict(seat, move, self._formed(*carried(self.stones[seat], origin, target)))
        if verdict.anew:
            return ()
        return verdict.figure.squares if verdict.figure else (move.origin, move.target)
