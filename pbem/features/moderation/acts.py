"""Acts of moderation: who does something and why, and the rows that keep it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog
from sqlmodel import Session, col, select

from pbem.storage.models import ModerationAct, Player

log = structlog.get_logger()

LONGEST_NOTE = 1_000
OPERATOR = "The operator"
"""How the operator is called beside what they write. It is no name that a player can have."""


@dataclass(frozen=True, slots=True)
class Order:
    actor: str
    note: str = ""
    tells: bool = False
    """Whether the players learn why."""
    is_trial: bool = False
    """Whether it is only tried, and undone: then the log has nothing of it."""

    @property
    def reason(self) -> tuple[str, ...]:
        """Why, as the players are told; empty if they aren't."""
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
    kept = ModerationAct(
        at=now,
        actor=order.actor,
        act=act,
        player=player,
        match=match,
        former_name=former_name,
        note=order.note[:LONGEST_NOTE],
    )
    session.add(kept)
    session.flush()
    if not order.is_trial:
        log.warning("moderated", act=act, actor=order.actor, player=player, match=match)


def newest(
    session: Session, most: int, page: int = 1, player: Player | None = None
) -> tuple[Sequence[ModerationAct], bool]:
    """Return a page of what was done, the newest first, and whether there is more: all, or what a player met with."""
    kept = select(ModerationAct).order_by(col(ModerationAct.id).desc())
    if player is not None:
        kept = kept.where(ModerationAct.player == player.id)
    rows = session.exec(kept.offset((page - 1) * most).limit(most + 1)).all()
    return rows[:most], len(rows) > most


def export(session: Session, player: Player) -> dict[str, Any]:
    rows = session.exec(select(ModerationAct).where(ModerationAct.player == player.id).order_by(col(ModerationAct.id)))
    acts = [{"at": row.at, "act": row.act, "former_name": row.former_name, "why": row.note} for row in rows]
    return {"moderation": acts}
