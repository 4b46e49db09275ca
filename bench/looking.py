"""What one player's message can have looked up at most: bytes of the answer, CPU time, and how long the lock is held.

Run `make bench`. The messages are those that ask for most: previews, old positions and lists in a match of 4,000 turns,
by a player of 3,000 matches. CPU time depends on the machine, so it is compared with that of one `help`.
"""

import argparse
import logging
import tempfile
import time
from pathlib import Path

import structlog
from rich.console import Console
from rich.table import Table
from sqlalchemy import Connection, event

from bench import performance
from bench.growth import NO_REMOVAL
from bench.long_match import add_long_match, long_match
from bench.performance import Row
from pbem.messages.reply_addresses import address_with
from pbem.storage import database
from pbem.tokens import Purpose, Token
from tests.correspondence import MORNING, Correspondence, correspondence
from tests.crowd import address_of, fill

LINES = 20


class LockWatch:
    """Measures for how long writing transactions are open, in CPU time of this thread."""

    def __init__(self, letters: Correspondence) -> None:
        self.longest = 0.0
        self._began = 0.0
        event.listen(letters.server.engine, "begin", self._begin)
        event.listen(letters.server.engine, "commit", self._commit)

    def _begin(self, connection: Connection) -> None:
        if not database.is_read_only(connection):
            self._began = time.thread_time()

    def _commit(self, connection: Connection) -> None:
        if not database.is_read_only(connection):
            self.longest = max(self.longest, time.thread_time() - self._began)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=4_000)
    parser.add_argument("--matches", type=int, default=3_000)
    performance.add_option(parser)
    given = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    table = Table("one message of", "answer, KB", "CPU, ms", "of it with the lock held, ms")
    rows: list[Row] = []
    base = 0.0
    with (
        tempfile.TemporaryDirectory(prefix="looking") as folder,
        correspondence(Path(folder), more=NO_REMOVAL) as letters,
    ):
        fill(letters.server.engine, given.matches, players=2, now=MORNING)
        number = add_long_match(letters, long_match(given.turns))
        server = letters.server
        personal = address_with(server.settings.server, server.services.keyring, Token(Purpose.PERSONAL, 1), 0)
        watch = LockWatch(letters)
        letters.write(address_of(1), "help", to=personal)  # fill caches first
        for line in ("help", "games", f"show {number}#{given.turns}", f"preview {number} a1", f"record {number}"):
            for lines in (1, LINES):
                letters.clock.advance(minutes=10)
                watch.longest, before = 0.0, time.process_time()
                answers = letters.write(address_of(1), "\n".join([line] * lines), to=personal)
                spent = time.process_time() - before
                size = sum(len(answer.as_bytes()) for answer in answers) / 1024
                base = base or spent
                if lines == LINES:
                    what = f"{lines} x {line}, to one help"
                    times = (1000 * spent, 1000 * base)
                    rows.append(performance.compared("looking", what, *times, form="{:.0f} ms"))
                cells = (f"{size:.0f}", f"{1000 * spent:.0f}", f"{1000 * watch.longest:.0f}")
                table.add_row(f"{lines} x {line}", *cells)
    Console(width=100).print(table)
    performance.report(rows, published=given.publish)


if __name__ == "__main__":
    main()
