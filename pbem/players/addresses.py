"""New reply addresses for a player: every token given out before stops working."""

from datetime import datetime

from sqlmodel import Session, col, or_, select, update

from pbem.config import ServerSettings
from pbem.matches import lifecycle
from pbem.matches.queries import of_player, seat_of
from pbem.messages.said.sections import NewAddresses
from pbem.players import known_addresses, schedule
from pbem.storage import facts, outbox
from pbem.storage.models import UNSENT, Match, MatchState, Outgoing, OutgoingState, Player
from pbem.storage.outbox import Mailer
from pbem.tokens import Purpose

MERGED = "merged-"
"""How what replaces the address of an account that is part of another one begins, once somebody else has it."""


def revoke(session: Session, player: Player) -> None:
    """Revoke the player's tokens, and forget from where else they write; queued messages get new tokens."""
    player.epoch += 1
    known_addresses.forget(session, player)
    session.flush()
    _readdress_unsent(session, player)


def revoke_and_tell(session: Session, server: ServerSettings, player: Player, now: datetime) -> None:
    """Revoke the player's tokens for the operator, and queue a message with the new personal address."""
    revoke(session, player)
    Mailer(session, server, now).to_player(player, NewAddresses(by_operator=True), purpose=Purpose.PERSONAL)


def change(session: Session, player: Player, address: str) -> list[Match]:
    """Change the player's address to one that has agreed, and revoke all tokens; return the offers made to it."""
    guest = session.exec(select(Player).where(Player.address == address)).first()
    old, player.address = player.address, address
    player.unreachable, player.bounces, player.bounced = None, 0, None
    if player.gets_turns_only:
        schedule.resume(session, player)
    player.complained = None
    passed_on = _swap_addresses(session, guest, player, old) if guest is not None else []
    revoke(session, player)
    return passed_on


def pass_on_unsent(session: Session, player: Player, heir: Player, now: datetime) -> None:
    """Let the news about matches that waits for the player go to another account of the same person, as it stands now.

    Answers to what they wrote go to where they wrote from.
    """
    news = (
        col(Outgoing.player) == player.id,
        col(Outgoing.state).in_(UNSENT),
        col(Outgoing.is_notice),
        col(Outgoing.match).is_not(None),
        col(Outgoing.removed).is_(None),
    )
    for row in session.exec(select(Outgoing).where(*news).order_by(col(Outgoing.id)).options(outbox.WITH_CONTENT)):
        match = session.get_one(Match, row.match)
        if seat_of(match, heir) is None:
            continue
        row.message_id = outbox.new_id(row.message_id)
        row.player, row.address, row.epoch = heir.id, heir.address, heir.epoch
        outbox.kept_content(row).facts = facts.gather(session, heir, [match.id or 0])
        row.state, row.due, row.attempts, row.error, row.troubled = _waiting(row, heir), now, 0, None, None
    session.flush()


def _waiting(row: Outgoing, player: Player) -> OutgoingState:
    """Return the state in which news waits that is the player's from now on."""
    if row.state in (OutgoingState.BATCHED, OutgoingState.PAUSED):
        return OutgoingState.BATCHED if player.stopped is None else OutgoingState.PAUSED
    return OutgoingState.OWED if player.unreachable is None else OutgoingState.SUSPENDED


def _swap_addresses(session: Session, guest: Player, player: Player, old: str) -> list[Match]:
    """Pass the invitations of someone who never joined on to the player who has that address now."""
    taken = player.address
    player.address = f"{old}\n{guest.id}"  # not an address, while the two rows swap theirs
    session.flush()
    is_anothers = guest.merged_into not in (None, player.id)
    guest.address = f"{MERGED}{guest.id}" if is_anothers else old
    guest.epoch += 1
    session.flush()
    player.address = taken
    offers = of_player(session, guest, (MatchState.OFFERED,))
    passed_on = [match for match in offers if match.challenger != player.id]
    for match in passed_on:
        lifecycle.transfer(session, match, guest, player)
    return passed_on


def _readdress_unsent(session: Session, player: Player) -> None:
    """Readdress the player's unsent messages; one that may have gone out already gets a new Message-ID."""
    unsent = (
        col(Outgoing.player) == player.id,
        col(Outgoing.state).in_(UNSENT),
        col(Outgoing.purpose).is_distinct_from(Purpose.ADDRESS.name),
    )
    tried = or_(col(Outgoing.attempts) > 0, col(Outgoing.sent).is_not(None))
    for row in session.exec(select(Outgoing).where(*unsent, tried)):
        row.message_id = outbox.new_id(row.message_id)
    session.flush()
    session.exec(update(Outgoing).where(*unsent).values(epoch=player.epoch, address=player.address))
