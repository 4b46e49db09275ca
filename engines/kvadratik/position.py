"""Kvadratik, "Little Square" (Viktor Anatolyevich Sharko, 1990).

Two sets of discs on a 4x4 board climb onto each other; a disc goes orthogonally or diagonally, as the side shows
that is up. Who has no move left has lost. The sheet is in English and in Russian and the two differ; where a
ruling decides, it is named beside the code that follows it.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, product
from textwrap import wrap
from typing import Literal, Self

from engines.core import IllegalMove, Outcome, Seat
from engines.diagram import Diagram
from engines.kvadratik.board import (
    BY_NAME,
    DISCS,
    ENTERING,
    FIRST_ROWS,
    HALVES,
    INDEX,
    LEGEND,
    NAMES,
    OWN,
    PLACED,
    PLACINGS,
    RESERVE,
    ROWS,
    SHOWN,
    SIDES,
    SIZE,
    STEPS,
    Towers,
    mark,
    names,
    open_squares,
    spelled,
    uncovered,
    written,
)
from engines.kvadratik.draft import Draft
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
from engines.square import columns

REPETITIONS = 3
NOTE_WIDTH = 44


@dataclass(frozen=True, slots=True)
class KvadratikPosition:
    """Where a game of Kvadratik stands; towers are by number of the square, pairs are by seat.

    `rights` counts the discs covered in the other half since the seat's last turn. `seen` are the positions
    that can still come back, sorted, each as often as it occurred. `lit` is for the picture.
    """

    setup: Literal["row", "half"]
    flip: Literal["any", "none"]
    turn: Seat | None = 0
    setting_up: bool = True
    towers: Towers = ("",) * len(NAMES)
    reserves: tuple[int, int] = (RESERVE, RESERVE)
    rights: tuple[int, int] = (0, 0)
    seen: tuple[str, ...] = ()
    outcome: Outcome | None = None
    lit: frozenset[str] = field(default=frozenset(), compare=False)

    @property
    def part(self) -> None:
        """Nothing: no turn is begun in parts."""
        return

    # What the player may do -----------------------------------------------------------------------

    def moves(self) -> Iterator[Move]:
        """Every legal turn, each once. There can be very many, the shortest of them first."""
        if self.turn is None:
            return
        if self.setting_up:
            yield from self._setups()
            return
        seat = self.turn
        for placed in self._placings():
            draft = self._draft()
            for disc in placed:
                draft.put(disc)
            for flipped in self._flippings(draft):
                here = draft.copy()
                for name in flipped:
                    here.flip(INDEX[name])
                for cell in uncovered(here.towers, seat):
                    for step in STEPS[here.towers[cell][-1]][cell]:
                        yield Turn(placed, flipped, step)
                        if step in ENTERING[seat]:
                            for bonus in here.bonuses(step):
                                yield Turn(placed, flipped, step, bonus)

    def parts(self) -> Iterator[Move]:
        """Nothing: no turn is begun in parts."""
        return iter(())

    def _setups(self) -> Iterator[Setup]:
        """Every way to set up four discs."""
        half = names([cell for cell in BY_NAME if cell in HALVES[self._seat]])
        squares = [()] if self.setup == "row" else combinations(half, PLACED)
        for cells in squares:
            for shown in product(SHOWN, repeat=PLACED):
                yield Setup(cells, "".join(shown))

    def _placings(self) -> Iterator[tuple[Disc, ...]]:
        """Every way to put discs down by right, the one to put down none first."""
        seat = self._seat
        squares = open_squares(self.towers, seat)
        for number in range(min(self.rights[seat], self.reserves[seat], len(squares)) + 1):
            for cells in combinations(squares, number):
                yield from product(*(PLACINGS[seat][cell] for cell in cells))

    def _flippings(self, draft: Draft) -> Iterator[tuple[str, ...]]:
        """Every choice of own uncovered discs to be flipped, that of none first."""
        cells = names(uncovered(draft.towers, draft.seat)) if self.flip == "any" else []
        for number in range(len(cells) + 1):
            yield from combinations(cells, number)

    def can_move(self, seat: Seat) -> bool:
        """Whether the seat could make a turn now: a disc in the open can, and so can one put down by right.

        Wherever a disc stands, whichever side it shows, there is a square beside it, and any square will do.
        """
        return any(tower[-1:] in OWN[seat] for tower in self.towers) or self.placeable(seat) > 0

    def placeable(self, seat: Seat) -> int:
        """How many discs the seat could put down by right now."""
        return min(self.rights[seat], self.reserves[seat], len(open_squares(self.towers, seat)))

    # Playing --------------------------------------------------------------------------------------

    def play(self, move: Move) -> Self:
        """The position after the turn; raises IllegalMove."""
        if self.turn is None:
            raise IllegalMove(Reason.GAME_OVER, outcome=self.outcome.reason if self.outcome else "")
        if isinstance(move, Setup):
            return self._set_up(self.turn, move)
        if self.setting_up:
            fits = example_setup(self.turn, self.setup)
            raise IllegalMove(Reason.SETUP_DUE, side=SIDES[self.turn], fits=fits)
        return self._turned(self.turn, move)

    def _set_up(self, seat: Seat, move: Setup) -> Self:
        """The position after a set-up. Kvadratik, set-up: Blue, then Green, then Blue moves."""
        if not self.setting_up:
            raise IllegalMove(Reason.SETUP_DONE, fits=str(next(self.moves())))
        if refusal := setup_refusal(seat, self.setup, move):
            raise refusal
        draft = self._draft()
        cells = move.cells or tuple(names(FIRST_ROWS[seat]))
        for cell, shown in zip(cells, move.shown, strict=True):
            draft.towers[INDEX[cell]] = DISCS[seat][shown]
        return self._after(draft, frozenset(cells), setting_up=seat == 0)

    def _turned(self, seat: Seat, move: Turn) -> Self:
        """The position after a turn that is not a set-up."""
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
        lit = {*(disc.cell for disc in move.placed), *move.flipped, *move.step}
        if move.bonus is not None:
            entered = move.step in ENTERING[seat]
            if not (entered and draft.can_add(move.bonus)):
                raise bonus_refusal(draft.towers, seat, draft.reserve, move.step, move.bonus, entered=entered)
            if move.bonus.disc is not None:
                draft.put(move.bonus.disc)
            draft.step(move.bonus.step)
            lit.update(move.bonus.step)
        return self._after(draft, frozenset(lit))

    def _after(self, draft: Draft, lit: frozenset[str], *, setting_up: bool = False) -> Self:
        """The position that a turn has led to: the other seat to move, or the game over."""
        seat, other = draft.seat, _other(draft.seat)
        old = self.reserves[other]
        reserves = (draft.reserve, old) if seat == 0 else (old, draft.reserve)
        # Ruling, covered: what was not used of the mover's rights lapses, the other's stay until the next turn
        gained = draft.gained
        gained[other] += self.rights[other]
        after = type(self)(
            self.setup,
            self.flip,
            other,
            setting_up,
            tuple(draft.towers),
            reserves,
            (gained[0], gained[1]),
            () if draft.lasting else self.seen,
            None,
            lit,
        )
        return after if setting_up else after._settled()  # noqa: SLF001 - the same class

    def _settled(self) -> Self:
        """The position entered among those seen, or the game over where it ends it."""
        seat = self._seat
        if not self.can_move(seat):
            return self._over(Outcome(_other(seat), f"{SIDES[seat]} has no move left"))
        key = f"{seat}{self.reserves}{self.rights}{','.join(self.towers)}"
        place = bisect_left(self.seen, key)
        # Ruling: a position (board, reserves, rights, side to move) that occurs a third time is a draw
        if self.seen[place : place + REPETITIONS - 1] == (key,) * (REPETITIONS - 1):
            return self._over(Outcome(None, "the position has occurred three times"))
        return self._copy(self.turn, (*self.seen[:place], key, *self.seen[place:]), None)

    def _over(self, outcome: Outcome) -> Self:
        """The position with the game over."""
        return self._copy(None, self.seen, outcome)

    def _copy(self, turn: Seat | None, seen: tuple[str, ...], outcome: Outcome | None) -> Self:
        return type(self)(
            self.setup,
            self.flip,
            turn,
            self.setting_up,
            self.towers,
            self.reserves,
            self.rights,
            seen,
            outcome,
            self.lit,
        )

    @property
    def _seat(self) -> Seat:
        return 1 if self.turn == 1 else 0

    def _draft(self) -> Draft:
        return Draft(self._seat, list(self.towers), self.reserves[self._seat])

    # Seen from outside ----------------------------------------------------------------------------

    def diagram(self) -> Diagram:
        """The top disc on every square with the tower's height behind it; towers and reserves in the notes."""
        rows = tuple((label, tuple((cell, mark(self.towers[INDEX[cell]])) for cell in cells)) for label, cells in ROWS)
        return Diagram("square", columns(SIZE), rows, self.lit, tuple(self._notes()), tuple(self._remarks()), LEGEND)

    def _notes(self) -> Iterator[str]:
        for seat, side in enumerate(SIDES):
            may = min(self.rights[seat], self.reserves[seat])
            yield f"{side}: {self.reserves[seat]} in reserve{f', {may} of them by right' if may else ''}"
        towers = [cell for cell in BY_NAME if len(self.towers[cell]) > 1]
        if towers:
            yield "Towers, from the bottom to the top:"
        for cell in towers:
            yield from wrap(f"* {NAMES[cell]}: {written(self.towers[cell])}", NOTE_WIDTH, subsequent_indent="      ")

    def _remarks(self) -> Iterator[str]:
        """The same in sentences."""
        for seat, side in enumerate(SIDES):
            may = min(self.rights[seat], self.reserves[seat])
            yield f"{side} has {self.reserves[seat]} in reserve{f', {may} of them by right' if may else ''}."
        for cell in BY_NAME:
            if len(self.towers[cell]) > 1:
                yield f"The tower on {NAMES[cell]} is, from the bottom: {spelled(self.towers[cell])}."


def _other(seat: Seat) -> Seat:
    return 1 if seat == 0 else 0
