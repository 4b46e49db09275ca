"""Brings the site in a folder up to date every few minutes, where one is configured for a plain web server."""

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from notation.games import GAMES
from pbem.config import ServerSettings, Settings
from pbem.isolated import Isolated, Lost
from pbem.storage import database
from pbem.storage.setbacks import Setbacks

log = structlog.get_logger()

EVERY = 600.0
"""How often the site is brought up to date, in seconds."""
SECONDS, MEGABYTES = 3000.0, 1024
"""How long one publication may take, and how much memory."""
NICENESS = 10


def _isolated() -> Isolated:
    return Isolated(__name__, megabytes=MEGABYTES, niceness=NICENESS, most_calls=1, environment=os.environ)


@dataclass(slots=True)
class Publisher:
    settings: Settings
    clock: Callable[[], datetime]
    engine: Engine
    isolated: Isolated = field(default_factory=_isolated)

    def step(self, _stopped: Callable[[], bool] = lambda: False) -> None:
        """Publish in a process, so that it takes no time from a daemon; what fails is tried again the next time."""
        settings, folder = self.settings, self.settings.publish.folder
        if folder is None:
            return
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

    def close(self) -> None:
        """End a publication, and publish no more: the next server mends what it has left."""
        self.isolated.close()

    def _fail(self, folder: Path, why: str) -> None:
        """Note for the operator that it failed; the log says so once."""
        if Setbacks(self.engine, "publishing", self.clock()).fails(0) == 1:
            log.error("publishing failed", folder=str(folder), error=why)


def _published(
    server: ServerSettings, url: str, has_house: bool, folder: Path, games: tuple[str, ...]
) -> dict[str, int] | str:
    """Publish once, apart. Return what was done, or a sentence that says why nothing was."""
    from pbem.publishing import crawl  # to import it takes memory, which a server without a site saves
    from pbem.publishing.pages import Site
    from pbem.publishing.routes import Pages

    GAMES.enable(games)
    engine = database.connect(server.database)
    try:
        site = Site(server.name, server.address, url, has_house)
        return asdict(crawl.publish(Pages(engine, site, lambda: datetime.now(UTC)), folder))
    except DBAPIError as error:
        return str(error.orig)
    except (crawl.NotASite, OSError) as error:
        return str(error)
    finally:
        engine.dispose()
