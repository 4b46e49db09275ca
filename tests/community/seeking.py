"""Seeks without mail."""

from datetime import datetime, timedelta
from typing import Any

from sqlmodel import Session

from pbem.features.seeks import seeks
from pbem.storage.models import Player, Seek
from tests.contests import NOW

UNTIL = NOW + timedelta(days=28)
QUADRATURE = {"game": "quadrature", "options": {"men": "18"}, "begin": "me"}


def put_up(
    session: Session,
    player: Player,
    terms: dict[str, Any] = QUADRATURE,
    repeat: int = 1,
    until: datetime = UNTIL,
    created: datetime = NOW,
) -> Seek:
    """Let a player put up a seek."""
    return seeks.put_up(session, Seek(player=player.id, repeat=repeat, created=created, expires=until, **terms))


def numbers(session: Session, reader: Player, most: int = 9, page: int = 1, **wanted: Any) -> list[int]:
    """Return the numbers of the seeks that are listed to somebody."""
    rows, _ = seeks.listed(session, reader, NOW, most, page=page, **wanted)
    return [seek.id or 0 for seek, _ in rows]
