"""Quadrupel as the house searches it: choices as numbers, figures first, and how near each side is to a figure.

Rules stay where they are: how stones move is in `board`, what a figure is good for in the variant.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations
from typing import Literal, NamedTuple

from engines.bitboard import cells_in
from engines.core import Seat
from engines.quadrupel.board import FIGURES, INDEX, NAMES, PAIRS, START, TRIPLES, Figure, reach
from engines.quadrupel.turns import Dots, Move, Ones, Turn
from engines.quadrupel.variant import AT_START, Formed, Score, Stone, Stones, Variant, carried, squares_of
from engines.seats import other, with_entry
from engines.special import Special

MOST_REPEATS = 4
"""The greatest number of moves in a row that one stone can make between two squares."""
MOST_KNOWN = 30_000
SOON = 0.9
"""The estimate of a position whose next turn can form a figure that wins."""

Repeats = tuple[int, int]
"""Of each seat, how many of its last moves in a row went between the same two squares, and the last move."""
BARRING = MOST_REPEATS << 12
"""From here on, the last move was the last in a row that is allowed."""
Choice = int | Dots | Ones | Literal[Special.SWAP]
"""The square that a stone leaves and the one it goes to, and a bit for the announcement of a figure; or a set-up."""
CHOICE, PROMISE = (1 << 13) - 1, 13
"""The bits of a choice, and how many they are; above them is, while choices are sorted, what they promise."""


class Threat(NamedTuple):
    """A stone that would complete a figure on a square (a bit), and what that figure would be worth as an estimate."""

    cell: int
    landing: int
    worth: float


@dataclass(slots=True, eq=False)
class Side:
    """The stones of one side, and what is known about them: their figure, if they form one, and where they went."""

    judge: "Judge"
    seat: Seat
    stones: Stones
    score: Score
    mask: int
    """The squares of the stones, as bits."""
    code: int
    """Squares and dots in one number."""
    formed: Formed | None
    moved: dict[int, "Side"] = field(default_factory=dict)
    _promise: tuple[int, tuple[Threat, ...]] | None = None

    @property
    def promise(self) -> tuple[int, tuple[Threat, ...]]:
        """How near the side is to figures that count, and the stones that lack one move."""
        if self._promise is None:
            self._promise = self._found()
        return self._promise

    def _found(self) -> tuple[int, tuple[Threat, ...]]:
        own, threes, threats = self.mask, 0, []
        for loose, _ in self.stones:
            for target, figure in TRIPLES.get(own ^ 1 << loose, ()):
                if target == loose:
                    continue
                threes += 1
                after = self.judge.formed(self.seat, figure, carried(self.stones, loose, target)[0], self.score)
                if self.judge.counts(after, self.score):
                    outcome = self.judge.variant.announced(after, self.score).outcome
                    wins = outcome is not None and outcome.winner == self.seat
                    threats.append(Threat(loose, 1 << target, SOON if wins else SOON / 3))
        (a, _), (b, _), (c, _), (d, _) = self.stones
        pairs = PAIRS[a][b] + PAIRS[a][c] + PAIRS[a][d] + PAIRS[b][c] + PAIRS[b][d] + PAIRS[c][d]
        twos = pairs - 3 * threes - (6 if own in FIGURES else 0)
        return twos + 6 * len(threats), tuple(threats)

    def went(self, way: int) -> "Side":
        found = self.moved.get(way)
        if found is None:
            stones, _ = carried(self.stones, way >> 6, way & 63)
            found = self.moved[way] = self.judge.side(self.seat, stones, self.score)
        return found


@dataclass(slots=True)
class Judge:
    """The rules of a match, and the sides that a search has seen: the same stones are the same object."""

    variant: Variant
    auto: bool
    known: dict[tuple[Seat, Stones, Score], Side] = field(default_factory=dict)

    def side(self, seat: Seat, stones: Stones, score: Score) -> Side:
        key = (seat, stones, score)
        found = self.known.get(key)
        if found is None:
            if len(self.known) >= MOST_KNOWN:
                for side in self.known.values():
                    side.moved.clear()
                self.known.clear()
            mask = squares_of(stones)
            figure = FIGURES.get(mask)
            formed = None if figure is None else self.formed(seat, figure, stones, score)
            found = self.known[key] = Side(self, seat, stones, score, mask, _code(stones), formed)
        return found

    def formed(self, seat: Seat, figure: Figure, stones: Stones, score: Score) -> Formed:
        return Formed(seat, figure, self.variant.worth(figure, stones, score))

    def counts(self, formed: Formed, score: Score) -> bool:
        return not self.variant.loses(formed) and self.variant.meets(formed, score)


@dataclass(slots=True, eq=False)  # frozen, it would be slower by a tenth
class QuadrupelState:
    """A position of Quadrupel for the search. `repeats` are those of the position."""

    judge: Judge
    turn: Seat | None
    sides: tuple[Side, Side]
    repeats: Repeats
    score: Score
    winner: Seat | None = None
    can_swap: bool = False

    @classmethod
    def of(
        cls, judge: Judge, turn: Seat | None, stones: tuple[Stones, Stones], repeats: Repeats, score: Score
    ) -> "QuadrupelState":
        sides = (judge.side(0, stones[0], score), judge.side(1, stones[1], score))
        return cls(judge, turn, sides, repeats, score)

    @property
    def is_between_turns(self) -> bool:
        """True: each choice is a complete turn."""
        return True

    @property
    def key(self) -> object:
        """Everything that matters for the rest of the match, but for how often stones have gone back and forth."""
        first, second = self.repeats
        one, two = self.sides
        barring = (first if first >= BARRING else 0, second if second >= BARRING else 0)
        return self.turn, one.code, two.code, self.score, barring, self.can_swap

    def choices(self) -> Sequence[Choice]:
        """Figures come first, then jumps and steps by how much nearer they come to figures."""
        seat = self.turn
        if seat is None:
            return ()
        own, judge, score = self.sides[seat], self.judge, self.score
        if judge.variant.setup != "none" and not any(dots for _, dots in own.stones):
            return self._set_ups(seat)
        occupied, last = self.sides[0].mask | self.sides[1].mask, self.repeats[seat]
        barred = _back(last) if last >= BARRING else -1
        figures: list[Choice] = []
        others: list[int] = []
        for cell, _ in own.stones:
            for target in cells_in(reach(cell, occupied)):
                way = cell << 6 | target
                if way == barred:
                    continue
                after = own.went(way)
                formed = after.formed
                if (
                    formed is not None
                    and not judge.auto
                    and (judge.variant.loses(formed) or judge.variant.meets(formed, score))
                ):
                    figures.append(way << 1 | 1)
                others.append((-after.promise[0] << PROMISE) + (way << 1))
        others.sort()
        if self.can_swap and seat == 1 and self.repeats[0]:
            return [Special.SWAP, *[choice & CHOICE for choice in others]]
        return [*figures, *[choice & CHOICE for choice in others]]

    def after(self, choice: Choice) -> "QuadrupelState":
        seat = self.turn or 0
        if isinstance(choice, Special):
            return self.of(self.judge, 0, (self.sides[1].stones, self.sides[0].stones), (0, 0), self.score)
        if not isinstance(choice, int):
            return self._set_up(seat, choice)
        way, judge, score = choice >> 1, self.judge, self.score
        own = self.sides[seat].went(way)
        turn: Seat | None = other(seat)
        formed = own.formed
        if formed is not None:
            if judge.variant.loses(formed):
                return self._over(turn)
            if (choice & 1 or judge.auto) and judge.variant.meets(formed, score):
                verdict = judge.variant.announced(formed, score)
                if verdict.outcome is not None:
                    return self._over(verdict.outcome.winner)
                if verdict.anew:
                    return self.of(judge, verdict.turn, AT_START, (0, 0), verdict.score)
                turn, score = verdict.turn, verdict.score
        if score.extra and score is self.score:
            verdict = judge.variant.quiet(seat, score)
            if verdict.outcome is not None:
                return self._over(verdict.outcome.winner)
            turn, score = verdict.turn, verdict.score
        last = self.repeats[seat]
        times = min((last >> 12) + 1, MOST_REPEATS) if last and _back(last) == way else 1
        repeated = times << 12 | way
        if seat == 0:
            sides, repeats = (own, self.sides[1]), (repeated, self.repeats[1])
        else:
            sides, repeats = (self.sides[0], own), (self.repeats[0], repeated)
        if score is not self.score:
            return self.of(judge, turn, (sides[0].stones, sides[1].stones), repeats, score)
        return QuadrupelState(judge, turn, sides, repeats, score, can_swap=self.can_swap and seat == 0)

    def estimate(self, seat: Seat) -> float:
        """Return who is nearer to a figure that counts, between -0.9 and 0.9; the side to move is a turn ahead."""
        mover = self.turn or 0
        own, threats = self.sides[mover].promise
        theirs, answers = self.sides[1 - mover].promise
        occupied = self.sides[0].mask | self.sides[1].mask
        best = max([t.worth for t in threats if _reaches(t, occupied)], default=0.0)
        if best < SOON:
            best += (own - theirs) / 100 - 0.15 * sum([1 for t in answers if _reaches(t, occupied)]) + self._lead(mover)
            best -= 0.02 * (self._times(mover) - self._times(other(mover)))
            best = max(-0.85, min(0.85, best))
        return best if mover == seat else -best

    def turn_of(self, choices: Sequence[Choice]) -> Move:
        choice = choices[0]
        if not isinstance(choice, int):
            return choice
        return Turn(NAMES[choice >> 7], NAMES[choice >> 1 & 63], announced=bool(choice & 1))

    def _lead(self, seat: Seat) -> float:
        points = sum(f.worth if f.seat == seat else -f.worth for f in self.score.announced)
        return points / 50 if not self.score.extra else 0.3 * (1 if points > 0 else -1)

    def _set_ups(self, seat: Seat) -> Sequence[Choice]:
        if self.judge.variant.setup == "dots":
            return [Dots(dots) for dots in permutations((1, 2, 3, 4))]
        return [Ones(squares) for squares in combinations(START[seat], 2)]

    def _set_up(self, seat: Seat, move: Dots | Ones) -> "QuadrupelState":
        dots = move.dots if isinstance(move, Dots) else tuple(int(name in move.squares) for name in START[seat])
        own = tuple(sorted(Stone(INDEX[name], shown) for name, shown in zip(START[seat], dots, strict=True)))
        stones = with_entry((self.sides[0].stones, self.sides[1].stones), seat, own)
        after = self.of(self.judge, other(seat), stones, self.repeats, self.score)
        after.can_swap = self.can_swap
        return after

    def _over(self, winner: Seat | None) -> "QuadrupelState":
        return QuadrupelState(self.judge, None, self.sides, self.repeats, self.score, winner)

    def _times(self, seat: Seat) -> int:
        last = self.repeats[seat]
        return (last >> 12) - 1 if last else 0


def repeated(origin: int, target: int, times: int) -> int:
    """Return a side's last move and how many in a row went between its two squares, as a state has it."""
    return times << 12 | origin << 6 | target


def _code(stones: Stones) -> int:
    """Return the squares and dots of four stones in one number, which is different for different stones."""
    code = 0
    for cell, dots in stones:
        code = code << 9 | cell << 3 | dots
    return code


def _back(last: int) -> int:
    return (last & 63) << 6 | last >> 6 & 63


def _reaches(threat: Threat, occupied: int) -> bool:
    return not occupied & threat.landing and bool(reach(threat.cell, occupied) & threat.landing)
