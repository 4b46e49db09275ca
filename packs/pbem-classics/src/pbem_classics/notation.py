"""How turns are written: a cell, or the cells that a piece visits."""

import re
from dataclasses import dataclass
from typing import Any

from pbem import gamekit as kit
from pbem_classics.spiel import SpielPosition, Turn

_GAP = re.compile(r"[\s.!]*+")
_JOINT = re.compile(rf"\s*+(?:(?:{kit.ARROW}|[xX*])\s*+)?+")
_TAKES = re.compile(r"\s*+[xX*]\s*+|[\s,]++(?=[A-Za-z]\d)")
_GOES = re.compile(rf"\s*+{kit.ARROW}\s*+")
_TAIL = re.compile(r"[\s.!+*]*+")


@dataclass(frozen=True, slots=True)
class CellNotation(kit.Notation[Turn]):
    """Turns that are cells: one, or as many as a piece visits."""

    saying: str
    """What a turn is, for people who don't know the game."""
    example: str
    most: int = 1
    words: tuple[kit.Special, ...] = ()
    """The words that can be a turn."""

    @property
    def help(self) -> str:
        """One line for players: how a turn is written, with an example."""
        return f'{self.saying}: "{self.example}"'

    def parse(self, text: str) -> Turn:
        """Return the turn that a text says, whatever the position; raise BadNotation."""
        kit.check_length(text)
        if special := kit.read_special(text, *self.words):
            return special
        expected = f"a turn such as {kit.either((self.example, *map(str, self.words)))}"
        cells: list[str] = []
        at = kit.skip(_GAP, text, 0)
        while len(cells) < self.most and (not cells or kit.skip(_TAIL, text, at) < len(text)):
            cell, at = kit.read_cell(text, kit.skip(_JOINT, text, at) if cells else at, expected)
            kit.check_end_of_cell(text, at)
            cells.append(cell)
        if self.most > 1 and len(cells) == 1:
            raise kit.BadNotation(text, len(text), f"the cell where the piece goes, as in {self.example}")
        if kit.skip(_TAIL, text, at) < len(text):
            raise kit.BadNotation(text, at, "the end of the turn")
        return "".join(cells)

    def format(self, move: Turn, position: kit.Position[Any]) -> str:
        """Return the canonical text."""
        return str(move)

    def hint(self, position: kit.Position[Any]) -> kit.Hint | None:
        """Return what the player to move can write now; None when the game is over."""
        return hint(position)


@dataclass(frozen=True, slots=True)
class MillNotation(CellNotation):
    """Turns of Nine Men's Morris: a4, a4 d7, a1a4 or a1a4 d7, where d7 is a man that is taken."""

    def parse(self, text: str) -> Turn:
        """Return the turn that a text says, whatever the position; raise BadNotation.

        >>> MillNotation("", "").parse("A1-a4 x d7"), MillNotation("", "").parse("a4xd7")
        ('a1a4 d7', 'a4 d7')
        """
        kit.check_length(text)
        cell, at = kit.read_cell(text, kit.skip(_GAP, text, 0), f"a turn such as {self.example}")
        words = [cell]
        while kit.skip(_TAIL, text, at) < len(text) and not (len(words) == 2 or len(words[0]) > 4):
            takes, goes = _TAKES.match(text, at), _GOES.match(text, at)
            start = max(each.end() for each in (takes, goes) if each) if takes or goes else at
            cell, at = kit.read_cell(text, start, f"a point, as in {self.example}")
            if takes or len(words[0]) == 4:
                words.append(cell)
            else:
                words[0] += cell
        if kit.skip(_TAIL, text, at) < len(text):
            raise kit.BadNotation(text, at, "the end of the turn")
        return " ".join(words)


def hint(position: kit.Position[Any]) -> kit.Hint | None:
    """Return what the player to move can write now; None when the game is over."""
    if not isinstance(position, SpielPosition) or position.turn is None:
        return None
    turns = list(map(str, position.moves()))
    passages = [kit.swap_passage(next(iter(position.marks())))] if position.can_swap else []
    if str(kit.Special.PASS) in turns:
        passages.append(position.pass_passage)
    basics = position.aim.format(side=position.sides[position.turn], other=position.sides[kit.other(position.turn)])
    return kit.Hint(tuple(passages), turns[len(turns) // 2], basics)
