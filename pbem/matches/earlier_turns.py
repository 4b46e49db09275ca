"""The turns that a match has from elsewhere, stored together when its row is."""

from collections.abc import Iterable
from datetime import datetime

from sqlmodel import Session

from pbem.storage.models import Ply

EarlierTurn = tuple[int, str, datetime]
"""The seat that played it, its text, and when that was."""


def store(session: Session, match: int, turns: Iterable[EarlierTurn], after: int = 0) -> None:
    """Store the turns, in order, as the first of the match, or after that many that are there."""
    session.add_all(
        Ply(match=match, number=number, seat=seat, text=text, played=played)
        for number, (seat, text, played) in enumerate(turns, start=after + 1)
    )
    session.flush()
