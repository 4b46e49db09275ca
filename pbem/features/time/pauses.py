"""Pauses that end by themselves, as the players of a match agreed, each in a transaction that locks the match."""

from datetime import datetime
from functools import partial

from sqlalchemy import exists
from sqlmodel import Session, col

from pbem.config import ServerSettings
from pbem.matches import agreements, queries
from pbem.players import announcements
from pbem.storage.due import NOW, Due, each_row
from pbem.storage.models import Match


def _end(session: Session, match: Match, server: ServerSettings, now: datetime) -> bool:
    events = agreements.resume_by_itself(session, match, now)
    announcements.announce(session, server, now, events)
    return bool(events)


end = each_row(Match, partial(queries.reached, time=Match.resumes), _end, doing="pauses")
"""Ends the pauses that are over, tells both players, and returns how many those are."""
ARE_OVER = exists().where(col(Match.resumes) <= NOW)
DUE = (Due(name="pauses.end", when=ARE_OVER, act=end),)
