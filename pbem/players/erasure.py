"""Erasure: a player leaves; their records stay, without a name.

What others must see at once is one short transaction: the player's matches end and the opponents are told, nothing more
goes out to them, and their row is called deleted-17 from then on. So records stay well formed, and two players who left
stay distinct. The rest of their data is deleted by `traces`, a few rows at a time, before anything else is sent.
"""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import case, inspect
from sqlmodel import Session, SQLModel, col, delete, func, select, update

from pbem.config import ServerSettings
from pbem.matches import lifecycle
from pbem.matches.queries import of_player
from pbem.messages.contents.message_payloads import Deleted
from pbem.players import addresses_and_revocation, player_directory
from pbem.players.match_event_notices import announce
from pbem.storage import mailboxes_and_domains, retention
from pbem.storage.mailer import UNCAUSED, Cause, Mailer
from pbem.storage.models import (
    ANONYMOUS,
    UNSENT,
    Calendar,
    Departure,
    Match,
    MatchState,
    ModerationAct,
    Outgoing,
    OutgoingState,
    OwnText,
    Player,
)
from pbem.storage.utc import within
from pbem.tokens import OLDEST, Purpose

log = structlog.get_logger()

LAST_MAIL = "deleted"  # the template of the last message; its address is removed once it is sent
OVERTAKEN = ("turn", "away", "challenge", "invitation", "message", "unreachable")
"""Messages about a match that needn't go out any more once its end is told."""
Forget = Callable[[Session, Player, Collection[str], datetime], None]
"""Removes what a feature holds on a player who leaves, with all addresses that were theirs."""
MOST_DEPARTURES = 2  # how often one address may leave in a day and join again
REMEMBERED = timedelta(days=1)


def erase(
    session: Session,
    server: ServerSettings,
    player: Player,
    now: datetime,
    forget: Sequence[Forget],
    cause: Cause = UNCAUSED,
) -> str:
    """Let the player leave, and queue the message that says so; return the name that replaces theirs."""
    locked = session.get_one(Player, player.id, with_for_update=True)
    address = locked.address
    _erase(session, server, locked, now, forget)
    if (incoming := cause.incoming) is not None:  # the current message
        incoming.content, incoming.sender, incoming.recipients, incoming.removed = None, None, [], now
    Mailer(session, server, now).to_address(address, Deleted(), cause=cause)
    log.info("erased", player=locked.id)
    return locked.name or ""


def forget_last(session: Session, tried: Sequence[int]) -> None:
    over = col(Outgoing.state).in_((OutgoingState.SENT, OutgoingState.FAILED))
    last = (col(Outgoing.id).in_(tried), col(Outgoing.template) == LAST_MAIL, over)
    emptied: dict[str, Any] = {"address": retention.NOWHERE, "references": []}
    emptied |= dict.fromkeys(("stranger_domain", "in_reply_to", "error"))
    emptied["state"] = case((col(Outgoing.state) == OutgoingState.FAILED, "dropped"), else_=Outgoing.state)
    retention.change(session, update(Outgoing).where(*last).values(emptied))


def has_left_often(session: Session, address: str, now: datetime) -> bool:
    recent = (Departure.digest == mailboxes_and_domains.digest(address), within(Departure.left, REMEMBERED, now))
    return session.exec(select(func.count()).select_from(Departure).where(*recent)).one() >= MOST_DEPARTURES


def _erase(session: Session, server: ServerSettings, player: Player, now: datetime, forget: Sequence[Forget]) -> None:
    theirs, guests = _addresses(session, player)
    acts = col(ModerationAct.player) == player.id
    former_names = session.exec(select(ModerationAct.former_name).where(acts)).all()
    retention.change(session, update(ModerationAct).where(acts).values(note="", former_name=None))
    session.add(
        Departure(
            player=player.id or 0,
            name=player.name,
            former_names=[name for name in former_names if name is not None],
            addresses=list(theirs),
            digest=mailboxes_and_domains.digest(player.address),
            left=now,
        )
    )
    unsent = (col(Outgoing.player) == player.id, col(Outgoing.state).in_(UNSENT))
    retention.change(session, update(Outgoing).where(*unsent).values(state=OutgoingState.DROPPED.value, troubled=None))
    questions = (col(Outgoing.player) == player.id, col(Outgoing.template) == "confirm")
    retention.change(session, update(Outgoing).where(*questions).values(gist=None))  # they can be asked to join again
    player.name = player.address = f"{ANONYMOUS}{player.id}"
    player.settings, player.stopped, player.banned, player.trusted, player.deleted = {}, None, None, None, now
    player.bounces, player.bounced, player.unreachable, player.complained = 0, None, None, None
    player.epoch += OLDEST + 1
    session.flush()
    player_directory.forget(session, player)
    addresses_and_revocation.forget(session, player)
    retention.change(session, delete(Calendar).where(col(Calendar.player) == player.id))
    for table in OwnText.__subclasses__():
        for seat, column in enumerate((Match.seat0, Match.seat1)):
            in_seat = col(table.match).in_(select(Match.id).where(column == player.id))
            retention.change(session, delete(table).where(in_seat, col(table.seat) == seat))
    for forgets in forget:
        forgets(session, player, theirs, now)
    for match in of_player(session, player, (MatchState.RUNNING, MatchState.OFFERED)):
        session.refresh(match, with_for_update=True)
        if events := lifecycle.leave(session, match, player, now):
            unsent = (col(Outgoing.match) == match.id, col(Outgoing.state).in_(UNSENT))
            overtaken = update(Outgoing).where(*unsent, col(Outgoing.template).in_(OVERTAKEN))
            retention.change(session, overtaken.values(state=OutgoingState.DROPPED.value))
            announce(session, server, now, events)
    for guest in guests:
        _erase(session, server, guest, now, forget)


def _addresses(session: Session, player: Player) -> tuple[tuple[str, ...], list[Player]]:
    """Return the player's present and earlier addresses, and the rows of guests that were made at earlier ones."""
    went = select(Outgoing.address).where(
        Outgoing.player == player.id, col(Outgoing.purpose).is_distinct_from(Purpose.ADDRESS.name)
    )
    addresses = {player.address, *session.exec(went.distinct())}
    others = session.exec(select(Player).where(col(Player.address).in_(addresses), Player.id != player.id)).all()
    addresses -= {other.address for other in others if other.confirmed is not None}
    return tuple(sorted(addresses)), [other for other in others if other.confirmed is None]


def deletes(table: type[SQLModel]) -> Forget:
    """Return the hook that deletes the rows of a table whose `player` is the player."""

    def forget(session: Session, player: Player, addresses: Collection[str], now: datetime) -> None:
        retention.change(session, delete(table).where(inspect(table).columns.player == player.id))

    return forget
