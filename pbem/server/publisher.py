"""Brings the site for web browsers up to date every few minutes, where it is configured."""

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from notation.games import GAMES
from pbem.config import ServerSettings, Settings
from pbem.isolated import Isolated, Lost
from pbem.storage import database
from pbem.storage.setbacks import Setbacks
from pbem.tokens import Keyring

if TYPE_CHECKING:
    from pbem.publishing.board_pages import BoardPages
    from pbem.publishing.pages import Site

log = structlog.get_logger()

EVERY = 600.0
"""How often the site is brought up to date, in seconds."""
SECONDS, MEGABYTES = 3000.0, 1024
"""How long one publication may take, and how much memory; the next one goes on where it ended."""
NICENESS = 10


def board_pages(settings: Settings, keyring: Keyring) -> "BoardPages | None":
    wanted = settings.publish
    if wanted.folder is None or not wanted.boards:
        return None
    from pbem.publishing.board_pages import BoardPages  # to import it takes 0.8 MB, which a server without a site saves

    return BoardPages(_site(settings.server, wanted.url, has_house=settings.house.enabled), wanted.folder, keyring)


def _site(server: ServerSettings, url: str, *, has_house: bool) -> "Site":
    from pbem.publishing.pages import Site

    return Site(server.name, server.address, url, has_house)


def _isolated() -> Isolated:
    return Isolated(__name__, megabytes=MEGABYTES, niceness=NICENESS, most_calls=1, environment=os.environ)


@dataclass(slots=True)
class Publisher:
    settings: Settings
    keyring: Keyring
    clock: Callable[[], datetime]
    engine: Engine
    isolated: Isolated = field(default_factory=_isolated)

    def step(self, _stopped: Callable[[], bool] = lambda: False) -> None:
        """Publish; a failure is logged, and tried again the next time."""
        folder, now = self.settings.publish.folder, self.clock()
        if folder is None:
            return
        from pbem.publishing.board_pages import sweep

        try:
            sweep(self.engine, folder, self.keyring, now)
            self._publish(folder)
        except OSError as error:
            self._fail(folder, str(error))

    def close(self) -> None:
        """End a publication, and publish no more: the next server mends what it has left."""
        self.isolated.close()

    def _publish(self, folder: Path) -> None:
        """Publish in a process, so that it takes no time from a daemon."""
        settings = self.settings
        told = (settings.server, settings.publish.url, settings.house.enabled, folder, tuple(GAMES))
        try:
            done = self.isolated.call(_published, *told, seconds=SECONDS, longest=SECONDS)
        except Lost as lost:
            done = str(lost)
        if isinstance(done, str):
            self._fail(folder, done)
        else:
            Setbacks(self.engine, "publishing", self.clock()).works(0)
            log.info("published", folder=str(folder), **done)

    def _fail(self, folder: Path, why: str) -> None:
        """Note for the operator that it failed; the log says so once."""
        if Setbacks(self.engine, "publishing", self.clock()).fails(0) == 1:
            log.error("publishing failed", folder=str(folder), error=why)


def _published(
    server: ServerSettings, url: str, has_house: bool, folder: Path, games: tuple[str, ...]
) -> dict[str, int] | str:
    """Publish once, apart. Return what was done, or a sentence that says why nothing was."""
    from pbem.publishing import publication
    from pbem.publishing.folder import NotASite

    GAMES.enable(games)
    engine = database.connect(server.database)
    try:
        return asdict(publication.publish(engine, _site(server, url, has_house=has_house), folder, datetime.now(UTC)))
    except DBAPIError as error:
        return str(error.orig)
    except (NotASite, OSError) as error:
        return str(error)
    finally:
        engine.dispose()
