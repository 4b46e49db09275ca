"""A match in progress, for the tests that reply to its messages."""

from tests.pbem.conftest import letters

__all__ = ["letters"]
