"""What the operator does to players and matches, the messages that tell of it, and the rows that keep it."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import ClassVar

import structlog
from sqlmodel import Session, col, update

from engines.core import Seat
from engines.seats import other
from notation.ending import Ending, Termination
from pbem.config import ServerSettings
from pbem.conversation.feature import Features
from pbem.errors import Refused
from pbem.matches import lifecycle
from pbem.matches.events import Events
from pbem.matches.queries import of_player, opponent_of, playing, seat_of
from pbem.messages.contents.answer_sections import ChallengeClosed, TurnNews
from pbem.players import match_event_notices
from pbem.players.queue_match_news import notify
from pbem.storage import mailboxes_and_domains, retention
from pbem.storage.mailer import NEWS, Mailer
from pbem.storage.message_payload_base import Payload
from pbem.storage.models import (
    HOUSE,
    UNSENT,
    ClosedAddress,
    Match,
    MatchState,
    ModerationAct,
    Outgoing,
    OutgoingState,
    Player,
)
from pbem.tokens import Purpose


class AccountChanged(Payload, template="account"):
    closed: bool
    matches: tuple[int, ...] = ()  # those that have ended by that
    lost: bool = False  # whether they have lost these; otherwise they have no result
    contact: str = ""  # the operator's address; empty if they have none
    message: tuple[str, ...] = ()  # why, if the operator says so


class Renamed(Payload, template="renamed"):
    who: str  # the new name
    by: str  # the former name
    own: bool
    message: tuple[str, ...] = ()  # why, if the operator says so


class Announced(Payload, template="announcement"):
    subject: str
    message: tuple[str, ...]
    is_long: ClassVar = True


log = structlog.get_logger()

LONGEST_NOTE = 1_000
OPERATOR = "The operator"  # how the operator is called beside what they write. It is no name that a player can have.


@dataclass(frozen=True, slots=True)
class Order:
    actor: str
    note: str = ""
    tells: bool = False  # whether the players learn why
    is_trial: bool = False  # whether everything is undone in the end, so that nothing is logged

    @property
    def reason(self) -> tuple[str, ...]:
        """For the players; empty if they aren't told."""
        return tuple(self.note.splitlines()) if self.tells else ()


def keep(
    session: Session,
    order: Order,
    act: str,
    now: datetime,
    *,
    player: int | None = None,
    match: int | None = None,
    former_name: str | None = None,
) -> None:
    """Store what is done, and log it without the note, which may say anything."""
    row = ModerationAct(at=now, actor=order.actor, act=act, player=player, match=match, former_name=former_name)
    row.note = order.note[:LONGEST_NOTE]
    session.add(row)
    session.flush()
    if not order.is_trial:
        log.warning("moderated", act=act, actor=order.actor, player=player, match=match)


def rename(
    session: Session, server: ServerSettings, player: Player, new_name: str, order: Order, now: datetime
) -> None:
    """Rename a player. Nobody else gets the old name, and it is found when the player's data is deleted."""
    player = session.get_one(Player, player.id, with_for_update=True, populate_existing=True)
    former = player.name or ""
    player.name = new_name
    session.flush()
    keep(session, order, "rename", now, player=player.id, former_name=former)
    mailer = Mailer(session, server, now)
    news = Renamed(who=new_name, by=former, own=True, message=order.reason)
    mailer.to_player(player, news, purpose=Purpose.PERSONAL)
    news = Renamed(who=new_name, by=former, own=False)
    numbers = {opponent_of(session.get_one(Match, number), player) for number in playing(session, player)}
    for opponent in (session.get_one(Player, number) for number in sorted(numbers)):
        if opponent.address != HOUSE and opponent.stopped is None and opponent.banned is None:
            mailer.to_player(opponent, news, purpose=Purpose.PERSONAL, delivery=NEWS)


BY_OPERATOR = "the operator of this server has ended it"


def cancel(session: Session, match: Match, now: datetime) -> Events:
    return lifecycle.end(session, match, Ending(Termination.CANCELLED), None, now, reason=BY_OPERATOR)


def decide(session: Session, match: Match, winner: Seat | None, now: datetime) -> Events:
    return lifecycle.end(session, match, Ending(Termination.ADJUDICATED), winner, now)


def tell(session: Session, server: ServerSettings, events: Events, order: Order, now: datetime) -> None:
    for notice in match_event_notices.notices(session, events):
        payload = notice.payload
        if isinstance(payload, ChallengeClosed) or (isinstance(payload, TurnNews) and order.reason):
            payload = replace(payload, by=OPERATOR, message=order.reason)
        notify(session, server, now, replace(notice, payload=payload))


# Closed accounts: whoever has one can neither play nor be played with; their data stays theirs to export and delete.
#
# A ban is one transaction that locks the player first, as leaving does: whoever challenges them, or takes a seek of
# theirs, waits for it and then finds the account closed.
class BanOutcome(StrEnum):
    CANCELLED = "cancelled"  # they end without a result
    LOST = "lost"  # their opponents win them, by adjudication


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
    address = mailboxes_and_domains.digest(player.address)
    if session.get(ClosedAddress, address) is None:
        session.add(ClosedAddress(address=address, closed=now))
    session.flush()
    unsent = (col(Outgoing.player) == player.id, col(Outgoing.is_notice), col(Outgoing.state).in_(UNSENT))
    retention.change(session, update(Outgoing).where(*unsent).values(state=OutgoingState.DROPPED.value, troubled=None))
    for feature in features:
        if feature.on_ban is not None:
            feature.on_ban(session, player, (), now)
    running = []
    for match in of_player(session, player, (MatchState.RUNNING, MatchState.OFFERED)):
        session.refresh(match, with_for_update=True)
        if match.state == MatchState.RUNNING:
            running.append(match.id or 0)
        _end(session, server, match, player, now, ended)
    news = AccountChanged(
        closed=True,
        matches=tuple(running),
        lost=ended is BanOutcome.LOST,
        contact=server.admin or "",
        message=order.reason,
    )
    Mailer(session, server, now).to_player(player, news, purpose=Purpose.PERSONAL)
    keep(session, order, f"ban {ended.value}", now, player=player.id)
    return len(running)


def _end(
    session: Session, server: ServerSettings, match: Match, player: Player, now: datetime, ended: BanOutcome
) -> None:
    """End a match of the player, or their part in a challenge, and tell the opponent that but not why."""
    seat = seat_of(match, player)
    if match.state == MatchState.RUNNING and seat is not None:
        lost = ended is BanOutcome.LOST
        events = decide(session, match, other(seat), now) if lost else cancel(session, match, now)
        match_event_notices.announce(session, server, now, events)
    elif match.state == MatchState.OFFERED:
        answer = lifecycle.withdraw if match.challenger == player.id else lifecycle.decline
        for notice in match_event_notices.notices(session, answer(session, match, player, now), author=player):
            notify(session, server, now, notice)


def unban(session: Session, server: ServerSettings, player: Player, order: Order, now: datetime) -> None:
    player = session.get_one(Player, player.id, with_for_update=True, populate_existing=True)
    if player.banned is None:
        raise Refused(f"The account of {player.name} isn't closed.")
    player.banned = None
    closed = session.get(ClosedAddress, mailboxes_and_domains.digest(player.address))
    if closed is not None:
        session.delete(closed)
    news = AccountChanged(closed=False, contact=server.admin or "", message=order.reason)
    Mailer(session, server, now).to_player(player, news, purpose=Purpose.PERSONAL)
    keep(session, order, "unban", now, player=player.id)
