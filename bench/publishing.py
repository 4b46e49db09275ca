"""What it costs to publish: matches as long as people play them, and a turn where 100,000 matches are published.

Run `make bench`. The first figure is of matches of 40 turns, compared with drawing their animations and nothing else.
Then most of the 100,000 matches are published, which were resigned before the first turn; that isn't measured, and a
short page stands for each, as it takes minutes otherwise (`--whole`). What is measured is a publication after one turn
of a match of 40 turns, and one after which nothing has happened. They should take less than a second, and are compared
with reading the rows of all matches as tuples, too; what counts is the best of seven, as others use the machine, and
the CPU time, which has SQLite's share in it. `--postgresql` measures there, by the clock, and `--profile` shows where
the time goes.
"""

import argparse
import cProfile
import pstats
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import timedelta
from functools import partial
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from rich.console import Console
from rich.progress import Progress, TaskID
from sqlalchemy import Engine, delete, func, insert, select, update
from sqlmodel import col

from bench import performance
from bench.community import database_for, stored
from bench.performance import Row
from bench.replay import played
from notation.ending import Termination
from notation.games import GAMES
from notation.record import Record, diagrams
from pbem.messages.boards.animation import animation
from pbem.publishing import publication
from pbem.publishing.pages import Site, match_path
from pbem.publishing.publication import Published
from pbem.signatures import Signer
from pbem.storage.models import Match, MatchState, Player, Ply
from tests.correspondence import MORNING

BENCH = "publishing"
LIMIT_S = 1.0
TURNS = 40
OF_GAME = 5
"""How many long matches there are of each game."""
REPEATS = 7
ROWS = "select id, game, state, plies, shift, winner, termination, tournament, seat0, seat1, begun_from from match"
SITE = Site("PBeM", "games@pbem.example", Signer(bytes(32)), "https://games.example/archive/")
NEWCOMERS = ("alice", "bob")
"""Who plays the long matches."""
Timed = Callable[[Callable[[], object]], float]
"""Returns the seconds that a call takes."""


def long_records() -> list[Record]:
    """Return matches of 40 turns, or fewer where they end earlier."""
    found = (played(game, seed) for game in GAMES for seed in range(OF_GAME))
    return [Record(each.game, {}, NEWCOMERS, each.moves[:TURNS]) for each in found]


def resign_all(engine: Engine) -> None:
    """Let all matches that are stored be resigned before the first turn."""
    seat = 1 - col(Match.winner)
    with engine.begin() as connection:
        connection.execute(delete(Ply))
        connection.execute(
            update(Match).values(termination=Termination.RESIGNATION.value, termination_seat=seat, plies=0)
        )


def store(engine: Engine, records: Sequence[Record], running: Record) -> int:
    """Add matches of two newcomers that are resigned, and one that waits for its last turns. Return its number."""
    with engine.begin() as connection:
        player, match = (connection.scalar(select(func.max(table.id))) or 0 for table in (Player, Match))
        first, second = player + 1, player + 2
        for number, name in zip((first, second), NEWCOMERS, strict=True):
            row = {"id": number, "name": name, "address": f"{name}@mail.example", "settings": {"public": "on"}}
            connection.execute(insert(Player).values(**row, confirmed=MORNING, created=MORNING))
        common = {"options": {}, "seat0": first, "seat1": second, "challenger": first}
        times = {"created": MORNING - timedelta(days=TURNS), "started": MORNING - timedelta(days=TURNS)}
        over = {"winner": 0, "termination": Termination.RESIGNATION.value, "termination_seat": 1, "ended": MORNING}
        for number, record in enumerate(records, start=match + 1):
            row = {"id": number, "game": record.game, "state": MatchState.OVER.value, "plies": len(record.moves)}
            connection.execute(insert(Match).values(**common, **times, **over, **row))
            connection.execute(insert(Ply), list(plies(number, record)))
        number = match + len(records) + 1
        begun = list(plies(number, running))[: -REPEATS - 1]
        row = {"id": number, "game": running.game, "state": MatchState.RUNNING.value, "plies": len(begun)}
        connection.execute(insert(Match).values(**common, **times, **row, to_move=1 - begun[-1]["seat"]))
        connection.execute(insert(Ply), begun)
    return int(number)


def plies(number: int, record: Record) -> Iterator[dict[str, Any]]:
    """Yield the rows of the turns of a match."""
    position = GAMES[record.game].game.position({})
    for turn, told in enumerate(record.moves, start=1):
        when = MORNING - timedelta(days=TURNS - turn)
        yield {"match": number, "number": turn, "seat": position.turn, "text": told, "played": when}
        position = position.play(GAMES[record.game].notation.parse(told))


def play(engine: Engine, row: dict[str, Any]) -> None:
    """Store a turn of the running match."""
    with engine.begin() as connection:
        connection.execute(insert(Ply).values(**row))
        turned = update(Match).where(col(Match.id) == row["match"])
        connection.execute(turned.values(plies=row["number"], to_move=1 - row["seat"]))


def seconds(run: Callable[[], object]) -> float:
    """Return the seconds that a call takes."""
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun


def cpu_seconds(run: Callable[[], object]) -> float:
    """Return the seconds of CPU time that a call takes."""
    begun = time.process_time()
    run()
    return time.process_time() - begun


def floor(engine: Engine, timed: Timed) -> float:
    """Return the seconds for reading the rows of all matches, without making anything of them."""
    with engine.connect() as connection:
        return min(timed(lambda: connection.exec_driver_sql(ROWS).fetchall()) for _ in range(REPEATS))


@contextmanager
def short_pages() -> Iterator[None]:
    """Let the pages of matches be short, and nothing lie beside them."""
    with (
        patch("pbem.publishing.contents.match", lambda _session, listed, _people: listed),
        patch("pbem.publishing.writers.files_of", lambda _, listed: [(match_path(listed.number), "a page")]),
    ):
        yield


def measured(engine: Engine, folder: Path, console: Console, *, whole: bool) -> tuple[list[Row], str]:
    """Return the figures, and where the time goes of a publication after one turn."""

    def publish(progress: Progress | None = None) -> Published:
        if progress is None:
            return publication.publish(engine, SITE, folder, MORNING)
        task = progress.add_task("matches")
        told = partial(_told, progress, task)
        return publication.publish(engine, SITE, folder, MORNING, told)

    timed = cpu_seconds if engine.dialect.name == "sqlite" else seconds
    records = long_records()
    running = next(record for record in records if record.game == "quadrature")
    resign_all(engine)
    number = store(engine, records, running)
    first = cpu_seconds(publish)
    drawn = sum(cpu_seconds(partial(animation, list(diagrams(each)), captions=["", *each.moves])) for each in records)
    with engine.begin() as connection:
        connection.execute(update(Player).values(settings={"public": "on"}))
    with Progress(console=console, transient=True) as progress, nullcontext() if whole else short_pages():
        published = publish(progress).matches
    profile, with_turn, without = cProfile.Profile(), [], []
    held_back = list(plies(number, running))[-REPEATS - 1 :]
    play(engine, held_back[0])
    profile.runcall(publish)
    for row in held_back[1:]:
        without.append(timed(publish))
        play(engine, row)
        with_turn.append(timed(publish))
    at_least, among = floor(engine, timed), f"among {published:,}"
    rate = len(records) / first
    text = StringIO()
    pstats.Stats(profile, stream=text).sort_stats("cumulative").print_stats(45)
    return [
        Row(BENCH, f"{len(records)} matches of up to {TURNS} turns", f"{rate:.1f} a second of CPU",
            f"{len(records) / drawn:.1f} animations a second", round(first / drawn, 2), "<= 2"),
        *(
            figure
            for what, spent in (("one turn", min(with_turn)), ("nothing new", min(without)))
            for figure in (
                Row(BENCH, f"{what} {among}", f"{spent:,.2f} s", f"{LIMIT_S} s", round(spent / LIMIT_S, 2), "<= 1"),
                Row(BENCH, f"{what} {among}", f"{spent:,.2f} s", f"{at_least:.2f} s to read the rows",
                    round(spent / at_least, 1)),
            )
        ),
    ], text.getvalue()  # fmt: skip


def _told(progress: Progress, task: TaskID, done: int, total: int) -> None:
    progress.update(task, completed=done, total=total)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--players", type=int, default=10_000)
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--whole", action="store_true", help="publish the short matches, too, as the server would")
    performance.add_option(parser)
    chosen = parser.parse_args()
    console = Console()
    with (
        database_for(postgresql=chosen.postgresql) as url,
        stored(url, chosen.matches, chosen.players) as engine,
        TemporaryDirectory(prefix="site") as folder,
    ):
        rows, profile = measured(engine, Path(folder) / "site", console, whole=chosen.whole)
    performance.report(rows, published=chosen.publish)
    if chosen.profile:
        console.print(profile, markup=False)


if __name__ == "__main__":
    main()
