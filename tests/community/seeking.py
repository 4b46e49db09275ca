"""Seeks without mail."""

from datetime import datetime, timedelta

from sqlmodel import Session

from notation.time_control import TimeControl
from pbem.features.seeks import seeks
from pbem.features.seeks.seeks import SeekTerms, WantedMatch
from pbem.storage.models import Player, Seek
from tests.contests import NOW

UNTIL = NOW + timedelta(days=28)
QUADRATURE = SeekTerms("quadrature", {"men": "18"}, TimeControl(), "me")


def put_up(
    session: Session, player: Player, terms: SeekTerms = QUADRATURE, repeat: int = 1, until: datetime = UNTIL
) -> Seek:
    """Let a player put up a seek."""
    return seeks.put_up(session, player, terms, repeat, NOW, until)


def numbers(
    session: Session, reader: Player, most: int = 9, page: int = 1, wanted: WantedMatch | None = None
) -> list[int]:
    """Return the numbers of the seeks that are listed to somebody."""
    rows, _ = seeks.listed(session, reader, NOW, most, page=page, wanted=wanted)
    return [seek.id or 0 for seek, _ in rows]
