"""A running match, for tests that reply to its messages."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.correspondence import Correspondence, correspondence


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    """Begin a match of alice (X, to move) and bob (O), after two turns."""
    with correspondence(tmp_path) as letters:
        letters.play(two_turns)
        yield letters


def two_turns(letters: Correspondence) -> None:
    """Begin a match and play the first turn of both players."""
    letters.match()
    letters.reply(letters.last("alice"), "1 a7b7 i3i2")
    letters.reply(letters.last("bob"), "c1d1 g9h9 2 d1f1 h9h7")
