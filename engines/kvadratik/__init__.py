"""Kvadratik, "Little Square" (Viktor Anatolyevich Sharko, 1990): discs climb onto each other on a 4x4 board.

The rule sheet is in English and in Russian, and the two differ. Where a ruling decides, a comment beside the code
names it.
"""

from collections.abc import Mapping

from engines.core import Game, Option
from engines.kvadratik.board import SIDES
from engines.kvadratik.position import KvadratikPosition
from engines.kvadratik.refusals import Reason
from engines.kvadratik.turns import Bonus, Disc, Move, Setup, Turn

__all__ = ["KVADRATIK", "Bonus", "Disc", "KvadratikPosition", "Move", "Reason", "Setup", "Turn"]


def _start(chosen: Mapping[str, str]) -> KvadratikPosition:
    return KvadratikPosition(
        "half" if chosen["setup"] == "half" else "row",
        "none" if chosen["flip"] == "none" else "any",
    )


KVADRATIK = Game(
    "kvadratik",
    "Kvadratik",
    (
        Option("setup", ("row", "half"), "where the first four discs go: in the first row, or anywhere in your half"),
        Option("flip", ("any", "none"), "whether you may turn over uncovered discs before a move"),
    ),
    _start,
    SIDES,
    "4x4: discs climb on each other; no move left, you lose",
)
