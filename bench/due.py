"""What it costs to find the matches in which time has run out: among 100,000 running matches, compared with 100.

Run `make bench`. Both databases are SQLite files with the same number of matches that are due. The floor is a query for
as many rows by their number, in the same database. The ratios don't depend on the machine; they should be near 1.
"""

import argparse
import gc
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from statistics import median
from typing import Any

from sqlalchemy import Engine, insert, text
from sqlmodel import Session, col, select

from bench import performance
from pbem.matches import queries
from pbem.storage import database
from pbem.storage.models import Match, MatchState, Player
from tests.correspondence import MORNING

FEW = 100
DUE = 20
"""How many matches are due in each database."""
SEATS = (1, 2)
REPEATS = 201


@contextmanager
def stored(matches: int) -> Iterator[Engine]:
    """Provide a database with that many running matches, all of them on a clock."""
    with tempfile.TemporaryDirectory(prefix="due") as folder:
        url = f"sqlite:///{folder}/pbem.sqlite"
        engine = database.connect(url)
        database.upgrade(engine)
        with engine.begin() as connection:
            players = [
                {"id": each, "name": f"p{each}", "address": f"p{each}@mail.example", "created": MORNING}
                for each in SEATS
            ]
            connection.execute(insert(Player), players)
            connection.execute(insert(Match), [_running(number) for number in range(1, matches + 1)])
            connection.execute(text("analyze"))
        yield engine
        engine.dispose()


def _running(number: int) -> dict[str, Any]:
    """Return the row of a running match; the first of them are due."""
    due = MORNING - timedelta(minutes=1) if number <= DUE else MORNING + timedelta(minutes=number)
    return {
        "id": number, "game": "quadrature", "options": {}, "seat0": SEATS[0], "seat1": SEATS[1], "challenger": SEATS[0],
        "state": MatchState.RUNNING.value, "to_move": 0, "time": "14d+1d", "due": due, "created": MORNING,
    }  # fmt: skip


def find(session: Session) -> int:
    """Find what is due. Return how many matches that are."""
    return len(queries.reached(session, Match.due, MORNING, 2 * DUE))


def floor(session: Session) -> int:
    """Find as many matches by their number."""
    return len(session.exec(select(Match.id).where(col(Match.id) <= DUE).limit(2 * DUE)).all())


def cost(engine: Engine, act: Callable[[Session], int]) -> float:
    """Return the median CPU time in microseconds."""
    spent = []
    for _ in range(REPEATS):
        with database.read_only(engine) as session:
            gc.collect(0)
            before = time.process_time_ns()
            found = act(session)
            spent.append((time.process_time_ns() - before) / 1000)
        if found != DUE:
            raise AssertionError(f"{found} matches were found, not {DUE}")
    return median(spent)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=100_000)
    performance.add_option(parser)
    chosen = parser.parse_args()
    costs = {}
    for matches in (FEW, chosen.matches):
        with stored(matches) as engine:
            floor_us, find_us = cost(engine, floor), cost(engine, find)
            costs[matches] = (floor_us, find_us)
    (few_floor, few), (many_floor, many) = costs[FEW], costs[chosen.matches]
    among = f"{DUE} that are due among {chosen.matches:,}"
    row = partial(performance.compared, "due", form="{:.0f} us")
    rows = [
        row(f"{among}, to {FEW}", many, few, "<= 1.2"),
        row(f"{among}, to {DUE} by number", many, many_floor),
        row(f"{DUE} by number, the same", many_floor, few_floor),
    ]
    performance.report(rows, published=chosen.publish)


if __name__ == "__main__":
    main()
