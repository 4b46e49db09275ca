"""How turns of Quadraphages and Hexaphages are written and read, today and in old records."""

from notation.phages.arbiter import arbitrate_text
from notation.phages.turns import HEXAPHAGES, QUADRAPHAGES

__all__ = ["HEXAPHAGES", "QUADRAPHAGES", "arbitrate_text"]
