"""Fixtures of the tests of the engines."""

import pytest

from notation.games import GAMES


@pytest.fixture(params=GAMES)
def game(request: pytest.FixtureRequest) -> str:
    """Return the key of each game."""
    return str(request.param)
