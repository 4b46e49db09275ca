"""What is at each address of the site, rendered from the database.

What the public may see is decided in `visibility` alone.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from sqlmodel import Session

from notation.games import GAMES
from pbem.matches.ratings import standings
from pbem.messages.template_files import templates_folder
from pbem.publishing import front, html_pages, machine_readable, page_data, visibility
from pbem.publishing.board_form import Boards
from pbem.publishing.html_pages import Site, player_path, tournament_path
from pbem.publishing.page_data import THOUSAND
from pbem.storage.models import Player, Tournament

NEWEST, OF_PLAYER = 25, 200  # the most matches of a list, and of the page of a player
KINDS = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "json": "application/json",
    "xml": "application/xml",
    "svg": "image/svg+xml",
    "png": "image/png",
    "gif": "image/gif",
}


@dataclass(frozen=True, slots=True)
class View:
    """The database as it is at the moment, for one page."""

    session: Session
    site: Site
    now: datetime
    boards: Boards | None = None


Content = str | bytes | None  # none where nothing is, or nothing that the public may see


def newest(view: View) -> Content:
    lines = (*page_data.running(view.session, NEWEST), *page_data.over(view.session, machine_readable.ENTRIES))
    return machine_readable.matches(view.site, lines, visibility.spans(view.session, THOUSAND))


def feed(view: View) -> Content:
    over = page_data.over(view.session, machine_readable.ENTRIES)
    return machine_readable.feed(view.site, view.site.name, "feed.xml", "index.html", over)


def archive(view: View) -> Content:
    """Return the page on which a browser searches all matches; without JavaScript it lists the folders of matches."""
    return html_pages.render("archive", "archive.html", site=view.site, spans=visibility.spans(view.session, THOUSAND))


def players(view: View, block: str) -> Content:
    """Return a thousand of the players, in the order in which they came; without a number, the newest."""
    last = visibility.last_player(view.session) // THOUSAND
    number = int(block) if block else last
    names = visibility.names(view.session, number * THOUSAND, THOUSAND)
    if block and not names:
        return None
    groups = [(initial, list(group)) for initial, group in groupby(names, key=lambda name: name[:1])]
    return html_pages.render("players", "players.html", site=view.site, groups=groups, block=number, last=last)


def folder(view: View, name: str, ending: str) -> Content:
    number, session = int(name), view.session
    lines, path = page_data.in_folder(session, number), f"matches/{number}/index.html"
    if not lines:
        return None
    if ending == "json":
        return machine_readable.matches(view.site, lines)
    beside = page_data.beside(session, number)
    return html_pages.render("matches", path, site=view.site, thousand=number, lines=lines, beside=beside)


def player(view: View, name: str, ending: str) -> Content:
    session, shown = view.session, visibility.player(view.session, name)
    if shown is None:
        return None
    lines = page_data.of_player(session, shown.player, OF_PLAYER)
    if ending == "xml":
        path = player_path(name, "xml")
        return machine_readable.feed(view.site, f"Matches of {name}", path, player_path(name), lines)
    ratings = standings.of_player(session, session.get_one(Player, shown.player), view.now)
    if ending == "json":
        return machine_readable.player(view.site, shown, lines, ratings)
    return html_pages.render("player", player_path(name), site=view.site, player=shown, lines=lines, ratings=ratings)


def game(view: View, key: str, ending: str) -> Content:
    if key not in GAMES:
        return None
    places = page_data.place_list(view.session, key, view.now)
    matches = page_data.of_game(view.session, key, NEWEST)
    write = html_pages.game if ending == "html" else machine_readable.game
    return write(view.site, key, places, matches)


def of_game(view: View, key: str, rest: str) -> Content:
    """Return what is beside the page of a game: rules in another language, a board to try, and pictures."""
    if key not in GAMES:
        return None
    if rest == "-board":
        return html_pages.trial(view.site, key)
    return html_pages.translation(view.site, key, rest[1:]) if rest[1:] in GAMES[key].translations else None


def tournament(view: View, number: str, ending: str) -> Content:
    row = view.session.get(Tournament, int(number))
    if row is None:
        return None
    shown, page = page_data.tournament(view.session, row, view.now), tournament_path(int(number))
    if ending == "xml":
        path = tournament_path(int(number), "xml")
        return machine_readable.feed(view.site, shown.line.title, path, page, shown.matches)
    if ending == "json":
        return machine_readable.tournament(view.site, shown)
    return html_pages.render("tournament", page, site=view.site, tournament=shown)


def board(view: View, name: str) -> Content:
    return view.boards.page(view.session, view.site, name, view.now) if view.boards else None


Render = Callable[..., Content]
SITE = templates_folder() / "site"
NUMBER = "([1-9][0-9]{0,8})"
BOARD = re.compile("board/([a-z2-7]{40})")
ROUTES: tuple[tuple[str, Render], ...] = (
    (r"index\.html", lambda view: front.page(view.session, view.site, view.now)),
    (r"index\.json", newest),
    (r"feed\.xml", feed),
    (r"archive\.html", archive),
    (r"players(?:-(0|[1-9][0-9]{0,5}))?\.html", players),
    (r"style\.css", lambda _view: html_pages.style()),
    (r"404\.html", lambda view: html_pages.not_found(view.site)),
    (r"((?:archive|board|replay)\.js|icon\.svg|schema\.json)", lambda _view, name: (SITE / name).read_bytes()),
    (r"matches/(0|[1-9][0-9]{0,5})/index\.(html|json)", folder),
    (r"players/([^/]{1,100})\.(html|json|xml)", player),
    (r"games/([a-z0-9-]+)(?<!-board)\.(html|json)", game),
    (r"games/([a-z0-9-]+?)(-board|\.[A-Za-z-]+)\.html", of_game),
    (r"games/([a-z0-9-]+)-([1-9][0-9]?)\.svg", lambda _view, key, number: html_pages.picture(key, int(number))),
    (rf"tournaments/{NUMBER}\.(html|json|xml)", tournament),
    (BOARD.pattern, board),
)
"""What is where. The files of a match are not here: what they show is known from its row."""
MATCH = re.compile(rf"matches/(0|[1-9][0-9]{{0,5}})/{NUMBER}\.(html|txt|json|gif|png)")
UNLINKED = ("index.html", "404.html", "schema.json", "board.js")
"""Where a crawl begins: what no page links to, and the first page."""
