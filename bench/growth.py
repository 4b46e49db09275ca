"""The cost of a large database: CPU time per message with 50,000 matches stored, compared with 100.

Run `make bench`. Both databases are SQLite files with the same player of 100 matches; one also holds a crowd. And the
cost of a turn late in a match, compared with an early one. The ratios should be near 1 on every machine.
"""

import argparse
import gc
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NoReturn

import structlog

from bench import performance
from bench.long_match import add_long_match, long_match
from bench.performance import Row
from pbem.players.identity import address_with
from pbem.tokens import Purpose, Token
from tests.correspondence import MORNING, Correspondence, correspondence
from tests.crowd import address_of, fill

OWN = 100
"""Matches of the player who writes."""
REPEATS = 7
EARLY, LATE = 10, 1_000
WHAT = {
    "stranger": "help for a stranger",
    "show": "show",
    "games": "games",
    "export": "export me",
    "nothing": "looking for work",
}
NO_REMOVAL = "keep_mail_days = 0"
"""The hourly removal of old messages would disturb the measurement."""


class Desk:
    """Writes messages as the player with 100 matches, and as strangers."""

    def __init__(self, letters: Correspondence) -> None:
        self.letters = letters
        server = letters.server
        personal = Token(Purpose.PERSONAL, 1)
        self._personal = address_with(server.settings.server, server.services.keyring, personal, 0)
        self._strangers = 0

    def stranger(self) -> None:
        """Ask for help as a stranger."""
        self._strangers += 1
        self.letters.clock.advance(minutes=5)
        self.letters.write(f"stranger{self._strangers}@mail.example", "help")

    def games(self) -> None:
        """List the player's matches."""
        self._write("games")

    def show(self) -> None:
        """Show one of the player's matches."""
        self._write("show 1")

    def export(self) -> None:
        """Ask for the player's data."""
        self.letters.clock.advance(days=2)
        self._write("export me")

    def nothing(self) -> None:
        """Let the server look for work when there is none."""
        self.letters.wait(minutes=1)

    def _write(self, words: str) -> None:
        self.letters.clock.advance(minutes=5)
        self.letters.write(address_of(1), words, to=self._personal)


class Match:
    """Plays turns of a match that has been going on for a while, one by one."""

    def __init__(self, letters: Correspondence, played: int) -> None:
        self._letters = letters
        self._played = played
        self._texts = long_match(played + REPEATS + 2)
        self._number = add_long_match(letters, self._texts[:played])

    def turn(self) -> None:
        """Let the player who is to move play the next turn."""
        server = self._letters.server
        player = 1 + self._played % 2
        token = Token(Purpose.PLAY, player, self._number, self._played + 1)
        self._letters.clock.advance(minutes=5)
        self._letters.write(
            address_of(player),
            self._texts[self._played],
            to=address_with(server.settings.server, server.services.keyring, token, 0),
        )
        self._played += 1


@contextmanager
def stored(matches: int) -> Iterator[Desk]:
    """Run a server with that many matches besides those of the player who writes."""
    with (
        tempfile.TemporaryDirectory(prefix="growth") as folder,
        correspondence(Path(folder), server=NO_REMOVAL) as letters,
    ):
        fill(letters.server.engine, OWN, players=2, now=MORNING)
        if matches:
            fill(letters.server.engine, matches, now=MORNING)
        yield Desk(letters)


def cost(act: Callable[[], None], repeats: int) -> float:
    """Return the median CPU time in milliseconds."""
    act()  # fill caches first
    spent = []
    for _ in range(repeats):
        gc.collect()
        before = time.process_time()
        act()
        spent.append(1000 * (time.process_time() - before))
    return median(spent)


def measure(desk: Desk, repeats: int) -> dict[str, float]:
    """Return the cost of each kind of message in milliseconds."""
    acts = (desk.stranger, desk.show, desk.games, desk.export, desk.nothing)
    return {act.__name__: cost(act, repeats) for act in acts}


def _row(what: str, mine: float, baseline: float, aim: str) -> Row:
    return Row("growth", what, f"{mine:.1f} ms", f"{baseline:.1f} ms", round(mine / baseline, 3), aim)


def _drop(_logger: object, _name: str, _event: object) -> NoReturn:
    raise structlog.DropEvent


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=50_000)
    parser.add_argument("--repeats", type=int, default=REPEATS)
    performance.add_option(parser)
    chosen = parser.parse_args()
    structlog.configure(processors=[_drop])
    with stored(0) as desk:
        small = measure(desk, chosen.repeats)
    with stored(chosen.matches) as desk:
        large = measure(desk, chosen.repeats)
        early, late = (cost(Match(desk.letters, played).turn, chosen.repeats) for played in (EARLY, LATE))
    rows = [
        _row(f"{WHAT[name]}: {chosen.matches:,} matches more", large[name], ms, "<= 1.2") for name, ms in small.items()
    ]
    rows.append(_row(f"turn {LATE:,} of a match, to turn {EARLY}", late, early, "<= 1.3"))
    performance.report(rows, published=chosen.publish)


if __name__ == "__main__":
    main()
