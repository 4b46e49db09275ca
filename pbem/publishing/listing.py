"""The matches that the site shows, as it keeps them itself: each with the stamp of its files.

So lists of the newest matches, of those of a player or of a tournament, and the neighbours of a match, need no look at
the database, which has all matches of everybody, and no index for this.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from pbem.publishing.visibility import Listed

THOUSAND = 1000
"""How many numbers of matches a folder stands for."""
TABLE = (
    """
    create table if not exists match (
        number integer primary key, game text, state text, plies integer, shift integer, winner integer,
        termination text, tournament integer, seat0 integer, seat1 integer, day text,
        stamp text not null default '', is_shown integer not null default 1
    )
    """,
    "create index if not exists of_game on match (game, day, number) where is_shown",
    "create index if not exists by_state on match (state, number) where is_shown",
    "create index if not exists by_day on match (state, day, number) where is_shown",
    "create index if not exists first_seat on match (seat0, number) where is_shown and seat0 > 0",
    "create index if not exists second_seat on match (seat1, number) where is_shown and seat1 > 0",
    "create index if not exists of_tournament on match (tournament, number) where is_shown and tournament is not null",
    "create index if not exists gone on match (number) where not is_shown",
)
COLUMNS = "number, game, state, plies, shift, winner, termination, tournament, seat0, seat1, day"


class Span(NamedTuple):
    folder: int
    matches: int
    first: str
    last: str


def span(matches: Sequence[Listed]) -> Span:
    days = [f"{each.day:%Y-%m-%d}" for each in matches]
    return Span(matches[0].number // THOUSAND, len(days), min(days), max(days))


class Listing:
    """The table of these matches. Whoever changes it has begun a transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        for statement in TABLE:
            connection.execute(statement)

    def show(self, matches: Iterable[Listed]) -> None:
        """List matches as they are now; the stamps of their files stay."""
        columns = COLUMNS.split(", ")
        values = ", ".join("?" * len(columns))
        changed = ", ".join(f"{each} = excluded.{each}" for each in columns[1:])
        self._connection.executemany(
            f"insert into match ({COLUMNS}) values ({values})"  # noqa: S608 - constants
            f" on conflict (number) do update set {changed}, is_shown = 1",
            ((*each[:8], *each.seats, each.day.isoformat()) for each in matches),
        )

    def hide(self, numbers: Iterable[int]) -> None:
        """List matches as no longer shown; they are forgotten when their files are removed."""
        self._connection.executemany(
            "update match set is_shown = 0, stamp = '' where number = ?", ((each,) for each in numbers)
        )

    def stamp(self, stamps: Iterable[tuple[int, str]]) -> None:
        rows = ((stamp, number) for number, stamp in stamps)
        self._connection.executemany("update match set stamp = ? where number = ?", rows)

    def forget(self, numbers: Iterable[int]) -> None:
        self._connection.executemany("delete from match where number = ?", ((each,) for each in numbers))

    def hidden(self) -> list[int]:
        return [number for (number,) in self._connection.execute("select number from match where not is_shown")]

    def has(self, number: int) -> bool:
        found = self._connection.execute("select 1 from match where number = ? and is_shown", (number,))
        return found.fetchone() is not None

    def between(self, numbers: range) -> dict[int, tuple[Listed, str]]:
        found = self._connection.execute(
            f"select stamp, {COLUMNS} from match where is_shown and number >= ? and number < ?",  # noqa: S608 - constants
            (numbers.start, numbers.stop),
        )
        return {row[1]: (_listed(row[1:]), row[0]) for row in found}

    def folders(self) -> Iterator[int]:
        number: int | None = 0
        while True:
            found = self._connection.execute("select min(number) from match where is_shown and number >= ?", (number,))
            (number,) = found.fetchone()
            if number is None:
                return
            yield number // THOUSAND
            number = (number // THOUSAND + 1) * THOUSAND

    def count(self) -> int:
        (found,) = self._connection.execute("select count(*) from match where is_shown").fetchone()
        return int(found)

    def in_folder(self, folder: int) -> list[Listed]:
        first = folder * THOUSAND
        return self._found("number >= ? and number < ? order by number", first, first + THOUSAND)

    def running(self, most: int) -> list[Listed]:
        return self._found("state = 'running' order by number desc limit ?", most)

    def over(self, most: int) -> list[Listed]:
        return self._found("state = 'over' order by day desc, number desc limit ?", most)

    def of_game(self, game: str, most: int) -> list[Listed]:
        return self._found("game = ? order by day desc, number desc limit ?", game, most)

    def of_player(self, player: int, most: int) -> list[Listed]:
        seats = [
            self._found(f"{seat} = ? and {seat} > 0 order by number desc limit ?", player, most)
            for seat in ("seat0", "seat1")
        ]
        newest = sorted({each.number: each for each in (*seats[0], *seats[1])}.values(), reverse=True)
        return newest[:most]

    def of_tournament(self, tournament: int) -> list[Listed]:
        return self._found("tournament = ? and tournament is not null order by number", tournament)

    def _found(self, which: str, *values: object) -> list[Listed]:
        statement = f"select {COLUMNS} from match where is_shown and {which}"  # noqa: S608 - both are this module's words
        rows = self._connection.execute(statement, values)
        return [_listed(row) for row in rows]


def _listed(row: Sequence[Any]) -> Listed:
    return Listed._make((*row[:8], (row[8], row[9]), datetime.fromisoformat(row[10])))
