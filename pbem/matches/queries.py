"""Queries about matches: whose they are, how many turns they have, what number the next one gets."""

from collections.abc import Sequence

from sqlmodel import Session, col, func, select

from pbem.matches.snapshot import Snapshot, stand
from pbem.storage.database import exclude_others
from pbem.storage.models import Match, MatchState, Player, Ply


def next_number(session: Session) -> int:
    """The number of the next match: one more than the last one's.

    PostgreSQL by itself would leave out those of challenges that were undone, say because they wait for a `yes`.
    """
    exclude_others(session.connection(), "the number of a match")
    return (session.exec(select(func.max(Match.id))).one() or 0) + 1


def plies(session: Session, match: Match) -> Sequence[Ply]:
    """The complete turns of the match, in order."""
    return session.exec(select(Ply).where(Ply.match == match.id).order_by(col(Ply.number))).all()


def of_player(session: Session, player: Player, states: tuple[str, ...]) -> list[Match]:
    """The player's matches in those states, in the order of their numbers."""
    return list(
        session.exec(
            select(Match)
            .where((Match.seat0 == player.id) | (Match.seat1 == player.id), col(Match.state).in_(states))
            .order_by(col(Match.id))
        )
    )


def awaiting(session: Session, player: Player) -> list[Snapshot]:
    """The matches in which it is the player's turn, in the order of their numbers."""
    standings = (stand(session, match) for match in of_player(session, player, (MatchState.RUNNING,)))
    return [standing for standing in standings if standing.base.turn == standing.seat_of(player)]


def count(session: Session, match: Match) -> int:
    """How many complete turns were played."""
    return session.exec(select(func.count()).select_from(Ply).where(Ply.match == match.id)).one()
