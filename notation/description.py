"""A Diagram in words: for people who hear the board, and as the alternative text of its picture.

The words say everything that the board shows, so the position can be set up from them: what each side has and
where, special empty cells, that all other cells are empty, the last turn, and the remarks.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from engines.board import WAYS, Place
from engines.diagram import Diagram, Mark
from engines.wording import together

Names = tuple[str, str]
Found = list[tuple[Mark, list[str]]]
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
    found = found_on(diagram)
    board, sides = (*_board(diagram), *diagram.legend.said), _sides(diagram, found, names)
    lines = [*board, *sides, *_rest(diagram, found), *_last(diagram), *diagram.remarks]
    return "\n".join(lines if width is None else (piece for line in lines for piece in _wrapped(line, width)))


def _board(diagram: Diagram) -> Iterator[str]:
    columns, rows = diagram.columns, [label for label, _ in diagram.rows]
    labels = f"columns {columns[0]} to {columns[-1]}, and rows {rows[0]} to {rows[-1]} from the top."
    if diagram.places:
        slanted, cells = "slanted " * diagram.is_slanted, "hexagonal" if diagram.shape == "hex" else "square"
        yield f"A {slanted}board of {cells} cells, with {labels}"
        yield from (_reaches(diagram), *([_touching(diagram)] if diagram.shape == "hex" else []))
    elif diagram.shape == "hex":
        yield f"A hexagonal board of {labels}"
        runs = [(label, _runs(diagram, cells)) for label, cells in diagram.rows]
        reach = [f"row {label} from {together(f'{run[0]} to {run[-1]}' for run in each)}" for label, each in runs]
        yield f"Rows have every second letter: {CELLS.join(reach)}."
    else:
        yield f"A {'square' if len(rows) == len(columns) else 'rectangular'} board of {labels}"
        if any(len(cells) < len(columns) for _, cells in diagram.rows):
            yield _reaches(diagram)
    yield from (f"{each}." for each in diagram.legend.named_edges())


def _reaches(diagram: Diagram) -> str:
    alike: dict[str, list[str]] = {}
    for label, cells in diagram.rows:
        runs = _runs(diagram, cells)
        reach = together(f"{run[0]} to {run[-1]}" if len(run) > 1 else run[0] for run in runs)
        alike.setdefault(reach, []).append(label)
    said = CELLS.join(
        f"row {labels[0]} has {reach}" if len(labels) == 1 else f"rows {_in_short(labels)} have {reach}"
        for reach, labels in alike.items()
    )
    return f"{said[0].upper()}{said[1:]}."


def _in_short(labels: Sequence[str]) -> str:
    """Return labels as a list, or if no number is missing the first and the last.

    >>> _in_short(["3", "2", "1"]), _in_short(["2", "4"])
    ('3 to 1', '2 and 4')
    """
    is_run = all(abs(int(one) - int(other)) == 1 for one, other in pairwise(labels))
    return f"{labels[0]} to {labels[-1]}" if is_run else together(labels)


def _runs(diagram: Diagram, cells: Sequence[tuple[str, str]]) -> list[list[str]]:
    runs: list[list[str]] = []
    end = None
    for (name, _), place in zip(cells, diagram.places_in(cells), strict=True):
        if place != end:
            runs.append([])
        runs[-1].append(name[0])
        end = place + 2
    return runs


def _touching(diagram: Diagram) -> str:
    """Return by the example of a cell with the most neighbours how the rows of hexagonal cells touch."""
    at = {(diagram.place(name), row): name for row, (_, cells) in enumerate(diagram.rows) for name, _ in cells}
    most = max(at, key=lambda place: len(_around(at, place)))
    return f"A cell touches up to six others: {at[most]} touches {together(_by_name(_around(at, most)))}."


def _around(at: Mapping[Place, str], place: Place) -> list[str]:
    return [at[near] for right, down in WAYS["hex"] if (near := (place[0] + right, place[1] + down)) in at]


def _sides(diagram: Diagram, found: Found, names: Names | None) -> Iterator[str]:
    legend = diagram.legend
    areas = zip(legend.area_names, legend.areas, strict=True) if legend.names_areas else ()
    within = {cell: f"{cell} in {name}" for name, area in areas for cell in area}
    found = [(mark, [within.get(cell, cell) for cell in cells]) for mark, cells in found]
    for seat, side in enumerate(diagram.legend.sides):
        who = side if names is None or names[seat] == side else f"{side} ({names[seat]})"
        groups = [_group(mark, cells) for mark, cells in found if mark.side == seat]
        yield f"{who}: {'; '.join(groups) or 'nothing on the board'}."
    if neutral := [_group(mark, cells) for mark, cells in found if mark.side is None and mark.kind != "empty"]:
        yield f"Of neither side: {'; '.join(neutral)}."


def _group(mark: Mark, cells: Sequence[str]) -> str:
    one, several = mark.words
    return f"{one if len(cells) == 1 else several} on {CELLS.join(cells)}"


def _rest(diagram: Diagram, found: Found) -> Iterator[str]:
    plain, *_ = diagram.legend.marks
    for mark, cells in found:
        if mark.kind == "empty":
            one, several = mark.words
            yield f"{(one if len(cells) == 1 else several).capitalize()}: {CELLS.join(cells)}."
    if any(mark == plain.text for _, cells in diagram.rows for _, mark in cells):
        yield "All other cells are empty."


def _last(diagram: Diagram) -> Iterator[str]:
    if diagram.told or diagram.lit:
        yield diagram.told or f"Highlighted: {CELLS.join(_by_name(diagram.lit))}."


def found_on(diagram: Diagram) -> Found:
    """Return the marks on the board but that of plain empty cells, in the order of the legend, each with its cells."""
    cells_of: dict[str, list[str]] = {}
    for _, cells in diagram.rows:
        for name, mark in cells:
            cells_of.setdefault(mark, []).append(name)
    _, *marks = diagram.legend.marks
    return [(mark, _by_name(cells_of[mark.text])) for mark in marks if mark.text in cells_of]


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
