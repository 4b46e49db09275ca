"""The figures of a server as metrics of Prometheus."""

import platform
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from itertools import groupby

from prometheus_client import generate_latest
from prometheus_client.core import GaugeMetricFamily as Gauges
from prometheus_client.metrics_core import Metric
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from pbem.server.health import figures
from pbem.server.health.figures import QUEUES, Figures
from pbem.storage.database import read_only
from pbem.vitals import Vitals

FRESH_SECONDS = 5.0
"""Figures from the database are read again after this time, however often somebody asks."""
MATCHES_SECONDS = 300.0
"""The same for the number of matches."""


@dataclass
class Exposition:
    engine: Engine
    vitals: Vitals
    clock: Callable[[], datetime]
    _read: tuple[float, Figures | None] | None = None
    _matches: tuple[float, dict[str, int]] | None = None

    def text(self) -> bytes:
        return generate_latest(self)

    def collect(self) -> Iterable[Metric]:
        yield from self._of_this_server()
        found = self._figures()
        yield Gauges("pbem_database_up", "Whether the figures could be read from the database.", found is not None)
        if found is not None:
            yield from _of_database(found)

    def _figures(self) -> Figures | None:
        """Return figures of a few seconds ago at most; None if the database fails."""
        now = self.vitals.monotonic()
        if self._read is None or now - self._read[0] > FRESH_SECONDS:
            try:
                with read_only(self.engine) as session:
                    if self._matches is None or now - self._matches[0] > MATCHES_SECONDS:
                        self._matches = now, figures.count_matches(session)
                    self._read = now, figures.read(session, self.clock(), self._matches[1])
            except DBAPIError:
                self._read = now, None
        return self._read[1]

    def _of_this_server(self) -> Iterator[Metric]:
        vitals = self.vitals
        build = Gauges("pbem_build_info", "The version of pbem.", labels=["version", "python"])
        build.add_metric([version("pbem"), platform.python_version()], 1)
        yield build
        yield Gauges("pbem_ready", "Whether mailboxes have been reached and listeners are open.", vitals.is_ready)
        links = Gauges("pbem_link_up", "Whether a connection stands: to a mailbox, the next hop, …", labels=["link"])
        for link in tuple(vitals.links.values()):
            if (is_up := link.is_up) is not None:
                links.add_metric([link.name], is_up)
        yield links
        silent = Gauges("pbem_loop_silent_seconds", "How long ago a loop last showed that it goes on.", labels=["loop"])
        hangs = Gauges("pbem_loop_hangs", "Whether a loop has been silent for longer than it may.", labels=["loop"])
        for pulse in tuple(vitals.pulses.values()):
            silent.add_metric([pulse.name], pulse.silent_for)
            hangs.add_metric([pulse.name], pulse.hangs)
        yield from (silent, hangs)
        yield from vitals.counts.registry.collect()


def _of_database(found: Figures) -> Iterator[Metric]:
    for (name, about, label), queues in groupby(QUEUES, lambda queue: (queue.metric, queue.about, queue.label)):
        labels = [label] if label else []
        lengths = Gauges(f"pbem_{name}", f"{about}.", labels=labels)
        ages = Gauges(f"pbem_{name}_seconds", f"{about}: for how long the first has waited.", labels=labels)
        for queue in queues:
            value, size = [queue.name] if label else [], found.queues[queue.name]
            lengths.add_metric(value, size.length)
            ages.add_metric(value, size.oldest)
        yield from (lengths, ages) if label else (lengths,)
    overdue = "For how long the first message that is owed should have been sent or tried again."
    yield Gauges("pbem_outgoing_overdue_seconds", overdue, found.overdue)
    yield Gauges("pbem_failing", "Scheduled work that fails because of a bug.", len(found.failing))
    if found.backup is not None:
        yield Gauges("pbem_backup_timestamp_seconds", "When a server last made a backup.", found.backup.timestamp())
    failing = found.no_backup_since is not None
    yield Gauges("pbem_backup_failing", "Whether the last attempt to make a backup failed.", failing)
    matches = Gauges("pbem_matches", "Matches by state.", labels=["state"])
    for state, number in found.matches.items():
        matches.add_metric([state], number)
    yield matches
