"""The figures of a server as metrics of Prometheus. prometheus_client is loaded when they are first asked for."""

import platform
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from pbem.server.health import figures
from pbem.server.health.figures import Figures, Queue
from pbem.storage.database import read_only
from pbem.vitals import Histogram, Tally, Vitals

if TYPE_CHECKING:
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
    from prometheus_client.metrics_core import Metric
    from prometheus_client.process_collector import ProcessCollector

FRESH_SECONDS = 5.0
"""Figures from the database are read again after this time, however often somebody asks."""
MATCHES_SECONDS = 300.0
"""The same for the number of matches."""


@dataclass
class Exposition:
    """What a server shows to Prometheus."""

    engine: Engine
    vitals: Vitals
    clock: Callable[[], datetime]
    _read: tuple[float, Figures | None] | None = None
    _matches: tuple[float, dict[str, int]] | None = None

    def text(self) -> bytes:
        """Return all metrics in the text format."""
        from prometheus_client import generate_latest

        return generate_latest(self)

    def collect(self) -> "Iterable[Metric]":
        """Return all metrics; prometheus_client calls this."""
        yield from self._of_this_server()
        found = self._figures()
        yield _gauge("pbem_database_up", "Whether the figures could be read from the database.", found is not None)
        if found is not None:
            yield from _of_database(found)
        yield from self._process.collect()

    @cached_property
    def _process(self) -> "ProcessCollector":
        from prometheus_client import CollectorRegistry, ProcessCollector

        return ProcessCollector(registry=CollectorRegistry())

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

    def _of_this_server(self) -> "Iterator[Metric]":
        vitals, counts = self.vitals, self.vitals.counts
        build = _gauges("pbem_build_info", "The version of pbem.", "version", "python")
        build.add_metric([version("pbem"), platform.python_version()], 1)
        yield build
        yield _gauge("pbem_ready", "Whether mailboxes have been reached and listeners are open.", vitals.is_ready)
        links = _gauges("pbem_link_up", "Whether a connection stands: to a mailbox, the next hop, …", "link")
        for link in tuple(vitals.links.values()):
            if (is_up := link.is_up) is not None:
                links.add_metric([link.name], is_up)
        yield links
        silent = _gauges("pbem_loop_silent_seconds", "How long ago a loop last showed that it goes on.", "loop")
        hangs = _gauges("pbem_loop_hangs", "Whether a loop has been silent for longer than it may.", "loop")
        for pulse in tuple(vitals.pulses.values()):
            silent.add_metric([pulse.name], pulse.silent_for)
            hangs.add_metric([pulse.name], pulse.hangs)
        yield from (silent, hangs)
        yield _counter("pbem_mails_in_total", "Messages handled, by verdict.", counts.mails_in)
        yield _counter("pbem_mails_out_total", "Attempts to hand over a message, by verdict.", counts.mails_out)
        yield _counter("pbem_sandbox_kills_total", "Processes that ended without an answer.", counts.killed)
        yield _histogram("pbem_handled_seconds", "From a message's arrival until its reply waits.", counts.handled_in)
        yield _histogram("pbem_sent_seconds", "From queueing a message until the next hop has it.", counts.sent_in)


def _of_database(found: Figures) -> "Iterator[Metric]":
    yield from _queues("pbem_received_waiting", "Received messages that wait to be handled", "lane", found.received)
    yield from _queues("pbem_outgoing", "Outgoing messages that aren't sent yet", "state", found.outgoing)
    overdue = "For how long the first message that is owed should have been sent or tried again."
    yield _gauge("pbem_outgoing_overdue_seconds", overdue, found.overdue)
    yield _gauge("pbem_held", "Received messages that wait for their sender to confirm them.", found.held.length)
    yield _gauge("pbem_shunted", "Received messages set aside because of a bug.", found.shunted.length)
    yield _gauge("pbem_troubled", "Outgoing messages that need the operator.", found.troubled.length)
    if found.backup is not None:
        yield _gauge("pbem_backup_timestamp_seconds", "When a server last made a backup.", found.backup.timestamp())
    failing = found.no_backup_since is not None
    yield _gauge("pbem_backup_failing", "Whether the last attempt to make a backup failed.", failing)
    matches = _gauges("pbem_matches", "Matches by state.", "state")
    for state, number in found.matches.items():
        matches.add_metric([state], number)
    yield matches


def _queues(name: str, what: str, label: str, queues: Iterable[Queue]) -> "Iterator[Metric]":
    lengths = _gauges(name, f"{what}.", label)
    ages = _gauges(f"{name}_seconds", f"{what}: for how long the first has waited.", label)
    for queue in queues:
        lengths.add_metric([queue.name], queue.length)
        ages.add_metric([queue.name], queue.oldest)
    yield from (lengths, ages)


def _gauge(name: str, about: str, value: float) -> "Metric":
    from prometheus_client.core import GaugeMetricFamily

    return GaugeMetricFamily(name, about, value)


def _gauges(name: str, about: str, *labels: str) -> "GaugeMetricFamily":
    from prometheus_client.core import GaugeMetricFamily

    return GaugeMetricFamily(name, about, labels=labels)


def _counter(name: str, about: str, tally: Tally) -> "CounterMetricFamily":
    from prometheus_client.core import CounterMetricFamily

    family = CounterMetricFamily(name, about, labels=tally.labels)
    for labels, number in tally.numbers().items():
        family.add_metric(labels, number)
    return family


def _histogram(name: str, about: str, histogram: Histogram) -> "HistogramMetricFamily":
    from prometheus_client.core import HistogramMetricFamily
    from prometheus_client.utils import floatToGoString

    numbers, total = histogram.cumulative()
    bounds = [*map(floatToGoString, histogram.bounds), "+Inf"]
    return HistogramMetricFamily(name, about, buckets=list(zip(bounds, numbers, strict=True)), sum_value=total)
