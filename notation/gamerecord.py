"""A finished match as AbstractPlay's game record (JSON, schema gamerecord/1-0-0), which other servers can read.

https://github.com/AbstractPlay/recranks has the schema and explains the fields. Nothing here knows the time or the
players: dates and numbers are arguments.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from engines.core import Seat
from notation.games import GAMES
from notation.record import Record, replay

MOMENTS = "turns"
"""The field of the header with the times of the turns."""
Round = list[Any]
"""The turns of a round by seat: None, the text of a turn, or an object with more about it."""


@dataclass(frozen=True, slots=True)
class Moment:
    """When a turn was received, as in RFC 3339, and how many seconds it took of its player's time, if a clock ran."""

    received: str
    used: int | None = None


@dataclass(frozen=True, slots=True)
class Site:
    """Where and when a match was played; dates are as in RFC 3339 (`2026-11-21T09:30:00Z`).

    `match` is its number on that site; `players` are the site's numbers of its players, by seat. `event` is the
    tournament that it belongs to, and `round` its round there, if it belongs to any.
    """

    name: str
    match: str
    players: tuple[str, str]
    started: str
    ended: str
    generated: str
    event: str = ""
    round: str = ""
    is_rated: bool = False
    """Whether its result counts for the ratings of its players."""
    programs: tuple[bool, bool] = (False, False)
    """Whether each player is a program, by seat."""
    moments: tuple[Moment, ...] = ()
    """When each turn was played, in order, if that is known. The schema has no place for it but the header."""


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
    return {
        "game": {"name": GAMES.title(record.game), "variants": variants(record)},
        **({"event": site.event, "round": site.round} if site.event else {}),
        "site": {"name": site.name, "gameid": site.match},
        "date-start": site.started,
        "date-end": site.ended,
        "date-generated": site.generated,
        **({"began": record.began} if record.began else {}),
        **({MOMENTS: [_told(each) for each in site.moments]} if site.moments else {}),
        "unrated": not site.is_rated,
        "players": [
            {"name": name, "userid": number, "is_ai": program, "result": int(result.winner == seat), "side": side}
            for seat, (name, number, program, side) in enumerate(
                zip(record.players, site.players, site.programs, GAMES[record.game].game.sides, strict=True)
            )
        ],
    }


def _told(moment: Moment) -> dict[str, Any]:
    return {"received": moment.received} | ({} if moment.used is None else {"used": moment.used})


def variants(record: Record) -> list[str]:
    """Return the options that differ from the defaults.

    >>> variants(Record("quadraphages", {"first": "o"}, ("Jx", "Bo"), ()))
    ['first=o']
    """
    defaults = GAMES[record.game].game.chosen({})
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
    positions: Sequence[Any] = replay(record)
    for position, text in zip(positions, record.moves, strict=False):
        yield position.turn, text
