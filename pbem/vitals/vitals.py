"""All that one running server knows of itself."""

import time
from collections.abc import Callable

from pbem.vitals.counts import Counts
from pbem.vitals.links import Link
from pbem.vitals.pulses import Pulse


class Vitals:
    """The counts, links and pulses of one server."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.monotonic = monotonic
        self.counts = Counts()
        self.links: dict[str, Link] = {}
        self.pulses: dict[str, Pulse] = {}
        self.is_ready = False
        self.database = self.link("database", lost="database lost", again="database again", level="error")
        self.outbox = self.link("outbox", lost="sending interrupted", again="sending again")

    def link(self, name: str, *, lost: str, again: str, level: str = "warning") -> Link:
        """Add a link, with what the log says when it is lost and when it is back."""
        self.links[name] = Link(name, lost=lost, again=again, monotonic=self.monotonic, level=level)
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
        """The pulses of the loops that hang."""
        return [pulse for pulse in tuple(self.pulses.values()) if pulse.hangs]
