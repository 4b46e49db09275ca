"""What stands in for a game that isn't there: it shows who played what, and knows no rules and no board."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Never, Self

from engines.core import Game, IllegalMove, Option, Outcome, Played, PlayedWhole, Position, Reason, Seat
from engines.diagram import Diagram
from engines.seats import seat_of
from notation.core import Notation
from notation.games import GAMES, GamePack
from pbem.storage.models import Match

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


def pack(match: Match) -> GamePack:
    """Return what stands in for the game of a match."""
    options = tuple(Option(name, (choice,), "") for name, choice in match.options.items())
    title, sides = GAMES.title(match.game), ("first", "second")
    game = Game(match.game, title, options, lambda _: Unknown(None), sides, SUMMARY)
    return GamePack(game=game, notation=AsWritten(), rules=Path(), version=match.rules)


def positions(match: Match, seats: Sequence[int]) -> tuple[Unknown, ...]:
    """Return the positions of a match whose turns were played by those seats."""
    last = seat_of(match.to_move or 0)
    return (*(Unknown(seat_of(seat)) for seat in seats), Unknown(last))
