"""Three players in an empty database."""

from tests.matches.test_lifecycle import session

__all__ = ["session"]
