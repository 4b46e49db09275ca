"""Scenes with each database and each way in."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import structlog

from tests.operating.people import PostOffice
from tests.operating.site import Site
from tests.postgres import Postgres
from tests.reliability.scene import Imap, Lmtp, Scene

Stage = Callable[[str, str], Scene]
DOVECOTS = {"imap": "dovecot", "imap without MOVE": "old_dovecot"}


@pytest.fixture
def stage(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Stage]:
    """Return a function that sets a scene, given the way in ("lmtp", "imap", a fixture) and the kind of database."""
    scenes: list[Scene] = []

    with ExitStack() as posts:

        def begin(way: str, kind: str) -> Scene:
            database = f"sqlite:///{tmp_path}/pbem{len(scenes)}.sqlite"
            if kind == "postgresql":
                server: Postgres = request.getfixturevalue("postgres")
                database = server.database()
            door = Lmtp() if way == "lmtp" else Imap(request.getfixturevalue(DOVECOTS.get(way, way)).mailbox())
            post = posts.enter_context(PostOffice())
            scenes.append(Scene(Site(tmp_path / f"site{len(scenes)}"), database, door, post))
            return scenes[-1]

        yield begin
        for scene in scenes:
            scene.end()
    structlog.reset_defaults()
