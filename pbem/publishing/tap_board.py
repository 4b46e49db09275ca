"""A board to tap: the drawing whose cells change, and what the script on the page knows of the game.

That is the tree of the legal turns, with the marks that each choice changes, and nothing else; or of what a player can
prepare for the opponent's next turn: `if b3a3 then b9b8`.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from markupsafe import Markup

from engines.core import Position
from engines.diagram import Diagram
from notation.core import Notation
from notation.description import describe
from notation.hints import Hint
from notation.steps import Branch, turn_tree
from pbem.matches.condition_parsing import IF, THEN
from pbem.messages.boards.svg_board import BoardSheet

LISTED = 60  # the most turns that a page lists
_ESCAPED = str.maketrans({character: f"\\u{ord(character):04x}" for character in "<>&"})
"""So that no text ends the element which the JSON is in."""


@dataclass(frozen=True, slots=True)
class TapBoard:
    board: Markup
    shapes: Markup
    data: Markup | None  # JSON; None where there are too many turns to tap
    words: str  # the position in words
    notes: tuple[str, ...]
    hint: Hint | None
    turns: tuple[str, ...]  # the legal turns; if they are more than LISTED, the first ones, and one more


def tap_board(
    notation: Notation[Any], position: Position[Any], diagram: Diagram, mailto: str, tree: Branch | None
) -> TapBoard:
    """Return the board on which a turn of the tree, if there is one, is put together; `mailto` lacks that turn."""
    sheet = BoardSheet()
    board, looks = sheet.changing(diagram, _marks(tree) if tree else (), "The board")
    data = None if tree is None else _json(notation, position, diagram, tree, looks, mailto)
    return TapBoard(
        board=Markup(board),  # noqa: S704 - made by us
        shapes=Markup(sheet.shapes()),  # noqa: S704 - made by us
        data=None if data is None else Markup(data.translate(_ESCAPED)),  # noqa: S704 - escaped
        words=describe(diagram),
        notes=(*diagram.legend.named_edges(), *diagram.remarks),
        hint=notation.hint(position),
        turns=tuple(islice(_texts(tree), LISTED + 1)) if tree else (),
    )


def _json(
    notation: Notation[Any],
    position: Position[Any],
    diagram: Diagram,
    tree: Branch,
    looks: dict[str, list[str]],
    mailto: str,
) -> str:
    """Return what the script reads; a change is the number of a cell, times that of marks, plus that of the mark."""
    cells = {name: number for number, (name, _) in enumerate(cell for _, row in diagram.rows for cell in row)}
    numbers = {mark: number for number, mark in enumerate(looks)}

    def values(branch: Branch) -> list[Any]:
        changes = [cells[cell] * len(numbers) + numbers[mark] for cell, mark in branch.changes]
        following = [[values(longer) for longer in branch.branches]] if branch.branches else []
        return [branch.text, cells.get(branch.cell or "", -1), changes, int(branch.is_whole), *following]

    marks, by_text = [], diagram.legend.by_text()
    for text, ids in looks.items():
        mark = by_text[text]
        words = mark.words[0] if mark.side is None else f"{diagram.legend.sides[mark.side]} {mark.words[0]}"
        marks.append({"id": text, "words": words, "isEmpty": mark.kind == "empty", "looks": ids})
    content = {"turns": values(tree), "marks": marks, "endings": notation.endings(position), "mailto": mailto}
    return json.dumps(content, separators=(",", ":"))


def _marks(tree: Branch) -> Iterator[str]:
    yield from (mark for _, mark in tree.changes)
    for branch in tree.branches:
        yield from _marks(branch)


def _texts(tree: Branch, chosen: str = "") -> Iterator[str]:
    text = chosen + tree.text
    if tree.is_whole:
        yield text
    for branch in tree.branches:
        yield from _texts(branch, text)


MOST = 2_500  # the most pairs of a turn and its answer, and the most turns
FEWEST = 5  # the answers to each turn that are supposed before any are looked for


def foreseen_tree(notation: Notation[Any], position: Position[Any], most: int = MOST) -> Branch | None:
    """Return the turns of the opponent, who is to move, each with its answers; None if there are none, or too many.

    The texts along a branch make `if b3a4 then b9a8`. If there are more pairs than `most`, the answers are left to be
    written: `if b3a4 then`.
    """
    tree = turn_tree(notation, position, MOST)
    if tree is None:
        return None
    remaining = most if _size(tree) <= most // FEWEST else -1

    def answered(branch: Branch, chosen: str) -> Branch | None:
        """Return the branch with answers to each turn in it; None if there are none."""
        nonlocal remaining
        text, answers = chosen + branch.text, None
        longer = tuple(filter(None, [answered(following, text) for following in branch.branches]))
        if branch.is_whole and remaining >= 0:
            after = position.play(notation.parse(text))
            if after.turn is not None and after.turn != position.turn:
                answers = turn_tree(notation, after, remaining)
                remaining = -1 if answers is None else remaining - _size(answers)
        if answers is None:
            return replace(branch, is_whole=False, branches=longer) if longer else None
        answers = replace(answers, text=f" {THEN} {answers.text}")
        if longer:
            return replace(branch, is_whole=False, branches=(*longer, answers))
        changes = (*branch.changes, *answers.changes)
        return replace(answers, text=branch.text + answers.text, cell=branch.cell, changes=changes)

    root = answered(tree, "")
    root = _unanswered(tree) if remaining < 0 else root
    return root and replace(root, text=f"{IF} {root.text}")


def _unanswered(branch: Branch) -> Branch:
    following = tuple(map(_unanswered, branch.branches))
    if branch.is_whole and following:
        end = Branch(f" {THEN}", None, (), is_whole=True)
        return replace(branch, is_whole=False, branches=(*following, end))
    return replace(branch, text=f"{branch.text} {THEN}" if branch.is_whole else branch.text, branches=following)


def _size(tree: Branch) -> int:
    return int(tree.is_whole) + sum(map(_size, tree.branches))
