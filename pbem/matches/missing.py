"""Matches whose game isn't there: they stop, and go on once it is back. Both players lose no time by that.

As in `lifecycle`, `stop` and `go_on` check, write rows and return the events, and the caller has locked the match.
Meanwhile another game stands in for it, which shows who played what, and knows no rules and no board.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Never, Self

from sqlalchemy import ColumnElement, and_, false, or_
from sqlmodel import Session, col, func, select

from engines.core import Game, IllegalMove, Option, Outcome, Played, PlayedWhole, Position, Reason, Seat
from engines.diagram import Diagram
from engines.seats import seat_of
from notation.core import Notation
from notation.games import GAMES, GamePack
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


# What stands in

SUMMARY = "a game that this server does not have at present"


class Unplayable(Reason):
    """Why no turn is legal."""

    MISSING = "the game isn't there"


@dataclass(frozen=True, slots=True)
class Unknown(PlayedWhole):
    """A position of which nothing is known but whose turn it is."""

    turn: Seat | None
    outcome: Outcome | None = None

    def moves(self) -> Iterator[Never]:
        """Yield nothing."""
        return iter(())

    def play(self, move: object) -> Self:
        """Raise IllegalMove."""
        raise IllegalMove(Unplayable.MISSING)

    def diagram(self, last: Played[Any, Any] | None = None) -> Diagram:
        """Return a board without cells."""
        return Diagram("square", (), ())


class AsWritten(Notation[str]):
    """Takes each turn for what was written down."""

    __slots__ = ()

    @property
    def help(self) -> str:
        """Nothing: no turn can be written."""
        return ""

    def parse(self, text: str) -> str:
        """Return the text."""
        return text

    def format(self, move: str, position: Position[Any]) -> str:
        """Return the text."""
        return move

    def hint(self, position: Position[Any]) -> None:
        """Return None: nothing can be written."""
        return


def stand_in(match: Match) -> GamePack:
    """Return what stands in for the game of a match."""
    options = tuple(Option(name, (choice,), "") for name, choice in match.options.items())
    title, sides = GAMES.title(match.game), ("first", "second")
    game = Game(match.game, title, options, lambda _: Unknown(None), sides, SUMMARY)
    return GamePack(game=game, notation=AsWritten(), rules=Path(), version=match.rules)


def positions_of(match: Match, seats: Sequence[int]) -> tuple[Unknown, ...]:
    """Return the positions of a match whose turns were played by those seats."""
    last = seat_of(match.to_move or 0)
    return (*(Unknown(seat_of(seat)) for seat in seats), Unknown(last))
