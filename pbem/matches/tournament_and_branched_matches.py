"""Matches that begin otherwise: arranged by a tournament that both have entered, or at a position of another match.

The turns up to that position are copied, as the first of the new match, when it is offered: later the other match may
have turns taken back. So the record stays the truth, and nothing else that replays a match needs to know.
"""

from collections.abc import Iterable
from datetime import datetime

from sqlmodel import Session, col, select

from notation.games import GAMES
from notation.time_control import from_stored, to_stored
from pbem.matches import lifecycle, queries
from pbem.matches.events import MatchStarted
from pbem.matches.replayed_match import Snapshot
from pbem.storage.models import Match, MatchState, Player, Ply, Tournament

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


def begin_at_position(session: Session, match: Match, source: Snapshot, *, challenger_begins: bool) -> None:
    """Let a match that was offered just now begin where the source is, with the challenger to move if they begin."""
    if (match.seat0 == match.challenger) != (challenger_begins == (source.base.turn == 0)):
        match.seat0, match.seat1 = match.seat1, match.seat0
        match.time = to_stored(from_stored(match.time).swapped)
    match.rules = source.match.rules
    if source.texts:
        match.begun_from, match.begun_after, match.plies = source.number, source.ply, source.ply
    session.flush()
    turns = zip(source.seats, source.texts, strict=True)
    session.add_all(
        Ply(match=match.id or 0, number=number, seat=seat, text=text, played=match.created)
        for number, (seat, text) in enumerate(turns, start=1)
    )
    session.flush()
