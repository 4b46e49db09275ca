"""The first page: what this is in three messages, what is played now, and what a tap begins.

What it costs doesn't grow with the number of matches: it shows the newest ones, and has room for so many boards. They
are all drawn on one sheet, where most cells look like others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from markupsafe import Markup

from engines.core import Played
from engines.diagram import Diagram
from notation.games import GAMES
from pbem.features.house.player import LEVELS
from pbem.features.tournaments.messages import TournamentLine
from pbem.messages.boards.svg_board import BoardSheet
from pbem.messages.said.messages import LISTED
from pbem.publishing import pages
from pbem.publishing.contents import PageLine, PagePlace, SeekShown
from pbem.publishing.pages import Site

LIVE, RESULTS, SEEKS, PLACES = 12, 10, 20, 5
"""How many running matches have a board, how many results and seeks there are, and places in a game's standings."""
ROOM = 70_000
"""How many characters the boards take together; what comes after that is shown without one."""
GAME, TURN, ANSWER = "quadrupel", "d2b4", "d4d5"
"""What the three messages show: a game that is easy to learn, and the first turns of a match."""


@dataclass(frozen=True, slots=True)
class Lists:
    running: Sequence[PageLine]
    over: Sequence[PageLine]
    places: Mapping[str, Sequence[PagePlace]]
    seeks: Sequence[SeekShown]
    tournaments: Sequence[TournamentLine]


class _Room:
    def __init__(self) -> None:
        self._sheet = BoardSheet()
        self._taken = 0

    def board(self, diagram: Diagram | None, title: str) -> Markup | None:
        if diagram is None or self._taken + len(self._sheet.shapes()) > ROOM:
            return None
        drawn = self._sheet.board(diagram, title)
        self._taken += len(drawn)
        return Markup(drawn)  # noqa: S704 - escaped

    def shapes(self) -> Markup:
        return Markup(self._sheet.shapes())  # noqa: S704 - made by us


def page(site: Site, lists: Lists, boards: Mapping[int, Diagram]) -> str:
    room = _Room()
    letters = [room.board(each, "The board") for each in sample()]
    first = [(key, GAMES[key].game) for key in islice(GAMES, LISTED)]
    games = [(key, game, room.board(_typical(key), f"A board of {game.title}")) for key, game in first]
    live = [(each, room.board(boards.get(each.number), "The board now")) for each in lists.running[:LIVE]]
    rated = ((key, places[:PLACES]) for key, places in lists.places.items() if places)
    return pages.render(
        "front",
        "index.html",
        site=site,
        lists=replace(lists, over=lists.over[:RESULTS], seeks=lists.seeks[:SEEKS]),
        more=max(0, len(lists.seeks) - SEEKS),
        letters=letters,
        games=games,
        live=[(each, board) for each, board in live if board is not None],
        standings=dict(islice(rated, LISTED)),
        shapes=room.shapes(),
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
    shown = pages.illustrations_of(key)
    if shown:
        return replace(shown[-1].diagram, lit=frozenset(), left=frozenset())
    return GAMES[key].game.position({}).diagram()
