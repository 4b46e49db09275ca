"""How many messages a second several daemons process that share an inbox on PostgreSQL, compared with one.

Run `make bench`. The messages are turns in full dress, from a Dovecot inbox over IMAP and TLS, sent to an smtp-sink.
The time begins when all daemons wait for them, after some messages for each, since their first ones cost them half a
second: parser processes start, templates are compiled. It ends when the last reply is marked as sent. PostgreSQL syncs
at each commit.

The daemons share their machine with what would be elsewhere: PostgreSQL, Dovecot, the smtp-sink and this benchmark take
half as much as they do. So the first rows, which only count seconds, say what a machine of two cores does, and not how
daemons go together. For that each daemon, with the processes that it starts, gets a core of its own, and what counts is
the time that all others leave it on that core: the seconds passed, without those in which the core worked for somebody
else (/proc/stat, less the CPU time of the daemon). The time in which the core rests, since its daemon waits for a lock
or a disk, counts, and so does any work that one daemon makes for another. With so many daemons, the rate is the number
of messages to the mean of that time over their cores.
"""

import argparse
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from rich.progress import track

from bench import performance, processes
from bench.mail import FULL, fill, floor_over, mails, site_at, wait
from bench.performance import Row
from tests.operating.daemons import PROGRAM, Daemon
from tests.operating.site import Site
from tests.postgres import Postgres
from tests.servers import Dovecot, SmtpSink

FIRST = 40
"""How many messages for each daemon come before those that count."""
EVERY_SECONDS = 0.05
"""How often to look whether all is sent: the time counts until then."""
CORES = sorted(os.sched_getaffinity(0))
IDLE = slice(3, 5)
"""The fields of a core in /proc/stat that count time without work: idle, and waiting for a disk."""
STEALS = 7
"""The last field that counts; those after it are parts of others."""


@dataclass(frozen=True)
class Rate:
    """How many messages a second were processed, and what one cost the daemons, in milliseconds of CPU time."""

    passed: float
    left: float
    """The same, of the time that others left the daemons on their cores; 0 if they had none of their own."""
    cpu: float


class Cores:
    """Measures what others leave daemons on their cores."""

    def __init__(self, daemons: Sequence[Daemon]) -> None:
        self._daemons = daemons
        self._began, self._before = time.monotonic(), self._now()

    def left(self) -> tuple[float, float, float]:
        """Return the seconds passed, the mean of those left over the cores, and the CPU time of the daemons."""
        passed = time.monotonic() - self._began
        own = [
            (after[0] - before[0], after[1] - before[1])
            for before, after in zip(self._before, self._now(), strict=True)
        ]
        left = [passed - max(0.0, busy - spent) for busy, spent in own]
        return passed, sum(left) / len(left), sum(spent for _, spent in own)

    def _now(self) -> list[tuple[float, float]]:
        """Return for how long each core has worked, and what its daemon has cost."""
        return [
            (busy_seconds(core), processes.cpu_seconds(daemon.process.pid))
            for core, daemon in zip(CORES, self._daemons, strict=False)
        ]


def busy_seconds(core: int) -> float:
    """Return for how long a core has worked since the machine was started."""
    lines = Path("/proc/stat").read_text(encoding="ascii").splitlines()
    fields = next(line.split()[1 : STEALS + 2] for line in lines if line.startswith(f"cpu{core} "))
    return (sum(map(int, fields)) - sum(map(int, fields[IDLE]))) / processes.TICKS_A_SECOND


def started(site: Site, number: int, *, are_apart: bool) -> list[Daemon]:
    """Return running daemons that wait for messages, each on a core of its own if they are to be apart."""
    found = []
    for core in range(number):
        if are_apart:
            os.sched_setaffinity(0, {CORES[core]})  # a process inherits it
        found.append(Daemon(site, program=PROGRAM))
        os.sched_setaffinity(0, CORES)
    return [daemon.ready() for daemon in found]


def rate(dovecot: Dovecot, postgres: Postgres, number: int, daemons: int, *, are_apart: bool) -> tuple[Rate, float]:
    """Return the rate of so many daemons for that number of messages, and that of the floor."""
    mailbox = dovecot.mailbox()
    with SmtpSink() as sink:
        with site_at(mailbox, sink.port, postgres) as site:
            first = min(FIRST, number) * daemons
            with site.server() as server:
                waiting = mails(server, FULL, first + number)
            running = started(site, daemons, are_apart=are_apart)
            try:
                fill(mailbox, waiting[:first])
                wait(site, first, EVERY_SECONDS)
                cores = Cores(running)
                fill(mailbox, waiting[first:], 2_000_000_000)
                wait(site, first + number, EVERY_SECONDS)
                passed, left, spent = cores.left()
            finally:
                for each in running:
                    each.end()
            if site.rows("select distinct verdict from incoming") != ["done: move"]:
                raise ValueError("not every message was a valid move: the bench is broken")
        size = round(median(len(raw) for raw in sink.taken()))
        mailbox = dovecot.mailbox()
        fill(mailbox, waiting[first:])
        found = Rate(number / passed, number / left if are_apart else 0.0, 1000 * spent / number)
        return found, floor_over(mailbox, number, sink.port, size)


def compared(number: int, runs: int, numbers: Sequence[int]) -> Iterator[Row]:
    """Yield the rates of one daemon and of several; they are measured in turn."""
    kinds = [(each, are_apart) for are_apart in (False, True) for each in (1, *numbers)]
    kinds = [(each, are_apart) for each, are_apart in kinds if not are_apart or each <= len(CORES)]
    with ExitStack() as stack:
        dovecot = Dovecot()
        stack.callback(dovecot.stop)
        postgres = Postgres(syncs=True)
        stack.callback(postgres.remove)
        found: dict[tuple[int, bool], list[tuple[Rate, float]]] = {kind: [] for kind in kinds}
        for kind in track(kinds * runs, "daemons", transient=True):
            found[kind].append(rate(dovecot, postgres, number, kind[0], are_apart=kind[1]))
            print(f"{kind[0]} {'apart' if kind[1] else 'together'}: {found[kind][-1][0].passed:.1f} a second")

    def middle(kind: tuple[int, bool], name: str) -> float:
        return median(getattr(each, name) for each, _ in found[kind])

    row = partial(performance.compared, "daemons")
    more = partial(row, form="{:.1f}", more_is_better=True)
    alone, floor = middle((1, False), "passed"), median(base for each in found.values() for _, base in each)
    yield more(f"{FULL.name}: a second, from Dovecot, 1 daemon on PostgreSQL", alone, floor)
    for each in numbers:
        yield more(f"{each} daemons on PostgreSQL, to 1", middle((each, False), "passed"), alone)
    for kind in kinds:
        if kind[0] > 1 and kind[1]:
            what = f"{kind[0]} daemons, each on a core of its own, to 1: a second that others leave them"
            yield more(what, *(middle((count, True), "left") for count in (kind[0], 1)))
            yield row(f"{kind[0]} daemons, to 1: CPU a message", *(middle((n, True), "cpu") for n in (kind[0], 1)))


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mails", type=int, default=300, help="how many messages a run has (300)")
    parser.add_argument("--runs", type=int, default=3, help="how many runs, the median counts (3)")
    parser.add_argument("--daemons", type=int, nargs="+", default=[2, 4], help="how many are compared with one (2 4)")
    given = performance.parsed(parser)
    performance.require("linux", "dovecot", "openssl", "postgresql", "smtp-sink")
    performance.report(compared(given.mails, given.runs, given.daemons), given)


if __name__ == "__main__":
    main()
