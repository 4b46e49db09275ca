"""How turns of Kvadratik are written and read."""

from notation.kvadratik.turns import KVADRATIK

__all__ = ["KVADRATIK"]
