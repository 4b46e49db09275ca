"""Quadrature (Mark Steere, 1992): men go forward on a square board, and three of them square a fourth.

A turn moves one man one square. Opposing men that it squares are exchanged for own men from the reserve, and
those square further. Where the rule sheets are silent, the ruling is named beside the code that follows it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from engines import core, square
from engines.core import IllegalMove, Outcome, Seat
from engines.diagram import Diagram, Legend, Mark
from engines.quadrature.board import (
    FORWARD,
    GOAL_ROWS,
    GOALS,
    PLACES,
    ROWS,
    SIZE,
    START,
    WAYS,
    Both,
    Turn,
    Way,
    corners,
    count,
    exchange,
    squares_of,
    stepped,
)
from engines.wording import either, together

SIDES = ("Black", "White")
MARKS = ("#", "O")
LEGEND = Legend(
    SIDES,
    (
        Mark(".", "empty", None, ("empty", "empty")),
        Mark(",", "empty", None, ("empty goal square", "empty goal squares")),
        Mark("#", "piece", 0, ("man", "men")),
        Mark("O", "piece", 1, ("man", "men")),
    ),
    areas=(frozenset(cell for goal in GOALS for cell in goal),),
)
FEW = 2
"""A side with so few men on the board has lost."""
MOST = 2
"""The marker's two dots: no further sideways move that squares nothing."""
IN_A_NOTE = 5
"""As many squares as a note beside the board has room for."""


class Reason(core.Reason):
    """Why a turn is refused."""

    GAME_OVER = "the game is over: {outcome}"
    OFF_BOARD = "{cell} is not on this board; its columns are a to k, its rows 1 to 11"
    EMPTY = "no man stands on {cell}; {instead}"
    OPPONENT = "the man on {cell} is {other}'s; {instead}"
    NOT_A_STEP = "{token} is no step: a man goes one square forward, diagonally forward or sideways; {instead}"
    BACKWARD = "{token} goes backward, and {side}'s men go {way}, or sideways; {instead}"
    OCCUPIED = "a man of {holder} stands on {target} already; {instead}"
    SQUARED = "{target} would complete a rectangle with {other}'s men on {corners}; {instead}"
    MARKER = "{token} goes sideways and squares nothing, and {side}'s marker shows 2 already; {instead}"


class Played(NamedTuple):
    """The last turn, for the picture: whose it was, and what was exchanged in it, one after the other."""

    seat: Seat
    turn: Turn
    squared: tuple[str, ...]


class Seen:
    """The arrangements of men that a match has had; adding one is cheap and leaves the old Seen as it was.

    They are kept in few sets, each at least twice as large as the next, which positions share.
    """

    __slots__ = ("_sets",)

    def __init__(self, sets: tuple[frozenset[Both], ...]) -> None:
        self._sets = sets

    def __contains__(self, men: Both) -> bool:
        return any(men in some for some in self._sets)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Seen) and self._all() == other._all()

    def __hash__(self) -> int:
        return hash(self._all())

    def __repr__(self) -> str:
        return f"<{len(self._all())} arrangements>"

    def with_(self, men: Both) -> "Seen":
        """These arrangements and one more, which is new."""
        sets, last = self._sets, frozenset((men,))
        while sets and len(sets[-1]) < 2 * len(last):
            sets, last = sets[:-1], sets[-1] | last
        return Seen((*sets, last))

    def _all(self) -> frozenset[Both]:
        return frozenset().union(*self._sets)


@dataclass(frozen=True, slots=True)
class QuadraturePosition:
    """Where a game of Quadrature stands. `each` is how many men a side has, on the board and in reserve.

    `seen` are the arrangements of the match so far, this one included: a match that comes here by another
    way is another position, as another turn draws it. `last` is for the picture.
    """

    each: int
    turn: Seat | None = 0
    men: Both = START
    markers: tuple[int, int] = (0, 0)
    seen: Seen = field(default_factory=lambda: Seen((frozenset((START,)),)))
    outcome: Outcome | None = None
    last: Played | None = field(default=None, compare=False)

    @property
    def part(self) -> None:
        """None always: a turn is one move."""

    # What the player may do -----------------------------------------------------------------------

    def parts(self) -> Iterator[Turn]:
        """Nothing: a turn is one move."""
        return iter(())

    def moves(self) -> Iterator[Turn]:
        """Every legal turn, each once, by the squares that men leave."""
        return iter(()) if self.turn is None else self._turns(self.turn)

    def reserve(self, seat: Seat) -> int:
        """How many men a side has in reserve.

        Exchanged men go back to their owner, so each side has always `each`, and both together eighteen on the
        board. With 18 a side the reserve is as large as the opponent's men are many, and with 16 two
        smaller: it is never empty before the opponent is left with two men and has lost.
        """
        return self.each - count(self.men[seat])

    def can_move(self, seat: Seat) -> bool:
        """Whether a side would have a legal turn here."""
        return next(self._turns(seat), None) is not None

    def sitting_out(self) -> Seat | None:
        """The side that would be to move now and has no legal turn, if there is one."""
        if self.last is None or self.turn != self.last.seat:
            return None
        return 1 if self.turn == 0 else 0

    def would_repeat(self, turn: Turn) -> bool:
        """Whether a legal turn would bring back an earlier arrangement of the men, and so draw."""
        after = self.play(turn)
        return after.outcome is not None and after.men in self.seen

    def _turns(self, seat: Seat) -> Iterator[Turn]:
        own = self.men[seat]
        for turn, way in WAYS[seat].items():
            if own[way.row] >> way.column & 1 and self._obstacle(seat, way) is None:
                yield turn

    def _obstacle(self, seat: Seat, way: Way) -> Reason | None:
        """Why a man of the side must not go this way; None where it may."""
        own, other = self.men[seat], self.men[1 - seat]
        if (own[way.to_row] | other[way.to_row]) >> way.to_column & 1:
            return Reason.OCCUPIED
        if corners(other, way.to_column, way.to_row):
            return Reason.SQUARED
        if way.sideways and self.markers[seat] == MOST and not exchange(stepped(own, way), list(other), way, 1):
            return Reason.MARKER
        return None

    # Playing --------------------------------------------------------------------------------------

    def play(self, move: Turn) -> Self:
        """The position after the turn and all its exchanges; raises IllegalMove.

        Who has no legal turn sits out, and the same seat is to move again.
        """
        seat = self.turn
        if seat is None:
            raise IllegalMove(Reason.GAME_OVER, outcome=self.outcome.reason if self.outcome else "")
        way = WAYS[seat].get(move)
        if way is None or not self.men[seat][way.row] >> way.column & 1:
            raise self._no_step(seat, move)
        obstacle = self._obstacle(seat, way)
        if obstacle is not None:
            raise self._refusal(obstacle, seat, move)
        own, other = stepped(self.men[seat], way), list(self.men[1 - seat])
        squared = exchange(own, other, way, self.reserve(seat))
        marker = self.markers[seat] + 1 if way.sideways and not squared else 0
        men = (tuple(own), tuple(other)) if seat == 0 else (tuple(other), tuple(own))
        markers = (marker, self.markers[1]) if seat == 0 else (self.markers[0], marker)
        return self._after(seat, men, markers, Played(seat, move, squared))

    def _after(self, seat: Seat, men: Both, markers: tuple[int, int], last: Played) -> Self:
        """The position after a turn of the seat: the game over, or with whoever can move to move."""
        outcome = self._ended(seat, men)
        if outcome is not None:
            return type(self)(self.each, None, men, markers, self.seen, outcome, last)
        seen, other = self.seen.with_(men), _other(seat)
        after = type(self)(self.each, other, men, markers, seen, None, last)
        if after.can_move(other):
            return after
        if after.can_move(seat):
            return type(self)(self.each, seat, men, markers, seen, None, last)
        return type(self)(self.each, None, men, markers, seen, Outcome(None, "neither side can move"), last)

    def _ended(self, seat: Seat, men: Both) -> Outcome | None:
        """How a turn of the seat that led to this arrangement ends the game; None where it does not.

        Quadrature, object of the game, and basic moves: an arrangement that comes a second time is a draw,
        whatever the markers show and whoever is to move.
        """
        left, goal = count(men[1 - seat]), GOAL_ROWS[seat]
        if left <= FEW:
            few = "two men" if left == FEW else "one man" if left else "no man"
            return Outcome(seat, f"{SIDES[1 - seat]} has only {few} left on the board")
        if men[seat][goal[0]] & goal[1] == goal[1]:
            return Outcome(seat, f"{SIDES[seat]} has men on {together(GOALS[seat])}")
        if men in self.seen:
            return Outcome(None, "the men stand as they stood once before")
        return None

    # Refusing -------------------------------------------------------------------------------------

    def _no_step(self, seat: Seat, move: Turn) -> IllegalMove:
        """Why these squares are no step of a man of the side."""
        for cell in move:
            if cell not in PLACES:
                return IllegalMove(Reason.OFF_BOARD, cell=cell, token=str(move))
        (column, row), (to_column, to_row) = PLACES[move.origin], PLACES[move.target]
        if self.men[1 - seat][row] >> column & 1:
            return self._refusal(Reason.OPPONENT, seat, move)
        if not self.men[seat][row] >> column & 1:
            return self._refusal(Reason.EMPTY, seat, move)
        backward = to_row - row == -FORWARD[seat] and abs(to_column - column) <= 1
        return self._refusal(Reason.BACKWARD if backward else Reason.NOT_A_STEP, seat, move)

    def _refusal(self, reason: Reason, seat: Seat, move: Turn) -> IllegalMove:
        """The refusal of a turn between squares of the board, with what would work instead."""
        column, row = PLACES[move.target]
        return IllegalMove(
            reason,
            token=str(move),
            cell=move.origin,
            target=move.target,
            side=SIDES[seat],
            other=SIDES[1 - seat],
            way=("up", "down")[seat],
            holder=SIDES[seat if self.men[seat][row] >> column & 1 else 1 - seat],
            corners=together(corners(self.men[1 - seat], column, row)),
            instead=self._instead(seat, move),
        )

    def _instead(self, seat: Seat, move: Turn) -> str:
        """What the man can do instead, or who can go where it was to go, or some legal turn, in words."""
        legal = list(self._turns(seat))
        column, row = PLACES[move.origin]
        targets = sorted(turn.target for turn in legal if turn.origin == move.origin)
        if targets:
            return f"{move.origin} can go to {either(targets)}"
        origins = sorted(turn.origin for turn in legal if turn.target == move.target)
        if self.men[seat][row] >> column & 1:
            return f"{move.origin} cannot move now, and {legal[0]} would be legal"
        if origins:
            return f"{either(origins)} can go to {move.target}"
        return f"{legal[0]} would be legal"

    # Seen from outside ----------------------------------------------------------------------------

    def diagram(self) -> Diagram:
        """The board with Black's men #, White's O and the empty goal squares a comma; the last turn is lit.

        The notes say what each marker shows, how many men are in reserve, what the last turn exchanged, and
        who sits out.
        """
        marks = {cell: "," for goal in GOALS for cell in goal}
        for men, mark in zip(self.men, MARKS, strict=True):
            marks |= dict.fromkeys(squares_of(men), mark)
        rows = tuple((label, tuple((cell, marks.get(cell, ".")) for cell in cells)) for label, cells in ROWS)
        lit = frozenset((*self.last.turn, *self.last.squared) if self.last else ())
        return Diagram("square", square.columns(SIZE), rows, lit, tuple(self._notes()), tuple(self._remarks()), LEGEND)

    def _notes(self) -> Iterator[str]:
        """The lines beside the board."""
        seats: tuple[Seat, Seat] = (0, 1)
        for seat in seats:
            yield f"{SIDES[seat]} {MARKS[seat]}  |{self.markers[seat]}|  reserve {self.reserve(seat)}"
        if self.last is not None and self.last.squared:
            squared = self.last.squared
            words = [f"{cell}," for cell in squared[:-2]] + [together(squared[-2:])]
            for start in range(0, len(words), IN_A_NOTE):
                yield f"{'        ' if start else 'squared '}{' '.join(words[start : start + IN_A_NOTE])}"
        out = self.sitting_out()
        if out is not None:
            yield f"{SIDES[out]} has no move and sits out"

    def _remarks(self) -> Iterator[str]:
        """The same in sentences."""
        seats: tuple[Seat, Seat] = (0, 1)
        for seat in seats:
            side = SIDES[seat]
            yield f"{side}'s marker shows {self.markers[seat]}, and {side} has {self.reserve(seat)} in reserve."
        if self.last is not None and self.last.squared:
            yield f"The last turn squared {together(self.last.squared)}."
        out = self.sitting_out()
        if out is not None:
            yield f"{SIDES[out]} has no move and sits out."


def _other(seat: Seat) -> Seat:
    return 1 if seat == 0 else 0
