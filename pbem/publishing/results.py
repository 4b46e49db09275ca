"""The results of the finished matches that the site shows, as it keeps them itself, and statistics of them.

They say who wins in a game and after how many turns, how its matches begin, and how a player has done. SQLite counts
each figure from an index that has all it needs, and only for games and players of whom a match has changed.
"""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

WIDTHS = (4, 3, 2)
"""How many turns the tree of openings has at most, after none, one and two others."""
FEWEST = 2
"""In how many matches a turn must have been played to be common."""
VARIANTS = 3
"""For how many variants of a game openings are shown, those with the most matches."""
TABLE = (
    """
    create table if not exists result (
        number integer primary key, game text not null, variant text, first integer, second integer, winner integer,
        turns integer not null, turn1 text, turn2 text, turn3 text
    )
    """,
    "create index if not exists result_opening on result (game, variant, turn1, turn2, turn3, winner)",
    "create index if not exists result_length on result (game, turns, variant) where variant is not null",
    "create index if not exists result_of_first on result (first, game, winner) where first > 0",
    "create index if not exists result_of_second on result (second, game, winner) where second > 0",
)
COUNTED = "count(*), sum(winner is 0), sum(winner is null), sum(winner is 1)"
TURNS = ("turn1", "turn2", "turn3")


class Result(NamedTuple):
    number: int
    game: str
    variant: str | None
    """The options as commands say them; None for a match that began at a position of another one."""
    first: int
    second: int
    """The numbers of the player who began, and of the other; 0 for one who has no page."""
    winner: int | None
    """0 for the player who began, 1 for the other, None for a draw."""
    turns: int
    turn1: str
    turn2: str
    turn3: str
    """The first turns; empty where it had ended before."""


@dataclass(frozen=True, slots=True)
class Score:
    matches: int
    first: int
    draws: int
    second: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """Who wins in a game, and after how many turns: the median, and the turns between which half of the matches end."""

    score: Score
    median: int
    between: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Opening:
    turn: str
    score: Score
    example: int
    next: tuple["Opening", ...] = ()


@dataclass(frozen=True, slots=True)
class Variant:
    """The common openings of a variant, which has its options as a name."""

    name: str
    matches: int
    openings: tuple[Opening, ...]


class PlayerScore(NamedTuple):
    game: str
    won: int
    drawn: int
    lost: int


class Results:
    """The table of these results. Whoever changes it has begun a transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        for statement in TABLE:
            connection.execute(statement)

    def replace(self, numbers: Iterable[int], results: Iterable[Result]) -> None:
        self._connection.executemany("delete from result where number = ?", ((each,) for each in numbers))
        self._connection.executemany("insert into result values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", results)

    def of_game(self, game: str) -> Statistics | None:
        among = "from result where game = ? and variant is not null"
        score = Score(*self._connection.execute(f"select {COUNTED} {among}", (game,)).fetchone())
        if not score.matches:
            return None
        at = f"select turns {among} order by turns limit 1 offset ?"
        low, median, high = (
            int(self._connection.execute(at, (game, (score.matches - 1) * share // 4)).fetchone()[0])
            for share in (1, 2, 3)
        )
        return Statistics(score, median, (low, high))

    def openings(self, game: str) -> tuple[Variant, ...]:
        variants = self._connection.execute(
            "select variant, count(*) from result where game = ? and variant is not null"
            " group by variant order by 2 desc, 1 limit ?",
            (game, VARIANTS),
        ).fetchall()
        found = (Variant(name, matches, self._following(game, name)) for name, matches in variants)
        return tuple(each for each in found if each.openings)

    def of_player(self, player: int) -> list[PlayerScore]:
        rows = self._connection.execute(
            """
            select game, sum(won), sum(drawn), sum(lost) from (
                select game, winner is 0 as won, winner is null as drawn, winner is 1 as lost
                from result where first = :player and first > 0
                union all
                select game, winner is 1, winner is null, winner is 0 from result where second = :player and second > 0
            ) group by game order by count(*) desc, game
            """,
            {"player": player},
        )
        return [PlayerScore(*row) for row in rows]

    def _following(self, game: str, variant: str, *before: str) -> tuple[Opening, ...]:
        depth = len(before)
        if depth == len(WIDTHS):
            return ()
        turn = TURNS[depth]
        earlier = "".join(f" and {each} = ?" for each in TURNS[:depth])
        rows = self._connection.execute(
            f"select {turn}, max(number), {COUNTED} from result where game = ? and variant = ?{earlier}"  # noqa: S608 - constants
            f" and {turn} > '' group by {turn} having count(*) >= ? order by 3 desc, 1 limit ?",
            (game, variant, *before, FEWEST, WIDTHS[depth]),
        ).fetchall()
        return tuple(
            Opening(told, Score(*score), example, self._following(game, variant, *before, told))
            for told, example, *score in rows
        )
