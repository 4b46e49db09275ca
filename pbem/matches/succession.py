"""Matches that go to another account of the same person; those between the two accounts stay as they were played."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement
from sqlalchemy import select as columns
from sqlmodel import Session, col, func, update

from pbem.matches.queries import locked, of_player, opponent_of
from pbem.storage.models import Match, MatchState, Player
from pbem.storage.retention import change

OPEN = (MatchState.RUNNING, MatchState.OFFERED)
SEATS: tuple[tuple[Any, Any], ...] = ((Match.seat0, Match.seat1), (Match.seat1, Match.seat0))
_IS_OVER: ColumnElement[bool] = col(Match.termination).is_not(None)


def open_between(session: Session, one: Player, other: Player) -> Iterator[Match]:
    """Yield the running matches and the challenges between the two, locked, in the order of their numbers."""
    for match in of_player(session, one, OPEN):
        if opponent_of(match, one) == other.id:
            session.refresh(match, with_for_update=True)
            if match.state in OPEN:
                yield match


def counted_since(session: Session, player: Player) -> dict[str, datetime]:
    """Return when the player's first match ended that counts for ratings, by game."""
    found: dict[str, datetime] = {}
    for seat, _ in SEATS:
        counting = columns(col(Match.game), col(Match.counted)).where(seat == player.id, _IS_OVER)
        for game, counted in session.execute(counting):
            if counted is not None:  # asked here, so that no database reads all matches that count
                found[game] = min(counted, found.get(game, counted))
    return found


def uncount(session: Session, one: Player, other: Player) -> int:
    """Let no match between the two count for ratings; return how many there are that are over."""
    number = 0
    for first, second in ((one, other), (other, one)):
        pair = (col(Match.seat0) == first.id, col(Match.seat1) == second.id, _IS_OVER)
        number += session.execute(columns(func.count()).where(*pair)).scalar_one()
        change(session, update(Match).where(*pair, col(Match.counted).is_not(None)).values(counted=None))
    return number


def pass_on(session: Session, player: Player, heir: Player) -> list[Match]:
    """Let the other account have the player's matches, but those between the two; return the running ones."""
    running = []
    for number in [match.id or 0 for match in of_player(session, player, OPEN)]:
        match = locked(session, number)
        if match is None or match.state not in OPEN or opponent_of(match, player) == heir.id:
            continue
        seat = "seat0" if match.seat0 == player.id else "seat1"
        setattr(match, seat, heir.id or 0)
        if match.challenger == player.id:
            match.challenger = heir.id or 0
        if match.state == MatchState.RUNNING:
            running.append(match)
    session.flush()
    closed = col(Match.state).not_in(OPEN)
    for seat, other in SEATS:
        mine = (seat == player.id, other != heir.id, closed)
        change(session, update(Match).where(*mine).values({seat.key: heir.id}))
    neither = (col(Match.seat0) != player.id, col(Match.seat1) != player.id)
    challenged = (col(Match.challenger) == player.id, closed, *neither)
    change(session, update(Match).where(*challenged).values(challenger=heir.id))
    return running
