"""Bells: telling every daemon on the database that there is something to do (LISTEN and NOTIFY of PostgreSQL).

A bell that is not heard costs some seconds: everybody looks by himself as well. On SQLite there is nobody to tell.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from threading import Event
from typing import Any

import structlog
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session

log = structlog.get_logger()

HEARS_FOR = 0.5
"""How long a listener listens before it asks whether it should stop, in seconds."""

_RING = text("select pg_notify(:bell, '')")


class Channel(StrEnum):
    """What is told."""

    CAME = "pbem_came"
    """Mail was stored."""
    OWED = "pbem_owed"
    """Mail is owed."""


def ring(session: Session, bell: Channel) -> None:
    """Tell all daemons, as soon as the transaction is committed."""
    if session.get_bind().dialect.name == "postgresql":
        session.connection().execute(_RING, {"bell": bell.value})


def listen(
    engine: Engine, bells: Mapping[Channel, Event], stopped: Callable[[], bool], pause: Callable[[float], object]
) -> None:
    """Set the event of each bell that rings anywhere, until stopped, through lost connections."""
    lost = False
    while not stopped():
        try:
            _listen(engine, bells, stopped)
        except (DBAPIError, engine.dialect.loaded_dbapi.Error) as error:
            if not lost:
                log.warning("bells are not heard", error=str(error).partition("\n")[0])
            lost = True
            pause(1.0)


def _listen(engine: Engine, bells: Mapping[Channel, Event], stopped: Callable[[], bool]) -> None:
    connection = engine.raw_connection()
    try:
        driver: Any = connection.driver_connection  # the driver's own, since only that can listen
        connection.detach()  # a session that listens is nobody else's
        driver.autocommit = True
        for bell in bells:
            driver.execute(f"listen {bell.value}")
        for event in bells.values():  # what rang before we listened
            event.set()
        while not stopped():
            for notice in driver.notifies(timeout=HEARS_FOR):
                bells[Channel(notice.channel)].set()
                if stopped():
                    break
    finally:
        connection.close()
