"""The state of a game of Kvadratik.

Two sets of discs on a 4x4 board climb onto each other. A disc moves orthogonally or diagonally, depending on the
side it shows. A player without a legal turn loses.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, combinations, product
from textwrap import wrap
from typing import Literal, Self

from engines.core import GameOver, IllegalMove, Outcome, Played, PlayedWhole, Seat
from engines.diagram import Diagram, last_move
from engines.kvadratik.board import (
    BY_NAME,
    DISCS,
    ENTERING,
    FIRST_ROWS,
    HALVES,
    INDEX,
    LEGEND,
    NAMES,
    PLACED,
    PLACINGS,
    RESERVE,
    ROWS,
    SHOWN,
    SIDES,
    SIZE,
    STEPS,
    Occurred,
    Towers,
    has_uncovered,
    mark,
    names,
    open_squares,
    spelled,
    uncovered,
    written,
)
from engines.kvadratik.draft import Draft
from engines.kvadratik.evaluation import KvadratikState, Match, counted, unsided
from engines.kvadratik.refusals import (
    Reason,
    bonus_refusal,
    example_setup,
    flip_refusal,
    placing_refusal,
    setup_refusal,
    step_refusal,
)
from engines.kvadratik.turns import Disc, Move, Setup, Turn
from engines.repetition import History
from engines.seats import other, with_entry
from engines.square import columns
from engines.step import Step, vacated

REPETITIONS = 3
NOTE_WIDTH = 44
NOTHING_SEEN: History[Occurred] = History()


@dataclass(frozen=True, slots=True)
class KvadratikPosition(PlayedWhole):
    """The state of a game of Kvadratik; towers are by number of the square, pairs are by seat.

    `rights` counts the discs covered in the other half since the seat's last turn. `seen` holds the positions of
    the match that can still recur.
    """

    setup: Literal["row", "half"]
    flip: Literal["any", "none"]
    turn: Seat | None = 0
    setting_up: bool = True
    towers: Towers = ("",) * len(NAMES)
    reserves: tuple[int, int] = (RESERVE, RESERVE)
    rights: tuple[int, int] = (0, 0)
    seen: History[Occurred] = NOTHING_SEEN
    outcome: Outcome | None = None

    # Legal moves ----------------------------------------------------------------------------------

    def moves(self) -> Iterator[Move]:
        """There can be very many turns; the shortest come first."""
        if self.turn is None:
            return
        if self.setting_up:
            yield from self._setups()
            return
        for placed in self._placings():
            yield from self._turns(placed, len(NAMES))

    def distinct_moves(self) -> Iterator[Move]:
        """Yield one turn of each set that differ only in sides, which say nothing where discs can be turned over.

        It flips just the discs that it moves, and puts down others with + up.
        """
        if self.turn is None or self.setting_up or self.flip == "none":
            yield from self.moves()
            return
        for placed in self._placings():
            if all(disc.shown == "+" for disc in placed):
                turns = self._turns(placed, 2)
                yield from (turn.with_sides_put() for turn in turns if turn.moved.issuperset(turn.flipped))

    def _turns(self, placed: tuple[Disc, ...], most: int) -> Iterator[Turn]:
        """Yield every turn that begins by putting down these discs, and flips at most so many."""
        draft = self._draft()
        for disc in placed:
            draft.put(disc)
        for flipped in self._flippings(draft, most):
            here = draft.copy()
            for name in flipped:
                here.flip(INDEX[name])
            yield from self._steps(here, placed, flipped)

    def _steps(self, here: Draft, placed: tuple[Disc, ...], flipped: tuple[str, ...]) -> Iterator[Turn]:
        """Yield every turn that begins by putting down and flipping these discs, which has led to that board."""
        entering = ENTERING[here.seat]
        for cell in uncovered(here.towers, here.seat):
            for step in STEPS[here.towers[cell][-1]][cell]:
                yield Turn(placed, flipped, step)
                if step in entering:
                    for bonus in here.bonuses(step):
                        yield Turn(placed, flipped, step, bonus)

    def _setups(self) -> Iterator[Setup]:
        half = names([cell for cell in BY_NAME if cell in HALVES[self._seat]])
        squares = [()] if self.setup == "row" else combinations(half, PLACED)
        for cells in squares:
            for shown in product(SHOWN, repeat=PLACED):
                yield Setup(cells, "".join(shown))

    def _placings(self) -> Iterator[tuple[Disc, ...]]:
        """The first puts down none."""
        seat = self._seat
        squares = open_squares(self.towers, seat)
        for number in range(min(self.rights[seat], self.reserves[seat], len(squares)) + 1):
            for cells in combinations(squares, number):
                yield from product(*(PLACINGS[seat][cell] for cell in cells))

    def _flippings(self, draft: Draft, most: int) -> Iterator[tuple[str, ...]]:
        """The first flips none."""
        cells = names(uncovered(draft.towers, draft.seat)) if self.flip == "any" else []
        for number in range(min(most, len(cells)) + 1):
            yield from combinations(cells, number)

    def can_move(self, seat: Seat) -> bool:
        """Every square has a neighbour along its row or column and one along a diagonal; a disc can go to any."""
        return has_uncovered(self.towers, seat) or self.placeable(seat) > 0

    def placeable(self, seat: Seat) -> int:
        return min(self.rights[seat], self.reserves[seat], len(open_squares(self.towers, seat)))

    # Playing --------------------------------------------------------------------------------------

    def play(self, move: Move) -> Self:
        if self.turn is None:
            raise GameOver(self.outcome)
        if isinstance(move, Setup):
            return self._set_up(self.turn, move)
        if self.setting_up:
            fits = example_setup(self.turn, self.setup)
            raise IllegalMove(Reason.SETUP_DUE, side=SIDES[self.turn], fits=fits)
        return self._turned(self.turn, move)

    def _set_up(self, seat: Seat, move: Setup) -> Self:
        """Kvadratik, set-up: Blue, then Green, then Blue moves."""
        if not self.setting_up:
            raise IllegalMove(Reason.SETUP_DONE, fits=str(next(self.moves())))
        if refusal := setup_refusal(seat, self.setup, move):
            raise refusal
        draft = self._draft()
        for cell, shown in zip(self._set_up_on(move), move.shown, strict=True):
            draft.towers[INDEX[cell]] = DISCS[seat][shown]
        return self._after(draft, setting_up=seat == 0)

    def _set_up_on(self, move: Setup) -> tuple[str, ...]:
        return move.cells or tuple(names(FIRST_ROWS[self._seat]))

    def _turned(self, seat: Seat, move: Turn) -> Self:
        draft = self._draft()
        for number, disc in enumerate(move.placed):
            # Ruling, covered: at the start of the turn, before flips and move
            if number >= self.rights[seat] or not draft.can_put(disc):
                raise placing_refusal(draft.towers, seat, disc, self.rights[seat], move.placed[:number])
            draft.put(disc)
        for number, cell in enumerate(move.flipped):
            allowed, done = self.flip == "any", move.flipped[:number]
            if not (allowed and draft.is_movable(cell)) or cell in done:
                raise flip_refusal(draft.towers, seat, cell, done, allowed=allowed)
            draft.flip(INDEX[cell])
        if not draft.can_step(move.step):
            flippable = set(NAMES) - set(move.flipped) if self.flip == "any" else set()
            raise step_refusal(draft.towers, seat, move.step, flippable)
        draft.step(move.step)
        if move.bonus is not None:
            entered = move.step in ENTERING[seat]
            if not (entered and draft.can_add(move.bonus)):
                raise bonus_refusal(draft.towers, seat, draft.reserve, move.step, move.bonus, entered=entered)
            if move.bonus.disc is not None:
                draft.put(move.bonus.disc)
            draft.step(move.bonus.step)
        return self._after(draft)

    def _after(self, draft: Draft, *, setting_up: bool = False) -> Self:
        seat = other(draft.seat)
        # Ruling, covered: the mover's unused rights lapse, the opponent's stay until their next turn
        first, second = draft.gained
        rights = (first + self.rights[0], second) if seat == 0 else (first, second + self.rights[1])
        towers, reserves = tuple(draft.towers), with_entry(self.reserves, draft.seat, draft.reserve)
        seen = NOTHING_SEEN if draft.lasting else self.seen
        if setting_up:
            return type(self)(self.setup, self.flip, seat, True, towers, reserves, rights, seen)
        key = (seat, reserves, rights, towers)
        after = type(self)(self.setup, self.flip, seat, False, towers, reserves, rights, seen.with_(key))
        if not after.can_move(seat):
            outcome = Outcome(draft.seat, f"{SIDES[seat]} has no move left")
        elif seen.count(key) == REPETITIONS - 1:
            # Ruling: a position (board, reserves, rights, side to move) that occurs a third time is a draw
            outcome = Outcome(None, "the position has occurred three times")
        else:
            return after
        return replace(after, turn=None, outcome=outcome)

    @property
    def _seat(self) -> Seat:
        return 1 if self.turn == 1 else 0

    def _draft(self) -> Draft:
        return Draft(self._seat, list(self.towers), self.reserves[self._seat])

    def drafted(self, parts: Iterable[Disc | Step | str]) -> Self:
        """Return the board in the midst of a legal turn: discs put down, moved and (by their squares) flipped.

        Only to be drawn.
        """
        draft = self._draft()
        for part in parts:
            if isinstance(part, Disc):
                draft.put(part)
            elif isinstance(part, Step):
                draft.step(part)
            else:
                draft.flip(INDEX[part])
        reserve = self.reserves[draft.seat] if self.setting_up else draft.reserve
        return replace(self, towers=tuple(draft.towers), reserves=with_entry(self.reserves, draft.seat, reserve))

    # Searching ------------------------------------------------------------------------------------

    def state(self) -> KvadratikState:
        seen = self.seen if len(self.seen) else None
        match = Match(self.setup, self.flip, self.turn, self.towers, seen)
        towers = unsided(self.towers) if self.flip == "any" else self.towers
        winner = self.outcome.winner if self.outcome else None
        tops, discs = counted(towers)
        state = KvadratikState(match, self.turn, self.setting_up, towers, self.reserves, self.rights, tops, discs)
        state.winner = winner
        return state

    # Drawing --------------------------------------------------------------------------------------

    def diagram(self, last: Played[Self, Move] | None = None) -> Diagram:
        rows = tuple((label, tuple((cell, mark(self.towers[INDEX[cell]])) for cell in cells)) for label, cells in ROWS)
        lit = frozenset(() if last is None else last.before._lit_by(last.move))  # noqa: SLF001 - the same class
        left = frozenset[str]() if last is None or isinstance(last.move, Setup) else vacated(last.move.steps)
        return Diagram(
            "square",
            columns(SIZE),
            rows,
            lit,
            tuple(self._notes()),
            tuple(self._remarks()),
            LEGEND,
            left,
            "" if last is None else last_move(last.move.spoken),
        )

    def _lit_by(self, move: Move) -> tuple[str, ...]:
        if isinstance(move, Setup):
            return self._set_up_on(move)
        return (*(disc.cell for disc in move.placed), *move.flipped, *chain.from_iterable(move.steps))

    def _notes(self) -> Iterator[str]:
        for seat, side in enumerate(SIDES):
            may = min(self.rights[seat], self.reserves[seat])
            yield f"{side}: {self.reserves[seat]} in reserve{f', may add {may}' if may else ''}"
        towers = [cell for cell in BY_NAME if len(self.towers[cell]) > 1]
        if towers:
            yield "Towers, from the bottom to the top:"
        for cell in towers:
            line = f"* {NAMES[cell]}: {written(self.towers[cell])}"
            # Looking where to break a line that fits would be half of a diagram
            yield from [line] if len(line) <= NOTE_WIDTH else wrap(line, NOTE_WIDTH, subsequent_indent="      ")

    def _remarks(self) -> Iterator[str]:
        for seat, side in enumerate(SIDES):
            may = min(self.rights[seat], self.reserves[seat])
            yield f"{side} has {self.reserves[seat]} in reserve{f' and may add {may}' if may else ''}."
        for cell in BY_NAME:
            if len(self.towers[cell]) > 1:
                yield f"The tower on {NAMES[cell]} is, from the bottom: {spelled(self.towers[cell])}."
