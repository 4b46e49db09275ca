"""The loops of the daemon: each is a thread that works whenever its bell rings, and otherwise looks now and then.

Those that carry mail in, and that hear of what other daemons have stored, wait for others instead.
"""

import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from pbem.config import Settings
from pbem.features.house import searcher
from pbem.isolated import Unavailable
from pbem.mail.reading import parsers
from pbem.mail.transports import receiver
from pbem.mail.transports.protocols import USUAL, Inbox, Store
from pbem.storage import notifications
from pbem.storage.notifications import Channel
from pbem.vitals import Link, Pulse, Vitals

log = structlog.get_logger()

LOOK_SECONDS = 10.0
"""How often to look for work without a notification (retries that are due, rows added by another program)."""
SPACING_SECONDS = 0.25
"""How long to rest between two looks for what is rarely there, though the bell rings: what is due by time, and turns of
the house."""
LONGEST_PAUSE = 60.0
PATIENCE = 300.0
"""For how many seconds any loop may be silent before it counts as hanging; some may take longer for one thing."""
PARSES = 30
"""How many times the limit of one message a thread may compute for one: several requests, each tried twice."""
ANSWERS = 8
"""How many answers of a server one message takes."""
SERVER_SECONDS = USUAL.connect + ANSWERS * USUAL.answer


@dataclass(frozen=True, slots=True)
class Bounds:
    receive: float
    work: float
    house: float
    send: float
    backup: float = 6 * 3600.0
    publish: float = 3600.0
    other: float = PATIENCE


def bounds(settings: Settings) -> Bounds:
    return Bounds(
        receive=PATIENCE + (SERVER_SECONDS if settings.inbox.imap else 0),
        work=PATIENCE + PARSES * parsers.SECONDS,
        house=PATIENCE + 4 * searcher.SECONDS,
        send=PATIENCE + (SERVER_SECONDS if settings.outbox.smtp else 0),
    )


@dataclass(frozen=True, slots=True)
class Loop:
    pulse: Pulse
    step: Callable[[Callable[[], bool]], object]
    """Works until nothing is left or what it is given says to stop. Returns whether to call it again at once."""
    bell: threading.Event = field(default_factory=threading.Event)
    close: Callable[[], object] = lambda: None
    pause: float = 0.0
    """For how many seconds it doesn't hear the bell after its work."""

    def thread(self, stop: threading.Event, vitals: Vitals) -> threading.Thread:
        """Return the thread. It waits out an outage of the database, and a bug doesn't end it."""
        return threading.Thread(target=self._run, args=(stop, vitals), name=self.pulse.name, daemon=True)

    def _run(self, stop: threading.Event, vitals: Vitals) -> None:
        pause, failing = 1.0, ""
        while not self.pulse.stopped(stop):
            self.bell.clear()
            try:
                while self.step(lambda: self.pulse.stopped(stop)) and not self.pulse.stopped(stop):
                    pass
                vitals.database.works(self.pulse.name)
                pause, failing = 1.0, ""
            except DBAPIError as error:
                vitals.database.fails("database", str(error.orig), self.pulse.name)
                self._wait(stop.wait, pause)
                pause = min(2 * pause, LONGEST_PAUSE)
                continue
            except Unavailable as error:
                log.error("no mail can be read", thread=self.pulse.name, error=str(error))  # noqa: TRY400 - no bug of ours
                self._wait(stop.wait, LONGEST_PAUSE)
            except Exception as error:  # a bug must not silently end the thread, and with it the service
                if failing != repr(error):
                    log.exception("failed", thread=self.pulse.name)
                failing = repr(error)
                self._wait(stop.wait, LONGEST_PAUSE)
            if self.pause:
                self._wait(stop.wait, self.pause)
            if not stop.is_set():
                self._wait(self.bell.wait, LOOK_SECONDS)
        self.close()
        self.pulse.end()

    def _wait(self, wait: Callable[[float], object], seconds: float) -> None:
        with self.pulse.resting():
            wait(seconds)


def receiving(inbox: Inbox, store: Store, stop: threading.Event, pulse: Pulse, link: Link) -> threading.Thread:
    def pause(seconds: float) -> None:
        with pulse.resting():
            stop.wait(seconds)

    def receive() -> None:
        receiver.receive(inbox, store, lambda: pulse.stopped(stop), pause, link)
        pulse.end()

    return threading.Thread(target=receive, name="receive", daemon=True)


def hearing(
    engine: Engine,
    bells: Mapping[Channel, Collection[threading.Event]],
    stop: threading.Event,
    pulse: Pulse,
    link: Link,
) -> threading.Thread:
    def listen() -> None:
        notifications.listen(engine, bells, lambda: pulse.stopped(stop), stop.wait, link)
        pulse.end()

    return threading.Thread(target=listen, name="bells", daemon=True)
