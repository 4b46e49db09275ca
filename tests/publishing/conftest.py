"""A server whose players are to be published."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.publishing.browsing import browser, opened
from tests.publishing.site import Archive, archive

__all__ = ["browser", "opened"]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Archive]:
    """Provide a server with a match of two turns, of players who have not chosen yet."""
    with archive(tmp_path) as made:
        yield made


@pytest.fixture
def shown(tmp_path: Path) -> Iterator[Archive]:
    """Provide one whose players allow that their match is shown, and which was published."""
    with archive(tmp_path, "on") as made:
        made.publish()
        yield made
