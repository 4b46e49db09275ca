"""The loops of the daemon: each works whenever its bell rings, and otherwise looks now and then."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import structlog
from sqlalchemy.exc import DBAPIError

from pbem.features.house import search_process
from pbem.isolated import Unavailable
from pbem.mail.reading import isolated_parser
from pbem.mail.transports.protocols import USUAL
from pbem.process_vitals import Pulse, Vitals

log = structlog.get_logger()

LOOK_SECONDS = 10.0
"""How often to look for work without a notification (retries that are due, rows added by another program)."""
WATCHFUL_SECONDS = 1.0
"""How often to look for messages if `pbem serve` stores some: in SQLite, nothing notifies of them."""
SPACING_SECONDS = 0.25
"""How long to rest between two looks for what is due by time, and for turns of the house, though the bell rings."""
LONGEST_PAUSE = 60.0
PATIENCE = 300.0
"""For how many seconds a loop may be silent before it counts as hanging, if it does nothing that takes longer."""
RECEIVING = SENDING = PATIENCE + USUAL.connect + 8 * USUAL.answer  # as many answers of a server as a message takes
WORKING = PATIENCE + 30 * isolated_parser.SECONDS  # several requests for one message, each tried twice
THINKING = PATIENCE + 4 * search_process.SECONDS
BACKING_UP = 6 * 3600.0


def thread(pulse: Pulse, run: Callable[..., object], *args: object) -> threading.Thread:
    """Return a thread that shows by that pulse that it goes on; when it has ended, nothing hangs."""

    def whole() -> None:
        run(*args)
        pulse.end()

    return threading.Thread(target=whole, name=pulse.name, daemon=True)


@dataclass(frozen=True, slots=True)
class Loop:
    pulse: Pulse
    step: Callable[[Callable[[], bool]], object]
    """Works until nothing is left or what it is given says to stop. Returns whether to call it again at once."""
    bell: threading.Event = field(default_factory=threading.Event)
    close: Callable[[], object] = lambda: None
    pause: float = 0.0  # for how many seconds it doesn't hear the bell after its work
    look: float = LOOK_SECONDS  # how often it looks without the bell

    def run(self, stop: threading.Event, vitals: Vitals) -> None:
        """Work until stopped: it waits out an outage of the database, and a bug doesn't end it."""
        pause, failing = 1.0, ""
        while not self.pulse.stopped(stop):
            self.bell.clear()
            try:
                while self.step(lambda: self.pulse.stopped(stop)) and not self.pulse.stopped(stop):
                    pass
                for link in (vitals.database, vitals.reading):
                    link.works(self.pulse.name)
                pause, failing = 1.0, ""
            except DBAPIError as error:
                vitals.database.fails("database", str(error.orig), self.pulse.name)
                self.pulse.wait(stop, pause)
                pause = min(2 * pause, LONGEST_PAUSE)
                continue
            except Unavailable as error:
                vitals.reading.fails("process", str(error), self.pulse.name)
                self.pulse.wait(stop, LONGEST_PAUSE)
            except Exception as error:  # a bug must not silently end the thread, and with it the service
                if failing != repr(error):
                    log.exception("failed", thread=self.pulse.name)
                failing = repr(error)
                self.pulse.wait(stop, LONGEST_PAUSE)
            if self.pause:
                self.pulse.wait(stop, self.pause)
            if not stop.is_set():
                self.pulse.wait(self.bell, self.look)
        self.close()
