"""Queries about matches: whose they are, whose turn it is, their turns, the number of the next match."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import union
from sqlmodel import Session, col, func, or_, select

from engines.core import Seat
from notation.games import GAMES, GamePack
from pbem.storage.database import exclude_others, lock
from pbem.storage.models import Match, MatchState, Player, Ply, TakenBack


def pack_of(match: Match) -> GamePack:
    """Return the game by whose rules the match is played; raise GameMissing."""
    return GAMES.of_version(match.game, match.rules)


def next_number(session: Session) -> int:
    """Return the number of the next match, one more than the last.

    A sequence of PostgreSQL would skip the numbers of offers that were rolled back, such as those that await a "yes".
    """
    exclude_others(session.connection(), "the number of a match")
    return (session.exec(select(func.max(Match.id))).one() or 0) + 1


def locked(session: Session, number: int) -> Match | None:
    """Return the match as it is in the database now, locked until the transaction ends; None if there isn't one."""
    return lock(session, Match, number)


def version(match: Match) -> int:
    """Return the version of the match: it rises with every turn, and with every time that turns are taken back.

    A reply is to a version, so what was written on a position that was taken back is never played on another one.
    """
    return match.plies + match.shift


def seat_of(match: Match, player: Player) -> Seat | None:
    return 0 if player.id == match.seat0 else 1 if player.id == match.seat1 else None


def is_to_move(match: Match, player: Player | None) -> bool:
    return player is not None and match.to_move is not None and seat_of(match, player) == match.to_move


def opponent_of(match: Match, player: Player) -> int:
    return match.seat1 if match.seat0 == player.id else match.seat0


def opponent_in(session: Session, match: Match, player: Player) -> Player:
    return session.get_one(Player, opponent_of(match, player))


def players_of(session: Session, match: Match) -> tuple[Player, Player]:
    return session.get_one(Player, match.seat0), session.get_one(Player, match.seat1)


def plies(session: Session, match: Match) -> Sequence[Ply]:
    return session.exec(select(Ply).where(Ply.match == match.id).order_by(col(Ply.number))).all()


def taken_back(session: Session, match: Match) -> Sequence[TakenBack]:
    in_order = (col(TakenBack.shift), col(TakenBack.number))
    return session.exec(select(TakenBack).where(TakenBack.match == match.id).order_by(*in_order)).all()


def of_player(session: Session, player: Player, states: tuple[str, ...]) -> list[Match]:
    return list(
        session.exec(
            select(Match)
            .where((Match.seat0 == player.id) | (Match.seat1 == player.id), col(Match.state).in_(states))
            .order_by(col(Match.id))
        )
    )


def games_of(session: Session, player: Player) -> list[str]:
    running = (
        select(Match.game).where(seat == player.id, col(Match.to_move).is_not(None))
        for seat in (Match.seat0, Match.seat1)
    )
    return [game for (game,) in session.execute(union(*running))]


def newest_of(
    session: Session, player: Player, states: tuple[str, ...], most: int, first: int = 0
) -> tuple[list[Match], int]:
    """Return the player's matches in those states after the `first`, and how many there are beyond the most.

    Those in which it is the player's turn go first, then the others that aren't over, then the newest; they are in the
    order of their numbers.
    """
    theirs = select(Match.id, Match.state, Match.seat0, Match.to_move)
    theirs = theirs.where((Match.seat0 == player.id) | (Match.seat1 == player.id), col(Match.state).in_(states))
    urgent: list[tuple[bool, bool, int]] = []
    for number, state, seat0, to_move in session.exec(theirs):
        is_theirs = to_move == (0 if seat0 == player.id else 1)
        urgent.append((state == MatchState.OVER, not is_theirs, -(number or 0)))
    numbers = [-number for _, _, number in sorted(urgent)[first : first + most]]
    rows = session.exec(select(Match).where(col(Match.id).in_(numbers)).order_by(col(Match.id))) if numbers else ()
    return list(rows), max(len(urgent) - first - len(numbers), 0)


def since_when(session: Session, matches: Sequence[Match]) -> dict[int, datetime]:
    """Return since when each match has stood as it does: its end, its last turn, its beginning or the offer."""
    numbers = [match.id for match in matches if match.plies and match.ended is None]
    last = (
        select(Ply.match, Ply.played)
        .join(Match, (col(Match.id) == col(Ply.match)) & (col(Match.plies) == col(Ply.number)))
        .where(col(Match.id).in_(numbers))
    )
    played = dict(session.exec(last).all()) if numbers else {}
    return {
        match.id or 0: match.ended or max(played.get(match.id or 0) or match.created, match.started or match.created)
        for match in matches
    }


def is_playing_enough(session: Session, player: Player, most: int) -> bool:
    return len(playing(session, player, most)) >= most


def playing(session: Session, player: Player, most: int | None = None) -> list[int]:
    """Return the numbers of the player's running matches, in order; at most that many for each seat."""
    seats = (Match.seat0, Match.seat1)
    running = (select(Match.id).where(seat == player.id, col(Match.to_move).is_not(None)).limit(most) for seat in seats)
    return sorted(number or 0 for query in running for number in session.exec(query))


def number_between(session: Session, one: Player, other: Player) -> int:
    return sum(
        session.exec(
            select(func.count()).where(first == one.id, second == other.id, col(Match.to_move).is_not(None))
        ).one()
        for first, second in ((Match.seat0, Match.seat1), (Match.seat1, Match.seat0))
    )


def people_of(session: Session, matches: Sequence[Match]) -> dict[int, Player]:
    numbers = {seat for match in matches for seat in (match.seat0, match.seat1)}
    people = session.exec(select(Player).where(col(Player.id).in_(numbers))) if numbers else ()
    return {player.id or 0: player for player in people}


def challenges_to(session: Session, player: Player, most: int) -> list[Match]:
    theirs = or_(col(Match.seat0) == player.id, col(Match.seat1) == player.id)
    offered = select(Match).where(theirs, Match.state == MatchState.OFFERED, Match.challenger != player.id)
    return list(session.exec(offered.order_by(col(Match.id).desc()).limit(most)))


def awaiting(session: Session, player: Player) -> list[Match]:
    whose = ((Match.seat0 == player.id) & (Match.to_move == 0)) | ((Match.seat1 == player.id) & (Match.to_move == 1))
    return list(session.exec(select(Match).where(whose).order_by(col(Match.id))))
