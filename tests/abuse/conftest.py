"""Fixtures: a running match that someone tries to disturb."""

from tests.pbem.conftest import letters

__all__ = ["letters"]
