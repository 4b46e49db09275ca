"""A database in which many people have played for a long time, filled by bulk inserts in seconds."""

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from sqlalchemy import Engine

from pbem.storage.models import (
    Analysis,
    Announcement,
    Block,
    Calendar,
    Entry,
    Incoming,
    IncomingState,
    LadderStep,
    Match,
    MatchState,
    ModerationAct,
    Outgoing,
    OutgoingContent,
    OutgoingState,
    Pairing,
    Player,
    PlayerRating,
    Ply,
    Presence,
    RawMessage,
    Seek,
    Tournament,
    Vacation,
    Watch,
)
from tests.bulk_insert import add, indexed_afterwards

NOW = datetime(2026, 3, 1, tzinfo=UTC)
"""The time of the latest turn."""
DOMAINS = ("mail.example", "mail.test", "post.example")
FIRST = ("2 c1a1 g9g7", "a7a5 i3g3 3 a5a8 g3d3", "a1d1 g7g4 2 d1b1 g4e4", "a8c8 d3f3 5 c8h8 f3a3")
LATER = ("b1g1 e4e9 2 e9e7 g1e1", "a3c3 h8f8 1 c3c2 f8f7", "e1e2 e7e6 4 e2i2 e6a6", "c2g2 f7b7 6 b7h7 g2g8")
LAST = ("a6g6 i2i8 1 g6g5 i8i9", "h7h6 ---- 1 h6h5 ----")
TURNS = (*FIRST, *LATER, *LAST)
"""The beginning of a match."""
MATCHES_A_PLAYER = 20
FEW = 1_000
"""From more matches on, it is faster to make the indexes afterwards."""
OF_A_TOURNAMENT = 5
"""The number of matches for each tournament."""
KEPT = 1_000
"""The number of recent matches whose messages are still kept."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """Players who only play with each other."""

    matches: int
    players: int
    now: datetime
    between: timedelta
    """The time from one match to the next."""
    turns: int
    """The number of turns in each match."""
    before: dict[str, int]
    """The highest id in each table before they came."""

    def seats(self, match: int) -> tuple[int, int]:
        """Return the ids of the two players of the crowd's nth match."""
        first = match % self.players
        second = (first + 1 + (match // self.players) % (self.players - 1)) % self.players
        return self.before["player"] + first + 1, self.before["player"] + second + 1

    def when(self, match: int) -> datetime:
        """Return the time of the crowd's nth match; they are spread evenly over two years."""
        return self.now - self.between * (self.matches - match)

    def tournament(self, match: int) -> int:
        """Return the tournament of the crowd's nth match."""
        return self.before["tournament"] + match // OF_A_TOURNAMENT


def fill(
    engine: Engine, matches: int, players: int | None = None, now: datetime = NOW, turns: int = len(FIRST)
) -> None:
    """Add that many matches, a third of them over, with their players, up to ten turns each, and messages."""
    with engine.begin() as connection, indexed_afterwards(connection) if matches > FEW else nullcontext():
        tables = ("player", "match", "incoming", "outgoing", "ply", "tournament")
        before = {
            table: connection.exec_driver_sql(f"select coalesce(max(id), 0) from {table}").scalar_one()
            for table in tables
        }
        people = players or max(4, 2 * matches // MATCHES_A_PLAYER)
        crowd = Crowd(matches, people, now, timedelta(days=730) / matches, turns, before)
        for table, rows in (
            (Player, _players(crowd)),
            (Match, _matches(crowd)),
            (Incoming, _incoming(crowd)),
            (RawMessage, _raw_messages(crowd)),
            (Ply, _plies(crowd)),
            (Outgoing, _outgoing(crowd)),
            (OutgoingContent, _contents(crowd)),
            (Seek, _seeks(crowd)),
            (Block, _blocks(crowd)),
            (Presence, _presences(crowd)),
            (Vacation, _vacations(crowd)),
            (Calendar, _calendars(crowd)),
            (Analysis, _analyses(crowd)),
            (Announcement, _announcements(crowd)),
            (ModerationAct, _acts(crowd)),
            (PlayerRating, _ratings(crowd)),
            (Tournament, _tournaments(crowd)),
            (Entry, _entries(crowd)),
            (Pairing, _pairings(crowd)),
            (Watch, _watches(crowd)),
            (LadderStep, _steps(crowd)),
        ):
            add(connection, table, rows)
        if engine.dialect.name == "postgresql":
            for name in tables:
                connection.exec_driver_sql(f"select setval('{name}_id_seq', (select max(id) from {name}))")
    if engine.dialect.name == "postgresql":
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("analyze")


def address_of(player: int) -> str:
    """Return the address of a player."""
    return f"player{player}@{DOMAINS[player % len(DOMAINS)]}"


def _players(crowd: Crowd) -> Iterator[dict[str, Any]]:
    for each in range(crowd.before["player"] + 1, crowd.before["player"] + crowd.players + 1):
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
    for each in range(crowd.before["player"] + 1, crowd.before["player"] + crowd.players + 1):
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


def _matches(crowd: Crowd) -> Iterator[dict[str, Any]]:
    for each in range(1, crowd.matches + 1):
        first, second = crowd.seats(each)
        over = each % 3 == 0
        yield {
            "id": crowd.before["match"] + each,
            "game": "quadraphages",
            "options": {"first": "o"},
            "seat0": first,
            "seat1": second,
            "challenger": first,
            "by_address": False,
            "state": MatchState.OVER.value if over else MatchState.RUNNING.value,
            "to_move": None if over else 1 - crowd.turns % 2,
            "plies": crowd.turns,
            "winner": 1 if over else None,
            "termination": "rules" if over else None,
            "created": crowd.when(each),
            "started": crowd.when(each),
            "ended": crowd.when(each) if over else None,
        }


def _incoming(crowd: Crowd) -> Iterator[dict[str, Any]]:
    for each in range(1, crowd.matches * crowd.turns + 1):
        match, turn = _turn(crowd, each)
        mover = crowd.seats(match)[1 - turn % 2]
        yield {
            "id": crowd.before["incoming"] + each,
            "key": f"{crowd.before['incoming'] + each:064}",
            "size": 1000,
            "source": "imap",
            "sender": address_of(mover),
            "recipients": ["games@pbem.example"],
            "state": IncomingState.DONE.value,
            "attempts": 1,
            "verdict": "done: move",
            "player": mover,
            "received": crowd.when(match),
            "handled": crowd.when(match),
        }


def _raw_messages(crowd: Crowd) -> Iterator[dict[str, Any]]:
    for each in range(max(0, crowd.matches - KEPT) * crowd.turns + 1, crowd.matches * crowd.turns + 1):
        yield {"incoming": crowd.before["incoming"] + each, "raw": b"From: somebody\n\na turn\n"}


def _plies(crowd: Crowd) -> Iterator[dict[str, Any]]:
    for each in range(1, crowd.matches * crowd.turns + 1):
        match, turn = _turn(crowd, each)
        yield {
            "id": crowd.before["ply"] + each,
            "match": crowd.before["match"] + match,
            "number": turn + 1,
            "seat": 1 - turn % 2,
            "text": TURNS[turn],
            "incoming": crowd.before["incoming"] + each,
            "played": crowd.when(match),
        }


def _outgoing(crowd: Crowd) -> Iterator[dict[str, Any]]:
    for each in range(1, 2 * crowd.matches * crowd.turns + 1):
        match, turn = _turn(crowd, (each + 1) // 2)
        player, number = crowd.seats(match)[each % 2], crowd.before["match"] + match
        yield {
            "id": crowd.before["outgoing"] + each,
            "message_id": f"<{crowd.before['outgoing'] + each:032}@pbem.example>",
            "template": "turn",
            "match": number,
            "ply": turn + 1,
            "player": player,
            "epoch": 0,
            "purpose": "PLAY",
            "token_subject": number,
            "address": address_of(player),
            "incoming": crowd.before["incoming"] + (each + 1) // 2,
            "references": [],
            "is_notice": True,
            "state": OutgoingState.SENT.value,
            "attempts": 1,
            "lane": 0,
            "round": 0,
            "due": crowd.when(match),
            "created": crowd.when(match),
            "sent": crowd.when(match),
        }


def _contents(crowd: Crowd) -> Iterator[dict[str, Any]]:
    every = 2 * crowd.matches * crowd.turns
    for each in range(max(0, every - 2 * KEPT * crowd.turns) + 1, every + 1):
        match, turn = _turn(crowd, (each + 1) // 2)
        payload = {"match": crowd.before["match"] + match, "ply": turn + 1, "message": [], "by": ""}
        yield {"outgoing": crowd.before["outgoing"] + each, "payload": payload}


def _numbers(crowd: Crowd) -> range:
    """Return the ids of the players."""
    return range(crowd.before["player"] + 1, crowd.before["player"] + crowd.players + 1)


def _seeks(crowd: Crowd) -> Iterator[dict[str, Any]]:
    """Yield ten seeks of each player, one of them open."""
    for player in _numbers(crowd):
        for each in range(10):
            day = crowd.now - timedelta(days=each)
            yield {
                "player": player, "game": "quadraphages", "options": {"first": "o"}, "begin": "me", "rated": False,
                "repeat": 1, "created": day, "expires": day + timedelta(days=28), "closed": day if each else None,
            }  # fmt: skip


def _blocks(crowd: Crowd) -> Iterator[dict[str, Any]]:
    for player in _numbers(crowd):
        for each in range(1, min(10, crowd.players)):
            other = (player - crowd.before["player"] - 1 + each) % crowd.players + crowd.before["player"] + 1
            yield {"player": player, "blocked": other, "created": crowd.now}


def _presences(crowd: Crowd) -> Iterator[dict[str, Any]]:
    for player in _numbers(crowd):
        seen = crowd.now - timedelta(days=player % 100)
        yield {"player": player, "seen": seen, "listed": crowd.now if player % 2 else None}


def _vacations(crowd: Crowd) -> Iterator[dict[str, Any]]:
    """Yield ten past vacations of each player."""
    for player in _numbers(crowd):
        for each in range(1, 11):
            begins = crowd.now - timedelta(days=30 * each)
            ends = begins + timedelta(days=2)
            yield {"player": player, "chosen": begins, "begins": begins, "ends": ends, "told": begins}


def _calendars(crowd: Crowd) -> Iterator[dict[str, Any]]:
    """Yield ten choices of each player, of which the last ones count."""
    for player in _numbers(crowd):
        for each in range(10, 0, -1):
            chosen = crowd.now - timedelta(days=30 * each)
            yield {"player": player, "chosen": chosen, "begins": chosen, "zone": "UTC", "days": "mon-fri"}


def _turn(crowd: Crowd, number: int) -> tuple[int, int]:
    """Return the match of the nth turn, and its index in the match."""
    return (number - 1) // crowd.turns + 1, (number - 1) % crowd.turns


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
    for player in _numbers(crowd):
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
    for number, player in enumerate(_numbers(crowd), start=1):
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
