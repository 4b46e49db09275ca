"""A Diagram in words: for people who hear the board, and as the alternative text of its picture.

The words say everything that the board shows, so the position can be set up from them: what each side has and
where, special empty cells, that all other cells are empty, the last turn, and the remarks.
"""

import re
from collections.abc import Iterator, Sequence

from engines.diagram import Diagram, Mark

Names = tuple[str, str]
CELLS = ", "
CELL = re.compile(r"[a-z]\d")


def describe(diagram: Diagram, names: Names | None = None, *, width: int | None = None) -> str:
    """Return the position in words, one sentence a line; `names` are the players by seat, if they are named.

    With a width, longer lines are wrapped so that none can be taken for a turn if a reply quotes it unmarked:
    a list of cells continues with "and".

    >>> from notation.games import GAMES
    >>> print(describe(GAMES["quadraphages"].game.position({}).diagram(), ("alice", "bob")))
    A square board of columns a to i, and rows 1 to 9 from the top.
    X (alice): stones on a7, i3.
    O (bob): stones on c1, g9.
    All other cells are empty.
    """
    board, sides = (*_board(diagram), *diagram.legend.said), _sides(diagram, names)
    lines = [*board, *sides, *_rest(diagram), *_last(diagram), *diagram.remarks]
    return "\n".join(lines if width is None else (piece for line in lines for piece in _wrapped(line, width)))


def _board(diagram: Diagram) -> Iterator[str]:
    """Yield the shape and the labels of the board."""
    shape = "hexagonal" if diagram.shape == "hex" else "square"
    columns, rows = diagram.columns, [label for label, _ in diagram.rows]
    yield f"A {shape} board of columns {columns[0]} to {columns[-1]}, and rows {rows[0]} to {rows[-1]} from the top."
    if diagram.shape == "hex":
        reach = [f"row {label} from {cells[0][0][0]} to {cells[-1][0][0]}" for label, cells in diagram.rows]
        yield f"Rows have every second letter: {CELLS.join(reach)}."


def _sides(diagram: Diagram, names: Names | None) -> Iterator[str]:
    """Yield what each side has on the board."""
    found, legend = found_on(diagram), diagram.legend
    areas = zip(legend.area_names, legend.areas, strict=True) if legend.names_areas else ()
    within = {cell: f"{cell} in {name}" for name, area in areas for cell in area}
    found = [(mark, [within.get(cell, cell) for cell in cells]) for mark, cells in found]
    for seat, side in enumerate(diagram.legend.sides):
        who = side if names is None or names[seat] == side else f"{side} ({names[seat]})"
        groups = [_group(mark, cells) for mark, cells in found if mark.side == seat]
        yield f"{who}: {'; '.join(groups) or 'nothing on the board'}."


def _group(mark: Mark, cells: Sequence[str]) -> str:
    one, several = mark.words
    return f"{one if len(cells) == 1 else several} on {CELLS.join(cells)}"


def _rest(diagram: Diagram) -> Iterator[str]:
    """Yield the special empty cells, and that all others are empty."""
    plain, *_ = diagram.legend.marks
    for mark, cells in found_on(diagram):
        if mark.kind == "empty" and mark is not plain:
            one, several = mark.words
            yield f"{(one if len(cells) == 1 else several).capitalize()}: {CELLS.join(cells)}."
    if any(mark == plain.text for _, cells in diagram.rows for _, mark in cells):
        yield "All other cells are empty."


def _last(diagram: Diagram) -> Iterator[str]:
    """Yield the last turn, or else the highlighted cells."""
    if diagram.told or diagram.lit:
        yield diagram.told or f"Highlighted: {CELLS.join(_by_name(diagram.lit))}."


def found_on(diagram: Diagram) -> list[tuple[Mark, list[str]]]:
    """Return the marks that are on the board, in the order of the legend, each with its cells in order."""
    cells_of: dict[str, list[str]] = {}
    for _, cells in diagram.rows:
        for name, mark in cells:
            cells_of.setdefault(mark, []).append(name)
    return [(mark, _by_name(cells_of[mark.text])) for mark in diagram.legend.marks if mark.text in cells_of]


def _by_name(cells: Sequence[str] | frozenset[str]) -> list[str]:
    """Return the cells sorted by letter, then by number.

    >>> _by_name(["a10", "b1", "a2"])
    ['a2', 'a10', 'b1']
    """
    return sorted(cells, key=lambda cell: (cell[0], int(cell[1:])))


def _wrapped(line: str, width: int) -> list[str]:
    """Return the line in pieces of that width, broken after commas and the like, so that phrases stay whole.

    >>> _wrapped("O (bob): stones on a2, b2, b3; marked cells on c1.", 28)
    ['O (bob): stones on a2, b2,', 'and b3; marked cells on c1.']
    """
    pieces: list[str] = []
    for phrase in re.split(r"(?<=[,;:]) ", line):
        if pieces and len(pieces[-1]) + 1 + len(phrase) <= width:
            pieces[-1] += f" {phrase}"
        else:
            pieces.append(f"and {phrase}" if pieces and CELL.match(phrase) else phrase)
    return pieces
