"""How turns of Quadraphages and Hexaphages are written and read, today and in old records."""

from notation.phages.tolerant import play_tolerantly
from notation.phages.turns import HEXAPHAGES, QUADRAPHAGES

__all__ = ["HEXAPHAGES", "QUADRAPHAGES", "play_tolerantly"]
