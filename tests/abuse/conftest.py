"""A match under way, which somebody disturbs."""

from tests.pbem.conftest import letters

__all__ = ["letters"]
