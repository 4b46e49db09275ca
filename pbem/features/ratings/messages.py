"""What is said of ratings."""

from collections.abc import Iterable

from pbem.matches.ratings.standings import RatingPlace
from pbem.storage.models import Player
from pbem.storage.payloads import Part, Section


class PlaceListed(Part):
    place: int
    player: str
    rating: str
    """Rounded, with a question mark while it is provisional."""
    won: int
    drawn: int
    lost: int
    own: bool = False


def places_listed(places: Iterable[RatingPlace], reader: Player | None, first: int = 1) -> tuple[PlaceListed, ...]:
    return tuple(
        PlaceListed(
            place=number,
            player=place.name,
            rating=place.shown,
            won=place.wins,
            drawn=place.draws,
            lost=place.losses,
            own=reader is not None and place.player == reader.id,
        )
        for number, place in enumerate(places, start=first)
    )


class GameStandings(Part):
    game: str
    title: str
    rows: tuple[PlaceListed, ...]
    next_page: str | None = None
    """How to ask for those who follow; None if there are none."""


class Standings(Section, template="standings"):
    games: tuple[GameStandings, ...]
    page: int = 1
    first: str = ""
    """The day on which the first ratings come, if nobody has any and matches have ended that count."""
    more: bool = False
    """Whether there are players with ratings in more games."""

    @property
    def heading(self) -> str:
        return f"Standings of {self.games[0].title}" if len(self.games) == 1 else "Standings"
