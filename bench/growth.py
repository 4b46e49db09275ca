"""What a large database costs: CPU time of single messages with 50,000 matches stored, beside the same with 100.

Run `make bench`. Both databases are SQLite files with the same player of 100 matches; one has a crowd beside them.
The ratio of the two in one run tells machines apart from growth; it should be near 1.
"""

import argparse
import gc
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NoReturn

import structlog
from rich.console import Console
from rich.table import Table

from pbem.players.identity import address_with
from pbem.tokens import Purpose, Token
from tests.correspondence import MORNING, Correspondence, correspondence
from tests.crowd import address_of, fill

OWN = 100
"""Matches of the player who writes."""
REPEATS = 7
NO_REMOVAL = "keep_mail_days = 0"
"""Old messages are removed once an hour, which would disturb whatever is measured then."""


class Desk:
    """The player with 100 matches, and strangers, at their mail programs."""

    def __init__(self, letters: Correspondence) -> None:
        self._letters = letters
        server = letters.server
        personal = Token(Purpose.PERSONAL, 1)
        self._personal = address_with(server.settings.server, server.services.keyring, personal, 0)
        self._strangers = 0

    def stranger(self) -> None:
        """Somebody new asks for help."""
        self._strangers += 1
        self._letters.clock.advance(minutes=5)
        self._letters.write(f"stranger{self._strangers}@mail.example", "help")

    def games(self) -> None:
        """The player lists their matches."""
        self._write("games")

    def show(self) -> None:
        """The player looks at a match."""
        self._write("show 1")

    def export(self) -> None:
        """The player asks for all that is held on them."""
        self._letters.clock.advance(days=2)
        self._write("export me")

    def nothing(self) -> None:
        """The server looks for work and finds none."""
        self._letters.wait(minutes=1)

    def _write(self, words: str) -> None:
        self._letters.clock.advance(minutes=5)
        self._letters.write(address_of(1), words, to=self._personal)


@contextmanager
def stored(matches: int) -> Iterator[Desk]:
    """A server whose database holds that many matches beside those of the player who writes."""
    with (
        tempfile.TemporaryDirectory(prefix="growth") as folder,
        correspondence(Path(folder), server=NO_REMOVAL) as letters,
    ):
        fill(letters.server.engine, OWN, players=2, now=MORNING)
        if matches:
            fill(letters.server.engine, matches, now=MORNING)
        yield Desk(letters)


def cost(act: Callable[[], None], repeats: int) -> float:
    """Return the CPU time that it usually takes, in milliseconds."""
    act()  # what is compiled and cached once
    spent = []
    for _ in range(repeats):
        gc.collect()
        before = time.process_time()
        act()
        spent.append(1000 * (time.process_time() - before))
    return median(spent)


def measure(desk: Desk, repeats: int) -> dict[str, float]:
    """Return what each kind of message costs, in milliseconds."""
    acts = (desk.stranger, desk.show, desk.games, desk.export, desk.nothing)
    return {act.__name__: cost(act, repeats) for act in acts}


def _drop(_logger: object, _name: str, _event: object) -> NoReturn:
    raise structlog.DropEvent


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=50_000)
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    structlog.configure(processors=[_drop])
    with stored(0) as desk:
        small = measure(desk, chosen.repeats)
    with stored(chosen.matches) as desk:
        large = measure(desk, chosen.repeats)
    rows = {
        name: {"small_ms": small[name], "large_ms": large[name], "ratio": large[name] / small[name]} for name in small
    }
    if chosen.json:
        Console().print_json(json.dumps(rows))
        return
    table = Table("message", f"{OWN} matches, ms", f"{chosen.matches} more, ms", "ratio")
    for name, row in rows.items():
        table.add_row(name, f"{row['small_ms']:.1f}", f"{row['large_ms']:.1f}", f"{row['ratio']:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
