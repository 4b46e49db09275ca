"""What a message costs the daemon, from its delivery to the last reply, compared with a floor in the same run.

Run `make bench`. Three kinds of message: a turn that is told to both players in full dress (HTML and picture, the
default), a turn told as text only, and "help", which has one reply. All matches repeat one, whose boards are soon
drawn: a picture of a new board costs more than it does here. The floor (bench/floor.py) receives, commits and
sends as many canned replies of the same size, with no parsing and no game.

- By LMTP, one message after another, each when the last one's replies have arrived: the CPU time of all processes a
  message, and the median of the time from the delivery to the arrival of the last reply.
- From a Dovecot inbox of waiting messages over IMAP and TLS, sent to an smtp-sink: messages a second, the daemon
  measured from being ready until its last message is marked as sent. Both sides move stored messages to Processed.

Both commit to SQLite with a write-ahead log and a sync at each commit. bench/daemons.py measures PostgreSQL.
"""

import argparse
import json
import smtplib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from statistics import median

from rich.progress import track
from sqlmodel import col, select

from bench import performance, processes
from bench.floor import Errand, StampedSink
from bench.performance import Row
from pbem.messages.reply_links import address_with
from pbem.server.daemon import Server
from pbem.storage import database
from pbem.storage.models import Player
from pbem.tokens import Purpose, Token
from tests.operating import matches
from tests.operating.daemons import PROGRAM, Daemon
from tests.operating.people import written
from tests.operating.site import LMTP_IN, Site, smtp_out
from tests.postgres import Postgres
from tests.servers import HOST, PASSWORD, Dovecot, Mailbox, SmtpSink, give_away

FLOOR = Path(__file__).with_name("floor.py")
PATIENCE_SECONDS = 600
FIRST = 20
"""Messages before the measurement: parser processes start, templates are compiled."""


@dataclass(frozen=True)
class Kind:
    """A kind of message, and how many replies it has."""

    name: str
    replies: int


FULL = Kind("a turn in full dress", 2)
TEXT = Kind("a turn as text", 2)
HELP = Kind("help", 1)
KINDS = (FULL, TEXT, HELP)


@dataclass(frozen=True)
class Mail:
    """A message to be delivered."""

    sender: str
    to: str
    raw: bytes


@dataclass(frozen=True)
class Cost:
    """What a message costs that is delivered by itself: CPU and time in milliseconds; and the bytes of a reply."""

    cpu: float
    time: float
    size: int


def mails(server: Server, kind: Kind, number: int) -> list[Mail]:
    """Insert matches and players, and return that many messages of the kind, each from another player."""
    depth = len(matches.sample().moves)
    moves = matches.in_play(server, number, lambda n: n % depth)
    with database.transaction(server.engine) as session:
        players = session.exec(select(Player).where(col(Player.address).like("%@mail.example"))).all()
        for player in players:
            player.settings = {"html": "off"} if kind is TEXT else {}
        if kind is not HELP:
            return [Mail(move.sender, move.to, move.raw) for move in moves]
        asking = []
        for player in players[:number]:
            token = Token(Purpose.PERSONAL, player.id or 0)
            to = address_with(server.settings.server, server.services.keyring, token, player.epoch)
            asking.append(Mail(player.address, to, written(player.address, to, "help\n", Subject="help")))
        return asking


def one_by_one(lmtp: int, pid: int, sink: StampedSink, waiting: Sequence[Mail], replies: int, what: str) -> Cost:
    """Deliver messages by LMTP, each when the replies to the last one have arrived."""
    times, sizes = [], []
    before = 0.0
    with smtplib.LMTP(HOST, lmtp, timeout=PATIENCE_SECONDS) as client:
        for number, mail in enumerate(track(waiting, what, transient=True)):
            if number == min(FIRST, len(waiting) // 2):
                times, before = [], processes.cpu_seconds(pid)
            began = time.monotonic_ns()
            client.sendmail(mail.sender, [mail.to], mail.raw)
            arrivals = [sink.next() for _ in range(replies)]
            times.append((arrivals[-1][0] - began) / 1e6)
            sizes += [size for _, size in arrivals]
        spent = max(processes.cpu_seconds(pid) - before, 1 / processes.TICKS_A_SECOND)  # it counts in whole ticks
        return Cost(1000 * spent / len(times), median(times), round(median(sizes)))


def daemon_by_lmtp(kind: Kind, number: int) -> Cost:
    """Return what the messages cost the daemon."""
    with StampedSink() as sink, tempfile.TemporaryDirectory(prefix="bench") as folder:
        site = Site(Path(folder) / "site")
        site.configure(LMTP_IN, smtp_out(sink.port))
        site.make()
        with site.server() as server:
            waiting = mails(server, kind, min(FIRST, number) + number)
        daemon = Daemon(site, program=PROGRAM).ready()
        try:
            cost = one_by_one(daemon.port, daemon.process.pid, sink, waiting, kind.replies, kind.name)
        finally:
            daemon.end()
        expected = "done: help" if kind is HELP else "done: move"
        if set(site.rows("select distinct verdict from incoming")) != {expected}:
            raise ValueError(f"not every message was {expected}: the bench is broken")
        return cost


def floor_by_lmtp(kind: Kind, number: int, size: int) -> Cost:
    """Return what as many messages and replies of that size cost the floor."""
    mail = Mail("ann@mail.example", "games@pbem.example", written("ann@mail.example", "games@pbem.example", "x\n" * 20))
    with StampedSink() as sink, tempfile.TemporaryDirectory(prefix="bench") as folder:
        words = [sys.executable, str(FLOOR), json.dumps(asdict(Errand(sink.port, folder, kind.replies, size)))]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as floor:
            assert floor.stdin
            assert floor.stdout
            port = int(floor.stdout.readline())
            try:
                waiting = [mail] * (min(FIRST, number) + number)
                return one_by_one(port, floor.pid, sink, waiting, kind.replies, f"the floor of {kind.name}")
            finally:
                floor.stdin.close()


@contextmanager
def site_at(mailbox: Mailbox, smtp: int, postgres: Postgres | None = None) -> Iterator[Site]:
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


def daemon_over(site: Site, number: int) -> float:
    """Return how many of the waiting messages the daemon processes in a second."""
    daemon = Daemon(site, program=PROGRAM).ready()
    try:
        wait(site, number)
        began = datetime.fromisoformat(daemon.lines("ready")[0]["timestamp"])
    finally:
        daemon.end()
    if site.rows("select distinct verdict from incoming") != ["done: move"]:
        raise ValueError("not every mail was a valid move: the bench is broken")
    ended = datetime.fromisoformat(site.rows("select cast(max(sent) as varchar) from outgoing")[0])
    return number / (ended.replace(tzinfo=ended.tzinfo or began.tzinfo) - began).total_seconds()


def wait(site: Site, number: int, every: float = 0.2) -> None:
    """Wait until both replies to that number of messages are sent, looking so rarely that it slows no daemon down."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while site.rows("select count(*) from outgoing where state = 'sent'") != [2 * number]:
        if time.monotonic() > deadline:
            raise TimeoutError(f"the daemons are not through with {number} messages")
        time.sleep(every)


def floor_over(mailbox: Mailbox, number: int, smtp: int, size: int) -> float:
    """Return how many of the waiting messages the floor processes in a second."""
    with tempfile.TemporaryDirectory(prefix="bench") as folder:
        cert = str(mailbox.server.cert)
        errand = Errand(smtp, folder, 2, size, mailbox.server.imaps, mailbox.user, PASSWORD, cert)
        words = [sys.executable, str(FLOOR), json.dumps(asdict(errand))]
        done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=PATIENCE_SECONDS)
        return number / float(done.stdout)


def fill(mailbox: Mailbox, waiting: Sequence[Mail], first: int = 1_000_000_000) -> None:
    """Put all messages into the inbox as files, whose names are numbers from the first one on."""
    home = mailbox.server.root / "home" / mailbox.user / "Maildir"
    for part in ("tmp", "new", "cur"):
        (home / part).mkdir(parents=True, exist_ok=True)
    for number, mail in enumerate(waiting, start=first):
        (home / "new" / f"{number}.bench").write_bytes(mail.raw)
    give_away(mailbox.server.root / "home")


def rates(dovecot: Dovecot, kind: Kind, number: int) -> tuple[float, float]:
    """Return how many messages from an inbox the daemon and the floor process in a second."""
    mailbox = dovecot.mailbox()
    with SmtpSink() as sink:
        with site_at(mailbox, sink.port) as site:
            site.make()
            with site.server() as server:
                waiting = mails(server, kind, number)
            fill(mailbox, waiting)
            ours = daemon_over(site, number)
        size = round(median(len(raw) for raw in sink.taken()))
        mailbox = dovecot.mailbox()
        fill(mailbox, waiting)
        return ours, floor_over(mailbox, number, sink.port, size)


def costs(kind: Kind, number: int) -> Iterator[Row]:
    """Yield what messages of the kind cost one by one."""
    ours = daemon_by_lmtp(kind, number)
    floor = floor_by_lmtp(kind, number, ours.size)
    yield performance.compared("mail", f"{kind.name}: CPU a message", ours.cpu, floor.cpu)
    yield performance.compared("mail", f"{kind.name}: median from delivery to the last reply", ours.time, floor.time)


def measured(number: int, runs: int) -> Iterator[Row]:
    """Yield all figures."""
    for kind in KINDS:
        yield from costs(kind, number)
    dovecot = Dovecot()
    try:
        for kind in (FULL, TEXT):
            both = [rates(dovecot, kind, number) for _ in range(runs)]
            mine, floor = (median(side) for side in zip(*both, strict=True))
            what = f"{kind.name}: a second, from Dovecot"
            yield performance.compared("mail", what, mine, floor, "{:.0f}", more_is_better=True)
    finally:
        dovecot.stop()


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mails", type=int, default=300, help="how many messages a run has (300)")
    parser.add_argument("--runs", type=int, default=3, help="how many runs from an inbox, the median counts (3)")
    given = performance.parsed(parser)
    performance.require("linux", "dovecot", "openssl", "smtp-sink")
    performance.report(measured(given.mails, given.runs), given)


if __name__ == "__main__":
    main()
