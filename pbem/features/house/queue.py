"""What the house has to think about next: the matches in which it is its turn, fairly among its opponents.

Nothing has to be queued for that: it is the house's turn where a match says so, whatever happened to the server since.
"""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import and_, bindparam, exists, func, or_, union_all
from sqlalchemy import select as columns
from sqlmodel import Session, col

from engines.core import Seat
from pbem.matches.queries import seat_of
from pbem.storage.leases import is_free
from pbem.storage.models import HOUSE, Match, MatchState, Player, Ply, Search, SearchKind
from pbem.storage.utc import Utc

HOUR = timedelta(hours=1)
PAUSES = (timedelta(0), timedelta(minutes=1), timedelta(minutes=10), HOUR)
"""After which time a search that didn't end well is tried again; from the last on, always after that."""
TURNS_PER_HOUR = 120
"""How many turns the house looks for in an hour for one player. Those beyond wait."""
ROUND = 50
"""How many opponents are served before it is looked again who waits."""

_GOES_ON = col(Match.paused).is_(None)
_NOW: Any = bindparam("now", type_=Utc)


def _waiting(seat: Seat) -> Any:
    """Return the query for the matches in which that seat is the house's and to move, and since when it is."""
    own, other = (Match.seat1, Match.seat0) if seat else (Match.seat0, Match.seat1)
    version = col(Match.plies) + col(Match.shift)
    searched = and_(
        col(Search.match) == col(Match.id), col(Search.kind) == SearchKind.TURN.value, col(Search.version) == version
    )
    is_due = or_(col(Search.id).is_(None), and_(is_free(Search), col(Search.due) <= _NOW))
    return (
        columns(
            col(Match.id).label("number"),
            col(other).label("opponent"),
            func.coalesce(Ply.played, Match.started).label("since"),
        )
        .outerjoin(Ply, and_(col(Ply.match) == col(Match.id), col(Ply.number) == col(Match.plies)))
        .outerjoin(Search, searched)
        .where(col(own) == bindparam("house"), col(Match.to_move) == seat, _GOES_ON, is_due)
    )


def _round() -> Any:
    """Return the query for the match of each opponent that has waited longest, unless they had enough this hour."""
    waiting = union_all(_waiting(0), _waiting(1)).subquery()
    place = func.row_number().over(partition_by=waiting.c.opponent, order_by=(waiting.c.since, waiting.c.number))
    first = columns(waiting, place.label("place")).subquery()
    searched = (
        columns(func.count(col(Search.id)))
        .where(
            col(Search.player) == first.c.opponent,
            col(Search.kind) == SearchKind.TURN.value,
            col(Search.asked) > bindparam("since", type_=Utc),
        )
        .scalar_subquery()
    )
    return (
        columns(first.c.number)
        .where(first.c.place == 1, searched < bindparam("most"))
        .order_by(first.c.since, first.c.number)
        .limit(ROUND)
    )


_ROUND = _round()
_HOUSE = columns(col(Player.id)).where(col(Player.address) == HOUSE).scalar_subquery()
IS_TO_MOVE = or_(
    exists().where(col(Match.seat0) == _HOUSE, col(Match.to_move) == 0),
    exists().where(col(Match.seat1) == _HOUSE, col(Match.to_move) == 1),
)
"""Whether it is the house's turn in any match, be it due or not."""


def next_turns(session: Session, house: Player, now: datetime, most: int = TURNS_PER_HOUR) -> list[int]:
    values = {
        "house": house.id,
        "now": now,
        "since": now - HOUR,
        "most": most,
    }
    return [int(number) for (number,) in session.execute(_ROUND, values)]


def is_to_move(match: Match, house: Player) -> bool:
    is_running = match.state == MatchState.RUNNING and match.paused is None
    return is_running and match.to_move is not None and seat_of(match, house) == match.to_move
