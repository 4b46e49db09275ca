"""End to end: how many messages per second the daemon processes, compared with a baseline in the same run.

Run `make bench`. A Dovecot inbox holds one valid next turn for each of many matches; an smtp-sink receives the
replies. The daemon runs as a process of its own and is measured from being ready until its last message is marked as
sent. Each turn causes two messages, one to each player.

The baseline (bench/floor.py) is a process too. Over the same IMAP library and TLS, it fetches each message, commits it
to SQLite (write-ahead log, a sync at each commit) and sends a reply of the same size as ours over one connection, with
no parsing and no game. It is measured with one reply per message and with two. Both sides move stored messages to
Processed, up to 50 at a time. The aim is half of the baseline's rate.

With `--database postgresql --daemons 2`, two daemons share the work on PostgreSQL, which also syncs at each commit;
the memory is that of the first.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from bench.floor import Errand, Figures, peak_memory
from tests import databases
from tests.operating import matches
from tests.operating.daemons import Daemon
from tests.operating.site import Site, smtp_out
from tests.postgres import Postgres
from tests.servers import HOST, PASSWORD, Dovecot, Mailbox, SmtpSink, give_away

FLOOR = Path(__file__).with_name("floor.py")
PATIENCE_SECONDS = 600
AIM = 0.5


@dataclass(frozen=True)
class Run:
    """All sides with the same messages: the daemon, the baselines with one and two replies; a reply's median size."""

    daemon: Figures
    one: Figures
    two: Figures
    size: int


@contextmanager
def site_at(mailbox: Mailbox, smtp: int, postgres: Postgres | None) -> Iterator[Site]:
    """Configure a server that reads that mailbox and stores its data in PostgreSQL, or else in an SQLite file."""
    inbox = f"""
        [inbox.imap]
        host = "{HOST}"
        port = {mailbox.server.imaps}
        username = "{mailbox.user}"
        password = {{ value = '{PASSWORD}' }}
        tls = {{ ca_file = "{mailbox.server.cert}" }}
    """
    with tempfile.TemporaryDirectory(prefix="bench") as folder:
        site = Site(Path(folder) / "site")
        if postgres is not None:
            site.database = postgres.migrated()
        site.configure(inbox, smtp_out(smtp), address=mailbox.user)
        yield site


def daemon_over(site: Site, number: int, daemons: int) -> Figures:
    """Return the results of one or more daemons that process the waiting messages."""
    running = [Daemon(site) for _ in range(daemons)]
    daemon = running[0].ready()
    try:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while site.rows("select count(*) from outgoing where state = 'sent'") != [2 * number]:
            if time.monotonic() > deadline:
                raise TimeoutError(f"the daemon is not through with {number} mails")
            time.sleep(0.2)  # rarely, so that polling doesn't slow the daemon down
        memory = peak_memory(daemon.process.pid)
        began = datetime.fromisoformat(daemon.lines("ready")[0]["timestamp"])
    finally:
        for each in running:
            each.end()
    if site.rows("select distinct verdict from incoming") != ["done: move"]:
        raise ValueError("not every mail was a valid move: the bench is broken")
    ended = datetime.fromisoformat(site.rows("select cast(max(sent) as varchar) from outgoing")[0])
    ended = ended.replace(tzinfo=ended.tzinfo or UTC)
    return Figures(number, (ended - began).total_seconds(), memory)


def floor_over(mailbox: Mailbox, number: int, smtp: int, replies: int, size: int) -> Figures:
    """Return the results of the baseline with the waiting messages."""
    with tempfile.TemporaryDirectory(prefix="bench") as folder:
        cert = str(mailbox.server.cert)
        errand = Errand(mailbox.server.imaps, mailbox.user, PASSWORD, cert, smtp, folder, replies, size)
        words = [sys.executable, str(FLOOR), json.dumps(asdict(errand))]
        done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=PATIENCE_SECONDS)
        figures = Figures(**json.loads(done.stdout))
    if figures.mails != number:
        raise ValueError("the floor did not find every mail: the bench is broken")
    return figures


def fill(mailbox: Mailbox, mails: list[bytes]) -> None:
    """Put all messages into the inbox as files."""
    home = mailbox.server.root / "home" / mailbox.user / "Maildir"
    for part in ("tmp", "new", "cur"):
        (home / part).mkdir(parents=True, exist_ok=True)
    for number, raw in enumerate(mails):
        (home / "new" / f"{1_000_000_000 + number}.bench").write_bytes(raw)
    give_away(mailbox.server.root / "home")


def measured(dovecot: Dovecot, number: int, postgres: Postgres | None, daemons: int) -> Run:
    """Measure all sides once."""
    depth = len(matches.sample().moves)
    mailbox = dovecot.mailbox()
    with SmtpSink() as sink:
        with site_at(mailbox, sink.port, postgres) as site:
            with site.server() as server:
                mails = [move.raw for move in matches.in_play(server, number, lambda n: n % depth)]
            fill(mailbox, mails)
            daemon = daemon_over(site, number, daemons)
        size = round(median(len(raw) for raw in sink.taken()))
        floors = []
        for replies in (1, 2):
            mailbox = dovecot.mailbox()
            fill(mailbox, mails)
            floors.append(floor_over(mailbox, number, sink.port, replies, size))
    return Run(daemon, floors[0], floors[1], size)


def middle(sides: list[Figures]) -> Figures:
    """Return the result with the median rate."""
    return sorted(sides, key=lambda side: side.rate)[len(sides) // 2]


def report(runs: list[Run]) -> None:
    """Print a table, and a line for scripts."""
    daemon = middle([run.daemon for run in runs])
    one, two = middle([run.one for run in runs]), middle([run.two for run in runs])
    table = Table("", "mails/s", "replies/s", "ms a mail", "memory, MB", "the daemon is")
    sides = [("daemon, two replies", daemon, 2), ("floor, one reply", one, 1), ("floor, two replies", two, 2)]
    for name, side, replies in sides:
        ratio = f"{daemon.rate / side.rate:.2f} of it" if side is not daemon else ""
        cells = (f"{side.rate:.0f}", f"{side.rate * replies:.0f}", f"{1000 / side.rate:.2f}", f"{side.memory:.0f}")
        table.add_row(name, *cells, ratio)
    console = Console(width=90)
    console.print(table)
    ratio = daemon.rate / one.rate
    verdict = "reached" if ratio >= AIM else "not reached"
    console.print(f"{daemon.mails} mails, replies of {runs[0].size} bytes, the median of {len(runs)} runs;", end=" ")
    console.print(f"aim: {AIM} of the floor with one reply: {verdict}")
    figures = {
        "mails": daemon.mails,
        "daemon_mails_per_s": round(daemon.rate, 1),
        "floor_mails_per_s": round(one.rate, 1),
        "floor_two_replies_mails_per_s": round(two.rate, 1),
        "ratio": round(ratio, 3),
        "ratio_two_replies": round(daemon.rate / two.rate, 3),
        "daemon_mb": round(daemon.memory),
        "floor_mb": round(one.memory),
    }
    print("bench-mail " + json.dumps(figures))


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mails", type=int, default=300, help="how many mails a run has (300)")
    parser.add_argument("--runs", type=int, default=3, help="how many runs, of which the median counts (3)")
    parser.add_argument("--database", choices=databases.KINDS, default="sqlite", help="where the daemon keeps its data")
    parser.add_argument("--daemons", type=int, default=1, help="how many daemons share the work (1)")
    given = parser.parse_args()
    if given.daemons > 1 and given.database == "sqlite":
        parser.error("an SQLite file has one daemon")
    with ExitStack() as stack:
        dovecot = Dovecot()
        stack.callback(dovecot.stop)
        postgres = None
        if given.database == "postgresql":
            postgres = Postgres(syncs=True)
            stack.callback(postgres.remove)
        runs = [measured(dovecot, given.mails, postgres, given.daemons) for _ in range(given.runs)]
    report(runs)


if __name__ == "__main__":
    main()
