"""A database in which many people have played for a long time, filled by bulk inserts in seconds."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from sqlalchemy import Connection, Engine

from pbem.storage.models import (
    Analysis,
    Announcement,
    Block,
    Calendar,
    Entry,
    LadderStep,
    ModerationAct,
    Pairing,
    Player,
    PlayerRating,
    Presence,
    Seek,
    Tournament,
    Vacation,
    Watch,
)
from tests.bulk_insert import Tell, add, add_alike, indexed_afterwards, loading, silent
from tests.crowd_matches import FIRST, OF_A_TOURNAMENT, Crowd, address_of, played

NOW = datetime(2026, 3, 1, tzinfo=UTC)
"""The time of the latest turn."""
MATCHES_A_PLAYER = 20
FEW = 1_000
"""From more matches on, it is faster to make the indexes afterwards."""
WITH_NUMBERS = ("player", "match", "incoming", "outgoing", "ply", "tournament")


def fill(
    engine: Engine,
    matches: int,
    players: int | None = None,
    now: datetime = NOW,
    turns: int = len(FIRST),
    running: int | None = None,
    tell: Tell = silent,
) -> None:
    """Add that many matches with their players, up to ten turns each, and messages. Say what is being added.

    Two thirds of them still run, unless `running` says how many.
    """
    with loading(engine) as connection:
        with indexed_afterwards(connection, tell) if matches > FEW else nullcontext():
            people = players or max(4, 2 * matches // MATCHES_A_PLAYER)
            over = matches // 3 if running is None else matches - running
            crowd = Crowd(matches, over, people, now, turns, _highest(connection))
            _add(connection, crowd, tell)
        if engine.dialect.name == "postgresql":
            for name in WITH_NUMBERS:
                connection.exec_driver_sql(f"select setval('{name}_id_seq', (select max(id) from {name}))")
    tell("statistics")
    if engine.dialect.name == "postgresql":
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("vacuum analyze")


def _highest(connection: Connection) -> dict[str, int]:
    """Return the highest id in each table."""
    return {
        table: connection.exec_driver_sql(f"select coalesce(max(id), 0) from {table}").scalar_one()
        for table in WITH_NUMBERS
    }


def _add(connection: Connection, crowd: Crowd, tell: Tell) -> None:
    """Add the rows of a crowd to all tables."""
    add(connection, Player, _players(crowd))
    for alike in played(crowd):
        tell(alike.table.__tablename__)
        add_alike(connection, alike)
    steps: dict[Any, Callable[[Crowd], Iterator[dict[str, Any]]]] = {
        Seek: _seeks,
        Block: _blocks,
        Presence: _presences,
        Vacation: _vacations,
        Calendar: _calendars,
        Analysis: _analyses,
        Announcement: _announcements,
        ModerationAct: _acts,
        PlayerRating: _ratings,
        Tournament: _tournaments,
        Entry: _entries,
        Pairing: _pairings,
        Watch: _watches,
        LadderStep: _steps,
    }
    for table, rows in steps.items():
        tell(table.__tablename__)
        add(connection, table, rows(crowd))


def _players(crowd: Crowd) -> Iterator[dict[str, Any]]:
    for each in crowd.numbers():
        yield {
            "id": each,
            "name": f"player{each}",
            "address": address_of(each),
            "confirmed": crowd.now - timedelta(days=800),
            "epoch": 0,
            "settings": {},
            "created": crowd.now - timedelta(days=800),
        }


def _ratings(crowd: Crowd) -> Iterator[dict[str, Any]]:
    """Yield ratings after four weeks, the last of which is the latest."""
    weeks = [(crowd.now - timedelta(weeks=number)).date() for number in (3, 2, 1, 0)]
    for each in crowd.numbers():
        for week, following in pairwise([*weeks, None]):
            yield {
                "player": each,
                "game": "quadraphages",
                "week": week,
                "rating": 1500.0,
                "deviation": 200.0,
                "volatility": 0.06,
                "wins": 1,
                "draws": 0,
                "losses": 1,
                "superseded": following,
            }


def _seeks(crowd: Crowd) -> Iterator[dict[str, Any]]:
    """Yield ten seeks of each player, one of them open."""
    for player in crowd.numbers():
        for each in range(10):
            day = crowd.now - timedelta(days=each)
            yield {
                "player": player, "game": "quadraphages", "options": {"first": "o"}, "begin": "me", "rated": False,
                "repeat": 1, "created": day, "expires": day + timedelta(days=28), "closed": day if each else None,
            }  # fmt: skip


def _blocks(crowd: Crowd) -> Iterator[dict[str, Any]]:
    for player in crowd.numbers():
        for each in range(1, min(10, crowd.players)):
            other = (player - crowd.before["player"] - 1 + each) % crowd.players + crowd.before["player"] + 1
            yield {"player": player, "blocked": other, "created": crowd.now}


def _presences(crowd: Crowd) -> Iterator[dict[str, Any]]:
    for player in crowd.numbers():
        seen = crowd.now - timedelta(days=player % 100)
        yield {"player": player, "seen": seen, "listed": crowd.now if player % 2 else None}


def _vacations(crowd: Crowd) -> Iterator[dict[str, Any]]:
    """Yield ten past vacations of each player."""
    for player in crowd.numbers():
        for each in range(1, 11):
            begins = crowd.now - timedelta(days=30 * each)
            ends = begins + timedelta(days=2)
            yield {"player": player, "chosen": begins, "begins": begins, "ends": ends, "told": begins}


def _calendars(crowd: Crowd) -> Iterator[dict[str, Any]]:
    """Yield ten choices of each player, of which the last ones count."""
    for player in crowd.numbers():
        for each in range(10, 0, -1):
            chosen = crowd.now - timedelta(days=30 * each)
            yield {"player": player, "chosen": chosen, "begins": chosen, "zone": "UTC", "days": "mon-fri"}


def _analyses(crowd: Crowd) -> Iterator[dict[str, Any]]:
    """Yield the analysis of every tenth match for one of its players, all of them made."""
    for match in range(0, crowd.matches, 10):
        at = crowd.when(match)
        number, player = crowd.before["match"] + match + 1, crowd.seats(match)[0]
        yield {"match": number, "player": player, "asked": at, "due": at, "done": at, "findings": [], "attempts": 0}


def _announcements(crowd: Crowd) -> Iterator[dict[str, Any]]:
    """Yield what the operator told all players each week of two years."""
    for week in range(100):
        told = {"told": 1, "last": 1, "number": 1, "due": None, "created": crowd.now - timedelta(weeks=week)}
        yield {"subject": "News", "lines": ["There are some."], **told}


def _acts(crowd: Crowd) -> Iterator[dict[str, Any]]:
    """Yield an act of the operator about each player."""
    for player in crowd.numbers():
        yield {"at": crowd.now, "actor": "operator", "act": "rename", "player": player, "note": ""}


def _tournaments(crowd: Crowd) -> Iterator[dict[str, Any]]:
    """Yield a tournament for so many matches, all of them over."""
    for each in range(1, crowd.matches // OF_A_TOURNAMENT + 1):
        when = crowd.when(OF_A_TOURNAMENT * each)
        yield {
            "title": "Cup", "kind": "knock-out", "game": "quadraphages", "options": {"first": "o"}, "rated": True,
            "time": "14d+1d,auto", "places": 64, "closes": when, "created": when, "started": when, "ended": when,
        }  # fmt: skip


def _entries(crowd: Crowd) -> Iterator[dict[str, Any]]:
    """Yield two entries in each tournament, who also stand on rungs, as if it were a ladder."""
    for match in range(OF_A_TOURNAMENT, crowd.matches + 1, OF_A_TOURNAMENT):
        for seed, player in enumerate(crowd.seats(match), start=1):
            entered = {"tournament": crowd.tournament(match), "player": player, "entered": crowd.when(match)}
            yield {**entered, "seed": seed, "rung": seed}


def _watches(crowd: Crowd) -> Iterator[dict[str, Any]]:
    """Yield what players watch: each another player, some a tournament, some a match."""
    for number, player in enumerate(crowd.numbers(), start=1):
        row = {"player": player, "created": crowd.now, "noticed": crowd.now, "left_out": False}
        nothing: dict[str, Any] = {"match": None, "whom": None, "tournament": None}
        other = (player - crowd.before["player"]) % crowd.players + crowd.before["player"] + 1
        yield {**row, **nothing, "whom": other}
        if number <= crowd.matches // OF_A_TOURNAMENT:
            yield {**row, **nothing, "tournament": crowd.before["tournament"] + number}
        if number <= crowd.matches:
            yield {**row, **nothing, "match": crowd.before["match"] + number}


def _pairings(crowd: Crowd) -> Iterator[dict[str, Any]]:
    """Yield a pairing in each tournament."""
    for match in range(OF_A_TOURNAMENT, crowd.matches + 1, OF_A_TOURNAMENT):
        first, second = crowd.seats(match)
        number = crowd.before["match"] + match
        of_round = {"tournament": crowd.tournament(match), "round": 1, "board": number, "match": number}
        yield {**of_round, "first": first, "second": second}


def _steps(crowd: Crowd) -> Iterator[dict[str, Any]]:
    """Yield what has happened on a ladder in each tournament, as if it were one."""
    for match in range(OF_A_TOURNAMENT, crowd.matches + 1, OF_A_TOURNAMENT):
        of_ladder = {"tournament": crowd.tournament(match), "at": crowd.when(match)}
        yield {**of_ladder, "number": 1, "what": "entered", "player": crowd.seats(match)[0], "match": None}
        yield {**of_ladder, "number": 2, "what": "ended", "player": None, "match": crowd.before["match"] + match}
