"""How reliably players finish their matches: of the last ones with a result, how many they lost on time or left.

Matches against the house count for nothing here, nor do imported ones. Everything is read from indexes.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Integer, Select, and_, case, cast, func, literal, select, union_all
from sqlmodel import Session, col

from notation.ending import WITHOUT_RESULT, Termination
from pbem.storage.models import Match, Player

RECENT = 20
ONE_IN = 10  # one match in so many may be lost on time. The first one is forgiven, so nobody who begins is out at once.
BROKEN_OFF = (Termination.TIMEOUT.value, Termination.LEFT.value)


@dataclass(frozen=True, slots=True)
class Reliability:
    """How many of a player's last matches have ended with a result, how many of them they broke off, and what runs."""

    ended: int = 0
    lost: int = 0
    running: int = 0

    @property
    def is_good(self) -> bool:
        """Whether it is good enough for seeks of those who want reliable opponents."""
        return self.lost <= max(1, self.ended // ONE_IN)


def of_players(session: Session, players: Collection[int]) -> Mapping[int, Reliability]:
    connection = session.connection()
    rows = ((player, connection.execute(_asked(player)).one()) for player in sorted(set(players)))
    return {player: Reliability(ended, lost, running) for player, (ended, lost, running) in rows}


def of(session: Session, player: Player) -> Reliability:
    return of_players(session, (player.id or 0,))[player.id or 0]


def is_good(player: Any) -> ColumnElement[bool]:
    recent = _recent(player)
    allowed = case((func.count() >= 2 * ONE_IN, 2), else_=1)
    return select(func.coalesce(func.sum(recent.c.lost), 0) <= allowed).select_from(recent).scalar_subquery()


def _asked(player: Any) -> Select[Any]:
    recent = _recent(player)
    running = sum(
        (
            select(func.count())
            .select_from(Match)
            .where(col(seat) == player, col(Match.to_move).is_not(None), col(Match.level).is_(None))
            .scalar_subquery()
            for seat in (Match.seat0, Match.seat1)
        ),
        start=literal(0),
    )
    lost = func.coalesce(func.sum(recent.c.lost), 0)
    return select(func.count(), lost, running).select_from(recent)


def _recent(player: Any) -> Any:
    sides = []
    for seat, column in enumerate((Match.seat0, Match.seat1)):
        lost = cast(and_(col(Match.termination).in_(BROKEN_OFF), col(Match.termination_seat) == seat), Integer)
        counts = (
            col(Match.termination).is_not(None),
            col(Match.level).is_(None),
            col(Match.imported).is_(None),
            col(Match.termination).not_in([termination.value for termination in WITHOUT_RESULT]),
        )
        newest = (col(Match.ended).desc(), col(Match.id).desc())
        side = select(col(Match.ended), col(Match.id), lost.label("lost")).where(column == player, *counts)
        sides.append(select(side.order_by(*newest).limit(RECENT).subquery()))
    both = union_all(*sides).subquery()
    return select(both).order_by(both.c.ended.desc(), both.c.id.desc()).limit(RECENT).subquery()
