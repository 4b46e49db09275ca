"""The loops of the daemon: each is a thread that works whenever its bell rings, and otherwise looks now and then."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

import structlog
from sqlalchemy.exc import DBAPIError

from pbem.config import Settings
from pbem.reading.protocol import Unavailable
from pbem.vitals import Pulse, Vitals

log = structlog.get_logger()

LOOK_SECONDS = 10.0
"""How often to look for work without a notification (retries that are due, rows added by another program)."""
LONGEST_PAUSE = 60.0
PATIENCE = 300.0
"""For how many seconds any loop may be silent before it counts as hanging; some may take longer for one thing."""
PARSES = 30
"""How many times the limit of one message a thread may compute for one: several requests, each tried twice."""
ANSWERS = 8
"""How many answers of a server one message takes."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """For how many seconds each loop may be silent: the longest that one thing takes it where all limits are met."""

    receive: float
    work: float
    house: float
    send: float
    backup: float = 3600.0
    other: float = PATIENCE


def bounds(settings: Settings) -> Bounds:
    """Return the bounds that go with these settings."""
    imap, smtp = settings.inbox.imap, settings.outbox.smtp
    return Bounds(
        receive=PATIENCE + (imap.connect_seconds + ANSWERS * imap.answer_seconds if imap else 0),
        work=PATIENCE + PARSES * (settings.reading.seconds + settings.checks.dns_seconds),
        house=PATIENCE + 4 * settings.house.seconds,
        send=PATIENCE + (smtp.connect_seconds + ANSWERS * smtp.answer_seconds if smtp else 0),
    )


@dataclass(frozen=True, slots=True)
class Loop:
    """What a thread repeats, with what it waits for."""

    pulse: Pulse
    step: Callable[[Callable[[], bool]], object]
    """Works until nothing is left or what it is given says to stop. Returns whether to call it again at once."""
    bell: threading.Event
    close: Callable[[], object] = lambda: None

    def thread(self, stop: threading.Event, vitals: Vitals) -> threading.Thread:
        """Return the thread. It waits out an outage of the database, and a bug doesn't end it."""
        return threading.Thread(target=self._run, args=(stop, vitals), name=self.pulse.name, daemon=True)

    def _run(self, stop: threading.Event, vitals: Vitals) -> None:
        pause = 1.0
        while not self.pulse.stopped(stop):
            self.bell.clear()
            try:
                while self.step(lambda: self.pulse.stopped(stop)) and not self.pulse.stopped(stop):
                    pass
                vitals.database.works(self.pulse.name)
                pause = 1.0
            except DBAPIError as error:
                vitals.database.fails("database", str(error.orig), self.pulse.name)
                self._wait(stop, pause)
                pause = min(2 * pause, LONGEST_PAUSE)
                continue
            except Unavailable as error:
                log.error("no mail can be read", thread=self.pulse.name, error=str(error))  # noqa: TRY400 - no bug of ours
                self._wait(stop, LONGEST_PAUSE)
            except Exception:  # a bug must not silently end the thread, and with it the service
                log.exception("failed", thread=self.pulse.name)
                self._wait(stop, LONGEST_PAUSE)
            if not stop.is_set():
                self._wait(self.bell, LOOK_SECONDS)
        self.close()
        self.pulse.end()

    def _wait(self, event: threading.Event, seconds: float) -> None:
        with self.pulse.resting():
            event.wait(seconds)
