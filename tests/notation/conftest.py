"""Fixtures of the tests of the notations."""

import pytest

from engines import GAMES


@pytest.fixture(params=GAMES)
def game(request: pytest.FixtureRequest) -> str:
    """Return the key of each game."""
    return str(request.param)
