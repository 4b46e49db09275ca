"""Telling other processes that there is work: NOTIFY and LISTEN of PostgreSQL."""

import threading
from collections.abc import Callable, Collection, Mapping
from contextlib import closing
from enum import StrEnum
from itertools import chain
from typing import Any

from sqlalchemy import Connection, Engine, bindparam, func, select
from sqlalchemy.exc import DBAPIError

from pbem.process_vitals import Link

TIMEOUT_SECONDS = 0.5
_NOTIFY = select(func.pg_notify(bindparam("channel"), ""))


class Channel(StrEnum):
    RECEIVED = "pbem_received"
    OWED = "pbem_owed"


def notify(connection: Connection, channel: Channel) -> None:
    """Notify all daemons as soon as the transaction is committed."""
    if connection.dialect.name == "postgresql":
        connection.execute(_NOTIFY, {"channel": channel.value})


def listen(
    engine: Engine,
    events: Mapping[Channel, Collection[threading.Event]],
    stopped: Callable[[], bool],
    pause: Callable[[float], object],
    link: Link,
) -> None:
    """Set the events of each channel that is notified, until stopped; reconnect when the connection is lost."""
    while not stopped():
        try:
            with closing(engine.raw_connection()) as connection:
                driver: Any = connection.driver_connection  # SQLAlchemy has no interface for LISTEN
                connection.detach()  # a listening session is not shared, and has no driver_connection any more
                driver.autocommit = True
                for channel in events:
                    driver.execute(f"listen {channel.value}")
                link.works()
                for event in chain.from_iterable(events.values()):  # notifications from before we listened
                    event.set()
                while not stopped():
                    for notice in driver.notifies(timeout=TIMEOUT_SECONDS, stop_after=1):
                        for event in events[Channel(notice.channel)]:
                            event.set()
        except (DBAPIError, engine.dialect.loaded_dbapi.Error) as error:
            link.fails("database", str(error).partition("\n")[0])
            pause(1.0)
