"""What a player can prepare for the opponent's next turn, as a tree of choices: `if b3a3 then b9b8`."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from engines.core import Position
from notation.core import Notation
from notation.steps import Branch, turn_tree
from pbem.matches.conditions import IF, THEN

MOST = 2_500
"""The most pairs of a turn and its answer, and the most turns."""
FEWEST = 5
"""So many answers to each turn are supposed before any are looked for."""


def foreseen_tree(notation: Notation[Any], position: Position[Any], most: int = MOST) -> Branch | None:
    """Return the turns of the opponent, who is to move, each with its answers; None if there are none, or too many.

    If there are more pairs than `most`, the answers are left to be written: `if b3a3 then`.

    >>> from notation.games import GAMES
    >>> game = GAMES["quadrature"]
    >>> root = foreseen_tree(game.notation, game.game.position({}))
    >>> first = root.branches[0].branches[0]
    >>> root.text, root.branches[0].text, first.text, first.branches[0].text, first.branches[0].branches[0].text
    ('if ', 'b3', 'a4 then ', 'b9', 'a8')
    """
    tree = turn_tree(notation, position, MOST)
    if tree is None:
        return None
    answered = _Answers(notation, position, most if _number(tree) <= most // FEWEST else -1)
    found = list(answered.after(tree, ""))
    if answered.left < 0:
        found = [_unanswered(tree)]
    return replace(found[0], text=f"{IF} {found[0].text}") if found else None


class _Answers:
    """Puts answers behind turns; `left` counts how many more there may be."""

    def __init__(self, notation: Notation[Any], position: Position[Any], most: int) -> None:
        self._notation, self._position, self.left = notation, position, most

    def after(self, branch: Branch, chosen: str) -> Iterator[Branch]:
        """Yield the branch with answers to each turn in it, unless there are none."""
        text = chosen + branch.text
        longer = tuple(each for following in branch.branches for each in self.after(following, text))
        answers = self._to(text) if branch.is_whole and self.left >= 0 else None
        if answers is None:
            if longer:
                yield replace(branch, is_whole=False, branches=longer)
        elif longer:
            yield replace(branch, is_whole=False, branches=(*longer, answers))
        else:
            changes = (*branch.changes, *answers.changes)
            yield replace(answers, text=branch.text + answers.text, cell=branch.cell, changes=changes)

    def _to(self, turn: str) -> Branch | None:
        after = self._position.play(self._notation.parse(turn))
        if after.turn is None or after.turn == self._position.turn:
            return None
        answers = turn_tree(self._notation, after, self.left)
        self.left = -1 if answers is None else self.left - _number(answers)
        return answers and replace(answers, text=f" {THEN} {answers.text}")


def _unanswered(branch: Branch) -> Branch:
    following = tuple(map(_unanswered, branch.branches))
    if branch.is_whole and following:
        end = Branch(f" {THEN}", None, (), is_whole=True)
        return replace(branch, is_whole=False, branches=(*following, end))
    return replace(branch, text=f"{branch.text} {THEN}" if branch.is_whole else branch.text, branches=following)


def _number(tree: Branch) -> int:
    return int(tree.is_whole) + sum(map(_number, tree.branches))
