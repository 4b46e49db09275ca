"""How much memory a daemon takes: at rest, under load, and during hostile messages; and whether it grows.

Run `make memory`. A daemon with an SQLite file runs in a process of its own and gets messages through LMTP; what it
sends is stored in a folder. Memory is PSS, where shared pages count in part, for the daemon and for its parsers. First
it does nothing, and is compared with a Python that has imported SQLModel; then a player writes, and then every hostile
message of the tests comes in the player's name, each as large as it may be, which is compared with the daemon at rest.
The CPU time of the worst of these is compared with that of as many plain words. `--messages 5000` sends that many to
another daemon, and prints the memory after each tenth.
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
from functools import partial
from pathlib import Path
from statistics import linear_regression

from rich.console import Console
from rich.table import Table

from bench import performance, processes
from bench.performance import Row
from pbem.messages.reply_links import address_with
from pbem.storage.database import transaction
from pbem.storage.models import Player
from pbem.tokens import Purpose, Token
from tests.hostile import HEAD, MAILS, filled
from tests.operating.site import FOLDER_OUT, Site, environment
from tests.servers import HOST, free_port, listens, until

GENEROUS = 600.0
LARGEST = 990_000
"""How many bytes of a message are taken."""
RUNS = 2
"""How often plain words are measured; the cheaper run counts."""
SAMPLE_SECONDS = 0.05
REST_SECONDS = 15.0
"""Longer than the daemon waits before it looks for work by itself."""
NO_LIMITS = "[limits]\nmails_per_hour = 1000000\n"
PROSE = HEAD + b"\n" + filled(b"I think that this square is the best one for you.\nAnd so it goes on, my friend.\n\n")
ABOVE = 1.0
"""From how many seconds of CPU time more than plain words on, a hostile message is listed."""
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

    def cpu(self, raw: bytes) -> float:
        """Deliver a message. Return the milliseconds of CPU time that it costs the daemon and its parsers."""
        before = processes.cpu_seconds(self._process)
        self.deliver(raw)
        return 1000 * (processes.cpu_seconds(self._process) - before)

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
                    lmtp.sendmail("bounces@mail.example", [self.to], b"\r\n".join(raw.splitlines())[:LARGEST])
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


def measured(letters: int, names: list[str]) -> Iterator[Row]:
    """Yield what a daemon takes in each situation."""
    row = partial(performance.compared, "memory", form="{:.1f} MB")
    with running() as daemon, _idle() as idle:
        time.sleep(REST_SECONDS)
        rest = daemon.taken().daemon
        yield row("the daemon at rest, to a Python with SQLModel", rest, sum(processes.each_memory(idle)))
        with daemon.watched() as found:
            daemon.deliver(*daemon.letters(letters))
        yield row("the daemon under load, to at rest", _most(found).daemon, rest)
        parsers = _most(found).parsers
        prose = min(daemon.cpu(PROSE.replace(b"<1@", b"<%d@" % number)) for number in range(RUNS))
        costs = []
        with daemon.watched() as found:
            for name in names:
                costs.append((daemon.cpu(MAILS[name]()), name))
                if costs[-1][0] > prose + 1000 * ABOVE:
                    print(f"{name}: {costs[-1][0]:.0f} ms of CPU")
        yield row("the daemon during hostile messages, to at rest", _most(found).daemon, rest)
        yield row("the parsers during hostile messages, to under load", _most(found).parsers, parsers)
        yield row("CPU of the worst hostile message, to plain words", max(costs)[0], prose, form="{:.0f} ms")
        time.sleep(REST_SECONDS)
        yield row("the daemon at rest again, to before", daemon.taken().daemon, rest)


@contextmanager
def _idle() -> Iterator[int]:
    """Run a Python that waits, and yield its process."""
    words = [sys.executable, "-I", "-c", "import sqlmodel, sys; sys.stdin.read()"]
    with subprocess.Popen(words, stdin=subprocess.PIPE) as process:
        yield process.pid
        process.communicate()


def _most(found: list[Taken]) -> Taken:
    return Taken(max(each.daemon for each in found), max(each.parsers for each in found))


def grown(messages: int) -> Iterator[tuple[int, Taken]]:
    """Yield what a daemon takes after each tenth of that many messages."""
    with running() as daemon:
        for tenth in range(1, 11):
            daemon.deliver(*daemon.letters(messages // 10))
            yield tenth * (messages // 10), daemon.taken()


def show_growth(messages: int) -> None:
    """Print what another daemon takes after each tenth of that many messages, and how much more each takes."""
    table = Table("", "the daemon, MB", "the parsers, MB")
    found = list(grown(messages))
    for number, taken in found:
        table.add_row(f"after {number} messages", f"{taken.daemon:.1f}", f"{taken.parsers:.1f}")
    later = found[SETTLED:]
    slope = linear_regression([number for number, _ in later], [taken.daemon for _, taken in later]).slope
    table.add_row("growth", f"{slope * MEGABYTE:.0f} bytes a message")
    Console(width=120).print(table)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--letters", type=int, default=300, help="how many messages the player writes (300)")
    parser.add_argument("--messages", type=int, help="only whether it grows: with that many messages")
    parser.add_argument("--hostile", default="", help="only hostile messages whose names contain this")
    given = performance.parsed(parser)
    performance.require("linux")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the daemon must not stay behind
    if given.messages:
        show_growth(given.messages)
    else:
        performance.report(measured(given.letters, [name for name in MAILS if given.hostile in name]), given)


if __name__ == "__main__":
    main()
