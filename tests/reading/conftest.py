"""A match in progress, for the tests that reply to its messages."""

import pytest

from tests.correspondence import Correspondence
from tests.scenes import two_turns


@pytest.fixture
def letters(letters: Correspondence) -> Correspondence:
    """Begin a match of alice (X, to move) and bob (O), after two turns."""
    letters.play(two_turns)
    return letters
