"""Matches whose game isn't there: they stop, and go on once it is back. Both players lose no time by that.

As in `lifecycle`, each function checks, writes rows and returns the events, and the caller has locked the match.
"""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import ColumnElement, and_, false, or_
from sqlmodel import Session, col, func, select

from notation.games import GAMES
from pbem.matches.clock import timekeeping
from pbem.matches.clock.clock import Stopped, WentOn
from pbem.matches.events import Events, MatchStopped, MatchWentOn
from pbem.storage.models import Match, MatchState

ARE_STOPPED = col(Match.missing).is_not(None)
"""Which matches have stopped."""


def stop(session: Session, match: Match, now: datetime) -> Events:
    """Stop a running match if its game isn't there; do nothing if it has stopped already."""
    if match.to_move is None or match.missing is not None or not GAMES.why_missing(match.game, match.rules):
        return ()
    match.missing = now
    timekeeping.note(session, match, Stopped(now))
    session.flush()
    return (MatchStopped(match),)


def go_on(session: Session, match: Match, now: datetime) -> Events:
    """Let a match go on if its game is back; do nothing otherwise."""
    if match.missing is None or GAMES.why_missing(match.game, match.rules):
        return ()
    match.missing = None
    timekeeping.note(session, match, WentOn(now))
    session.flush()
    return (MatchWentOn(match),)


def of_running(session: Session) -> set[tuple[str, int]]:
    """Return the games of the matches that are being played, each with the version of its rules."""
    return {(game, rules) for game, rules in session.exec(select(Match.game, Match.rules).where(*_GO_ON).distinct())}


def running(session: Session, games: Collection[tuple[str, int]]) -> list[int]:
    """Return the matches that are being played by the rules of those games."""
    return _numbers(session, games, *_GO_ON)


def stopped(session: Session, games: Collection[tuple[str, int]], latest: datetime) -> list[int]:
    """Return the matches of those games that have stopped by then."""
    return _numbers(session, games, ARE_STOPPED, col(Match.missing) <= latest)


def stored(session: Session) -> dict[tuple[str, int], int]:
    """Return how many matches there are by the rules of each game, over or not, that have had a board."""
    played = col(Match.state).in_((MatchState.RUNNING, MatchState.OVER))
    counted = select(Match.game, Match.rules, func.count()).where(played).group_by(col(Match.game), col(Match.rules))
    return {(game, rules): number for game, rules, number in session.exec(counted)}


_GO_ON = (col(Match.to_move).is_not(None), col(Match.missing).is_(None))


def _numbers(session: Session, games: Collection[tuple[str, int]], *which: ColumnElement[bool]) -> list[int]:
    of_games = (and_(col(Match.game) == game, col(Match.rules) == rules) for game, rules in sorted(games))
    found = select(Match.id).where(or_(false(), *of_games), *which).order_by(col(Match.id))
    return [number or 0 for number in session.exec(found)]
