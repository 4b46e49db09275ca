"""What a running server knows of itself: what it has counted, whether its connections stand, and its loops go on."""

import platform
import threading
import time
from collections.abc import Callable
from functools import partial
from importlib.metadata import version

import structlog
from prometheus_client import CollectorRegistry, Counter, Histogram, Info, ProcessCollector, disable_created_metrics

log = structlog.get_logger()

Monotonic = Callable[[], float]
SECONDS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0, 7200.0, 86400.0)
"""The upper bounds of the classes in which latencies are counted."""

SPACING_SECONDS = 60.0
"""How often it is logged at most that a lost connection fails for another reason: as an error, since it lasts."""

disable_created_metrics()  # type: ignore[no-untyped-call]  # series that say when a count began; the switch is global


class Pulse:
    """The pulse of a loop, which may do without a beat for that many seconds, unless it rests: otherwise it hangs."""

    def __init__(self, name: str, bound: float, monotonic: Monotonic = time.monotonic) -> None:
        self.name, self.bound, self._monotonic = name, bound, monotonic
        self._beaten, self._rests = monotonic(), True

    def beat(self) -> None:
        self._beaten, self._rests = self._monotonic(), False

    def stopped(self, stop: threading.Event) -> bool:
        """Return whether to stop, as a loop asks again and again while it works: that is a beat, too."""
        self.beat()
        return stop.is_set()

    def wait(self, event: threading.Event, seconds: float) -> None:
        """Wait for the event, at rest."""
        self._rests = True
        event.wait(seconds)
        self.beat()

    def end(self) -> None:
        self._rests = True

    def forgive(self) -> None:
        """Count its silence from now on."""
        self._beaten = self._monotonic()

    @property
    def silent_for(self) -> float:
        """How many seconds ago it last beat; 0 while it rests."""
        return 0.0 if self._rests else max(0.0, self._monotonic() - self._beaten)

    @property
    def hangs(self) -> bool:
        return self.silent_for > self.bound


class Link:
    """A connection that may be lost and come back, which is logged once each; several threads may share it.

    It is lost when the first of them fails, and back when the last of those that had failed succeeds.
    """

    def __init__(self, name: str, lost: str, again: str, monotonic: Monotonic = time.monotonic) -> None:
        self.name, self.lost, self._again, self._monotonic = name, lost, again, monotonic
        self.changed = threading.Event()
        self.certificate_ends: Callable[[], float | None] = lambda: None
        """When the certificate ends that the other side showed last, as a timestamp."""
        self.error, self.has_stood, self._since = "", False, 0.0
        self._told_at, self._told_error = 0.0, ""
        self._failing: dict[str, str] = {}
        self._lock = threading.Lock()

    @property
    def is_up(self) -> bool | None:
        """Whether it stands; None as long as it wasn't tried."""
        return False if self._failing else self.has_stood or None

    @property
    def lost_for(self) -> float:
        """For how many seconds it has been lost; 0 if it isn't."""
        return self._monotonic() - self._since if self._failing else 0.0

    def connected(self) -> None:
        """Note that it stands, unless it was lost before: what it is needed for must succeed first (see `works`)."""
        if self.is_up is None:
            self.works()

    def works(self, user: str = "") -> None:
        if self.is_up:  # nearly always; a look without the lock is enough
            return
        with self._lock:
            is_first, self.has_stood = not self.has_stood, True
            why = self._failing.pop(user, None)
            is_back = why is not None and not self._failing
        if is_back:
            log.info(self._again, link=self.name, lost=why, seconds=round(self._monotonic() - self._since, 1))
        if is_back or is_first:
            self.changed.set()

    def fails(self, why: str, error: str, user: str = "") -> None:
        with self._lock:
            is_lost = not self._failing
            self._failing[user], self.error = why, error
            now = self._monotonic()
            self._since = now if is_lost else self._since
            is_told = is_lost or (error != self._told_error and now - self._told_at >= SPACING_SECONDS)
            if is_told:
                self._told_at, self._told_error = now, error
        if is_told:
            lasts = {} if is_lost else {"seconds": round(now - self._since, 1)}
            (log.warning if is_lost else log.error)(self.lost, link=self.name, lost=why, error=error, **lasts)
        if is_lost:
            self.changed.set()


class Counts:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()  # these counts, and what the process uses
        count = partial(Counter, namespace="pbem", registry=self.registry)
        measure = partial(Histogram, namespace="pbem", registry=self.registry, buckets=SECONDS)
        ProcessCollector(registry=self.registry)
        build = Info("build", "The version of pbem.", namespace="pbem", registry=self.registry)
        build.info({"version": version("pbem"), "python": platform.python_version()})
        self.mails_in = count("mails_in", "Messages handled, by verdict.", ("verdict", "reason"))
        self.mails_out = count("mails_out", "Attempts to hand over a message, by verdict.", ("verdict",))
        self.not_stored = count("stores_refused", "Times that received messages could not be stored.")
        self.killed = count("sandbox_kills", "Processes that ended without an answer.", ("sandbox",))
        self.handled_in = measure("handled_seconds", "From a message's arrival until its reply waits.")
        self.sent_in = measure("sent_seconds", "From queueing a message until the next hop has it.")

    @staticmethod
    def total(counted: Counter | Histogram) -> int:
        """Return how many were counted, whatever their labels."""
        samples = (sample for family in counted.collect() for sample in family.samples)
        return int(sum(sample.value for sample in samples if sample.name.endswith(("_total", "_count"))))


class Vitals:
    def __init__(self, monotonic: Monotonic = time.monotonic) -> None:
        self.monotonic = monotonic
        self.counts = Counts()
        self.links: dict[str, Link] = {}
        self.pulses: dict[str, Pulse] = {}
        self.is_open = False  # whether all listeners are
        self.mailboxes: list[Link] = []
        self.changed = threading.Event()
        """Set when a connection is lost or comes back, and when the server is open: others should hear of it."""
        self.database = self.link("database", "database lost", "database again")
        self.outbox = self.link("outbox", "sending interrupted", "sending again")
        self.reading = self.link("reading", "no mail can be read", "mail can be read again")

    def link(self, name: str, lost: str, again: str) -> Link:
        self.links[name] = Link(name, lost, again, self.monotonic)
        self.links[name].changed = self.changed
        return self.links[name]

    def mailbox(self, name: str) -> Link:
        """Add the link to a mailbox, which must be reached before the server is ready."""
        self.mailboxes.append(self.link(name, "receiving interrupted", "receiving again"))
        return self.mailboxes[-1]

    def pulse(self, name: str, bound: float) -> Pulse:
        self.pulses[name] = Pulse(name, bound, self.monotonic)
        return self.pulses[name]

    @property
    def unreached(self) -> list[str]:
        return [link.name for link in self.mailboxes if not link.has_stood]

    @property
    def is_ready(self) -> bool:
        return self.is_open and not self.unreached
