"""Positions of Quadrupel by the turns that lead to them."""

from typing import Any

from engines.quadrupel import QuadrupelPosition
from notation.games import GAMES

NOTATION = GAMES["quadrupel"].notation


def after(*texts: str, **options: str) -> QuadrupelPosition:
    """Return the position after these turns."""
    position: Any = GAMES["quadrupel"].game.position(options)
    for text in texts:
        position = position.play(NOTATION.parse(text))
    assert isinstance(position, QuadrupelPosition)
    return position
