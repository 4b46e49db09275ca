"""What the tests of the notations share."""

import pytest

from engines import GAMES


@pytest.fixture(params=GAMES)
def game(request: pytest.FixtureRequest) -> str:
    """The key of every game there is."""
    return str(request.param)
