"""Matches that begin at a position of another match: its turns up to there are copied, as the first of the new one.

So the record stays the truth, and nothing else that replays a match needs to know. They are copied when the match is
offered: later the other match may have turns taken back.
"""

from sqlmodel import Session

from notation.time_control import from_stored, to_stored
from pbem.matches.replayed_match import Snapshot
from pbem.storage.models import Match, Ply


def copy(session: Session, match: Match, source: Snapshot, *, challenger_begins: bool) -> None:
    """Let a match that was offered just now begin where the source is, with the challenger to move if they begin."""
    if (match.seat0 == match.challenger) != (challenger_begins == (source.base.turn == 0)):
        match.seat0, match.seat1 = match.seat1, match.seat0
        match.time = to_stored(from_stored(match.time).swapped)
    match.rules = source.match.rules
    if source.texts:
        match.begun_from, match.begun_after, match.plies = source.number, source.ply, source.ply
    session.flush()
    turns = zip(source.seats, source.texts, strict=True)
    session.add_all(
        Ply(match=match.id or 0, number=number, seat=seat, text=text, played=match.created)
        for number, (seat, text) in enumerate(turns, start=1)
    )
    session.flush()
