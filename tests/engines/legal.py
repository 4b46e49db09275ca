"""Whether a position takes a move."""

from typing import Any

from engines.core import IllegalMove, Position


def accepts(position: Position[Any], move: object) -> bool:
    """Return whether the position takes the move."""
    try:
        position.play(move)
    except IllegalMove:
        return False
    return True
