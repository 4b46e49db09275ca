"""Closed accounts: whoever has one can neither play nor be played with; their data stays theirs to export and delete.

A ban is one transaction that locks the player first, as leaving does: whoever challenges them, or takes a seek of
theirs, waits for it and then finds the account closed.
"""

from datetime import datetime
from enum import StrEnum

from sqlmodel import Session, col, update

from engines.seats import other
from pbem.config import ServerSettings
from pbem.conversation.feature import Features
from pbem.errors import Refused
from pbem.features.moderation import acts, verdicts
from pbem.features.moderation.acts import Order
from pbem.features.moderation.messages import AccountChanged
from pbem.matches import lifecycle
from pbem.matches.queries import of_player, seat_of
from pbem.players import announcements, invitations
from pbem.players.notices import notify
from pbem.storage import retention
from pbem.storage.models import UNSENT, ClosedAddress, Match, MatchState, Outgoing, OutgoingState, Player
from pbem.storage.outbox import Mailer
from pbem.tokens import Purpose


class BanOutcome(StrEnum):
    CANCELLED = "cancelled"
    """They end without a result."""
    LOST = "lost"
    """Their opponents win them, by adjudication."""


def ban(
    session: Session,
    server: ServerSettings,
    features: Features,
    player: Player,
    order: Order,
    now: datetime,
    ended: BanOutcome = BanOutcome.CANCELLED,
) -> int:
    """Return how many matches ended. Raises Refused."""
    player = session.get_one(Player, player.id, with_for_update=True, populate_existing=True)
    if player.banned is not None:
        raise Refused(f"The account of {player.name} is closed already, since {player.banned:%Y-%m-%d}.")
    player.banned = now
    address = invitations.digest(player.address)
    if session.get(ClosedAddress, address) is None:
        session.add(ClosedAddress(address=address, closed=now))
    session.flush()
    news = (col(Outgoing.player) == player.id, col(Outgoing.is_notice), col(Outgoing.state).in_(UNSENT))
    retention.change(session, update(Outgoing).where(*news).values(state=OutgoingState.DROPPED.value, troubled=None))
    for feature in features:
        if feature.on_ban is not None:
            feature.on_ban(session, player, (), now)
    running = []
    for match in of_player(session, player, (MatchState.RUNNING, MatchState.OFFERED)):
        session.refresh(match, with_for_update=True)
        if match.state == MatchState.RUNNING:
            running.append(match.id or 0)
        _end(session, server, match, player, now, ended)
    told = AccountChanged(
        closed=True,
        matches=tuple(running),
        lost=ended is BanOutcome.LOST,
        contact=server.admin or "",
        message=order.reason,
    )
    Mailer(session, server, now).to_player(player, told, purpose=Purpose.PERSONAL)
    acts.keep(session, order, f"ban {ended.value}", now, player=player.id)
    return len(running)


def _end(
    session: Session, server: ServerSettings, match: Match, player: Player, now: datetime, ended: BanOutcome
) -> None:
    """End a match of the player, or their part in a challenge, and tell the opponent that but not why."""
    seat = seat_of(match, player)
    if match.state == MatchState.RUNNING and seat is not None:
        lost = ended is BanOutcome.LOST
        events = verdicts.decide(session, match, other(seat), now) if lost else verdicts.cancel(session, match, now)
        announcements.announce(session, server, now, events)
    elif match.state == MatchState.OFFERED:
        answer = lifecycle.withdraw if match.challenger == player.id else lifecycle.decline
        for notice in announcements.notices(session, answer(session, match, player, now), author=player):
            notify(session, server, now, notice)


def unban(session: Session, server: ServerSettings, player: Player, order: Order, now: datetime) -> None:
    player = session.get_one(Player, player.id, with_for_update=True, populate_existing=True)
    if player.banned is None:
        raise Refused(f"The account of {player.name} isn't closed.")
    player.banned = None
    closed = session.get(ClosedAddress, invitations.digest(player.address))
    if closed is not None:
        session.delete(closed)
    told = AccountChanged(closed=False, contact=server.admin or "", message=order.reason)
    Mailer(session, server, now).to_player(player, told, purpose=Purpose.PERSONAL)
    acts.keep(session, order, "unban", now, player=player.id)
