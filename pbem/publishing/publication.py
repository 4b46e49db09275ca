"""One publication: what has changed since the last one is written, and what is no longer shown is removed.

Pages are written before those that link to them, and removed after them, so that no link ever leads nowhere. Each step
reads in a short transaction of its own: the database isn't held while pages are made. What happens meanwhile is
published next time.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

from sqlalchemy import Engine
from sqlmodel import Session, func, select

from engines.diagram import Diagram
from notation.games import GAMES
from pbem.features.house.player import current_name
from pbem.messages.said.sections import templates_folder
from pbem.publishing import changes, contents, feeds, front, machine_readable, match_pages, pages, visibility
from pbem.publishing.contents import GamePage, PageLine, PagePlace
from pbem.publishing.folder import UNFINISHED, SiteFolder
from pbem.publishing.listing import Span, span
from pbem.publishing.pages import Site, match_path, player_path, tournament_path
from pbem.publishing.visibility import Listed, Shown
from pbem.storage import database
from pbem.storage.models import RatedWeek, Tournament

AT_ONCE = 20
"""How many matches are read in one transaction."""
NEWEST, OF_PLAYER = 25, 200
"""How many matches the first page and those of games have, and how many that of a player."""
OVERVIEWS = ("index.html", "archive.html", "players.html")
LISTS = ("index.html", "index.json", "search.json", "sitemap.xml")
"""The lists in a folder of matches."""
FORMAT = 4
"""To be raised when the code makes other pages of the same data."""

Progress = Callable[[int, int], None]
"""Is told how many matches were written, and how many are to be."""


@dataclass(frozen=True, slots=True)
class Published:
    matches: int
    written: int
    removed: int


def publish(
    engine: Engine,
    site: Site,
    path: Path,
    now: datetime,
    progress: Progress = lambda _done, _all: None,
) -> Published:
    """Bring the site in the folder up to date; raise folder.NotASite or OSError."""
    with SiteFolder.opened(path) as folder:
        _Publication(engine, site, folder, now).run(progress)
        return Published(folder.matches.count(), folder.files.written, folder.removed)


class _Publication:
    def __init__(self, engine: Engine, site: Site, folder: SiteFolder, now: datetime) -> None:
        self._engine, self._folder, self._now = engine, folder, now
        with database.read_only(engine) as session:
            self._site = site = replace(site, house_name=current_name(session))
            told = (site.url, site.name, site.address, site.house, site.house_name)
            self._look = look = ",".join(map(str, (_version(), *told)))
            self._people = visibility.people(session)
            week = session.exec(select(func.max(RatedWeek.week))).one()
            self._changes = changes.list_changes(session, folder, look, self._people, now)
        self._general = f"{look},{week}"
        self._named = {each.name: each for each in self._people.values() if each.has_page}
        self._folders = list(folder.matches.folders())
        self._listed: dict[str, str] = {}
        """The stamps of the lists that are written."""

    def run(self, progress: Progress) -> None:
        self._write_common()
        self._write_matches(progress)
        self._write_players()
        self._write_tournaments()
        self._write_lists()
        self._write_archive()
        self._write_front()
        self._remove()

    def _write_common(self) -> None:
        if self._folder.stamps("common").get("files") == self._general:
            return
        self._folder.write("style.css", pages.style())
        for path, content in pages.unchanging():
            self._folder.write(path, content)
        self._folder.write("schema.json", machine_readable.schema())
        self._folder.write("404.html", pages.not_found(self._site))
        for key in GAMES:
            self._folder.write(pages.trial_path(key), pages.trial(self._site, key))
            for path, content in pages.pictures(key).items():
                self._folder.write(path, content)
            for language in GAMES[key].translations:
                self._folder.write(pages.game_path(key, language), pages.translation(self._site, key, language))

    def _write_matches(self, progress: Progress) -> None:
        """Write those that have changed, some at a time; they are unfinished meanwhile."""
        changed = self._changes.matches
        listed = [each for each, _ in changed.values()]
        for start in range(0, len(listed), AT_ONCE):
            at_once = listed[start : start + AT_ONCE]
            with self._folder.transaction():
                self._folder.matches.stamp((each.number, UNFINISHED) for each in at_once)
            changes.write(self._engine, self._site, self._folder.files, at_once, self._people)
            with self._folder.transaction():
                self._folder.matches.stamp((each.number, changed[each.number][1]) for each in at_once)
            progress(min(start + AT_ONCE, len(listed)), len(listed))

    def _write_players(self) -> None:
        wanted = [self._named[name] for name in self._folder.stale("player", self._general) if name in self._named]
        for start in range(0, len(wanted), AT_ONCE):
            at_once = wanted[start : start + AT_ONCE]
            for each in at_once:
                self._write_player(each)
            self._folder.note("player", {each.name: self._general for each in at_once})

    def _write_player(self, shown: Shown) -> None:
        lines = self._lines(self._folder.matches.of_player(shown.player, OF_PLAYER))
        results = self._folder.results.of_player(shown.player)
        with database.read_only(self._engine) as session:
            ratings = contents.ratings(session, shown.player, self._now)
        path, page = player_path(shown.name, "xml"), player_path(shown.name)
        self._folder.write(page, pages.player(self._site, shown, lines, ratings, results))
        self._folder.write(path, feeds.matches(self._site, f"Matches of {shown.name}", path, page, lines))

    def _write_tournaments(self) -> None:
        known = self._folder.stamps("tournament")
        with database.read_only(self._engine) as session:
            told = contents.tournaments(session)
        stamps = {str(number): changes.digest([self._general, each]) for number, each in told.items()}
        wanted = [number for number in told if known.get(str(number)) != stamps[str(number)]]
        self._folder.note("tournament", {str(number): UNFINISHED for number in wanted})
        for number in wanted:
            lines = self._lines(self._folder.matches.of_tournament(number))
            with database.read_only(self._engine) as session:
                row = session.get_one(Tournament, number)
                shown = contents.tournament(session, row, self._people, self._now, lines)
            path, page = tournament_path(number, "xml"), tournament_path(number)
            self._folder.write(tournament_path(number, "json"), machine_readable.tournament(self._site, shown))
            self._folder.write(path, feeds.matches(self._site, shown.line.title, path, page, lines))
            self._folder.write(page, pages.tournament(self._site, shown))
        self._folder.note("tournament", {str(number): stamps[str(number)] for number in wanted})

    def _write_lists(self) -> None:
        """Write the lists of the folders whose matches have changed, the last first: those before have links to it."""
        beside, known = changes.neighbours(self._folders), self._folder.stamps("folder")
        stamps = {str(each): changes.digest([self._look, beside[each]]) for each in self._folders}
        self._listed = {each: stamp for each, stamp in stamps.items() if known.get(each) != stamp}
        for each in sorted(map(int, self._listed), reverse=True):
            listed = self._folder.matches.in_folder(each)
            lines = self._lines(listed)
            self._folder.note("span", {str(each): json.dumps(span(listed))})
            self._folder.write(pages.index_path(each), machine_readable.index(listed, self._people))
            self._folder.write(f"matches/{each}/index.json", machine_readable.matches(self._site, lines))
            self._folder.write(f"matches/{each}/index.html", pages.matches(self._site, each, lines, beside[each]))
            if self._site.url:
                paths = [match_path(line.number) for line in lines]
                self._folder.write(f"matches/{each}/sitemap.xml", feeds.sitemap(self._site, paths))

    def _write_archive(self) -> None:
        told = self._folder.stamps("span")
        spans = [Span(*json.loads(told[str(each)])) for each in self._folders]
        self._folder.write("archive.json", machine_readable.archive(self._site, spans))
        self._write_if_new("players.html", (sorted(self._named),), partial(pages.players, self._site))
        self._folder.write("archive.html", pages.archive(self._site, spans))

    def _write_games(self, places: Mapping[str, Sequence[PagePlace]]) -> None:
        known, matches, results = self._folder.stamps("game"), self._folder.matches, self._folder.results
        stamps = {key: changes.digest([self._general, repr(places[key])]) for key in GAMES}
        wanted = {key: stamp for key, stamp in stamps.items() if known.get(key) != stamp}
        self._folder.note("game", dict.fromkeys(wanted, UNFINISHED))
        for key in wanted:
            newest = self._lines(matches.of_game(key, NEWEST))
            shown = GamePage(places[key], newest, results.of_game(key), results.openings(key))
            self._folder.write(pages.game_path(key), pages.game(self._site, key, shown))
        self._folder.note("game", wanted)

    def _write_front(self) -> None:
        matches, most = self._folder.matches, max(NEWEST, feeds.ENTRIES)
        running, over = self._lines(matches.running(NEWEST)), self._lines(matches.over(most))
        with database.read_only(self._engine) as session:
            places = {key: contents.place_list(session, key, self._people, self._now) for key in GAMES}
            seeks = contents.seeks(session, self._people, self._now)
            tournaments = contents.tournament_lines(session, NEWEST, self._now)
        self._write_games(places)
        folders = [f"matches/{each}/index.json" for each in self._folders]
        self._folder.write("index.json", machine_readable.matches(self._site, [*running, *over], folders))
        self._folder.write("feed.xml", feeds.matches(self._site, self._site.name, "feed.xml", "index.html", over))
        if self._site.url:
            others = [*map(player_path, self._named), *OVERVIEWS, *(f"games/{key}.html" for key in GAMES)]
            self._write_if_new("sitemap-pages.xml", (others,), partial(feeds.sitemap, self._site))
            maps = ["sitemap-pages.xml", *(f"matches/{each}/sitemap.xml" for each in self._folders)]
            self._folder.write("sitemap.xml", feeds.sitemaps(self._site, maps))
        lists = front.Lists(running, over, places, seeks, tournaments, self._folders)
        self._write_if_new("index.html", (matches.running(front.LIVE), lists), self._front)
        self._folder.note("common", {"files": self._general})

    def _front(self, live: Sequence[Listed], lists: front.Lists) -> str:
        with database.read_only(self._engine) as session:
            found = {each.number: self._board(session, each) for each in live}
        boards = {number: board for number, board in found.items() if board is not None}
        return front.page(self._site, lists, boards)

    def _board(self, session: Session, listed: Listed) -> Diagram | None:
        return match_pages.board(session, listed, self._people)

    def _write_if_new(self, path: str, told: Sequence[Any], make: Callable[..., str]) -> None:
        """Write what takes long to make, unless it was made of the same already."""
        stamp = changes.digest([self._general, repr(told)])
        if self._folder.stamps("file").get(path) != stamp:
            self._folder.note("file", {path: UNFINISHED})
            self._folder.write(path, make(*told))
            self._folder.note("file", {path: stamp})

    def _remove(self) -> None:
        """Remove what is no longer shown; first what links to something, then what it links to."""
        self._remove_games()
        vanished = sorted(self._folder.stamps("folder").keys() - set(map(str, self._folders)))
        for each in vanished:
            self._folder.remove(*(f"matches/{each}/{name}" for name in LISTS))
        hidden = self._folder.matches.hidden()
        for start in range(0, len(hidden), AT_ONCE):
            for number in hidden[start : start + AT_ONCE]:
                self._folder.remove(*(match_path(number, ending) for ending in changes.ENDINGS))
            with self._folder.transaction():
                self._folder.matches.forget(hidden[start : start + AT_ONCE])
        chose = self._changes.people or self._changes.left
        left = sorted(self._folder.stamps("player").keys() - self._named.keys()) if chose else []
        for name in left:
            self._folder.remove(player_path(name, "html"), player_path(name, "xml"))
        self._folder.forget("player", left)
        with self._folder.transaction():  # until then, the same matches are compared again
            for kind, stamps, gone in (
                ("folder", self._listed, vanished),
                ("span", {}, vanished),
                ("block", self._changes.blocks, self._changes.vanished),
                ("person", self._changes.people, self._changes.left),
                (changes.ANALYSES, {"told": self._changes.analyses}, ()),
            ):
                self._folder.note(kind, stamps)
                self._folder.forget(kind, gone)

    def _remove_games(self) -> None:
        kept = {path for key in GAMES for path in pages.game_paths(key)}
        there = {f"games/{path.name}" for path in (self._folder.path / "games").glob("*")}
        self._folder.forget("game", self._folder.stamps("game").keys() - GAMES.keys())
        self._folder.remove(*sorted(there - kept))

    def _lines(self, found: Sequence[Listed]) -> list[PageLine]:
        return [contents.line(each, self._people) for each in found]


def _version() -> str:
    """Return what changes whenever the templates do."""
    sources = [path.read_bytes() for path in sorted((templates_folder() / "site").rglob("*")) if path.is_file()]
    told = ((pack.game.key, pack.title, pack.page, pack.pictures, pack.translations) for pack in GAMES.values())
    rules = [repr(each).encode() for each in told]
    return f"{FORMAT}.{crc32(b''.join((*sources, pages.style().encode(), *rules))):08x}"
