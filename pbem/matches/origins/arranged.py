"""Matches that a tournament arranges: they begin without an offer, since both players have entered it."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from sqlmodel import Session, col, select

from engines import GAMES
from pbem.clocks.time_control import TimeControl, to_stored
from pbem.matches import queries
from pbem.matches.events import MatchStarted
from pbem.matches.time import calendars, timekeeping
from pbem.matches.watched import UNNOTICED
from pbem.storage.models import Match, MatchState, Player


def begin(
    session: Session,
    first: Player,
    second: Player,
    game: str,
    options: Mapping[str, str],
    now: datetime,
    *,
    time: TimeControl,
    rated: bool,
    tournament: int,
    round_: int | None,
) -> MatchStarted:
    """Begin a match, in which that player moves first."""
    chosen = GAMES[game].chosen(options)
    turn = GAMES[game].position(chosen).turn
    seats = (first, second) if turn == 0 else (second, first)
    match = Match(
        id=queries.next_number(session),
        game=game,
        options=chosen,
        seat0=seats[0].id or 0,
        seat1=seats[1].id or 0,
        challenger=first.id or 0,
        time=to_stored(time),
        rated=rated,
        tournament=tournament,
        round=round_,
        state=MatchState.RUNNING.value,
        to_move=turn,
        created=now,
        started=now,
        shown=UNNOTICED,
    )
    session.add(match)
    session.flush()
    timekeeping.start(session, match, now)
    calendars.begin(session, match, now)
    session.flush()
    return MatchStarted(match)


def unreported(session: Session, tournament: int) -> list[Match]:
    """Return the matches of a tournament that are over, and that it hasn't noted yet."""
    over = (Match.tournament == tournament, col(Match.tournament).is_not(None), col(Match.ended).is_not(None))
    return list(session.exec(select(Match).where(*over, col(Match.reported).is_(None)).order_by(col(Match.id))))


def report(session: Session, matches: Iterable[Match], now: datetime) -> None:
    """Note that the tournament knows of the end of these matches."""
    for match in matches:
        match.reported = now
        session.add(match)
    session.flush()
