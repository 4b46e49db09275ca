"""All that one running server knows of itself."""

import threading
import time
from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, disable_created_metrics

from pbem.vitals.links import Link
from pbem.vitals.pulses import Pulse

SECONDS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0, 7200.0, 86400.0)
"""The upper bounds of the classes in which latencies are counted."""

disable_created_metrics()  # type: ignore[no-untyped-call]  # series that say when a count began; the switch is global


class Counts:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        """These counts, and what the process uses."""
        ProcessCollector(registry=self.registry)
        self.mails_in = self._counter("mails_in", "Messages handled, by verdict.", "verdict", "reason")
        self.mails_out = self._counter("mails_out", "Attempts to hand over a message, by verdict.", "verdict")
        self.killed = self._counter("sandbox_kills", "Processes that ended without an answer.", "sandbox")
        """Processes that parse messages or think for the house, and were stopped or ended before their answer."""
        self.handled_in = self._histogram("handled_seconds", "From a message's arrival until its reply waits.")
        """The seconds from a message's arrival to the commit that queues its reply."""
        self.sent_in = self._histogram("sent_seconds", "From queueing a message until the next hop has it.")
        """The seconds from queueing a message until the next hop has taken it."""

    def _counter(self, name: str, about: str, *labels: str) -> Counter:
        return Counter(f"pbem_{name}", about, labels, registry=self.registry)

    def _histogram(self, name: str, about: str) -> Histogram:
        return Histogram(f"pbem_{name}", about, buckets=SECONDS, registry=self.registry)

    @staticmethod
    def total(counted: Counter | Histogram) -> int:
        """Return how many were counted, whatever their labels.

        >>> counts = Counts()
        >>> counts.mails_out.labels("sent").inc(), counts.mails_out.labels("refused").inc()
        (None, None)
        >>> counts.sent_in.observe(3), counts.sent_in.observe(99), counts.sent_in.observe(100_000)
        (None, None, None)
        >>> counts.total(counts.mails_out), counts.total(counts.sent_in)
        (2, 3)
        """
        samples = (sample for family in counted.collect() for sample in family.samples)
        return int(sum(sample.value for sample in samples if sample.name.endswith(("_total", "_count"))))


class Vitals:
    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.monotonic = monotonic
        self.counts = Counts()
        self.links: dict[str, Link] = {}
        self.pulses: dict[str, Pulse] = {}
        self.is_ready = False
        self.changed = threading.Event()
        """Set when a connection is lost or comes back, and when the server is ready: others should hear of it."""
        self.database = self.link("database", lost="database lost", again="database again", level="error")
        self.outbox = self.link("outbox", lost="sending interrupted", again="sending again")

    def becomes_ready(self) -> None:
        self.is_ready = True
        self.changed.set()

    def link(self, name: str, *, lost: str, again: str, level: str = "warning") -> Link:
        told = {"lost": lost, "again": again, "level": level}
        self.links[name] = Link(name, **told, monotonic=self.monotonic, changed=self.changed.set)
        return self.links[name]

    def inbox(self, name: str) -> Link:
        """Add the link to a mailbox, which must stand before the server is ready."""
        link = self.link(name, lost="receiving interrupted", again="receiving again")
        link.is_needed = True
        return link

    def pulse(self, name: str, bound: float) -> Pulse:
        """Add the pulse of a loop, which may do without a beat for that many seconds."""
        self.pulses[name] = Pulse(name, bound, self.monotonic)
        return self.pulses[name]

    @property
    def hanging(self) -> list[Pulse]:
        return [pulse for pulse in tuple(self.pulses.values()) if pulse.hangs]
