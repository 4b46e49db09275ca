"""What parsing one message costs at most: CPU time for every hostile message of the tests.

Run `make bench`. Each message is measured as large as a stranger may send it (more isn't read) and as large as a player
may. CPU time depends on the machine, so a person's message is measured as well.
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from pbem.config import LimitsSettings
from pbem.reading.limits import Unreadable
from pbem.reading.message import read
from tests.hostile import HEAD, MAILS

PERSON = HEAD + b"\nc4d4\n\nOn Mon, 2 Mar 2026 at 09:59, PBeM <games@pbem.example> wrote:\n" + b"> . . O . . X .\n" * 40


@dataclass(frozen=True)
class Cost:
    """What it cost to parse a message."""

    sender: str
    name: str
    size: int
    seconds: float
    outcome: str


def cost(sender: str, name: str, raw: bytes) -> Cost:
    """Parse a message as the parser process does."""
    before = time.process_time()
    try:
        message = read(raw, None, ())
        outcome = message.error.problem.value if message.error else "read"
    except Unreadable as error:
        outcome = error.error.problem.value
    return Cost(sender, name, len(raw), time.process_time() - before, outcome)


def costs() -> Iterator[Cost]:
    """Yield the cost of every message, first of a person's."""
    cost("", "", PERSON)  # import and compile what is needed
    yield cost("a person", "a turn", PERSON)
    most = LimitsSettings().stranger_bytes
    for name, build in MAILS.items():
        raw = build()
        yield cost("a stranger", name, raw[:most])
        if len(raw) > most:
            yield cost("a player", name, raw)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--listed", type=int, default=5, help="how many of the worst to list for each sender (5)")
    given = parser.parse_args()
    found = sorted(costs(), key=lambda each: -each.seconds)
    table = Table("sender", "the message", "KB", "CPU, ms", "outcome")
    for sender in ("a person", "a stranger", "a player"):
        for each in [each for each in found if each.sender == sender][: given.listed]:
            cells = (f"{each.size / 1024:.0f}", f"{1000 * each.seconds:.0f}", each.outcome)
            table.add_row(sender, each.name, *cells)
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
