"""Six weeks of a server under a clock that is moved: what its memory, open files, log and database grow to.

Each match is at another turn of the same recorded match, and a turn a day is played in it by a message; the next match
of the two begins when it is over. A program, so that the memory is the server's and not that of a test run:

    python -P -m tests.weeks FOLDER MATCHES

It prints a JSON object for each day. Messages are removed after three weeks, so that for half of the time as many are
removed as are added. What is sent is rendered as usual, and thrown away.
"""

import gc
import json
import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from sqlalchemy import event
from sqlmodel import Session, select

from engines.seats import seat_of
from pbem.cli import logs
from pbem.mail.reading.protocol import InProcessParser
from pbem.mail.transports.protocols import Arrival
from pbem.matches import lifecycle, queries
from pbem.messages.reply_addresses import address_with
from pbem.players import announcements
from pbem.server import daemon
from pbem.server.daemon import Server
from pbem.storage.database import transaction
from pbem.storage.models import Match, Player
from pbem.tokens import Purpose, Token
from tests import databases
from tests.correspondence import Clock, settings
from tests.operating import matches
from tests.operating.people import written
from tests.year import beat

DAYS, KEPT_DAYS = 42, 21
STEPS = 4
"""In how many parts a day passes."""


@dataclass(frozen=True)
class Day:
    """The end of a day: turns played so far, and what there is then; memory in KB, sizes in bytes."""

    turns: int
    memory: int
    files: int
    log: int
    database: int


@dataclass
class Pair:
    """Two players and the match that they are playing."""

    match: int
    players: tuple[Player, Player]


class Post:
    """The next mail server, which takes everything."""

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        """Take a message."""

    def close(self) -> None:
        """Do nothing."""


def weeks(folder: Path, number: int) -> Iterator[Day]:
    """Let the weeks pass with that many matches in play; yield what there is at the end of each day."""
    turns = 0
    folder.mkdir(parents=True, exist_ok=True)
    text = folder / "log.txt"
    with text.open("w", encoding="utf-8", buffering=1) as file, _opened(folder) as (server, clock):
        logs.configure(server.settings.log, file, server.settings.server)
        moves = matches.sample().moves
        before = matches.in_play(server, number, lambda n: n % len(moves))
        with Session(server.engine, expire_on_commit=False) as session:
            running = {match.id: match for match in session.exec(select(Match))}
            people = {player.id: player for player in session.exec(select(Player))}
        pairs = [
            Pair(each.match, (people[running[each.match].seat0], people[running[each.match].seat1])) for each in before
        ]
        del running, people, before
        for _ in range(DAYS):
            for step in range(STEPS):
                clock.advance(hours=24 / STEPS)
                beat(server)
                for pair in pairs[step::STEPS]:
                    turns += _play(server, pair, moves)
                while server.send_due() or server.scheduler.retention.is_due(clock()):
                    pass
            gc.collect()
            yield Day(turns, _memory(), len(os.listdir("/proc/self/fd")), text.stat().st_size, _size(folder))  # noqa: PTH208 - no folder of ours


@contextmanager
def _opened(folder: Path) -> Iterator[tuple[Server, Clock]]:
    clock = Clock()
    chosen = settings(folder, more=f"[limits]\nkeep_mail_days = {KEPT_DAYS}")
    databases.make(chosen.server.database)
    with daemon.open_server(chosen, clock, InProcessParser(), monotonic=clock.monotonic) as server:
        event.listen(server.engine, "checkout", lambda raw, *_: raw.execute("pragma synchronous = off"))
        yield replace(server, sender=replace(server.sender, outbox=Post())), clock


def _play(server: Server, pair: Pair, moves: tuple[str, ...]) -> int:
    """Let the next turn of a match arrive; where there is none, begin another match. Return how many turns."""
    with Session(server.engine) as session:
        match = session.get_one(Match, pair.match)
        mover, plies, version = match.to_move, match.plies, queries.version(match)
    if mover is None or plies == len(moves):
        pair.match = _begin_again(server, pair)
        return 0
    player = pair.players[seat_of(mover)]
    token = Token(Purpose.PLAY, player.id or 0, pair.match, version)
    to = address_with(server.settings.server, server.services.keyring, token, player.epoch)
    raw = written(player.address, to, moves[plies], Subject="Re: [pbem] your turn")
    server.take((Arrival(raw, "weeks", sender=player.address, recipients=(to,)),))
    server.handle_waiting()
    return 1


def _begin_again(server: Server, pair: Pair) -> int:
    """Let a match end by resignation if it isn't over, and the next one begin. Return its number."""
    game, now = matches.sample(), server.clock()
    with transaction(server.engine) as session:
        first, second = (session.get_one(Player, player.id) for player in pair.players)
        match = session.get_one(Match, pair.match)
        events = lifecycle.resign(session, match, seat_of(match.to_move), now) if match.to_move is not None else ()
        (offered,) = lifecycle.offer(session, first, second, game.game, dict(game.options), now)
        begun = lifecycle.accept(session, offered.match, second, now)
        announcements.announce(session, server.settings.server, now, (*events, *begun))
        return offered.match.id or 0


def _memory() -> int:
    """Return the resident memory of this process in KB."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))


def _size(folder: Path) -> int:
    """Return the size of the database once its write-ahead log is in it."""
    file = folder / "pbem.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
    return file.stat().st_size


def main() -> None:
    """Print each day as it ends."""
    for day in weeks(Path(sys.argv[1]), int(sys.argv[2])):
        sys.stdout.write(json.dumps(asdict(day)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
