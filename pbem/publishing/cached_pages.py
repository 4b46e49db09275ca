"""The pages of a running site, each rendered when somebody asks for it.

It is kept in memory for as long as nobody has written to the database; the page of a match, for as long as its row and
the choices of its players stay as they are.
"""

import re
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import blake2b
from threading import Lock
from zlib import crc32

from sqlalchemy import Engine, text
from sqlmodel import col, func, select

from notation.games import GAMES
from pbem.errors import Refused
from pbem.features.house.house_account import current_name
from pbem.publishing import html_pages, machine_readable, match_page_data, visibility
from pbem.publishing.board_form import Boards
from pbem.publishing.html_pages import Site
from pbem.publishing.match_page_data import MatchPage
from pbem.publishing.page_data import THOUSAND
from pbem.publishing.routes import BOARD, KINDS, MATCH, ROUTES, SITE, View, board
from pbem.storage import database
from pbem.storage.models import Analysis

FORMAT = 6  # to be raised when the code makes other pages of the same data
LARGEST_CACHE = 64 << 20  # bytes of pages that are kept


@dataclass(frozen=True, slots=True)
class Answer:
    content: bytes
    kind: str
    etag: str = ""  # what changes whenever the content does; "" where nobody may keep it
    modified: datetime | None = field(default=None, compare=False)  # since when it is known to be like this


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
            replayed = self._replayed = stamp, match_page_data.match(view.session, listed)
        page = replayed[1]
        if ending == "html":
            return Answer(html_pages.match(view.site, page).encode(), kind, etag)
        if ending not in match_page_data.endings(page):
            return None
        if ending == "json":
            return Answer(machine_readable.match(view.site, page).encode(), kind, etag)
        return Answer(match_page_data.file(page, ending, view.site.name), kind, etag)


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
    return f"{FORMAT}.{crc32(b''.join((*sources, html_pages.style().encode(), *rules))):08x}"
