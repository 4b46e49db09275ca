"""A finished match as AbstractPlay's game record (JSON, schema gamerecord/1-0-0), which other servers can read.

https://github.com/AbstractPlay/recranks has the schema and says what the fields are for. Nothing here knows the
time or the players: dates and numbers are arguments.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from engines import GAMES
from engines.core import Seat
from notation.record import Record, replay

Round = list[Any]
"""What was played in a round, by seat: None, the text of a turn, or an object with more about it."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where and when a match was played; dates are as in RFC 3339 (`2026-11-21T09:30:00Z`).

    `match` is its number there; `players` are the numbers by which the site tells its players apart, by seat.
    """

    name: str
    match: str
    players: tuple[str, str]
    started: str
    ended: str
    generated: str


@dataclass(frozen=True, slots=True)
class Result:
    """How a match ended: the winner's seat (None: a draw) and why, in words."""

    winner: Seat | None
    reason: str


def dumps(record: Record, site: Site, result: Result) -> str:
    """The match as JSON, one field or round a line; raises BadRecord where its turns can't be replayed.

    Only what ended has such a record: the schema wants the date of the end, and a result for each player.
    """
    document = {"header": _header(record, site, result), "moves": rounds(record, result.reason)}
    return f"{json.dumps(document, indent=1, ensure_ascii=False)}\n"


def _header(record: Record, site: Site, result: Result) -> dict[str, Any]:
    """What is known of the match besides its turns."""
    return {
        "game": {"name": GAMES[record.game].title, "variants": variants(record)},
        "site": {"name": site.name, "gameid": site.match},
        "date-start": site.started,
        "date-end": site.ended,
        "date-generated": site.generated,
        "unrated": False,
        "players": [
            {"name": name, "userid": number, "is_ai": False, "result": _points(result, seat), "side": side}
            for seat, (name, number, side) in enumerate(
                zip(record.players, site.players, GAMES[record.game].sides, strict=True)
            )
        ],
    }


def _points(result: Result, seat: int) -> int:
    """1 for who won, 0 for who lost; the same for both in a draw."""
    return int(result.winner == seat)


def variants(record: Record) -> list[str]:
    """What was chosen otherwise than usual.

    >>> variants(Record("quadraphages", {"first": "o"}, ("Jx", "Bo"), ()))
    ['first=o']
    """
    defaults = GAMES[record.game].chosen({})
    return [f"{name}={choice}" for name, choice in record.options.items() if choice != defaults[name]]


def rounds(record: Record, reason: str = "") -> list[Round]:
    """The turns by rounds and seats, with None where a seat did not move; the reason stands at the last turn.

    A round ends where the same seat, or an earlier one, moves again. So the turns come in playing order when the
    rounds are read from left to right, whoever begins and whoever moves twice.

    >>> rounds(Record("quadraphages", {"first": "o"}, ("Jx", "Bo"), ("1 c1b1 g9h9", "a7b7 i3i2 3 b7b4 i2f2")))
    [[None, '1 c1b1 g9h9'], ['a7b7 i3i2 3 b7b4 i2f2', None]]
    """
    played: list[Round] = []
    filled = 1
    for seat, text in _turns(record):
        if seat <= filled:
            played.append([None, None])
        played[-1][seat] = text
        filled = seat
    if played and reason:
        played[-1][filled] = {"move": played[-1][filled], "result": reason}
    return played


def _turns(record: Record) -> Iterator[tuple[Seat, str]]:
    """Every turn with the seat that played it."""
    positions: Sequence[Any] = replay(record)
    for position, text in zip(positions, record.moves, strict=False):
        yield position.turn, text
