"""Matches that a tournament arranges: they begin without an offer, since both players have entered it."""

from collections.abc import Iterable
from datetime import datetime

from sqlmodel import Session, col, select

from notation.games import GAMES
from pbem.matches import lifecycle, queries
from pbem.matches.events import MatchStarted
from pbem.storage.models import Match, MatchState, Player, Tournament

ARE_UNREPORTED = (col(Match.tournament).is_not(None), col(Match.ended).is_not(None), col(Match.reported).is_(None))
"""Which matches of tournaments are over, and haven't been noted by them yet."""


def begin(
    session: Session, tournament: Tournament, first: Player, second: Player, now: datetime, round_: int | None = None
) -> MatchStarted:
    pack = GAMES[tournament.game]
    game = pack.game
    chosen = game.chosen(tournament.options)
    turn = game.position(chosen).turn
    seats = (first, second) if turn == 0 else (second, first)
    match = Match(
        id=queries.next_number(session),
        game=tournament.game,
        rules=pack.version,
        options=chosen,
        seat0=seats[0].id or 0,
        seat1=seats[1].id or 0,
        challenger=first.id or 0,
        time=tournament.time,
        rated=tournament.rated,
        tournament=tournament.id,
        round=round_,
        state=MatchState.RUNNING.value,
        to_move=turn,
        created=now,
        started=now,
    )
    session.add(match)
    session.flush()
    return lifecycle.start(session, match, now)


def unreported(session: Session, tournament: int) -> list[Match]:
    over = select(Match).where(Match.tournament == tournament, *ARE_UNREPORTED)
    return list(session.exec(over.order_by(col(Match.id))))


def report(session: Session, matches: Iterable[Match], now: datetime) -> None:
    for match in matches:
        match.reported = now
    session.flush()
