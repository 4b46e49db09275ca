"""The operator ends a match: without a result, or by a verdict. The players are told as of any other end."""

from dataclasses import replace
from datetime import datetime

from sqlmodel import Session

from engines.core import Seat
from notation.ending import Ending, Termination
from pbem.config import ServerSettings
from pbem.errors import Refused
from pbem.features.moderation import acts
from pbem.features.moderation.acts import OPERATOR, Order
from pbem.matches import lifecycle
from pbem.matches.events import Events
from pbem.matches.naming import name
from pbem.matches.queries import locked, players_of, seat_of
from pbem.messages.said.sections import ChallengeClosed, TurnNews
from pbem.players import announcements
from pbem.players.notices import notify
from pbem.storage.models import Match, MatchState, Player

DRAW = "draw"
BY_OPERATOR = "the operator of this server has ended it"
"""Why a match was cancelled."""


def open_match(session: Session, number: int, *, locks: bool = True) -> Match:
    """Return a match or challenge that isn't over, locked unless it is only looked at; raise Refused."""
    match = locked(session, number) if locks else session.get(Match, number)
    if match is None:
        raise Refused(f"There is no match {number}.")
    if match.state not in (MatchState.RUNNING, MatchState.OFFERED):
        raise Refused(f"Match {number} is {match.state} already, so nothing was changed.")
    return match


def close(session: Session, server: ServerSettings, match: Match, order: Order, now: datetime) -> None:
    if match.state == MatchState.OFFERED:
        challenger = session.get_one(Player, match.challenger)
        tell(session, server, lifecycle.withdraw(session, match, challenger, now), order, now)
    else:
        tell(session, server, cancel(session, match, now), order, now)
    acts.keep(session, order, "close", now, match=match.id)


def cancel(session: Session, match: Match, now: datetime) -> Events:
    return lifecycle.end(session, match, Ending(Termination.CANCELLED), None, now, reason=BY_OPERATOR)


def adjudicate(
    session: Session, server: ServerSettings, match: Match, wanted: str, order: Order, now: datetime
) -> None:
    if match.state != MatchState.RUNNING:
        raise Refused(f"Match {match.id} hasn't started, so it has no result.", fits='"close" withdraws it.')
    winner = None if wanted == DRAW else _player(session, match, wanted)
    seat = None if winner is None else seat_of(match, winner)
    tell(session, server, decide(session, match, seat, now), order, now)
    act, player = ("adjudicate draw", None) if winner is None else ("adjudicate", winner.id)
    acts.keep(session, order, act, now, match=match.id, player=player)


def decide(session: Session, match: Match, winner: Seat | None, now: datetime) -> Events:
    return lifecycle.end(session, match, Ending(Termination.ADJUDICATED), winner, now)


def _player(session: Session, match: Match, wanted: str) -> Player:
    pair = players_of(session, match)
    found = next((player for player in pair if player.name == wanted), None)
    if found is None:
        names = " and ".join(name(player) for player in pair)
        raise Refused(f"{wanted[:40]} doesn't play in match {match.id}.", fits=f"{names} do; or write {DRAW}.")
    return found


def tell(session: Session, server: ServerSettings, events: Events, order: Order, now: datetime) -> None:
    for notice in announcements.notices(session, events):
        payload = notice.payload
        if isinstance(payload, ChallengeClosed) or (isinstance(payload, TurnNews) and order.reason):
            payload = replace(payload, by=OPERATOR, message=order.reason)
        notify(session, server, now, replace(notice, payload=payload))
