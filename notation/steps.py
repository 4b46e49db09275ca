"""The legal turns one choice at a time: first the stone, then the square, until the turn is whole.

A turn's text is split into the smallest pieces that can be chosen (a square, a number, a word), and what was chosen
so far is the start of such a text. Nothing here knows the games: a new one gets its steps for free.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import Any

from engines.core import Position
from notation.core import Notation

FEW = 12
"""The most turns that are offered all at once."""
ROWS = 2
"""The most rows in which choices are offered, unless each is already as small as it can be."""
LISTED = 40
"""The most turns of a single cell that are listed; if there are more, the board has them all, and one is an example."""
MANY = 25_000
"""The most turns that are looked through; a few positions of Kvadratik have more.

Turns after that are not offered, but players can still write them.
"""

SIDES, SIGNS = "+x", "@~"
"""What a disc shows, and what is in front of a square where no piece moves."""

# A letter in front of a cell, as in Nbd2 and exd5, is a piece of its own; so is what stands between dashes in O-O
_PIECE = re.compile(
    r"[@~]?[a-z][0-9]{1,2}[+x]?|[+x]|(?<![A-Za-z0-9])[a-z]{2,}(?![A-Za-z0-9])|[a-z]{3,}(?![0-9])|[0-9]|-+|\S"
)
_WITH_SPACE = re.compile(rf"\s*(?:{_PIECE.pattern})")
_WORD = re.compile(r"\S+")
_CELL = re.compile(r"[a-z][0-9]{1,2}")
_STEP = re.compile(r"([a-z][0-9]{1,2})([a-z][0-9]{1,2})")
_ENDS_IN_CELL = re.compile(r"[a-z][0-9]+\Z")
_ARROW = re.compile(r"(?<=[a-z][0-9])(?:-{1,2}>?|:)(?=[a-z][0-9])|(?<=[a-z][0-9]{2})(?:-{1,2}>?|:)(?=[a-z][0-9])")
_GAP = re.compile(r"[\s,;]+")


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to continue: its label, everything chosen with it, and whether that is a whole turn."""

    label: str
    text: str
    whole: bool
    cell: str | None = None
    """The cell that is chosen, where the choice is just that."""


@dataclass(frozen=True, slots=True)
class Choices:
    """How a turn can continue: the whole turns if they are few, otherwise the next choices.

    The next choice is a word of the turn ("c1b1"), or if there are many of these, a piece of it ("c1"). Many are more
    than FEW, or more than fit in ROWS.
    """

    turns: tuple[str, ...] = ()
    steps: tuple[Choice, ...] = ()
    cells: Mapping[str, Choice] = field(default_factory=dict)
    """The next choices that are a cell each, also where the turns are few."""
    example: Choice | None = None
    """One of the cells, where each is a whole turn and they are more than LISTED. The steps don't have these."""

    def __bool__(self) -> bool:
        return bool(self.turns or self.steps or self.cells)


def choices(notation: Notation[Any], position: Position[Any], chosen: str = "") -> Choices:
    """Return what can follow what is chosen so far, the start of a turn's text; nothing if no turn starts with it.

    >>> from notation.games import GAMES
    >>> game, start = GAMES["quadraphages"].notation, GAMES["quadraphages"].game.position({"first": "x"})
    >>> [step.text for step in choices(game, start).steps]
    ['1', '2', '3', '4', '5', '6', '7', '8']
    >>> choices(game, start, "8").turns
    ('8 a7i7 i3a3',)
    """
    texts, turns = _parts(notation, position, chosen), _turns(notation, position, chosen)
    few: tuple[str, ...] = ()
    if len(texts) <= FEW:  # otherwise there are more turns than that, at least one for each part
        few = tuple(islice(turns, FEW + 1))
        if _is_little(few):
            return Choices(few, (), _cells(_split(few, chosen, _PIECE, whole=True)))
    whole = not texts
    texts = texts or (*few, *islice(turns, MANY - len(few)))
    pieces = steps = _split(texts, chosen, _PIECE, whole=whole)
    # Many turns of a single word are as many words; not to split them anew saves half of the choices of Quadrature
    if len(texts) <= FEW or any(" " in text for text in texts):
        words = _split(texts, chosen, _WORD, whole=whole)
        steps = words if _is_little([word.label for word in words]) else pieces
    cells = _cells(pieces)
    if len(cells) > LISTED and all(step.whole for step in pieces):
        return Choices((), tuple(step for step in pieces if step.cell is None), cells, next(iter(cells.values())))
    return Choices((), steps, cells)


def begun(notation: Notation[Any], position: Position[Any], typed: str) -> str | None:
    """Return what a player wrote as the start of a turn, in canonical words; None if no legal turn starts with it.

    >>> from notation.games import GAMES
    >>> game, start = GAMES["quadrature"].notation, GAMES["quadrature"].game.position({})
    >>> begun(game, start, "B3"), begun(game, start, "B4")
    ('b3', None)
    """
    for spelled in dict.fromkeys((typed, typed.lower())):
        text = _ARROW.sub("", _GAP.sub(" ", spelled).strip(" .!"))
        if text and next(_turns(notation, position, text), None) is not None:
            return text
    return None


def cells_of(chosen: str) -> frozenset[str]:
    """Return the cells that are named in what is chosen.

    >>> sorted(cells_of("@a4+ ~b4 b4b3 3"))
    ['a4', 'b3', 'b4']
    """
    return frozenset(_CELL.findall(chosen))


def steps_of(chosen: str) -> tuple[tuple[str, str], ...]:
    """Return the steps in what is chosen: the cell that a piece leaves, and the one to which it goes.

    >>> steps_of("@a4+ ~b4 b4b3 c3")
    (('b4', 'b3'),)
    """
    return tuple((found[1], found[2]) for word in chosen.split() if (found := _STEP.fullmatch(word)))


@dataclass(frozen=True, slots=True)
class Group:
    """Texts that begin alike: the words that they share, where they have more, and the numbers of the texts."""

    heading: str
    members: tuple[int, ...]


def grouped(texts: Sequence[str]) -> tuple[Group, ...]:
    """Return the texts in at most two groups: those that begin alike, or else by the sign in front.

    >>> [(group.heading, group.members) for group in grouped(["b3b2", "b3a3", "c3c2", "c3a3"])]
    [('', (0, 1)), ('', (2, 3))]
    >>> turns = ["g7g3 ---- 1 d7c7", "g7g3 ---- 2 d7d9", "g7c7 ---- 1 c7c8"]
    >>> [(group.heading, group.members) for group in grouped(turns)]
    [('g7g3 ----', (0, 1)), ('g7c7', (2,))]
    >>> [(group.heading, group.members) for group in grouped(["c1c5 1", "c1c5 2", "c1c5 3"])]
    [('c1c5', (0, 1, 2))]
    >>> [(group.heading, group.members) for group in grouped(["b9", "c9", "~b9", "@a4+"])]
    [('', (0, 1)), ('', (2, 3))]
    """
    rows = _rows(texts)
    return rows if len(rows) <= ROWS else _by_sign(texts)


def _is_little(texts: Sequence[str]) -> bool:
    return len(texts) <= FEW and len(_rows(texts)) <= ROWS


def _rows(texts: Sequence[str]) -> tuple[Group, ...]:
    """Return the texts in groups that begin alike; in one, or by their signs, where only the last word differs."""
    words = [text.split() for text in texts]
    shared = [each[0] for each in takewhile(lambda each: len(set(each)) == 1, zip(*words, strict=False))]
    is_last = all(len(each) == len(shared) + 1 for each in words)
    if is_last and shared:
        return (Group(" ".join(shared), tuple(range(len(texts)))),)
    groups = _alike(texts)
    return _by_sign(texts) if is_last and len(groups) != ROWS else groups


def _by_sign(texts: Sequence[str]) -> tuple[Group, ...]:
    """Return the texts in two groups: those with a sign in front, such as flips, come second."""
    both = [[number for number, text in enumerate(texts) if (text[0] in SIGNS) == signed] for signed in (False, True)]
    return tuple(Group("", tuple(members)) for members in both if members)


def _alike(texts: Sequence[str]) -> tuple[Group, ...]:
    """Return the texts in groups that begin alike, in their order; texts with a beginning of their own share one."""
    if not texts:
        return ()
    at = _parting(texts, "")
    alike: dict[str, list[int]] = {}
    for number, text in enumerate(texts):
        found = _PIECE.search(text, at)
        alike.setdefault(text[: found.end()] if found else text, []).append(number)
    groups: list[Group] = []
    joins = False
    for beginning, members in alike.items():
        heading = _heading(beginning, [texts[number].split() for number in members])
        alone = len(members) == 1 and not heading
        earlier = groups.pop().members if alone and joins else ()
        groups.append(Group(heading, (*earlier, *members)))
        joins = alone
    return tuple(groups)


def _heading(beginning: str, texts: Sequence[list[str]]) -> str:
    """Return the words that the texts begin with, as far as each has more; for a single text those it is known by."""
    known_by = len(beginning.split())
    shared = takewhile(lambda words: len(set(words)) == 1, zip(*texts, strict=False))
    count = known_by if len(texts) == 1 else len(list(shared))
    return " ".join(texts[0][: min(count, min(map(len, texts)) - 1)])


# The texts --------------------------------------------------------------------------------------------


def _turns(notation: Notation[Any], position: Position[Any], chosen: str) -> Iterator[str]:
    """Yield the texts of the turns that start with what is chosen: those that are listed, or else any legal ones."""
    in_parts = False
    for part in position.parts() if chosen else ():
        in_parts = True
        text = notation.format(part, position)
        if _begins(text, chosen) or _begins(chosen, text):
            after = position.play(part)
            wholes = (f"{text} {notation.format(move, after)}" for move in notation.listed(after))
            yield from (whole for whole in wholes if _begins(whole, chosen))
    if not in_parts:
        texts = (notation.format(move, position) for move in notation.listed(position))
        found = (text for text in texts if _begins(text, chosen)) if chosen else texts
        first = next(found, None)
        if first is not None:
            yield from (first, *found)
        elif chosen:  # the start of a turn that comes to the same as one that is listed
            moves = (notation.format(move, position) for move in position.moves() if notation.is_shown(move))
            yield from (text for text in moves if _begins(text, chosen))


def _parts(notation: Notation[Any], position: Position[Any], chosen: str) -> tuple[str, ...]:
    parts = tuple(notation.format(part, position) for part in position.parts())
    if not chosen:
        return parts[:MANY]
    if any(_begins(chosen, part) for part in parts):
        return ()
    return tuple(islice((part for part in parts if _begins(part, chosen)), MANY))


def _begins(text: str, chosen: str) -> bool:
    """Return whether the text starts with what is chosen, without cutting a piece in two.

    >>> _begins("a10b11", "a10"), _begins("a10b11", "a1")
    (True, False)
    """
    return text.startswith(chosen) and _is_boundary(text, len(chosen))


def _is_boundary(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return True
    before, after = text[at - 1], text[at]
    if after == " " or (before in SIDES and after in SIDES):
        return True
    if before.isdigit() and after.isdigit():
        return _ENDS_IN_CELL.search(text, 0, at) is None
    if before.isalpha():
        return any(piece.end() == at for piece in _PIECE.finditer(text))
    return not before == after == "-"


# The choices ------------------------------------------------------------------------------------------


def _split(texts: Sequence[str], chosen: str, unit: re.Pattern[str], *, whole: bool) -> tuple[Choice, ...]:
    """Return the texts grouped by the first piece, or word, in which they differ, in their order."""
    if not texts:
        return ()
    at = _parting(texts, chosen)
    groups: dict[str, list[str]] = {}
    for text in texts:
        found = unit.search(text, at)
        groups.setdefault(text[: found.end()] if found else text, []).append(text)
    made = []
    for beginning, group in groups.items():
        text = beginning if len(group) > 1 else group[0]
        last = beginning[at:].strip()
        cell = last if _CELL.fullmatch(last) else None
        made.append(Choice(text[_word(text, len(chosen)) :], text, whole and len(group) == 1, cell))
    return tuple(made)


def _parting(texts: Sequence[str], chosen: str) -> int:
    """Return how far all texts agree, in whole pieces; at least as far as is chosen."""
    ends = [piece.end() for piece in _PIECE.finditer(texts[0]) if piece.end() > len(chosen)]
    agreed = (end for end in reversed(ends) if all(_begins(text, texts[0][:end]) for text in texts))
    return next(agreed, len(chosen))


def _word(text: str, at: int) -> int:
    """Return where the word starts that is to be chosen next, or is half chosen."""
    return at + 1 if text[at : at + 1] == " " else text.rfind(" ", 0, at) + 1


def _cells(steps: Iterable[Choice]) -> dict[str, Choice]:
    return {step.cell: step for step in steps if step.cell is not None}


# All turns at once ------------------------------------------------------------------------------------

_Turn = tuple[tuple[str, ...], Position[Any]]
"""The pieces of a turn, each with the space before it, and the position after the turn."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A choice: the text that it adds, the cell that it names first, and the marks that it changes on the board.

    Where the turn is whole, the board is that after the turn; more can follow even then.
    """

    text: str
    cell: str | None
    changes: tuple[tuple[str, str], ...]
    """Cells with their new marks."""
    is_whole: bool
    branches: tuple["Branch", ...] = ()


def turn_tree(notation: Notation[Any], position: Position[Any], most: int = MANY) -> Branch | None:
    """Return what all legal turns begin with, and the choices after that; None if there are no turns, or too many.

    It has the turns that are listed (Notation.listed).

    >>> from notation.games import GAMES
    >>> game = GAMES["quadraphages"]
    >>> root = turn_tree(game.notation, game.game.position({"first": "x"}))
    >>> [branch.text for branch in root.branches][4:]
    ['5 a7', '6 a7', '7 a7h7 i3b3', '8 a7i7 i3a3']
    >>> [(branch.text, branch.changes) for branch in root.branches[0].branches][:2]
    [('a6 i3', (('a6', 'X'), ('a7', 'x'))), ('b7 i3', (('a7', 'x'), ('b7', 'X')))]
    """
    turns = tuple(islice(_played(notation, position), most + 1))
    if not 0 < len(turns) <= most:
        return None
    return _grown(notation, position, turns, 0, _marks(position))


def _grown(
    notation: Notation[Any], position: Position[Any], turns: Sequence[_Turn], start: int, before: Mapping[str, str]
) -> Branch:
    """Return what these turns have in common from the piece `start` on, and what can follow."""
    first, _ = turns[0]
    alike = takewhile(lambda pieces: len(set(pieces)) == 1, zip(*(pieces for pieces, _ in turns), strict=False))
    end = sum(1 for _ in alike)
    whole = next((after for pieces, after in turns if len(pieces) == end), None)
    chosen = "".join(first[:end])
    board = _marks(notation.midway(chosen, position) if whole is None else whole) if chosen else before
    following: dict[str, list[_Turn]] = {}
    for turn in turns:
        if len(turn[0]) > end:
            following.setdefault(turn[0][end], []).append(turn)
    return Branch(
        "".join(first[start:end]),
        next(iter(cells_of(first[start])), None) if start < end else None,
        tuple((cell, mark) for cell, mark in board.items() if before[cell] != mark),
        whole is not None,
        tuple(_grown(notation, position, each, end, board) for each in following.values()),
    )


def _played(notation: Notation[Any], position: Position[Any]) -> Iterator[_Turn]:
    are_in_parts = False
    for part in position.parts():
        are_in_parts = True
        text, between = notation.tapped(part, position), position.play(part)
        for move in notation.listed(between):
            yield _pieces(f"{text} {notation.tapped(move, between)}"), between.play(move)
    if not are_in_parts:
        for move in notation.listed(position):
            yield _pieces(notation.tapped(move, position)), position.play(move)


def _pieces(text: str) -> tuple[str, ...]:
    return tuple(_WITH_SPACE.findall(text))


def _marks(position: Position[Any]) -> dict[str, str]:
    return {cell: mark for _, cells in position.diagram().rows for cell, mark in cells}
