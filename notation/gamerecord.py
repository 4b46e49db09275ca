"""A finished match as AbstractPlay's game record (JSON, schema gamerecord/1-0-0), which other servers can read.

https://github.com/AbstractPlay/recranks has the schema and explains the fields. Nothing here knows the time or the
players: dates and numbers are arguments.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from engines import GAMES
from engines.core import Seat
from notation.record import Record, replay

Round = list[Any]
"""The turns of a round by seat: None, the text of a turn, or an object with more about it."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where and when a match was played; dates are as in RFC 3339 (`2026-11-21T09:30:00Z`).

    `match` is its number on that site; `players` are the site's numbers of its players, by seat.
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
    """Return the match as JSON, one field or round a line; raise BadRecord if its turns can't be replayed.

    Only a match that has ended has such a record: the schema requires the date of the end, and each player's result.
    """
    document = {"header": _header(record, site, result), "moves": rounds(record, result.reason)}
    return f"{json.dumps(document, indent=1, ensure_ascii=False)}\n"


def _header(record: Record, site: Site, result: Result) -> dict[str, Any]:
    """Return what is known about the match besides its turns."""
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
    """Return 1 for the winner, 0 for the loser; in a draw the same for both."""
    return int(result.winner == seat)


def variants(record: Record) -> list[str]:
    """Return the options that differ from the defaults.

    >>> variants(Record("quadraphages", {"first": "o"}, ("Jx", "Bo"), ()))
    ['first=o']
    """
    defaults = GAMES[record.game].chosen({})
    return [f"{name}={choice}" for name, choice in record.options.items() if choice != defaults[name]]


def rounds(record: Record, reason: str = "") -> list[Round]:
    """Return the turns by round and seat, with None if a seat did not move; the last turn has the reason.

    A round ends when the same seat, or an earlier one, moves again. So reading the rounds from left to right gives
    the turns in playing order, whichever side begins or moves twice.

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
    """Yield every turn with the seat that played it."""
    positions: Sequence[Any] = replay(record)
    for position, text in zip(positions, record.moves, strict=False):
        yield position.turn, text
