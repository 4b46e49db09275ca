"""What lists of players and their matches cost: 100,000 finished matches, 10,000 players, and as many open seeks.

Run `make bench`. One player has a tenth of all matches, as the house would. Each answer should take less than 50 ms;
`--plans` prints the query plans, and `--postgresql` measures there. Tests play a few messages in which the statements
are checked against scans (tests/query_plans.py); here the rows are many, and the planner knows it.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table
from sqlalchemy import Engine, insert, text
from sqlmodel import Session

from bench import performance
from bench.performance import Row
from notation.ending import Termination
from pbem.features.seeks import seeks
from pbem.features.seeks.rating_ranges import RatingRange
from pbem.features.seeks.seeks import WantedMatch
from pbem.matches import history
from pbem.matches.ratings import derivation, standings
from pbem.matches.ratings.weeks import WEEK, week_of
from pbem.players import blocks, directory
from pbem.storage import database
from pbem.storage.models import Block, Match, MatchState, Player, PlayerRating, Ply, Presence, Seek
from tests.correspondence import MORNING
from tests.postgres import Postgres
from tests.query_plans import listened

LIMIT_MS = 50
LIMIT_OF_A_WEEK = 10_000
"""The milliseconds in which a week of 10,000 matches should be rated."""
PAGE = 25
REPEATS = 21
GAMES = ("quadrature", "quadrupel", "kvadratik", "hexaphages", "quadraphages")
NOBODY_S = RatingRange(3_900, 4_000)
"""Ratings that nobody has, so that every open seek of the game is looked at."""
HOUSE, SOMEBODY, OTHER = 1, 5_000, 5_001
AT_ONCE = 5_000


@contextmanager
def stored(url: str, matches: int, players: int) -> Iterator[Engine]:
    """Provide a database with that many matches that are over, and players, each with an open seek."""
    if players < OTHER:
        raise SystemExit(f"There must be at least {OTHER} players: the last two of those have many matches.")
    engine = database.connect(url)
    database.upgrade(engine)
    with engine.begin() as connection:
        for table, row, number in (
            (Player, _player, players),
            (Presence, _presence, players),
            (Seek, _seek, players),
            (Match, lambda each: _match(each, players), matches),
            (Ply, _ply, 2 * matches),
            (PlayerRating, _rating, len(GAMES) * players),
        ):
            for first in range(1, number + 1, AT_ONCE):
                rows = [row(each) for each in range(first, min(first + AT_ONCE, number + 1))]
                connection.execute(insert(table), rows)
        pairs = [{"player": each, "blocked": SOMEBODY, "created": MORNING} for each in range(100, 200)]
        connection.execute(insert(Block), pairs)
        connection.execute(text("analyze"))
    yield engine
    engine.dispose()


def _player(number: int) -> dict[str, Any]:
    address = f"p{number}@mail.example"
    return {"id": number, "name": f"p{number}", "address": address, "confirmed": MORNING, "created": MORNING}


def _presence(number: int) -> dict[str, Any]:
    return {"player": number, "seen": MORNING - timedelta(minutes=number % 40_000), "listed": MORNING}


def _seek(number: int) -> dict[str, Any]:
    return {
        "player": number, "game": GAMES[number % 5], "options": {}, "time": "14d+1d", "begin": "me", "repeat": 1,
        "created": MORNING, "expires": MORNING + timedelta(minutes=number),
    }  # fmt: skip


def _match(number: int, players: int) -> dict[str, Any]:
    """Return the row of a match that is over: a tenth of them are the house's, and some those of a pair."""
    first = HOUSE if number % 10 == 0 else SOMEBODY if number % 500 == 1 else number * 7919 % players + 1
    second = OTHER if number % 1_000 == 1 else (first + number // players * 31 + 1) % players + 1
    over = MORNING - timedelta(minutes=number)
    return {
        "id": number, "game": GAMES[number % 5], "options": {}, "seat0": first, "seat1": second, "challenger": first,
        "state": MatchState.OVER.value, "plies": 40, "winner": number % 2, "termination": Termination.RULES.value,
        "created": over, "started": over, "ended": over, "rated": True, "counted": over,
    }  # fmt: skip


def _rating(number: int) -> dict[str, Any]:
    """Return a player's rating in a game, of some week in the last year."""
    player, game = (number - 1) // len(GAMES) + 1, GAMES[number % len(GAMES)]
    return {
        "player": player, "game": game, "week": week_of(MORNING) - (player % 50 + 11) * WEEK,
        "rating": 1500 + player * 7919 % 800 - 400, "deviation": 60 + player % 200, "volatility": 0.06,
        "wins": player % 90, "draws": player % 7, "losses": player % 80,
    }  # fmt: skip


def _ply(number: int) -> dict[str, Any]:
    """Return one of four turns of a match."""
    match, turn = (number - 1) // 4 + 1, (number - 1) % 4 + 1
    return {"match": match, "number": turn, "seat": turn % 2, "text": "x", "played": MORNING + timedelta(hours=number)}


Ask = Callable[[Session, Player], object]
ASKED: dict[str, tuple[int, Ask]] = {
    "seeks": (SOMEBODY, lambda session, player: seeks.listed(session, player, MORNING, PAGE)),
    "seeks 100": (SOMEBODY, lambda session, player: seeks.listed(session, player, MORNING, PAGE, page=100)),
    "seeks kvadratik": (
        SOMEBODY,
        lambda session, player: seeks.listed(session, player, MORNING, PAGE, wanted=WantedMatch("kvadratik")),
    ),
    "seeks, nobody's rating": (
        SOMEBODY,
        lambda session, player: seeks.listed(
            session, player, MORNING, PAGE, wanted=WantedMatch("kvadratik", ratings=NOBODY_S), busy=200
        ),
    ),
    "seeks in a digest": (
        SOMEBODY,
        lambda session, player: seeks.listed(session, player, MORNING, 5, wanted=WantedMatch(others=True)),
    ),
    "seeks that end": (SOMEBODY, lambda session, _: seeks.expiring(session, MORNING + timedelta(hours=3), 200)),
    "who": (SOMEBODY, lambda session, _: directory.listed(session, MORNING, PAGE)),
    "who 100": (SOMEBODY, lambda session, _: directory.listed(session, MORNING, PAGE, 100)),
    "whois": (SOMEBODY, lambda session, player: _whois(session, player)),
    "whois, the house": (HOUSE, lambda session, player: _whois(session, player)),
    "history": (SOMEBODY, lambda session, player: _history(session, player, 1)),
    "history, the house": (HOUSE, lambda session, player: _history(session, player, 1)),
    "history 400, the house": (HOUSE, lambda session, player: _history(session, player, 400)),
    "history of two": (SOMEBODY, lambda session, player: _between(session, player)),
    "standings quadrature": (SOMEBODY, lambda session, _: standings.of_game(session, GAMES[0], MORNING, 0, PAGE)),
    "standings quadrature 300": (
        SOMEBODY,
        lambda session, _: standings.of_game(session, GAMES[0], MORNING, 299 * PAGE, PAGE),
    ),
    "ratings in whois": (SOMEBODY, lambda session, player: standings.of_player(session, player, MORNING)),
    "weeks to rate": (
        SOMEBODY,
        lambda session, _: [derivation.next_week(session, game, MORNING) for game in GAMES],
    ),
    "blocked?": (SOMEBODY, lambda session, player: blocks.is_between(session, player, session.get_one(Player, OTHER))),
}
"""What is measured, and who asks."""


def _whois(session: Session, player: Player) -> object:
    return history.results(session, player), history.running(session, player), history.pace(session, player)


def _history(session: Session, player: Player, page: int) -> object:
    return history.results(session, player), history.finished(session, player, PAGE, page)


def _between(session: Session, player: Player) -> object:
    other = session.get_one(Player, OTHER)
    return history.between(session, player, other), history.finished(session, player, PAGE, opponent=other)


def cost(engine: Engine, who: int, ask: Ask) -> tuple[float, float]:
    """Return the milliseconds that passed at best, as others use the machine too, and the median of CPU time."""
    spent = []
    for _ in range(REPEATS):
        with database.read_only(engine) as session:
            player = session.get_one(Player, who)
            wall, cpu = time.perf_counter_ns(), time.process_time_ns()
            ask(session, player)
            spent.append(((time.perf_counter_ns() - wall) / 1e6, (time.process_time_ns() - cpu) / 1e6))
    return min(wall for wall, _ in spent), median(cpu for _, cpu in spent)


def week_of_ratings(engine: Engine) -> tuple[float, float]:
    """Rate the last week, in which a match ended each minute. Return the milliseconds that passed, and of CPU time."""
    wall, cpu = time.perf_counter_ns(), time.process_time_ns()
    for game in GAMES:
        derivation.rate_week(engine, game, week_of(MORNING) - WEEK)
    return (time.perf_counter_ns() - wall) / 1e6, (time.process_time_ns() - cpu) / 1e6


def _row(asked: str, wall: float, limit: int) -> Row:
    """Return a figure, compared with the milliseconds that it may take."""
    return Row("community", asked, f"{wall:,.1f} ms", f"{limit:,} ms", round(wall / limit, 3), "<= 1")


def plans(engine: Engine, who: int, ask: Ask) -> Iterator[str]:
    """Yield the query plans of what is asked."""
    with database.read_only(engine) as session, listened(engine) as statements:
        ask(session, session.get_one(Player, who))
        asked = dict(statements)
        explain = "explain query plan" if engine.dialect.name == "sqlite" else "explain"
        for statement, parameters in asked.items():
            for row in session.connection().exec_driver_sql(f"{explain} {statement}", parameters):
                yield str(row[-1])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--players", type=int, default=10_000)
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--plans", action="store_true")
    parser.add_argument("--json", action="store_true")
    performance.add_option(parser)
    chosen = parser.parse_args()
    with database_for(postgresql=chosen.postgresql) as url, stored(url, chosen.matches, chosen.players) as engine:
        if chosen.plans:
            for asked, (who, ask) in ASKED.items():
                Console().print(asked, *plans(engine, who, ask), sep="\n    ", markup=False)
        rows = {asked: cost(engine, who, ask) for asked, (who, ask) in ASKED.items()}
        rated = week_of_ratings(engine)
    if chosen.publish:
        performance.publish(
            [_row(asked, wall, LIMIT_MS) for asked, (wall, _) in rows.items()]
            + [_row("a week of 10,080 rated matches", rated[0], LIMIT_OF_A_WEEK)]
        )
    if chosen.json:
        told = {asked: {"ms": wall, "cpu_ms": cpu} for asked, (wall, cpu) in rows.items()}
        week = {"ms": rated[0], "cpu_ms": rated[1], "limit_ms": LIMIT_OF_A_WEEK}
        Console().print_json(json.dumps({"rows": told, "limit_ms": LIMIT_MS, "week of ratings": week}))
        return
    table = Table("asked", "ms", "CPU, ms", f"within {LIMIT_MS} ms")
    for asked, (wall, cpu) in rows.items():
        table.add_row(asked, f"{wall:.1f}", f"{cpu:.1f}", "yes" if wall <= LIMIT_MS else "no")
    Console().print(table)
    Console().print(
        f"a week of 10,080 rated matches: {rated[0]:,.0f} ms, of them {rated[1]:,.0f} of CPU"
        f" ({'within' if rated[0] <= LIMIT_OF_A_WEEK else 'over'} {LIMIT_OF_A_WEEK:,} ms)"
    )


@contextmanager
def database_for(*, postgresql: bool) -> Iterator[str]:
    """Provide the URL of an empty database."""
    if postgresql:
        server = Postgres()
        yield server.database()
        server.remove()
        return
    with tempfile.TemporaryDirectory(prefix="community") as folder:
        yield f"sqlite:///{folder}/pbem.sqlite"


if __name__ == "__main__":
    main()
