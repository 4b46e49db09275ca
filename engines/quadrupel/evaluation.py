"""Quadrupel as the house searches it: choices as numbers, figures first, and how near each side is to a figure.

Rules stay where they are: how stones move is in `board`, what a figure is good for in the variant.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations
from typing import NamedTuple

from engines.bitboard import bits, cells_in
from engines.core import Seat
from engines.quadrupel.board import FIGURES, INDEX, NAMES, START, reach
from engines.quadrupel.turns import Dots, Move, Ones, Turn
from engines.quadrupel.variant import AT_START, Formed, Score, Stone, Stones, Variant
from engines.seats import other, with_entry

MOST_REPEATS = 4
"""The greatest number of moves in a row that one stone can make between two squares."""
MOST_KNOWN = 100_000
SOON = 0.9
"""The estimate of a position whose next turn can form a figure that wins."""

Repeats = tuple[tuple[int, int, int] | None, tuple[int, int, int] | None]
Choice = tuple[int, int, bool] | Dots | Ones
"""The square that a stone leaves, the one it goes to and whether a figure is announced; or a set-up."""


class Threat(NamedTuple):
    """A stone that would complete a figure on a square (a bit), and what that figure would be worth as an estimate."""

    cell: int
    landing: int
    worth: float


@dataclass(slots=True)
class Judge:
    """What is known about the stones of one side, remembered for a whole search."""

    variant: Variant
    auto: bool
    known: dict[tuple[Seat, Stones, Score], tuple[float, tuple[Threat, ...]]] = field(default_factory=dict)

    def promise(self, seat: Seat, stones: Stones, score: Score) -> tuple[float, tuple[Threat, ...]]:
        """Return how near a side is to figures that count, and the stones that lack one move."""
        key = (seat, stones, score)
        found = self.known.get(key)
        if found is None:
            if len(self.known) >= MOST_KNOWN:
                self.known.clear()
            found = self.known[key] = self._promise(seat, stones, score)
        return found

    def _promise(self, seat: Seat, stones: Stones, score: Score) -> tuple[float, tuple[Threat, ...]]:
        own, total, threats = bits(cell for cell, _ in stones), 0.0, []
        for squares, figure in FIGURES.items():
            there = (own & squares).bit_count()
            if there == 2:
                total += 1
            elif there == 3:
                loose = (own & ~squares).bit_length() - 1
                target = (squares & ~own).bit_length() - 1
                formed = Formed(seat, figure, self.variant.worth(figure, carried(stones, loose, target), score))
                if not self.variant.loses(formed) and self.variant.meets(formed, score):
                    outcome = self.variant.announced(formed, score).outcome
                    wins = outcome is not None and outcome.winner == seat
                    threats.append(Threat(loose, 1 << target, SOON if wins else SOON / 3))
                    total += 6
        return total, tuple(threats)


def carried(stones: Stones, origin: int, target: int) -> Stones:
    """Return the stones of a side after the one on a square has gone to another."""
    return tuple(sorted([Stone(target, s.dots) if s.cell == origin else s for s in stones]))


@dataclass(slots=True, eq=False)  # frozen, it would be slower by a tenth
class QuadrupelState:
    """A position of Quadrupel for the search. `repeats` are those of the position."""

    judge: Judge
    turn: Seat | None
    stones: tuple[Stones, Stones]
    repeats: Repeats
    score: Score
    winner: Seat | None = None

    @property
    def is_between_turns(self) -> bool:
        """True: each choice is a complete turn."""
        return True

    @property
    def key(self) -> object:
        """Everything that matters for the rest of the match, but for how often stones have gone back and forth."""
        return self.turn, self.stones, self.score, self._barred(0), self._barred(1)

    def choices(self) -> Sequence[Choice]:
        """Return every legal choice, figures first, then jumps and steps by how much nearer they come to figures."""
        seat = self.turn
        if seat is None:
            return ()
        variant = self.judge.variant
        if variant.setup != "none" and not any(stone.dots for stone in self.stones[seat]):
            return self._set_ups(seat)
        own, occupied = self.stones[seat], self._occupied
        mine, barred = bits(cell for cell, _ in own), self._barred(seat)
        figures: list[Choice] = []
        others: list[tuple[float, Choice]] = []
        for cell, _ in own:
            rest = mine ^ 1 << cell
            for target in cells_in(reach(cell, occupied)):
                if barred == (cell, target):
                    continue
                after = carried(own, cell, target)
                figure = FIGURES.get(rest | 1 << target)
                if figure is not None and not self.judge.auto:
                    formed = Formed(seat, figure, variant.worth(figure, after, self.score))
                    if variant.loses(formed) or variant.meets(formed, self.score):
                        figures.append((cell, target, True))
                others.append((-self.judge.promise(seat, after, self.score)[0], (cell, target, False)))
        others.sort()
        return [*figures, *(choice for _, choice in others)]

    def after(self, choice: Choice) -> "QuadrupelState":
        """Return the state after a choice."""
        seat = self.turn or 0
        if not isinstance(choice, tuple):
            return self._set_up(seat, choice)
        cell, target, announced = choice
        variant, score = self.judge.variant, self.score
        own = carried(self.stones[seat], cell, target)
        figure = FIGURES.get(bits(cell for cell, _ in own))
        turn: Seat | None = other(seat)
        if figure is not None:
            formed = Formed(seat, figure, variant.worth(figure, own, score))
            if variant.loses(formed):
                return self._over(other(seat))
            if (announced or self.judge.auto) and variant.meets(formed, score):
                verdict = variant.announced(formed, score)
                if verdict.outcome is not None:
                    return self._over(verdict.outcome.winner)
                if verdict.anew:
                    return QuadrupelState(self.judge, verdict.turn, AT_START, (None, None), verdict.score)
                turn, score = verdict.turn, verdict.score
        if score.extra and score is self.score:
            verdict = variant.quiet(seat, score)
            if verdict.outcome is not None:
                return self._over(verdict.outcome.winner)
            turn, score = verdict.turn, verdict.score
        last = self.repeats[seat]
        again = last is not None and (last[1], last[0]) == (cell, target)
        times = min(last[2] + 1, MOST_REPEATS) if last is not None and again else 1
        stones = (own, self.stones[1]) if seat == 0 else (self.stones[0], own)
        repeats = with_entry(self.repeats, seat, (cell, target, times))
        return QuadrupelState(self.judge, turn, stones, repeats, score)

    def estimate(self, seat: Seat) -> float:
        """Return who is nearer to a figure that counts, between -0.9 and 0.9; the side to move is a turn ahead."""
        mover = self.turn or 0
        own, threats = self.judge.promise(mover, self.stones[mover], self.score)
        theirs, answers = self.judge.promise(other(mover), self.stones[1 - mover], self.score)
        occupied = self._occupied
        best = max([t.worth for t in threats if _reaches(t, occupied)], default=0.0)
        if best < SOON:
            best += (own - theirs) / 100 - 0.15 * sum(1 for t in answers if _reaches(t, occupied)) + self._lead(mover)
            best -= 0.02 * (self._times(mover) - self._times(other(mover)))
            best = max(-0.85, min(0.85, best))
        return best if mover == seat else -best

    def turn_of(self, choices: Sequence[Choice]) -> Move:
        """Return the turn that a choice stands for."""
        choice = choices[0]
        if not isinstance(choice, tuple):
            return choice
        return Turn(NAMES[choice[0]], NAMES[choice[1]], announced=choice[2])

    def _lead(self, seat: Seat) -> float:
        """Return what the figures announced so far are worth to a seat."""
        points = sum(f.worth if f.seat == seat else -f.worth for f in self.score.announced)
        return points / 50 if not self.score.extra else 0.3 * (1 if points > 0 else -1)

    def _set_ups(self, seat: Seat) -> Sequence[Choice]:
        if self.judge.variant.setup == "dots":
            return [Dots(dots) for dots in permutations((1, 2, 3, 4))]
        return [Ones(squares) for squares in combinations(START[seat], 2)]

    def _set_up(self, seat: Seat, move: Dots | Ones) -> "QuadrupelState":
        dots = move.dots if isinstance(move, Dots) else tuple(int(name in move.squares) for name in START[seat])
        own = tuple(sorted(Stone(INDEX[name], shown) for name, shown in zip(START[seat], dots, strict=True)))
        stones = with_entry(self.stones, seat, own)
        return QuadrupelState(self.judge, other(seat), stones, self.repeats, self.score)

    def _over(self, winner: Seat | None) -> "QuadrupelState":
        return QuadrupelState(self.judge, None, self.stones, self.repeats, self.score, winner)

    def _barred(self, seat: Seat) -> tuple[int, int] | None:
        last = self.repeats[seat]
        return (last[1], last[0]) if last is not None and last[2] >= MOST_REPEATS else None

    def _times(self, seat: Seat) -> int:
        """Return how often in a row a stone has gone back and forth."""
        last = self.repeats[seat]
        return last[2] - 1 if last is not None else 0

    @property
    def _occupied(self) -> int:
        """All squares with stones, as bits."""
        return bits([cell for cell, _ in self.stones[0]]) | bits([cell for cell, _ in self.stones[1]])


def _reaches(threat: Threat, occupied: int) -> bool:
    """Return whether the stone can complete its figure at once."""
    return not occupied & threat.landing and bool(reach(threat.cell, occupied) & threat.landing)
