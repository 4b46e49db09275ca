"""The board of Kvadratik: its squares and halves, discs and towers, and the steps of a disc by the side it shows.

Squares are numbered row by row from a1. A tower is a string with a letter for each disc, from the bottom to the
top: B and G are discs of Blue and Green that show `+`, b and g discs that show `x`.
"""

from collections.abc import Iterator, Mapping, Sequence

from engines import square
from engines.core import Seat
from engines.diagram import Legend, Mark
from engines.kvadratik.turns import Bonus, Disc
from engines.step import Step

SIDES = ("Blue", "Green")
SIZE = 4
PLACED = 4
RESERVE = 4
"""Each player has eight discs: four to set up and four in reserve."""

ROWS = square.rows(SIZE)
NAMES = tuple(cell for _, cells in ROWS for cell in cells)
INDEX: Mapping[str, int] = {name: number for number, name in enumerate(NAMES)}
HALVES = (frozenset(range(8, 16)), frozenset(range(8)))
"""Ruling: rows 3 and 4 are Blue's, rows 1 and 2 are Green's."""
FIRST_ROWS = (tuple(range(12, 16)), tuple(range(4)))
"""From a to d."""
HALF_ROWS = ("rows 3 and 4", "rows 1 and 2")

SHOWN = ("+", "x")
DISCS: tuple[Mapping[str, str], ...] = ({"+": "B", "x": "b"}, {"+": "G", "x": "g"})
"""Each seat's disc by the side that it shows."""
OWN = (frozenset("Bb"), frozenset("Gg"))
MARKS = {"B": "B+", "b": "Bx", "G": "G+", "g": "Gx"}
DISCS_IN_ALL = 2 * (PLACED + RESERVE)


def mark(tower: str) -> str:
    """Return what a square shows from above: the top disc, and the height of the tower if it is one.

    >>> mark(""), mark("B"), mark("Bg")
    ('.', 'B+', 'Gx2')
    """
    if not tower:
        return "."
    return MARKS[tower[-1]] + (str(len(tower)) if len(tower) > 1 else "")


def _legend() -> Iterator[Mark]:
    yield Mark(".", "empty", None, ("empty", "empty"))
    for seat in (0, 1):
        for shown in SHOWN:
            for height in range(1, DISCS_IN_ALL + 1):
                tower = f", top of a tower of {height}," if height > 1 else ""
                words = (f"disc that shows {shown}{tower}", f"discs that show {shown}{tower}")
                yield Mark(mark(DISCS[seat][shown] * height), "piece", seat, words, shown, height)


LEGEND = Legend(
    SIDES,
    tuple(_legend()),
    ("blue", "green"),
    areas=(frozenset(NAMES[cell] for cell in HALVES[1]),),
    area_names=("Green's half",),
    said=("Rows 3 and 4 are Blue's half, rows 1 and 2 Green's.",),
)
_CAPTURED = (str.maketrans("", "", "Gg"), str.maketrans("", "", "Bb"))

Towers = tuple[str, ...]
Occurred = tuple[Seat, tuple[int, int], tuple[int, int], Towers]
"""A position as it can occur again: the seat to move, the reserves, the rights and the board."""


def _steps(directions: square.Steps) -> tuple[tuple[Step, ...], ...]:
    rays = square.rays(SIZE, directions)
    return tuple(tuple(sorted(Step(name, ray[0]) for ray in rays[name] if ray)) for name in NAMES)


_ORTHOGONAL, _DIAGONAL = _steps(square.ORTHOGONAL), _steps(square.DIAGONAL)
STEPS: Mapping[str, tuple[tuple[Step, ...], ...]] = {
    "B": _ORTHOGONAL,
    "G": _ORTHOGONAL,
    "b": _DIAGONAL,
    "g": _DIAGONAL,
}
"""The steps of a disc from every square. A disc can go to any target, empty or not."""

ENTERING = tuple(
    frozenset(
        step
        for table in (_ORTHOGONAL, _DIAGONAL)
        for cell in half
        for step in table[cell]
        if INDEX[step.target] not in half
    )
    for half in HALVES
)
"""Each seat's steps that go from its own half to the other half."""

PLACINGS = tuple({cell: tuple(Disc(NAMES[cell], shown) for shown in SHOWN) for cell in row} for row in FIRST_ROWS)
"""Each seat's ways to put a disc on a square of its first row."""
WITH_DISC = tuple(
    {
        cell: tuple(Bonus(disc, step) for disc in discs for step in STEPS[DISCS[seat][disc.shown]][cell])
        for cell, discs in placings.items()
    }
    for seat, placings in enumerate(PLACINGS)
)
"""Each seat's ways to put a disc on a square of its first row and move it."""
WITHOUT_DISC = tuple(
    frozenset(
        Bonus(None, step)
        for table in (_ORTHOGONAL, _DIAGONAL)
        for cell in half
        for step in table[cell]
        if INDEX[step.target] in half
    )
    for half in HALVES
)
"""Each seat's steps from and to its own half."""


def uncovered(towers: Sequence[str], seat: Seat) -> list[int]:
    """Return the squares with one of the seat's discs on top, in the order of their names."""
    own = OWN[seat]
    return [cell for cell in BY_NAME if towers[cell][-1:] in own]


def has_uncovered(towers: Sequence[str], seat: Seat) -> bool:
    return any(tower[-1:] in OWN[seat] for tower in towers)


BY_NAME = tuple(sorted(range(len(NAMES)), key=NAMES.__getitem__))
"""All squares in the order of their names, which is the order in canonical texts."""


def open_squares(towers: Sequence[str], seat: Seat) -> list[int]:
    return [cell for cell in FIRST_ROWS[seat] if not towers[cell]]


def turned(tower: str) -> str:
    """Return the tower with its top disc turned over.

    >>> turned("gB"), turned("b")
    ('gb', 'B')
    """
    return tower[:-1] + tower[-1].swapcase()


def landed(tower: str, disc: str, seat: Seat) -> str:
    """Return the tower after a disc of that seat has moved onto it.

    Kvadratik, capture: if both top discs are then the mover's, all the opponent's discs in it leave the game.

    >>> landed("Bg", "b", 0), landed("gGB", "b", 0), landed("", "b", 0)
    ('Bgb', 'Bb', 'b')
    """
    if tower[-1:] in OWN[seat]:
        return tower.translate(_CAPTURED[seat]) + disc
    return tower + disc


def spelled(tower: str) -> str:
    """Return the discs of a tower from the bottom to the top, to be read aloud.

    >>> spelled("bG")
    'Blue x, Green +'
    """
    return ", ".join(f"{SIDES[disc in OWN[1]]} {MARKS[disc][1]}" for disc in tower)


def written(tower: str) -> str:
    """Return the discs of a tower from the bottom to the top, as the notes print them.

    >>> written("bG")
    'Bx G+'
    """
    return " ".join(MARKS[disc] for disc in tower)


def names(cells: Sequence[int]) -> list[str]:
    return [NAMES[cell] for cell in cells]
