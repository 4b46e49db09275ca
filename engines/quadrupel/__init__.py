"""Quadrupel (Andreas Liebl-Wachsmuth, 1986): four stones a side, four figures, six variants.

Stones move alike in all variants. What figures are good for is in one module for each family of variants:
`first_figure` (basic, minimum-points, position), `extra_turns` (added-value, combination) and
`two_games` (maximum-points).
"""

from collections.abc import Callable, Mapping

from engines.core import Game, Option
from engines.quadrupel.board import SIDES
from engines.quadrupel.extra_turns import AddedValue, Combination
from engines.quadrupel.first_figure import Basic, MinimumPoints, Placing
from engines.quadrupel.position import QuadrupelPosition
from engines.quadrupel.refusals import Reason
from engines.quadrupel.turns import Dots, Move, Ones, Turn
from engines.quadrupel.two_games import MaximumPoints
from engines.quadrupel.variant import Variant

__all__ = ["QUADRUPEL", "Dots", "Move", "Ones", "QuadrupelPosition", "Reason", "Turn"]

VARIANTS: Mapping[str, Callable[[Mapping[str, str]], Variant]] = {
    "basic": lambda _: Basic(),
    "added-value": lambda _: AddedValue(),
    "minimum-points": lambda chosen: MinimumPoints(int(chosen["minimum"])),
    "maximum-points": lambda _: MaximumPoints(),
    "position": lambda chosen: Placing("place" if chosen["zone2"] == "place" else "ban"),
    "combination": lambda _: Combination(),
}


def _start(chosen: Mapping[str, str]) -> QuadrupelPosition:
    return QuadrupelPosition(
        VARIANTS[chosen["variant"]](chosen), auto=chosen["announce"] == "auto", can_swap=chosen["swap"] == "on"
    )


QUADRUPEL = Game(
    "quadrupel",
    "Quadrupel",
    (
        Option("variant", tuple(VARIANTS), "what wins; the rules explain each variant"),
        Option(
            "minimum",
            ("20", *map(str, (*range(10, 20), *range(21, 31)))),
            "in minimum-points: the points a figure needs",
            needs=("variant", "minimum-points"),
        ),
        Option(
            "zone2",
            ("place", "ban"),
            "in position: whether the 1-stones must or must not be in zone 2",
            needs=("variant", "position"),
        ),
        Option("announce", ("strict", "auto"), "who announces figures: the player (strict) or the server (auto)"),
        Option(
            "swap", ("on", "off"), "whether White can take Black's stones after the first turn (on in rated matches)"
        ),
    ),
    _start,
    SIDES,
    "6x6: jump four stones into a figure; easy to learn",
    decisive=(("variant", "maximum-points"),),
    rated=(("swap", "on"),),
)
