"""Quadraphages and Hexaphages (Bill Taylor and João Pedro Neto, 2007): one rule book, two boards."""

from collections.abc import Mapping

from engines.core import Game, Option
from engines.phages.board import BOARDS, SIDES
from engines.phages.position import PhagesPosition
from engines.phages.refusals import Reason
from engines.phages.turns import Turn

__all__ = ["HEXAPHAGES", "QUADRAPHAGES", "PhagesPosition", "Reason", "Turn"]


def _game(key: str, title: str, summary: str) -> Game:
    """In both games either side can begin: the rule sheet has a match of each kind."""

    def start(chosen: Mapping[str, str]) -> PhagesPosition:
        return PhagesPosition(key, 0 if chosen["first"] == "x" else 1, BOARDS[key].start)

    return Game(key, title, (Option("first", ("x", "o"), "which side begins"),), start, SIDES, summary)


QUADRAPHAGES = _game("quadraphages", "Quadraphages", "9x9: stones mark the cells they leave; most marks win")
HEXAPHAGES = _game("hexaphages", "Hexaphages", "a hexagon: stones mark cells, three stones a side")
