"""Blocks: a player wants nothing from another. It holds both ways, and only the one who blocks ever learns of it.

A blocked player who leaves and joins again is still blocked: meanwhile a hash of their address stands for them.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, exists
from sqlmodel import Session, col, func, or_, select

from pbem.storage import mailboxes_and_domains
from pbem.storage.models import Block, BlockedAddress, Player

MOST = 500


def block(session: Session, player: Player, other: Player, now: datetime) -> bool:
    if is_blocked(session, player, other):
        return False
    session.add(Block(player=player.id or 0, blocked=other.id or 0, created=now))
    session.flush()
    return True


def unblock(session: Session, player: Player, other: Player) -> bool:
    row = session.get(Block, (player.id, other.id))
    if row is not None:
        session.delete(row)
        session.flush()
    return row is not None


def is_blocked(session: Session, player: Player, other: Player) -> bool:
    return session.get(Block, (player.id, other.id)) is not None


def is_between(session: Session, one: Player, other: Player) -> bool:
    return is_blocked(session, one, other) or is_blocked(session, other, one)


def around(session: Session, players: Collection[int]) -> set[int]:
    pairs = session.exec(
        select(Block.player, Block.blocked).where(or_(col(Block.player).in_(players), col(Block.blocked).in_(players)))
    )
    return {number for pair in pairs for number in pair}


def none_between(player: Player, column: Any) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return (
        ~exists().where(col(Block.player) == player.id, col(Block.blocked) == column),
        ~exists().where(col(Block.player) == column, col(Block.blocked) == player.id),
    )


def number(session: Session, player: Player) -> int:
    return session.exec(select(func.count()).select_from(Block).where(Block.player == player.id)).one()


def forget(session: Session, player: Player, addresses: Collection[str], now: datetime) -> None:
    """Forget whom a player who leaves has blocked; of who has blocked them, keep the hashes of their addresses."""
    for row in session.exec(select(Block).where(Block.blocked == player.id)).all():
        for digest in map(mailboxes_and_domains.digest, addresses):
            session.merge(BlockedAddress(player=row.player, address=digest, created=row.created))
    session.flush()
    theirs = or_(col(Block.player) == player.id, col(Block.blocked) == player.id)
    session.execute(delete(Block).where(theirs))
    session.execute(delete(BlockedAddress).where(col(BlockedAddress.player) == player.id))


def recall(session: Session, player: Player, digest: str) -> None:
    """Let those who had blocked the owner of an address, who joins again, have blocked the new player."""
    for row in session.exec(select(BlockedAddress).where(BlockedAddress.address == digest)).all():
        session.merge(Block(player=row.player, blocked=player.id or 0, created=row.created))
        session.delete(row)
    session.flush()


def export(session: Session, player: Player) -> list[str]:
    numbers = session.exec(select(Block.blocked).where(Block.player == player.id)).all()
    names = session.exec(select(Player.name).where(col(Player.id).in_(numbers))) if numbers else ()
    return sorted(name or "" for name in names)
