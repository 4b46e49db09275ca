"""Brings the site for web browsers up to date every few minutes, where it is configured."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import structlog
from sqlalchemy import Engine

from notation.games import GAMES
from pbem.config import Settings
from pbem.storage.setbacks import Setbacks
from pbem.tokens import Keyring

if TYPE_CHECKING:
    from pbem.publishing.board_pages import BoardPages

log = structlog.get_logger()

EVERY = timedelta(minutes=10)
POLL_SECONDS = 0.2
"""How often to look whether the process is to end."""


def board_pages(settings: Settings, keyring: Keyring) -> "BoardPages | None":
    """Return what writes the pages on which players tap their turns; None if there is no site with them."""
    server, wanted = settings.server, settings.publish
    if wanted.folder is None or not wanted.boards:
        return None
    from pbem.publishing.board_pages import BoardPages  # to import it takes 0.8 MB, which a server without a site saves
    from pbem.publishing.pages import Site

    site = Site(server.name, server.address, wanted.url, settings.house.enabled)
    return BoardPages(site, wanted.folder, keyring)


@dataclass(slots=True)
class Publisher:
    """Publishes when it is time, in a process of its own."""

    settings: Settings
    keyring: Keyring
    clock: Callable[[], datetime]
    engine: Engine
    last: datetime | None = None
    """When it last began to publish."""

    def step(self, stopped: Callable[[], bool] = lambda: False) -> int:
        """Publish if it is time. Return whether it did; a failure is logged, and tried again when it is time again."""
        folder, now = self.settings.publish.folder, self.clock()
        if folder is None or (self.last is not None and self.last <= now < self.last + EVERY):
            return 0
        from pbem.publishing.board_pages import sweep

        self.last = now
        try:
            sweep(self.engine, folder, self.keyring, now)
            return self._publish(folder, stopped)
        except OSError as error:
            return self._fail(folder, str(error))

    def _publish(self, folder: Path, stopped: Callable[[], bool]) -> int:
        """Publish in a process, which is killed if that is wanted: the next one mends what it has left."""
        server = self.settings.server
        asked = {
            "database": server.database,
            "folder": str(folder),
            "name": server.name,
            "address": server.address,
            "url": self.settings.publish.url,
            "house": self.settings.house.enabled,
            "games": GAMES.told(),
        }
        words = [sys.executable, "-m", "pbem.publishing.worker"]
        pipe = subprocess.PIPE
        with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:  # noqa: S603 - our own module
            given: str | None = json.dumps(asked)
            while True:
                try:
                    out, said = process.communicate(given, timeout=POLL_SECONDS)
                    break
                except subprocess.TimeoutExpired:
                    given = None  # it has been written
                if stopped():
                    process.kill()
                    return 0
        if process.returncode != 0:
            return self._fail(folder, said.strip().rpartition("\n")[2])
        Setbacks(self.engine, "publishing", self.clock()).works(0)
        log.info("published", folder=str(folder), **json.loads(out))
        return 1

    def _fail(self, folder: Path, why: str) -> int:
        """Note for the operator that it failed; the log says so once. Return that nothing was published."""
        if Setbacks(self.engine, "publishing", self.clock()).fails(0) == 1:
            log.error("publishing failed", folder=str(folder), error=why)
        return 0
