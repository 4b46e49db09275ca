"""Standings: the players of each game by their ratings."""

from collections.abc import Iterable
from itertools import islice

from engines.core import Game
from notation.games import GAMES
from pbem.conversation.command import Command, Decision, Line, Request
from pbem.conversation.syntax.arguments import GAME, opt, words
from pbem.features import paging
from pbem.features.paging import PAGE
from pbem.matches.ratings import standings, weekly_rating
from pbem.matches.ratings.standings import RatingPlace
from pbem.matches.ratings.weekly_rating import rated_on
from pbem.messages.contents import message_payloads
from pbem.storage.message_payload_base import Part, Section
from pbem.storage.models import Player


class PlaceListed(Part):
    place: int
    player: str
    rating: str  # rounded, with a question mark while it is provisional
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
    next_page: str | None = None  # how to ask for those who follow; None if there are none


class Standings(Section, template="standings"):
    games: tuple[GameStandings, ...]
    page: int = 1
    first: str = ""  # the day on which the first ratings come, if nobody has any and matches have ended that count
    more: bool = False  # whether there are players with ratings in more games


FIRST = 5  # how many players of each game are listed where no game is named


def show(request: Request, line: Line) -> Decision:
    page, game = line.given.get(PAGE, 1), line.given.get(GAME, "")
    if game:
        listed = _listed(request, GAMES[game].game, page, paging.SIZE)
        first = "" if listed.rows or page > 1 else _first_ratings(request, (game,))
        return Decision(answer=(Standings(games=(listed,), page=page, first=first),))
    rated = (each for game in GAMES.games() if (each := _listed(request, game, 1, FIRST)).rows)
    games = tuple(islice(rated, message_payloads.LISTED + 1))
    first = "" if games else _first_ratings(request, GAMES)
    more = len(games) > message_payloads.LISTED
    return Decision(answer=(Standings(games=games[: message_payloads.LISTED], first=first, more=more),))


def _first_ratings(request: Request, games: Iterable[str]) -> str:
    weeks = [week for game in games if (week := weekly_rating.unrated_week(request.session, game)) is not None]
    return rated_on(min(weeks)) if weeks else ""


def _listed(request: Request, game: Game, page: int, size: int) -> GameStandings:
    first = (page - 1) * size
    places = standings.of_game(request.session, game.key, request.now, first, size + 1)
    rows = places_listed(places[:size], request.sender.player, first + 1)
    more = len(places) > size
    following = paging.page_after(f"standings {game.key}", page if size == paging.SIZE else 0, more=more)
    return GameStandings(game=game.key, title=game.title, rows=rows, next_page=following)


STANDINGS = Command(
    "standings",
    words(opt(GAME), opt(PAGE), meant_by=r"^\S+(?: \S+)?$"),
    'list players by their ratings; "help ratings" explains them',
    show,
    aliases=("ratings", "ranking"),
    changes=False,
)
