"""How much memory a daemon takes: at rest, under load, and after hostile messages; and whether it grows.

Run `make memory`. A daemon with an SQLite file runs in a process of its own and gets messages through LMTP; what it
sends is stored in a folder. Memory is PSS, where shared pages count in part, for the daemon and for its parsers. First
it does nothing; then a player writes; then every hostile message of the tests comes in the player's name, each as large
as it may be. `--messages 5000` sends that many to another daemon, and prints the memory after each tenth.

The exit code is 1 if one of the aims is missed. They are for x86-64 Linux, and hold however busy the machine is.
`--publish` stores what the daemon takes.
"""

import argparse
import signal
import smtplib
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import linear_regression

from rich.console import Console
from rich.table import Table

from bench import performance, processes
from bench.performance import Row
from pbem.messages.reply_addresses import address_with
from pbem.storage.database import transaction
from pbem.storage.models import Player
from pbem.tokens import Purpose, Token
from tests.hostile import MAILS
from tests.operating.site import FOLDER_OUT, Site, environment
from tests.servers import HOST, free_port, listens, until

GENEROUS = 600.0
SAMPLE_SECONDS = 0.05
REST_SECONDS = 15.0
"""Longer than the daemon waits before it looks for work by itself."""
NO_LIMITS = "[limits]\nmails_per_hour = 1000000\n"
AT_REST, UNDER_LOAD, HOSTILE = 75, 150, 120
"""How many MB the daemon may take then."""
LISTED = 5
"""How many of the worst hostile messages are listed."""
SETTLED = 2
"""After how many tenths of the messages growth is measured: until then, all that is kept once is made."""
MEGABYTE = 1 << 20
ALICE = "alice@mail.example"
LETTER = "From: {sender}\nTo: {to}\nMessage-ID: <{number}@mail.example>\nSubject: {words}\n\n{words}\n"
WORDS = ("help", "games", "rules quadraphages", "show", "preferences", "who")


@dataclass(frozen=True)
class Taken:
    """How many MB the daemon and its parsers take."""

    daemon: float
    parsers: float


class Daemon:
    """A daemon, and a mail server that hands over messages to it."""

    def __init__(self, site: Site, port: int, process: int, to: str) -> None:
        self.to = to
        self._database = site.folder / "pbem.sqlite"
        self._port, self._process = port, process
        self._sent = 0

    def taken(self) -> Taken:
        """Return what they take now."""
        daemon, *parsers = processes.each_memory(self._process)
        return Taken(daemon, sum(parsers))

    @contextmanager
    def watched(self) -> Iterator[list[Taken]]:
        """Collect what they take meanwhile."""
        found, over = [self.taken()], threading.Event()

        def watch() -> None:
            while not over.wait(SAMPLE_SECONDS):
                found.append(self.taken())

        watching = threading.Thread(target=watch)
        watching.start()
        try:
            yield found
        finally:
            over.set()
            watching.join()

    def letters(self, count: int) -> Iterator[bytes]:
        """Yield a player's messages with commands."""
        for _ in range(count):
            self._sent += 1
            words = WORDS[self._sent % len(WORDS)]
            yield LETTER.format(sender=ALICE, to=self.to, number=self._sent, words=words).encode()

    def deliver(self, *raws: bytes) -> None:
        """Hand over messages, and wait until they have been handled and all that follows has been sent."""
        with smtplib.LMTP(HOST, self._port, timeout=GENEROUS) as lmtp:
            for raw in raws:
                with suppress(smtplib.SMTPDataError):  # for a line that is too long
                    lmtp.sendmail("bounces@mail.example", [self.to], raw)
        until(self._is_idle, "everything is handled", GENEROUS)

    def _is_idle(self) -> bool:
        with closing(sqlite3.connect(self._database)) as connection:
            return not connection.execute(
                "select 1 from incoming where state = 'new' union all select 1 from outgoing where state = 'owed'"
            ).fetchone()


@contextmanager
def running() -> Iterator[Daemon]:
    """Run a daemon with a player."""
    with tempfile.TemporaryDirectory(prefix="memory") as folder:
        site, port = Site(Path(folder) / "site"), free_port()
        site.configure(f"[inbox.lmtp]\nport = {port}\n{NO_LIMITS}", FOLDER_OUT)
        site.make()
        with site.server() as server:
            with transaction(server.engine) as session:
                now = datetime.now(UTC)
                session.add(Player(address=ALICE, name="alice", confirmed=now, created=now))
            token = Token(Purpose.PERSONAL, 1)
            to = address_with(server.settings.server, server.services.keyring, token, 0)
        words = [sys.executable, "-P", "-c", "from pbem.cli import main; main()", "run"]
        with (site.folder / "log").open("wb") as log:
            process = subprocess.Popen(words, cwd=site.folder, env=environment(), stdout=log, stderr=log)
        try:
            until(lambda: listens(port), "the daemon listens", GENEROUS)
            yield Daemon(site, port, process.pid, to)
        finally:
            process.terminate()
            process.wait()


def measured(letters: int, names: list[str]) -> Iterator[tuple[str, Taken, float]]:
    """Yield what a daemon takes in each situation, and how much at most it may."""
    with running() as daemon:
        time.sleep(REST_SECONDS)
        yield "at rest", daemon.taken(), AT_REST
        with daemon.watched() as found:
            daemon.deliver(*daemon.letters(letters))
        yield f"under load: {letters} messages", _most(found), UNDER_LOAD
        worst = []
        for name in names:
            with daemon.watched() as found:
                daemon.deliver(MAILS[name]())
            worst.append((_most(found), name))
        worst.sort(key=lambda each: -each[0].daemon)
        for taken, name in worst[:LISTED]:
            yield f"hostile: {name}", taken, HOSTILE
        time.sleep(REST_SECONDS)
        yield "at rest again", daemon.taken(), HOSTILE


def _most(found: list[Taken]) -> Taken:
    return Taken(max(each.daemon for each in found), max(each.parsers for each in found))


def grown(messages: int) -> Iterator[tuple[int, Taken]]:
    """Yield what a daemon takes after each tenth of that many messages."""
    with running() as daemon:
        for tenth in range(1, 11):
            daemon.deliver(*daemon.letters(messages // 10))
            yield tenth * (messages // 10), daemon.taken()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--letters", type=int, default=300, help="how many messages the player writes (300)")
    parser.add_argument("--messages", type=int, help="only whether it grows: with that many messages")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only hostile messages whose names contain this")
    performance.add_option(parser)
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the daemon must not stay behind
    table, is_missed = Table("", "the daemon, MB", "the parsers, MB", "aim for the daemon"), False
    if given.messages:
        found = list(grown(given.messages))
        for number, taken in found:
            table.add_row(f"after {number} messages", f"{taken.daemon:.1f}", f"{taken.parsers:.1f}")
        later = found[SETTLED:]
        slope = linear_regression([number for number, _ in later], [taken.daemon for _, taken in later]).slope
        table.add_row("growth", f"{slope * MEGABYTE:.0f} bytes a message")
    else:
        names = [name for name in MAILS if not given.names or any(each in name for each in given.names)]
        rows = []
        for what, taken, aim in measured(given.letters, names):
            is_missed = is_missed or taken.daemon > aim
            table.add_row(what, f"{taken.daemon:.1f}", f"{taken.parsers:.1f}", f"{aim}")
            rows.append(
                Row("memory", what, f"{taken.daemon:.1f} MB", f"{aim} MB", round(taken.daemon / aim, 3), "<= 1")
            )
        performance.report(rows, published=given.publish)
    Console(width=120).print(table)
    sys.exit(1 if is_missed else 0)


if __name__ == "__main__":
    main()
