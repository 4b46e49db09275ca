"""A player's addresses: new reply addresses, which revoke every token given out before, and those they write from.

A reply token alone may have been forwarded. People who reply to us from an address of their own are asked once whether
it is theirs; forwarders, aliases and mailing lists that rewrite From are known from then on. That proves nothing about
the address, which may be somebody else's: it only counts beside a token of the player.
"""

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session, col, delete, or_, select, update

from pbem.config import ServerSettings
from pbem.matches import lifecycle
from pbem.matches.queries import of_player
from pbem.messages.contents.answer_sections import NewAddresses
from pbem.players import news_times_and_pauses
from pbem.storage import mailer
from pbem.storage.mailboxes_and_domains import mailbox
from pbem.storage.mailer import Mailer
from pbem.storage.models import UNSENT, KnownAddress, Match, MatchState, Outgoing, Player
from pbem.tokens import Purpose


def revoke(session: Session, player: Player) -> None:
    """Revoke the player's tokens, and forget from where else they write; queued messages get new tokens."""
    player.epoch += 1
    forget(session, player)
    session.flush()
    unsent = (
        col(Outgoing.player) == player.id,
        col(Outgoing.state).in_(UNSENT),
        col(Outgoing.purpose).is_distinct_from(Purpose.ADDRESS.name),
    )
    tried = or_(col(Outgoing.attempts) > 0, col(Outgoing.sent).is_not(None))
    for row in session.exec(select(Outgoing).where(*unsent, tried)):
        row.message_id = mailer.new_id(row.message_id)  # it may have gone out already
    session.flush()
    session.exec(update(Outgoing).where(*unsent).values(epoch=player.epoch, address=player.address))


def revoke_and_tell(session: Session, server: ServerSettings, player: Player, now: datetime) -> None:
    revoke(session, player)
    Mailer(session, server, now).to_player(player, NewAddresses(by_operator=True), purpose=Purpose.PERSONAL)


def change(session: Session, player: Player, address: str) -> list[Match]:
    """Change the player's address to one that has agreed, and revoke all tokens; return the offers made to it."""
    guest = session.exec(select(Player).where(Player.address == address)).first()
    old, player.address = player.address, address
    player.unreachable, player.bounces, player.bounced = None, 0, None
    if player.gets_turns_only:
        news_times_and_pauses.resume(session, player)
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


MOST = 20


def is_known(session: Session, player: Player, address: str | None) -> bool:
    """Return whether the player writes from that address, which is nobody else's."""
    if address is None or player.address == address:
        return address is not None
    if not can_be_known(session, player, address):
        return False
    is_same = mailbox(player.address) == mailbox(address)
    return is_same or session.get(KnownAddress, (player.id, mailbox(address))) is not None


def can_be_known(session: Session, player: Player, address: str | None) -> bool:
    """Return whether it is no other player's: an opponent's, say, who got a copy and answered to all, including us."""
    other = select(Player.id).where(Player.address == address, Player.id != player.id)
    is_others = session.exec(other.where(col(Player.confirmed).is_not(None))).first() is not None
    return address is not None and not is_others


def note(session: Session, player: Player, address: str, now: datetime) -> None:
    if is_known(session, player, address) or not can_be_known(session, player, address):
        return
    for oldest in _rows_of(session, player)[MOST - 1 :]:
        session.delete(oldest)
    session.add(KnownAddress(player=player.id or 0, address=mailbox(address), since=now))
    session.flush()


def known_of(session: Session, player: Player) -> list[str]:
    return [known.address for known in _rows_of(session, player)]


def forget(session: Session, player: Player) -> None:
    """Forget from where else the player writes: they leave, or somebody has their reply addresses."""
    session.exec(delete(KnownAddress).where(col(KnownAddress.player) == player.id))


def _rows_of(session: Session, player: Player) -> Sequence[KnownAddress]:
    of_player = select(KnownAddress).where(KnownAddress.player == player.id)
    return session.exec(of_player.order_by(col(KnownAddress.since).desc())).all()
