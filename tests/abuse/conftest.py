"""A match in progress, that someone tries to disturb."""

import pytest

from tests.correspondence import Correspondence
from tests.scenes import two_turns


@pytest.fixture
def letters(letters: Correspondence) -> Correspondence:
    """Begin a match of alice (X, to move) and bob (O), after two turns."""
    letters.play(two_turns)
    return letters
