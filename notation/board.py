"""A Diagram as text: plain, exactly as records print their boards, or with the last turn highlighted and notes.

The unicode board differs only in its marks: the first character of a mark becomes a sign that says what it is and
whose it is, and the rest ("3" dots, "+2" of a tower) stays. The signs are chosen so that columns stay aligned:

- none is of ambiguous or wide East Asian width. The obvious ones, U+25CF and U+25CB (black and white circle), U+00D7
  (times) and even U+2022 (bullet) are ambiguous: terminals in a Japanese or Chinese setting draw them two columns wide.
- none has an emoji form (as U+25AA, U+25FC, U+26AB do), which mail programs on phones would show instead.
- all are from the block Geometric Shapes, which more monospaced fonts contain than any other block of signs: a sign
  taken from another font is rarely as wide as its neighbours.
- sides differ in shape and in fill, pieces from marked cells in size; nothing depends on colour.

Empty cells keep their marks: the middle dots are ambiguous too, and everybody knows the period.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Literal

from engines.board import WIDEST
from engines.diagram import Diagram, Kind, Mark, text_step

GAP = "    "
"""Between the board and the notes beside it."""

Charset = Literal["ascii", "unicode"]
SIGNS: Mapping[Kind, tuple[str, str, str]] = {
    "piece": ("\N{FISHEYE}", "\N{LOZENGE}", "\N{BLACK VERTICAL RECTANGLE}"),
    "trace": (
        "\N{BLACK UP-POINTING SMALL TRIANGLE}",
        "\N{WHITE BULLET}",
        "\N{WHITE DOWN-POINTING SMALL TRIANGLE}",
    ),
}
"""The signs of a unicode board, by kind and by side; the last is for what belongs to neither."""


def format_board(diagram: Diagram, *, lit: bool = False, notes: bool = False, charset: Charset = "ascii") -> str:
    """Return the board as text, without a newline at the end; with charset "unicode" in signs (see above).

    Square boards have one space between cells, row numbers on the right and letters below. If marks have more
    than one character, every cell is as wide as the widest mark. Hexagonal boards have their letters above and
    below, and each row is shifted by half a cell. With `lit` the cells of the last turn are in brackets, and
    everything moves one column to the right to make room. With `notes` the edges of the sides and the diagram's
    notes are beside the rows, from the top, or below the board if there is no room.
    """
    if charset == "unicode":
        diagram = in_signs(diagram)
    each = max(len(mark) for _, cells in diagram.rows for _, mark in cells)
    step = text_step(each, staggered=diagram.is_staggered)
    margin = " " if lit else ""
    width = int((diagram.broad - 2) * step) + each
    rows = [_row(diagram, cells, width, step, lit=lit) for _, cells in diagram.rows]
    labels = [label for label, _ in diagram.rows]
    above, below = (margin + _line(letters, step) for letters in diagram.letters())
    if diagram.is_slanted:
        board = [above, *(f"{row.rstrip()} {label}" for row, label in zip(rows, labels, strict=True)), below]
    elif diagram.shape == "hex":
        board = [above, *(f"{row} {label}" for row, label in zip(rows, labels, strict=True)), below]
    else:
        longest = max(len(label) for label in labels)
        gap = " " if lit else "  "  # a lit last cell ends with its bracket
        board = [*(f"{row}{gap}{label:>{longest}}" for row, label in zip(rows, labels, strict=True)), below]
    said = (*diagram.legend.named_edges(), *diagram.notes)
    return "\n".join(_beside(board, said) if notes else [line.rstrip() for line in board])


def in_signs(diagram: Diagram) -> Diagram:
    """Return the diagram with signs for its marks, also in notes where a mark is a word by itself.

    Marks that would get the same sign, such as those of a side's different pieces, stay as they are.
    """
    signs = {mark.text: sign_of(mark) for mark in diagram.legend.marks}
    uses = Counter(signs.values())
    signs = {mark: sign for mark, sign in signs.items() if uses[sign] == 1}
    rows = tuple((label, tuple((name, signs.get(mark, mark)) for name, mark in cells)) for label, cells in diagram.rows)
    notes = tuple(" ".join(signs.get(word, word) for word in note.split(" ")) for note in diagram.notes)
    return replace(diagram, rows=rows, notes=notes)


def sign_of(mark: Mark) -> str:
    """Return how the mark is drawn on a unicode board.

    >>> sign_of(Mark("o3", "piece", 1, ("stone", "stones"))), sign_of(Mark(".", "empty", None, ("empty", "empty")))
    ('◊3', '.')
    """
    if mark.kind not in SIGNS:
        return mark.text
    return SIGNS[mark.kind][2 if mark.side is None else mark.side] + mark.text[1:]


def _line(words: Iterable[tuple[int, str]], step: float) -> str:
    """Return the line with each letter or mark at its place; half a cell takes `step` columns."""
    line = ""
    for place, word in words:
        line = line.ljust(int(place * step)) + word
    return line


def _row(diagram: Diagram, cells: Sequence[tuple[str, str]], width: int, step: float, *, lit: bool) -> str:
    """Return a row that is so wide, with brackets around each run of lit cells; half a cell takes `step` columns."""
    halves = diagram.places_in(cells)
    row = _line(zip(halves, (mark for _, mark in cells), strict=True), step).ljust(width)
    shown = {number for number, (name, _) in enumerate(cells) if lit and name in diagram.lit}
    if not shown:
        return f" {row} " if lit else row
    bracketed = list(f" {row} ")
    joined = {number for number in shown if number + 1 in shown and halves[number] + 2 == halves[number + 1]}
    for number in shown:
        place = int(halves[number] * step)
        if number - 1 not in joined:
            bracketed[place] = "["
        if number not in joined:
            bracketed[place + 1 + len(cells[number][1])] = "]"
    return "".join(bracketed)


def _beside(board: Sequence[str], notes: Sequence[str]) -> list[str]:
    """Return the board with the notes to its right, or below it where it is too short or too broad for that."""
    width = max(len(line) for line in board)
    if width + len(GAP) + max(map(len, notes), default=0) > WIDEST:
        return [line.rstrip() for line in (*board, *notes)]
    lines = zip_longest(board, notes, fillvalue="")
    return [f"{line:<{width}}{GAP if note else ''}{note}".rstrip() for line, note in lines]
