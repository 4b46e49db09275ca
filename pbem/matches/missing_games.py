"""Matches whose game isn't there: no server starts while one is being played, and others are shown without a board."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Never, Self

from sqlmodel import Session, col, func, select

from engines.core import Game, IllegalMove, Option, Outcome, Played, PlayedWhole, Position, Reason, Seat
from engines.diagram import Diagram
from notation.core import Notation
from notation.games import GAMES, GamePack
from pbem.storage.database import Unusable
from pbem.storage.models import Match, MatchState

NAMED = 10


class GamesNeeded(Unusable):
    """Matches are being played whose games aren't there."""


def require(session: Session) -> None:
    """Raise GamesNeeded if matches are being played whose game, or whose version of its rules, isn't there."""
    needed = [
        f"{_running(session, key, version)} {key} {version} ({why})"
        for key, version in sorted(counted(session, MatchState.RUNNING))
        if (why := GAMES.why_missing(key, version))
    ]
    if needed:
        raise GamesNeeded(f'{"; ".join(needed)}. Or end them with "pbem moderate close NUMBER"')


def _running(session: Session, key: str, version: int) -> str:
    """Return which matches need that version of a game, as in "2 running matches (#3, #7) need"."""
    theirs = (Match.state == MatchState.RUNNING, Match.game == key, Match.rules == version)
    numbers = session.exec(select(Match.id).where(*theirs).order_by(col(Match.id))).all()
    if len(numbers) == 1:
        return f"1 running match (#{numbers[0]}) needs"
    named = ", ".join(f"#{number}" for number in numbers[:NAMED])
    more = f" and {len(numbers) - NAMED} more" if len(numbers) > NAMED else ""
    return f"{len(numbers)} running matches ({named}{more}) need"


def counted(session: Session, *states: MatchState) -> dict[tuple[str, int], int]:
    """Return how many matches in those states there are of each game and version of its rules."""
    matches = select(Match.game, Match.rules, func.count()).where(col(Match.state).in_(states))
    rows = session.exec(matches.group_by(col(Match.game), col(Match.rules)))
    return {(game, rules): number for game, rules, number in rows}


# What stands in for the game of a match that is shown


class Unplayable(Reason):
    MISSING = "the game isn't there"


@dataclass(frozen=True, slots=True)
class Unknown(PlayedWhole):
    """A position of which nothing is known."""

    turn: Seat | None = None
    outcome: Outcome | None = None

    def moves(self) -> Iterator[Never]:
        return iter(())

    def play(self, move: object) -> Self:
        raise IllegalMove(Unplayable.MISSING)

    def diagram(self, last: Played[Any, Any] | None = None) -> Diagram:
        return Diagram("square", (), ())


class Unwritten(Notation[str]):
    """A notation in which no turn can be written."""

    __slots__ = ()
    help = ""

    def parse(self, text: str) -> str:
        """Return the text."""
        return text

    def format(self, move: str, position: Position[Any]) -> str:
        """Return the text."""
        return move

    def hint(self, position: Position[Any]) -> None:
        """Return None: nothing can be written."""


def stand_in(match: Match) -> GamePack:
    options = tuple(Option(name, (choice,), "") for name, choice in match.options.items())
    title, summary = GAMES.title(match.game), "a game that this server doesn't have"
    game = Game(match.game, title, options, lambda _: Unknown(), ("first", "second"), summary)
    return GamePack(game=game, notation=Unwritten(), rules=Path(), version=match.rules)
