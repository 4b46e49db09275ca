"""The site: what is at each address, rendered from the database when somebody asks for it.

A page is kept in memory for as long as nobody has written to the database; that of a match, for as long as its row and
the choices of its players stay as they are. What the public may see is decided in `visibility` alone.
"""

import re
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import blake2b
from itertools import groupby
from threading import Lock
from zlib import crc32

from sqlalchemy import Engine, text
from sqlmodel import Session, col, func, select

from notation.games import GAMES
from pbem.errors import Refused
from pbem.features.house.house_player import current_name
from pbem.matches.ratings import standings
from pbem.messages.template_files import templates_folder
from pbem.publishing import front, machine_readable, match_pages, page_data, pages, visibility
from pbem.publishing.board_form import Boards
from pbem.publishing.match_pages import MatchPage
from pbem.publishing.page_data import THOUSAND
from pbem.publishing.pages import Site, player_path, tournament_path
from pbem.storage import database
from pbem.storage.models import Analysis, Player, Tournament

NEWEST, OF_PLAYER = 25, 200  # the most matches of a list, and of the page of a player
FORMAT = 6  # to be raised when the code makes other pages of the same data
LARGEST_CACHE = 64 << 20  # bytes of pages that are kept
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
class Answer:
    content: bytes
    kind: str
    etag: str = ""  # what changes whenever the content does; "" where nobody may keep it
    modified: datetime | None = field(default=None, compare=False)  # since when it is known to be like this


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
    return pages.render("archive", "archive.html", site=view.site, spans=visibility.spans(view.session, THOUSAND))


def players(view: View, block: str) -> Content:
    """Return a thousand of the players, in the order in which they came; without a number, the newest."""
    last = visibility.last_player(view.session) // THOUSAND
    number = int(block) if block else last
    names = visibility.names(view.session, number * THOUSAND, THOUSAND)
    if block and not names:
        return None
    groups = [(initial, list(group)) for initial, group in groupby(names, key=lambda name: name[:1])]
    return pages.render("players", "players.html", site=view.site, groups=groups, block=number, last=last)


def folder(view: View, name: str, ending: str) -> Content:
    number, session = int(name), view.session
    lines, path = page_data.in_folder(session, number), f"matches/{number}/index.html"
    if not lines:
        return None
    if ending == "json":
        return machine_readable.matches(view.site, lines)
    beside = page_data.beside(session, number)
    return pages.render("matches", path, site=view.site, thousand=number, lines=lines, beside=beside)


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
    return pages.render("player", player_path(name), site=view.site, player=shown, lines=lines, ratings=ratings)


def game(view: View, key: str, ending: str) -> Content:
    if key not in GAMES:
        return None
    places = page_data.place_list(view.session, key, view.now)
    matches = page_data.of_game(view.session, key, NEWEST)
    write = pages.game if ending == "html" else machine_readable.game
    return write(view.site, key, places, matches)


def of_game(view: View, key: str, rest: str) -> Content:
    """Return what is beside the page of a game: rules in another language, a board to try, and pictures."""
    if key not in GAMES:
        return None
    if rest == "-board":
        return pages.trial(view.site, key)
    return pages.translation(view.site, key, rest[1:]) if rest[1:] in GAMES[key].translations else None


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
    return pages.render("tournament", page, site=view.site, tournament=shown)


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
    (r"style\.css", lambda _view: pages.style()),
    (r"404\.html", lambda view: pages.not_found(view.site)),
    (r"((?:archive|board|replay)\.js|icon\.svg|schema\.json)", lambda _view, name: (SITE / name).read_bytes()),
    (r"matches/(0|[1-9][0-9]{0,5})/index\.(html|json)", folder),
    (r"players/([^/]{1,100})\.(html|json|xml)", player),
    (r"games/([a-z0-9-]+)(?<!-board)\.(html|json)", game),
    (r"games/([a-z0-9-]+?)(-board|\.[A-Za-z-]+)\.html", of_game),
    (r"games/([a-z0-9-]+)-([1-9][0-9]?)\.svg", lambda _view, key, number: pages.picture(key, int(number))),
    (rf"tournaments/{NUMBER}\.(html|json|xml)", tournament),
    (BOARD.pattern, board),
)
"""What is where. The files of a match are not here: what they show is known from its row."""
MATCH = re.compile(rf"matches/(0|[1-9][0-9]{{0,5}})/{NUMBER}\.(html|txt|json|gif|png)")
UNLINKED = ("index.html", "404.html", "schema.json", "board.js")
"""Where a crawl begins: what no page links to, and the first page."""


class Pages:
    """The site of a database. Several threads can ask it."""

    def __init__(self, engine: Engine, site: Site, clock: Callable[[], datetime], boards: Boards | None = None) -> None:
        self._engine, self._site, self._clock, self._boards = engine, site, clock, boards
        self._version = f"{_version()},{site!r}"
        self._routes = [(re.compile(pattern), render) for pattern, render in ROUTES]
        self._changes = _Changes(engine)
        self._cache = _Cache()
        self._replayed: tuple[str, MatchPage] | None = None

    def answer(self, path: str, known: str = "") -> Answer | None:
        """Return what is at that path; None if nothing is. The content is left out for a match whose ETag is known."""
        if "\0" in path:
            return None
        now = self._clock()
        seen = f"{self._changes.stamp()},{now:%Y-%m-%dT%H}"
        cached = self._cache.get(path, seen)
        if cached is not None:
            return cached
        with database.read_only(self._engine) as session:
            site = replace(self._site, house_name=current_name(session))
            answer = self._rendered(View(session, site, now, self._boards), path, known)
        if answer is not None and answer.etag and answer.etag != known:
            before = self._cache.get(path)
            is_same = before is not None and before.etag == answer.etag
            answer = replace(answer, modified=before.modified if before and is_same else now)
            self._cache.put(path, seen, answer)
        return answer

    def take(self, path: str, turn: str, words: str) -> Answer | None:
        """Store the turn that is sent from a board.

        Return nothing to show, or the page that says what is wrong with it; None if no page there takes turns.
        """
        match, boards, now = BOARD.fullmatch(path), self._boards, self._clock()
        if match is None or boards is None or boards.store is None:
            return None
        with database.read_only(self._engine) as session:
            try:
                message = boards.message(session, match[1], now, turn, words)
            except Refused as refusal:
                why = f"{refusal.sentence} {refusal.fits}".strip()
                page = boards.page(session, self._site, match[1], now, why, turn)
                return None if page is None else Answer(page.encode(), KINDS["html"])
        if message is None:
            return None
        boards.store((message,))
        return Answer(b"", KINDS["html"])

    def _rendered(self, view: View, path: str, known: str) -> Answer | None:
        if numbers := MATCH.fullmatch(path):
            folder, number, ending = numbers.groups()
            return self._of_match(view, path, int(folder), int(number), ending, known)
        for route, render in self._routes:
            if match := route.fullmatch(path):
                content = render(view, *match.groups())
                if content is None:
                    return None
                raw = content.encode() if isinstance(content, str) else content
                kind = KINDS.get(path.rpartition(".")[2], KINDS["html"])
                return Answer(raw, kind, _hash(raw) if render is not board else "")
        return None

    def _of_match(self, view: View, path: str, folder: int, number: int, ending: str, known: str) -> Answer | None:
        listed = visibility.match(view.session, number) if number // THOUSAND == folder else None
        if listed is None:
            return None
        people = visibility.people(view.session, listed.seats)
        names = [people[seat].name if seat in people else "" for seat in listed.seats]
        of_this = (Analysis.match == listed.number, col(Analysis.done).is_not(None))
        analyses = view.session.exec(select(func.count()).select_from(Analysis).where(*of_this)).one()
        stamp = f"{self._version},{view.site.house_name},{listed},{names},{analyses}"  # all that a file depends on
        etag, kind = _hash(f"{ending},{stamp}".encode()), KINDS[ending]
        if etag == known:
            return Answer(b"", kind, etag)
        cached = self._cache.get(path)
        if cached is not None and cached.etag == etag:
            return cached
        replayed = self._replayed
        if replayed is None or replayed[0] != stamp:  # the files of a match are often asked for together
            replayed = self._replayed = stamp, match_pages.match(view.session, listed)
        page = replayed[1]
        if ending == "html":
            return Answer(pages.match(view.site, page).encode(), kind, etag)
        if ending not in match_pages.endings(page):
            return None
        if ending == "json":
            return Answer(machine_readable.match(view.site, page).encode(), kind, etag)
        return Answer(match_pages.file(page, ending, view.site.name), kind, etag)


class _Changes:
    """Tells whether anybody has written to the database."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._lock = engine, Lock()
        is_sqlite = engine.dialect.name == "sqlite"
        self._connection = engine.raw_connection() if is_sqlite else None  # of one connection, numbers are comparable

    def stamp(self) -> str:
        if self._connection is None:
            with database.reading(self._engine) as reading:
                return str(reading.scalar(text("SELECT pg_snapshot_xmax(pg_current_snapshot())::text")))
        with self._lock:
            cursor = self._connection.cursor()
            cursor.execute("PRAGMA data_version")
            return str(cursor.fetchall())


class _Cache:
    """The answers that were asked for last, as many as there is room for."""

    def __init__(self) -> None:
        self._answers: OrderedDict[str, tuple[str, Answer]] = OrderedDict()
        self._size, self._lock = 0, Lock()

    def get(self, path: str, seen: str | None = None) -> Answer | None:
        """Return what was put; if it matters what was seen of the database then, only if that is the same."""
        with self._lock:
            stamp, answer = self._answers.get(path, ("", None))
            if answer is None or (seen is not None and stamp != seen):
                return None
            self._answers.move_to_end(path)
            return answer

    def put(self, path: str, seen: str, answer: Answer) -> None:
        with self._lock:
            replaced = self._answers.pop(path, None)
            self._answers[path] = seen, answer
            self._size += len(answer.content) - (len(replaced[1].content) if replaced else 0)
            while self._size > LARGEST_CACHE:
                _, (_, dropped) = self._answers.popitem(last=False)
                self._size -= len(dropped.content)


def _hash(content: bytes) -> str:
    return blake2b(content, digest_size=12).hexdigest()


def _version() -> str:
    """Return what changes whenever the templates or the games do."""
    sources = [path.read_bytes() for path in sorted(SITE.rglob("*")) if path.is_file()]
    games = ((pack.game.key, pack.title, pack.page, pack.pictures, pack.translations) for pack in GAMES.values())
    rules = [repr(game).encode() for game in games]
    return f"{FORMAT}.{crc32(b''.join((*sources, pages.style().encode(), *rules))):08x}"
