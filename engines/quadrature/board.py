"""The board of Quadrature in numbers: squares, steps, and what rectangles of men do.

Rows and columns are counted from 0. The men of a side are a number for each row, with a bit for each column.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from engines import square
from engines.diagram import Legend, Mark
from engines.step import Step

SIDES = ("Black", "White")
MARKS = ("#", "O")
SIZE = 11
WHOLE_ROW = (1 << SIZE) - 1
FEW = 2
"""A side with this number of men on the board, or fewer, has lost."""
MOST = 2
"""The marker's two dots: no further sideways move that squares nothing."""
FORWARD = (1, -1)
"""Black moves up, towards row 11; White moves down."""
GOALS = (("e11", "f11", "g11"), ("e1", "f1", "g1"))
"""The far bar, or home plate, of each side: three of its men there win."""
LEGEND = Legend(
    SIDES,
    (
        Mark(".", "empty", None, ("empty", "empty")),
        Mark(",", "empty", None, ("empty goal square", "empty goal squares")),
        Mark("#", "piece", 0, ("man", "men")),
        Mark("O", "piece", 1, ("man", "men")),
    ),
    areas=(frozenset(cell for goal in GOALS for cell in goal),),
    area_names=("goal",),
)

Men = tuple[int, ...]
"""The men of a side: a number for each row, with a bit for each column."""
Both = tuple[Men, Men]


class Way(NamedTuple):
    """A step in numbers: the column and row of both its ends, and whether it goes sideways."""

    column: int
    row: int
    to_column: int
    to_row: int
    sideways: bool


ROWS = square.rows(SIZE, first_on_top=False)
NAMES = tuple(names for _, names in reversed(ROWS))
"""The squares by row and column."""
PLACES: Mapping[str, tuple[int, int]] = {
    name: (column, row) for row, names in enumerate(NAMES) for column, name in enumerate(names)
}


def _ways(forward: int) -> dict[Step, Way]:
    """Return every step that a side's men can make on an empty board, in the order of the squares."""
    steps = ((-1, forward), (0, forward), (1, forward), (-1, 0), (1, 0))
    return {
        Step(name, NAMES[row + up][column + right]): Way(column, row, column + right, row + up, up == 0)
        for name, (column, row) in sorted(PLACES.items())
        for right, up in steps
        if 0 <= column + right < SIZE and 0 <= row + up < SIZE
    }


WAYS = (_ways(FORWARD[0]), _ways(FORWARD[1]))
IN_ORDER = {PLACES[name]: number for number, name in enumerate(sorted(PLACES))}
"""The place of each column and row in the order of the squares' names."""
WAYS_FROM = tuple(
    tuple(tuple((step, way) for step, way in ways.items() if step.origin == name) for name in sorted(PLACES))
    for ways in WAYS
)
"""The steps of each side from each square, in that order."""


@cache
def _numbers(row: int, columns: int) -> tuple[int, ...]:
    """Return the places, in the order of the squares, of men in a row."""
    return tuple(IN_ORDER[column, row] for column in range(SIZE) if columns >> column & 1)


def ways(seat: int, own: Men) -> Iterator[tuple[Step, Way]]:
    """Yield every step of these men of a side on an empty board, in the order of the squares."""
    table = WAYS_FROM[seat]
    for number in sorted([number for row, columns in enumerate(own) if columns for number in _numbers(row, columns)]):
        yield from table[number]


def has_free_way(seat: int, own: Men, opposing: Men) -> bool:
    """Return whether a man can go forward into a row where no opposing man stands, and so none can square it."""
    forward = FORWARD[seat]
    for row, columns in enumerate(own):
        to_row = row + forward
        if (
            columns
            and 0 <= to_row < SIZE
            and not opposing[to_row]
            and (columns | columns << 1 | columns >> 1) & ~own[to_row] & WHOLE_ROW
        ):
            return True
    return False


def men_on(cells: Sequence[str]) -> Men:
    """Return men on these squares."""
    rows = [0] * SIZE
    for cell in cells:
        column, row = PLACES[cell]
        rows[row] |= 1 << column
    return tuple(rows)


def squares_of(men: Men) -> tuple[str, ...]:
    """Return the squares of these men, from the bottom row up."""
    return tuple(name for row, names in zip(men, NAMES, strict=True) for x, name in enumerate(names) if row >> x & 1)


START: Both = (men_on(NAMES[2][1:10]), men_on(NAMES[8][1:10]))
GOAL_ROWS = tuple((PLACES[goal[0]][1], men_on(goal)[PLACES[goal[0]][1]]) for goal in GOALS)
"""Each side's goal: its row, and its columns as bits."""


def stepped(own: Men, way: Way) -> list[int]:
    """Return the rows of the side's own men after a step."""
    rows = list(own)
    rows[way.row] &= ~(1 << way.column)
    rows[way.to_row] |= 1 << way.to_column
    return rows


def corners(men: Men, column: int, row: int) -> tuple[str, ...]:
    """Return the squares of three of these men that make a rectangle with an empty square; () if there are none.

    Quadrature, squaring: a man can't go where three opposing men would square it.
    """
    bit, level = 1 << column, men[row]
    if not level:
        return ()
    for number, cells in enumerate(men):
        if cells & bit and cells & level:
            across = (cells & level).bit_length() - 1
            return tuple(sorted((NAMES[row][across], NAMES[number][column], NAMES[number][across])))
    return ()


def exchange(own: list[int], other: list[int], way: Way, reserve: int) -> tuple[str, ...]:
    """Exchange the men squared by the man that went this way, and by the men added for them; change both lists.

    Return the squares of the exchanged men, in order. Quadrature, squaring: an opposing man is squared if it and
    three own men are the corners of a rectangle and one of the three was moved or added in this turn. The order
    makes no difference to the outcome, as own men are only added.
    """
    new = [(way.to_column, way.to_row)]
    for column, row in new:
        for x, y in _squared(own, other, column, row):
            if len(new) > reserve:
                break
            other[y] &= ~(1 << x)
            own[y] |= 1 << x
            new.append((x, y))
    return tuple(NAMES[y][x] for x, y in new[1:])


def _squared(own: Sequence[int], other: Sequence[int], column: int, row: int) -> list[tuple[int, int]]:
    """Return the columns and rows of the opposing men that the own man here squares, once each."""
    bit = 1 << column
    mine, theirs = own[row] & ~bit, other[row]
    if not (mine or theirs):
        return []
    beside, found = 0, []
    for y in range(SIZE):
        if own[y] & bit and y != row:
            beside |= theirs & own[y]
            across = mine & other[y]
            if across:
                found += [(x, y) for x in range(SIZE) if across >> x & 1]
        elif other[y] & bit and mine & own[y]:
            found.append((column, y))
    if beside:
        found += [(x, row) for x in range(SIZE) if beside >> x & 1]
    return found


def count(men: Men) -> int:
    """Return the number of men."""
    return sum(map(int.bit_count, men))
