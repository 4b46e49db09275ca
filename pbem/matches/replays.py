"""Matches that begin at a position of another match: its turns up to there are copied, as the first of the new one.

So the record stays the truth, and nothing else that replays a match needs to know. They are copied when the match is
offered: later the other match may have turns taken back.
"""

from datetime import datetime

from sqlmodel import Session

from notation.time_control import TimeControl, to_stored
from pbem.matches import lifecycle
from pbem.matches.events import Events
from pbem.matches.snapshot import Snapshot
from pbem.storage.models import Player, Ply


def offer(
    session: Session,
    source: Snapshot,
    challenger: Player,
    opponent: Player,
    now: datetime,
    *,
    time: TimeControl = lifecycle.NO_LIMIT,
    challenger_begins: bool = True,
    by_address: bool = False,
    level: int | None = None,
) -> Events:
    (event,) = lifecycle.offer(
        session,
        challenger,
        opponent,
        source.match.game,
        source.match.options,
        now,
        time=time,
        by_address=by_address,
        level=level,
    )
    match, mover = event.match, source.base.turn
    first, second = (challenger, opponent) if challenger_begins == (mover == 0) else (opponent, challenger)
    match.seat0, match.seat1 = first.id or 0, second.id or 0
    match.time = to_stored(time if first is challenger else time.swapped)
    match.rules = source.match.rules
    if source.texts:
        match.begun_from, match.begun_after, match.plies = source.number, source.ply, source.ply
    session.flush()
    turns = zip(source.seats, source.texts, strict=True)
    session.add_all(
        Ply(match=match.id or 0, number=number, seat=seat, text=text, played=now)
        for number, (seat, text) in enumerate(turns, start=1)
    )
    session.flush()
    return (event,)
