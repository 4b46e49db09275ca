"""Standings: the players of each game by their ratings."""

from collections.abc import Iterable
from itertools import islice

from engines.core import Game
from notation.games import GAMES
from pbem.conversation.core import BOARD, Command, Decision, Group, Line, Request
from pbem.conversation.syntax import intents, paging
from pbem.errors import Refused
from pbem.features.ratings.messages import GameStandings, Standings, places_listed
from pbem.matches.ratings import derivation, standings
from pbem.matches.ratings.weeks import rated_on
from pbem.messages.said import welcome

FIRST = 5
"""How many players of each game are listed where no game is named."""


def show(request: Request, line: Line) -> Decision:
    page, words = paging.numbered(line.words.lower().split())
    unknown = [word for word in words if word not in GAMES]
    if unknown or len(words) > 1:
        raise Refused(
            f"No game is called {unknown[0][:40]}." if unknown else "Standings are those of one game, or of all.",
            read=line.text,
            fits=intents.there_are(),
        )
    if words:
        listed = _listed(request, GAMES[words[0]].game, page, paging.SIZE)
        first = "" if listed.rows or page > 1 else _first_ratings(request, words)
        return Decision(answer=(Standings(games=(listed,), page=page, first=first),))
    rated = (each for game in GAMES.games() if (each := _listed(request, game, 1, FIRST)).rows)
    games = tuple(islice(rated, welcome.LISTED + 1))
    first = "" if games else _first_ratings(request, GAMES)
    more = len(games) > welcome.LISTED
    return Decision(answer=(Standings(games=games[: welcome.LISTED], first=first, more=more),))


def _first_ratings(request: Request, games: Iterable[str]) -> str:
    weeks = [week for game in games if (week := derivation.unrated_week(request.session, game)) is not None]
    return rated_on(min(weeks)) if weeks else ""


def _listed(request: Request, game: Game, page: int, size: int) -> GameStandings:
    first = (page - 1) * size
    places = standings.of_game(request.session, game.key, request.now, first, size + 1)
    rows = places_listed(places[:size], request.sender.player, first + 1)
    more = len(places) > size
    following = paging.following("standings", [game.key], page if size == paging.SIZE else 0, more=more)
    return GameStandings(game=game.key, title=game.title, rows=rows, next_page=following)


STANDINGS = Command(
    "standings",
    "[GAME] [PAGE]",
    'list the players of a game by their ratings; "help ratings" explains them',
    show,
    words=(0, 2),
    aliases=("ratings", "ranking"),
    group=Group.CONTESTS,
    brief="list players by their ratings",
    own_cost=BOARD,
)
