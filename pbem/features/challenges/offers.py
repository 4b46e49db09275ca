"""Offers to somebody, such as challenges: their rules, and what becomes of those that nobody answers."""

from dataclasses import replace
from datetime import datetime

import structlog
from sqlalchemy import BindParameter, bindparam, exists
from sqlmodel import Session, col, select

from pbem.config import ServerSettings
from pbem.conversation.syntax.grammar import Given
from pbem.conversation.syntax.terms import OPPONENT
from pbem.errors import Refused
from pbem.matches import lifecycle, queries
from pbem.matches.events import OfferWithdrawn
from pbem.matches.lifecycle import OFFER_OPEN
from pbem.players import announcements
from pbem.storage.due import Due, each_row
from pbem.storage.models import Match, MatchState, Player


def opponent_in(given: Given, own_name: str | None) -> str:
    """Return whom a challenge names, whose author Rognlie's players name as well. Raises Refused."""
    people = [name for name in given.all(OPPONENT) if name != own_name] or given.all(OPPONENT)
    if len(people) != 1:
        raise Refused(f"Whom do you challenge: {' or '.join(people)[:60]}?", fits="Name one of them.")
    return people[0]


# Challenges that nobody answers end after two weeks, and their challengers are told; those challenged were asked once.
#
# Each match has a transaction of its own that locks it, so only one of several daemons acts on it.
log = structlog.get_logger()

LONG_AGO: BindParameter[datetime] = bindparam("long_ago")
"""OFFER_OPEN before the look at what is due."""


def _unanswered(session: Session, now: datetime, most: int) -> list[int]:
    waiting = (Match.state == MatchState.OFFERED, col(Match.created) <= now - OFFER_OPEN)
    found = select(Match.id).where(*waiting).order_by(col(Match.created), col(Match.id))
    return [number or 0 for number in session.exec(found.limit(most))]


def _end(session: Session, match: Match, server: ServerSettings, now: datetime) -> bool:
    """End a challenge that is unanswered. Return whether it was; a message that waits may be the answer."""
    challenger = session.get_one(Player, match.challenger)
    challenged = session.get_one(Player, queries.opponent_of(match, challenger))
    is_over = match.state == MatchState.OFFERED and match.created <= now - OFFER_OPEN
    if not is_over or queries.waits_from(session, challenged.address):
        return False
    withdrawn = lifecycle.withdraw(session, match, challenger, now)
    unanswered = (replace(event, unanswered=True) for event in withdrawn if isinstance(event, OfferWithdrawn))
    announcements.announce(session, server, now, unanswered)
    log.info("challenge unanswered", match=match.id)
    return True


end = each_row(Match, _unanswered, _end, doing="challenges that end")
"""Ends the challenges that have waited long enough, and returns how many those are."""
HAVE_WAITED = exists().where(col(Match.state) == MatchState.OFFERED, col(Match.created) <= LONG_AGO)
DUE = (Due(name="challenges.end", when=HAVE_WAITED, act=end, moments={LONG_AGO.key: -OFFER_OPEN}),)
