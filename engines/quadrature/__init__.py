"""Quadrature (Mark Steere, 1992): men go forward on a square board, and three of them square a fourth."""

from collections.abc import Mapping

from engines.core import Game, Option
from engines.quadrature.board import SIDES
from engines.quadrature.position import QuadraturePosition, Reason

__all__ = ["QUADRATURE", "QuadraturePosition", "Reason"]

_MEN = Option("men", ("18", "16"), "how many men each side has, nine of them on the board")


def _start(chosen: Mapping[str, str]) -> QuadraturePosition:
    return QuadraturePosition(int(chosen["men"]))


QUADRATURE = Game(
    "quadrature",
    "Quadrature",
    (_MEN,),
    _start,
    SIDES,
    "11x11: win men over in rectangles; bring three home",
)
