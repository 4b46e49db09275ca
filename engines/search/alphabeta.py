"""Search by looking ahead: alpha-beta with iterative deepening, a transposition table and a window for each choice."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from engines.search.state import State, value_of

DELAY = 1e-4
"""What each choice takes off the value of a win, so that quick wins and slow losses are preferred."""
DECIDED = 0.985
"""A value beyond this is proven, since estimates and their noise stay below."""
BEYOND = 2.0
"""More than any value."""
DEEPEST = 60
TO_THE_END = 1_000
"""The depth of a value that rests on no estimate."""
MOST_ENTRIES = 150_000
"""The size of the transposition table, which keeps a search below 200 MB."""
OFTEN = 512
"""After how many nodes it looks whether it is late."""
LATE = 5
"""The number of choices that are searched to the full depth at once; later ones must first look good at less."""


class OutOfNodes(Exception):
    """The budget is spent."""


class Line(NamedTuple):
    """The choices of one turn, their value for the seat to move, and whether it is exact."""

    choices: list[Any]
    value: float
    is_exact: bool


@dataclass(slots=True)
class AlphaBeta:
    """A search with a budget of nodes: a node is a choice that was played.

    The table holds for each state the depth it was searched to, bounds of its value, and the best choice there.
    """

    budget: int
    chance: Random
    noise: float = 0.0
    """How far an estimate may be taken wrong."""
    is_late: Callable[[], bool] = lambda: False
    """Says when to stop before the budget is spent."""
    nodes: int = 0
    guessed: bool = False
    """Whether a value since this was last cleared rests on an estimate."""
    table: dict[Any, tuple[int, float, float, Any]] = field(default_factory=dict)
    path: set[Any] = field(default_factory=set)
    killers: list[Any] = field(default_factory=lambda: [None] * (2 * DEEPEST))

    def value(self, state: State, depth: int, low: float, high: float, ply: int) -> float:
        """Return the value of a state for its seat to choose: exact between `low` and `high`, else a bound."""
        seat, key = state.turn, state.key
        if seat is None:
            return 0.0
        if key in self.path or ply >= DEEPEST:  # going round in a circle gains nothing
            self.guessed = True
            return 0.0
        depth_there, low_there, high_there, first = self.table.get(key, (0, -BEYOND, BEYOND, None))
        if depth_there >= depth:
            self.guessed |= depth_there < TO_THE_END
            if low_there >= high or low_there == high_there:
                return _seen_from(low_there, ply)
            if high_there <= low:
                return _seen_from(high_there, ply)
        if depth <= 0:
            self.guessed = True
            return state.estimate(seat) + self.noise * (self.chance.random() - 0.5)
        choices = state.choices()
        if not choices:
            return 0.0
        outer, self.guessed = self.guessed, False
        self.path.add(key)
        best, chosen = self._best(state, _with_first(choices, first, self.killers[ply]), depth, low, high, ply)
        self.path.discard(key)
        if key in self.table or len(self.table) < MOST_ENTRIES:
            exact = _seen_there(best, ply)
            self.table[key] = (
                depth if self.guessed else TO_THE_END,
                exact if best > low else -BEYOND,
                exact if best < high else BEYOND,
                chosen,
            )
        self.guessed |= outer
        return best

    def _best(
        self, state: State, choices: Sequence[Any], depth: int, low: float, high: float, ply: int
    ) -> tuple[float, Any]:
        """Return the best value of the choices, and which choice has it; stop at one that reaches `high`."""
        best, chosen = -BEYOND, None
        for number, choice in enumerate(choices):
            value = self.try_out(state, choice, depth, (max(low, best), high), ply, number)
            if value > best:
                best, chosen = value, choice
                if value >= high:
                    self.killers[ply] = choice
                    break
        return best, chosen

    def try_out(
        self, state: State, choice: Any, depth: int, window: tuple[float, float], ply: int, number: int
    ) -> float:
        """Return the value of a choice for the seat that makes it.

        The first choice is searched with the whole window. Any other has to show, with a window of no width and if
        it comes late at less depth, that it is better than what was found.
        """
        if self.nodes >= self.budget or (self.nodes % OFTEN == OFTEN - 1 and self.is_late()):
            raise OutOfNodes
        self.nodes += 1
        low, high = window
        seat, after = state.turn or 0, state.after(choice)
        chooser = after.turn
        if chooser is None:
            return value_of(after, seat) * (1 - DELAY * ply)
        if number:
            above = low + DELAY / 2
            if number >= LATE and depth > 1:
                less = depth - 2 - (number >= 4 * LATE)
                if chooser == seat:
                    value = self.value(after, less, low, above, ply + 1)
                else:
                    value = -self.value(after, less, -above, -low, ply + 1)
                if value <= low:
                    return value
            if chooser == seat:
                value = self.value(after, depth - 1, low, above, ply + 1)
            else:
                value = -self.value(after, depth - 1, -above, -low, ply + 1)
            if not low < value < high:
                return value
        if chooser == seat:  # in the midst of a turn, or where the other one can't move
            return self.value(after, depth - 1, low, high, ply + 1)
        return -self.value(after, depth - 1, -high, -low, ply + 1)

    # The turn to play -----------------------------------------------------------------------------

    def line(self, state: State) -> Line:
        choices = list(state.choices())
        self.chance.shuffle(choices)  # among equals, the seed decides
        line = Line(choices[:1], 0.0, is_exact=False)
        try:
            for depth in range(1, DEEPEST):
                line = self._deepened(state, choices, depth, line)
                if line.is_exact:
                    break
        except OutOfNodes:
            pass
        return self._completed(state, line)

    def _deepened(self, state: State, choices: list[Any], depth: int, line: Line) -> Line:
        """Return the best choice at this depth, and sort the choices by what they are worth."""
        self.guessed = is_cut = False
        values: dict[int, float] = {}
        best, chosen = -BEYOND, line.choices[0]
        try:
            for number, choice in enumerate(choices):
                window = (-BEYOND if depth == 1 else max(best, -BEYOND), BEYOND)
                value = values[number] = self.try_out(state, choice, depth, window, 0, number if depth > 1 else 0)
                if value > best:
                    best, chosen = value, choice
        except OutOfNodes:
            if not values:
                raise
            is_cut = True
        order = sorted(values, key=lambda number: -values[number]) if depth == 1 else []
        first = [choices[number] for number in order] or [chosen]
        choices[:] = first + [choice for choice in choices if choice not in first]
        is_lost = best < -DECIDED or not self.guessed  # or drawn, or a slow win
        return Line([chosen], best, is_exact=best > DECIDED or (is_lost and not is_cut))

    def _completed(self, state: State, line: Line) -> Line:
        choices, seat = line.choices, state.turn
        here = state.after(choices[0])
        while not here.is_between_turns and here.turn == seat:
            known = self.table.get(here.key)
            choices.append(here.choices()[0] if known is None or known[3] is None else known[3])
            here = here.after(choices[-1])
        return line


def _with_first(choices: Sequence[Any], best: Any, killer: Any) -> Sequence[Any]:
    """Return the choices with those first that are expected to be good; a choice of another state isn't among them."""
    front = [best] if best is not None and best in choices else []
    if killer is not None and killer != best and killer in choices:
        front.append(killer)
    return [*front, *[choice for choice in choices if choice not in front]] if front else choices


def _seen_there(value: float, ply: int) -> float:
    """Return a value found at a ply as seen from that state, where a win is nearer."""
    return value / (1 - DELAY * ply) if abs(value) > DECIDED else value


def _seen_from(value: float, ply: int) -> float:
    """Return a value known of a state as seen from the root, `ply` choices before it."""
    return value * (1 - DELAY * ply) if abs(value) > DECIDED else value
