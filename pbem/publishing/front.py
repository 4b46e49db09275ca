"""The first page: what this is in three messages, what is played now, and what a tap begins.

What it costs doesn't grow with the number of matches: it shows the newest ones, and has room for so many boards. They
are all drawn on one sheet, where most cells look like others.
"""

from dataclasses import replace
from datetime import datetime
from itertools import islice

from markupsafe import Markup
from sqlmodel import Session

from engines.core import Played
from engines.diagram import Diagram
from notation.games import GAMES
from pbem.features.house.levels_and_new_matches import LEVELS
from pbem.messages.boards.svg_board import BoardSheet
from pbem.messages.contents.message_payloads import LISTED
from pbem.publishing import html_pages, match_page_data, page_data
from pbem.publishing.html_pages import Site

LIVE, RESULTS, SEEKS, TOURNAMENTS, PLACES = 12, 10, 20, 25, 5
"""The most running matches with a board, results, seeks, tournaments, and places in a game's standings."""
ROOM = 70_000  # how many characters the boards take together; what comes after that is shown without one
GAME, TURN, ANSWER = "quadrupel", "d2b4", "d4d5"
"""What the three messages show: a game that is easy to learn, and the first turns of a match."""


def page(session: Session, site: Site, now: datetime) -> str:
    sheet, taken = BoardSheet(), 0

    def board(diagram: Diagram, title: str) -> Markup | None:
        nonlocal taken
        if taken + len(sheet.shapes()) > ROOM:
            return None
        drawn = sheet.board(diagram, title)
        taken += len(drawn)
        return Markup(drawn)  # noqa: S704 - escaped

    letters = [board(diagram, "The board") for diagram in sample()]
    first = [(key, GAMES[key].game) for key in islice(GAMES, LISTED)]
    games = [(key, game, board(_typical(key), f"A board of {game.title}")) for key, game in first]
    running = page_data.running(session, LIVE)
    live = [(line, board(match_page_data.board(session, line), "The board now")) for line in running]
    seeks = page_data.seeks(session, now)
    places = ((key, page_data.place_list(session, key, now, PLACES)) for key in GAMES)
    return html_pages.render(
        "front",
        "index.html",
        site=site,
        over=page_data.over(session, RESULTS),
        seeks=seeks[:SEEKS],
        more=max(0, len(seeks) - SEEKS),
        tournaments=page_data.tournament_lines(session, TOURNAMENTS, now),
        letters=letters,
        games=games,
        live=[(line, drawn) for line, drawn in live if drawn is not None],
        standings=dict(islice(((key, best) for key, best in places if best), LISTED)),
        shapes=Markup(sheet.shapes()),  # noqa: S704 - made by us
        levels=LEVELS,
        sample=(GAME, TURN, ANSWER),
    )


def sample() -> tuple[Diagram, Diagram]:
    """Return the boards of the messages: before the reader's turn, and after the answer to it."""
    pack = GAMES[GAME]
    begun = pack.game.position({})
    answered = begun.play(pack.notation.parse(TURN))
    answer = pack.notation.parse(ANSWER)
    return begun.diagram(), answered.play(answer).diagram(Played(answered, answer))


def _typical(key: str) -> Diagram:
    """Return the board that its page shows last, or else that of the beginning."""
    shown = html_pages.illustrations_of(key)
    if shown:
        return replace(shown[-1].diagram, lit=frozenset(), left=frozenset())
    return GAMES[key].game.position({}).diagram()
