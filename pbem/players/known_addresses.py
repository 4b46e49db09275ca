"""From which addresses a player writes: the one on file, and others that they have told us of with a yes.

A reply token alone may have been forwarded. Who replies to us from an address of their own is asked once whether it is
theirs; forwarders, aliases and mailing lists that rewrite From are known from then on. That proves nothing about the
address, which may be somebody else's: it only counts beside a token of the player.
"""

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session, col, delete, select

from pbem.storage.mailboxes import mailbox
from pbem.storage.models import KnownAddress, Player

MOST = 20
"""How many others of one player are known; a new one replaces the oldest."""


def is_known(session: Session, player: Player, address: str | None) -> bool:
    """Return whether the player writes from that address, which is nobody else's."""
    if address is None or player.address == address:
        return address is not None
    if _is_other_players(session, player, address):
        return False
    if mailbox(player.address) == mailbox(address):
        return True
    return session.get(KnownAddress, (player.id, mailbox(address))) is not None


def can_be_known(session: Session, player: Player, address: str | None) -> bool:
    """Return whether a yes of the player may make that address known as theirs."""
    return address is not None and not _is_other_players(session, player, address)


def note(session: Session, player: Player, address: str, now: datetime) -> None:
    if is_known(session, player, address) or not can_be_known(session, player, address):
        return
    for oldest in _rows_of(session, player)[MOST - 1 :]:
        session.delete(oldest)
    session.add(KnownAddress(player=player.id or 0, address=mailbox(address), since=now))
    session.flush()


def of_player(session: Session, player: Player) -> list[str]:
    return [known.address for known in _rows_of(session, player)]


def forget(session: Session, player: Player) -> None:
    """Forget from where else the player writes: they leave, or somebody has their reply addresses."""
    session.exec(delete(KnownAddress).where(col(KnownAddress.player) == player.id))


def _rows_of(session: Session, player: Player) -> Sequence[KnownAddress]:
    of_player = select(KnownAddress).where(KnownAddress.player == player.id)
    return session.exec(of_player.order_by(col(KnownAddress.since).desc())).all()


def _is_other_players(session: Session, player: Player, address: str) -> bool:
    """Return whether the address is another player's: an opponent who got a copy and answered to all, including us."""
    other = select(Player.id).where(
        Player.address == address, col(Player.confirmed).is_not(None), Player.id != player.id
    )
    return session.exec(other).first() is not None
