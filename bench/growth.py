"""The cost of a large database: CPU time per message with more than a million matches stored, compared with 100.

Run `make bench`. Both databases have the same player of 100 matches. One also holds a crowd: 110,000 players, of whose
matches a million are over and 100,000 run, with six turns each: that makes 6.6 million turns, as many messages that
brought them, and two that told of each. They are loaded at once, by COPY on PostgreSQL, and take 9 GB.

Each is measured in turn, and the cheapest of some runs counts, so that what else the machine does matters little. With
`--database postgresql`, the CPU time of its server counts too. And what a turn late in a match costs, compared with an
early one, and a daemon until it is ready. These ratios should be near 1 on every machine. What asks for most, twenty
boards of a long match or twenty lists, is compared with one `help`.
"""

import argparse
import gc
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import NoReturn

import structlog
from sqlalchemy import insert
from sqlmodel import update

from bench import performance, processes
from bench.crowd import fill
from bench.performance import Row
from notation.games import GAMES
from pbem.messages.reply_links import address_with
from pbem.storage import database
from pbem.storage.models import Match, MatchState, Ply, Seek
from pbem.tokens import Purpose, Token
from tests import databases
from tests.correspondence import MORNING, Correspondence, correspondence
from tests.operating.daemons import PROGRAM, Daemon
from tests.operating.site import Site
from tests.postgres import Postgres

OWN = 100
"""Matches of the player who writes."""
OVER, RUNNING = 1_000_000, 100_000
TURNS = 6
"""How many turns each match of the crowd has."""
REPEATS = 15
EARLY, LATE = 10, 1_000
STARTS = 5
LINES = 20
"""How many lines the message has that asks for most."""
LONG = "kvadratik"
"""The game of the match that goes on and on."""
WHAT = {
    "stranger": "help for a stranger",
    "show": "show",
    "games": "games",
    "whois": "whois",
    "ratings": "ratings",
    "who": "who",
    "seeks": "seeks",
    "history": "history",
    "nothing": "looking for work",
    "export": "export me",
}
NEVER = timedelta(days=10_000)
NO_REMOVAL = "[limits]\nkeep_mail_days = 0"
"""The hourly removal of old messages would disturb the measurement."""


def address_of(player: int) -> str:
    """Return the address of one of the crowd."""
    return f"player{player}@mail.example"


def long_match(turns: int) -> list[str]:
    """Return the turns of a match that goes on and on."""
    chance = random.Random(1)
    position = GAMES[LONG].game.position({})
    texts: list[str] = []
    while len(texts) < turns and position.turn is not None:
        legal = list(position.moves())
        for move in chance.sample(legal, len(legal)):
            after = position.play(move)
            if after.turn is not None:
                texts.append(GAMES[LONG].notation.format(move, position))
                position = after
                break
        else:
            break
    return texts


def add_long_match(letters: Correspondence, texts: Sequence[str]) -> int:
    """Store a match with these turns between the first two players. Return its number."""
    with database.transaction(letters.server.engine) as session:
        match = Match(
            game=LONG, options={}, seat0=1, seat1=2, challenger=1, state=MatchState.RUNNING, plies=len(texts),
            to_move=len(texts) % 2, created=MORNING, started=MORNING,
        )  # fmt: skip
        session.add(match)
        session.flush()
        rows = [
            {"match": match.id, "number": number, "seat": (number - 1) % 2, "text": text, "played": MORNING}
            for number, text in enumerate(texts, start=1)
        ]
        session.execute(insert(Ply), rows)
        assert match.id is not None
        return match.id


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
        self._write(f"show {OWN}")

    def whois(self) -> None:
        """Ask about the opponent."""
        self._write("whois player2")

    def ratings(self) -> None:
        """Ask for the best players."""
        self._write("ratings")

    def who(self) -> None:
        """List players who want matches."""
        self._write("who")

    def seeks(self) -> None:
        """List open seeks."""
        self._write("seeks")

    def history(self) -> None:
        """List the player's matches that are over."""
        self._write("history")

    def help(self) -> None:
        """Ask for the least."""
        self._write("help")

    def asks(self, line: str) -> None:
        """Ask for the same in each line of a message, an hour later: so much can be asked for once an hour."""
        self.letters.clock.advance(hours=1)
        self._write("\n".join([line] * LINES))

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


class LongMatch:
    """Plays turns of a match that has been going on for a while, one by one."""

    def __init__(self, letters: Correspondence, played: int, more: int) -> None:
        self._letters = letters
        self._played = played
        self._texts = long_match(played + more)
        self.number = add_long_match(letters, self._texts[:played])

    def turn(self) -> None:
        """Let the player who is to move play the next turn."""
        server = self._letters.server
        player = 1 + self._played % 2
        token = Token(Purpose.PLAY, player, self.number, self._played + 1)
        self._letters.clock.advance(minutes=5)
        self._letters.write(
            address_of(player),
            self._texts[self._played],
            to=address_with(server.settings.server, server.services.keyring, token, 0),
        )
        self._played += 1


@dataclass(frozen=True)
class Crowd:
    """How many matches the others have."""

    over: int
    running: int

    def __str__(self) -> str:
        return f"{self.over:,} finished and {self.running:,} running matches more"


@dataclass(frozen=True)
class Databases:
    """Where databases are, and what their server has cost so far."""

    folder: Path
    postgres: Postgres | None

    def new(self) -> str:
        """Return the URL of a new database."""
        return (
            self.postgres.migrated() if self.postgres else f"sqlite:///{tempfile.mkdtemp(dir=self.folder)}/pbem.sqlite"
        )

    def milliseconds(self) -> float:
        """Return the CPU time of this process, and of PostgreSQL."""
        server = processes.cpu_milliseconds(self.postgres.process) if self.postgres else 0.0
        return 1000 * time.process_time() + server


@contextmanager
def stored(stores: Databases, url: str, crowd: Crowd | None = None) -> Iterator[Desk]:
    """Run a server with the matches of the player who writes, and those of the crowd."""
    databases.make(url)
    engine = database.connect(url)
    fill(engine, OWN, players=2, now=MORNING)
    if crowd is not None:
        fill(engine, crowd.over + crowd.running, now=MORNING, turns=TURNS, running=crowd.running)
    with database.transaction(engine) as session:  # thousands that end would disturb it
        session.exec(update(Seek).values(expires=MORNING + NEVER))
    engine.dispose()
    with correspondence(Path(tempfile.mkdtemp(dir=stores.folder)), more=NO_REMOVAL, database=url) as letters:
        yield Desk(letters)


def costs(stores: Databases, repeats: int, *acts: Callable[[], None]) -> list[float]:
    """Return the least CPU time in milliseconds that each of them takes; they take turns."""
    for act in acts:  # fill caches first
        act()
    spent: list[list[float]] = [[] for _ in acts]
    for _ in range(repeats):
        for act, times in zip(acts, spent, strict=True):
            gc.collect()
            before = stores.milliseconds()
            act()
            times.append(stores.milliseconds() - before)
    return [min(times) for times in spent]


def start(folder: Path, url: str, starts: int) -> float:
    """Return the least CPU time in milliseconds that a daemon takes on that database until it is ready."""
    site = Site(Path(tempfile.mkdtemp(dir=folder)) / "site")
    site.database = url
    site.configure()
    return min(_started(site) for _ in range(starts))


def _started(site: Site) -> float:
    daemon = Daemon(site, program=PROGRAM)
    try:
        return processes.cpu_milliseconds(daemon.ready().process.pid)
    finally:
        daemon.end()


def compared(stores: Databases, crowd: Crowd, repeats: int, last: int) -> Iterator[Row]:
    """Yield what each kind of message costs in a large database, and in a small one."""
    row = partial(performance.compared, "growth, PostgreSQL" if stores.postgres else "growth")
    small_url, large_url = stores.new(), stores.new()
    with stored(stores, small_url) as small, stored(stores, large_url, crowd) as large:
        for letters in (small.letters, large.letters):  # both databases have them, or an export would take longer
            early, late = (LongMatch(letters, played, repeats + 1) for played in (EARLY, last))
        floor, mine = costs(stores, repeats, early.turn, late.turn)
        yield row(f"turn {last:,} of a match, to turn {EARLY}", mine, floor)
        for name, what in WHAT.items():
            floor, mine = costs(stores, repeats, getattr(small, name), getattr(large, name))
            yield row(f"{what}: {crowd}", mine, floor)
        for line, what in (("games", "games"), (f"show {late.number}#{last}", f"a board of turn {last:,}")):
            floor, mine = costs(stores, repeats, large.help, partial(large.asks, line))
            yield row(f"{LINES} times {what}, to one help", mine, floor)
    floor, mine = (start(stores.folder, url, min(repeats, STARTS)) for url in (small_url, large_url))
    yield row(f"start of a daemon: {crowd}", mine, floor)


def _drop(_logger: object, _name: str, _event: object) -> NoReturn:
    raise structlog.DropEvent


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--over", type=int, default=OVER, help=f"finished matches of the crowd ({OVER:,})")
    parser.add_argument("--running", type=int, default=RUNNING, help=f"running ones ({RUNNING:,})")
    parser.add_argument("--late", type=int, default=LATE, help=f"the turn compared with turn {EARLY} ({LATE:,})")
    parser.add_argument("--repeats", type=int, default=REPEATS, help=f"how often each is measured ({REPEATS})")
    parser.add_argument("--database", choices=databases.KINDS, default="sqlite", help="where the daemon keeps its data")
    given = performance.parsed(parser, "database")
    performance.require("linux", *(("postgresql",) if given.database == "postgresql" else ()))
    structlog.configure(processors=[_drop])
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="growth")))
        postgres = Postgres(syncs=True) if given.database == "postgresql" else None
        if postgres:
            stack.callback(postgres.remove)
        crowd = Crowd(given.over, given.running)
        performance.report(compared(Databases(folder, postgres), crowd, given.repeats, given.late), given)


if __name__ == "__main__":
    main()
