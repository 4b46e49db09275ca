"""New reply addresses for a player: every token given out before stops working."""

from datetime import datetime

from sqlmodel import Session, col, or_, select, update

from pbem.config import ServerSettings
from pbem.matches import lifecycle
from pbem.matches.queries import of_player
from pbem.messages.said.sections import NewAddresses
from pbem.players import known_addresses, schedule
from pbem.storage import outbox
from pbem.storage.models import UNSENT, Match, MatchState, Outgoing, Player
from pbem.storage.outbox import Mailer
from pbem.tokens import Purpose


def revoke(session: Session, player: Player) -> None:
    """Revoke the player's tokens, and forget from where else they write; queued messages get new tokens."""
    player.epoch += 1
    known_addresses.forget(session, player)
    session.flush()
    _readdress_unsent(session, player)


def revoke_and_tell(session: Session, server: ServerSettings, player: Player, now: datetime) -> None:
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


def _swap_addresses(session: Session, guest: Player, player: Player, old: str) -> list[Match]:
    """Pass the invitations of someone who never joined on to the player who has that address now."""
    taken = player.address
    player.address = f"{old}\n{guest.id}"  # not an address, while the two rows swap theirs
    session.flush()
    guest.address = old
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
