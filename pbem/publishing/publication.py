"""One publication: what has changed since the last one is written, and what is no longer shown is removed.

Pages are written before those that link to them, and removed after them, so that no link ever leads nowhere. Each step
reads in a short transaction of its own: the database isn't held while pages are made. What happens meanwhile is
published next time.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import chain, groupby, islice
from operator import attrgetter
from pathlib import Path
from typing import Any
from zlib import crc32

from sqlalchemy import Engine
from sqlmodel import col, func, select

from engines import GAMES
from pbem.payloads.templates import templates_folder
from pbem.publishing import changes, contents, feeds, machine_readable, pages, visibility
from pbem.publishing.contents import Line, MatchShown, Place
from pbem.publishing.folder import UNFINISHED, SiteFolder
from pbem.publishing.pages import THOUSAND, Site, match_path, player_path, tournament_path
from pbem.publishing.visibility import Listed, Shown
from pbem.rendering.boards import board_image
from pbem.rendering.files import attachments
from pbem.storage import database
from pbem.storage.models import Match, RatedWeek

AT_ONCE = 50
"""How many matches are read in one transaction."""
NEWEST, OF_PLAYER = 25, 200
"""How many matches the first page and those of games have, and how many that of a player."""
ENDINGS = ("html", "txt", "json", "gif", "png")
FORMAT = 2
"""To be raised when the code makes other pages of the same data."""

Progress = Callable[[int, int], None]
"""Is told how many matches were written, and how many are to be."""


@dataclass(frozen=True, slots=True)
class Published:
    """What a publication did: the matches on the site, and how many files were written and removed."""

    matches: int
    written: int
    removed: int


def publish(
    engine: Engine, site: Site, path: Path, now: datetime, progress: Progress = lambda _done, _all: None
) -> Published:
    """Bring the site in the folder up to date; raise folder.NotASite or OSError."""
    with SiteFolder.opened(path) as folder:
        publication = _Publication(engine, site, folder, now)
        publication.run(progress)
        return Published(len(publication.shown), folder.written, folder.removed)


def files_of(site: Site, match: MatchShown) -> Iterator[tuple[str, bytes | str]]:
    """Yield paths and contents of all files of a match; the page, which has links to the others, comes last."""
    number, endings = match.line.number, []
    made = attachments.records(match.snapshot, site=site.name, generated=match.ended or match.started)
    moving = attachments.animations(match.snapshot, [each.diagram for each in match.boards])
    for each in chain(made, moving if match.line.is_over else ()):
        endings.append(each.name.rpartition(".")[2])
        yield match_path(number, endings[-1]), each.content
    yield match_path(number, "png"), board_image.png(match.boards[-1].diagram, scale=1.0)
    yield match_path(number), pages.match(site, match, (*endings, "png"))


class _Publication:
    def __init__(self, engine: Engine, site: Site, folder: SiteFolder, now: datetime) -> None:
        self._engine, self._site, self._folder, self._now = engine, site, folder, now
        look = f"{_version()},{site.url},{site.name}"
        with database.read_only(engine) as session:
            self._people = visibility.people(session)
            self.shown = visibility.matches(session, self._people)
            week = session.exec(select(func.max(RatedWeek.week))).one()
        self._general = f"{look},{week}"
        self._folders = changes.by_folder(self.shown)
        self._changes = changes.compared(folder, look, self._folders, self._people)

    def run(self, progress: Progress) -> None:
        """Write and remove what has changed."""
        seats, tournaments = self._touched()
        players = self._players_to_write(seats)
        self._folder.note("folder", dict.fromkeys(map(str, self._changes.folders), UNFINISHED))
        self._folder.note("player", {each.name: UNFINISHED for each in players})
        self._folder.note("tournament", {str(each): UNFINISHED for each in tournaments})
        # From here on, whatever shows one of the matches is listed as unfinished until it has been written.
        self._write_common()
        self._write_matches(progress)
        self._write_players(players)
        self._write_tournaments()
        self._write_lists()
        self._write_front()
        self._remove()

    def _touched(self) -> tuple[set[int], set[int]]:
        """Return the players and the tournaments of the matches that differ."""
        found = [listed for listed in self.shown if listed.number in self._changes.matches]
        seats = {seat for listed in found for seat in listed.seats}
        tournaments = {listed.tournament for listed in found}
        gone = self._changes.gone
        for start in range(0, len(gone), AT_ONCE):
            numbers = col(Match.id).in_(gone[start : start + AT_ONCE])
            with database.read_only(self._engine) as session:
                for first, second, number in session.exec(
                    select(Match.seat0, Match.seat1, Match.tournament).where(numbers)
                ):
                    seats |= {first, second}
                    tournaments.add(number)
        return seats, {number for number in tournaments if number is not None}

    def _players_to_write(self, touched: set[int]) -> list[Shown]:
        """Return those whose matches have changed, or all if a week of ratings is over."""
        known = self._folder.stamps("player")
        return [
            each
            for each in self._people.values()
            if each.has_page and (each.player in touched or known.get(each.name) != self._general)
        ]

    def _write_common(self) -> None:
        """Write what is the same on every server."""
        if self._folder.stamps("common").get("files") == self._general:
            return
        self._folder.write("style.css", pages.style())
        for path, content in pages.unchanging():
            self._folder.write(path, content)
        self._folder.write("schema.json", machine_readable.schema())
        for key in GAMES:
            for path, content in pages.pictures(key).items():
                self._folder.write(path, content)

    def _write_matches(self, progress: Progress) -> None:
        done = 0
        for each, listed in self._folders.items():
            changed = [match for match in listed if match.number in self._changes.matches]
            for start in range(0, len(changed), AT_ONCE):
                at_once = changed[start : start + AT_ONCE]
                self._write_some(changes.kind_of_matches(each), at_once)
                done += len(at_once)
                progress(done, len(self._changes.matches))

    def _write_some(self, kind: str, listed: Sequence[Listed]) -> None:
        self._folder.note(kind, {str(each.number): UNFINISHED for each in listed})
        with database.read_only(self._engine) as session:
            found = [contents.match(session, each, self._people) for each in listed]
        for match in found:
            for path, content in files_of(self._site, match):
                self._folder.write(path, content)
        self._folder.note(kind, {str(each.number): self._changes.matches[each.number] for each in listed})

    def _write_players(self, wanted: Sequence[Shown]) -> None:
        theirs: dict[int, list[Listed]] = {each.player: [] for each in wanted}
        if theirs:
            for listed in self.shown:
                for seat in {*listed.seats} & theirs.keys():
                    theirs[seat].append(listed)
        for start in range(0, len(wanted), AT_ONCE):
            at_once = wanted[start : start + AT_ONCE]
            for each in at_once:
                self._write_player(each, self._lines(theirs[each.player][: -OF_PLAYER - 1 : -1]))
            self._folder.note("player", {each.name: self._general for each in at_once})

    def _write_player(self, shown: Shown, lines: list[Line]) -> None:
        with database.read_only(self._engine) as session:
            ratings = contents.ratings(session, shown.player, self._now)
        path, page = player_path(shown.name, "xml"), player_path(shown.name)
        self._folder.write(page, pages.player(self._site, shown, lines, ratings))
        self._folder.write(path, feeds.matches(self._site, f"Matches of {shown.name}", path, page, lines))

    def _write_tournaments(self) -> None:
        """Write the pages of those whose matches have changed, and of all that go on."""
        known = self._folder.stamps("tournament")
        with database.read_only(self._engine) as session:
            rows = contents.tournaments(session)
            stamps = {
                str(row.id): f"{self._general},{row.title},{row.started},{row.ended},{row.closes}" for row in rows
            }
        wanted = [row for row in rows if row.ended is None or known.get(str(row.id)) != stamps[str(row.id)]]
        of_tournament: dict[int, list[Listed]] = {row.id or 0: [] for row in wanted}
        for listed in self.shown:
            if listed.tournament in of_tournament:
                of_tournament[listed.tournament].append(listed)
        self._folder.note("tournament", {str(row.id): UNFINISHED for row in wanted})
        for row in wanted:
            number = row.id or 0
            lines = self._lines(of_tournament[number])
            with database.read_only(self._engine) as session:
                shown = contents.tournament(session, row, self._people, lines)
            path, page = tournament_path(number, "xml"), tournament_path(number)
            self._folder.write(tournament_path(number, "json"), machine_readable.tournament(self._site, shown))
            self._folder.write(path, feeds.matches(self._site, row.title, path, page, lines))
            self._folder.write(page, pages.tournament(self._site, shown))
        self._folder.note("tournament", {str(row.id): stamps[str(row.id)] for row in wanted})

    def _write_lists(self) -> None:
        """Write the lists of the folders whose matches have changed, the last first: those before have links to it."""
        beside = changes.neighbours(self._folders)
        for each in sorted(self._changes.folders, reverse=True):
            lines = self._lines(self._folders[each])
            self._folder.write(f"matches/{each}/index.json", machine_readable.matches(self._site, lines))
            self._folder.write(f"matches/{each}/index.html", pages.matches(self._site, each, lines, beside[each]))
            if self._site.url:
                paths = [match_path(line.number) for line in lines]
                self._folder.write(f"matches/{each}/sitemap.xml", feeds.sitemap(self._site, paths))

    def _write_front(self) -> None:
        latest = sorted(self.shown, key=attrgetter("moment"))[::-1]
        running = self._lines(list(islice((each for each in reversed(self.shown) if not each.is_over), NEWEST)))
        most = max(NEWEST, feeds.ENTRIES)
        over = self._lines(list(islice((each for each in latest if each.is_over), most)))
        thousands = list(self._folders)
        with database.read_only(self._engine) as session:
            places = {key: contents.place_list(session, key, self._people, self._now) for key in GAMES}
            seeks = contents.seeks(session, self._people, self._now)
            tournaments = contents.tournament_lines(session, NEWEST, self._now)
        for key in GAMES:
            of_game = self._lines(list(islice((each for each in latest if each.game == key), NEWEST)))
            self._write_if_new(f"games/{key}.html", (places[key], of_game), partial(self._game, key))
        folders = [f"matches/{each}/index.json" for each in thousands]
        self._folder.write("index.json", machine_readable.matches(self._site, [*running, *over], folders))
        self._folder.write("feed.xml", feeds.matches(self._site, self._site.name, "feed.xml", "index.html", over))
        if self._site.url:
            others = [player_path(each.name) for each in self._people.values() if each.has_page]
            others += ["index.html", *(f"games/{key}.html" for key in GAMES)]
            self._write_if_new("sitemap-pages.xml", (others,), partial(feeds.sitemap, self._site))
            maps = ["sitemap-pages.xml", *(f"matches/{each}/sitemap.xml" for each in thousands)]
            self._folder.write("sitemap.xml", feeds.sitemaps(self._site, maps))
        front = pages.front(self._site, running, over[:NEWEST], places, seeks, tournaments, thousands)
        self._folder.write("index.html", front)
        self._folder.note("common", {"files": self._general})

    def _game(self, key: str, places: Sequence[Place], lines: Sequence[Line]) -> str:
        return pages.game(self._site, key, places, lines)

    def _write_if_new(self, path: str, told: Sequence[Any], make: Callable[..., str]) -> None:
        """Write what takes long to make, unless it was made of the same already."""
        stamp = changes.digest([self._general, repr(told)])
        if self._folder.stamps("file").get(path) != stamp:
            self._folder.note("file", {path: UNFINISHED})
            self._folder.write(path, make(*told))
            self._folder.note("file", {path: stamp})

    def _remove(self) -> None:
        """Remove what is no longer shown; first what links to something, then what it links to."""
        for each in self._changes.vanished:
            self._folder.remove(*_paths_of_folder(each))
        for number in self._changes.gone:
            self._folder.remove(*_paths_of_match(number))
        for each, numbers in groupby(self._changes.gone, lambda number: number // THOUSAND):
            self._folder.forget(changes.kind_of_matches(each), map(str, numbers))
        names = {each.name for each in self._people.values() if each.has_page}
        left = [name for name in self._folder.stamps("player") if name not in names]
        for name in left:
            self._folder.remove(*_paths_of_player(name))
        self._folder.forget("player", left)
        # The matches of a folder are compared again until this says that all of them were dealt with.
        self._folder.note("folder", {str(each): stamp for each, stamp in self._changes.folders.items()})
        self._folder.forget("folder", map(str, self._changes.vanished))

    def _lines(self, found: Sequence[Listed]) -> list[Line]:
        return [contents.line(each, self._people) for each in found]


def _paths_of_folder(thousand: int) -> list[str]:
    return [f"matches/{thousand}/{name}" for name in ("index.html", "index.json", "sitemap.xml")]


def _paths_of_match(number: int) -> list[str]:
    return [match_path(number, ending) for ending in ENDINGS]


def _paths_of_player(name: str) -> list[str]:
    return [player_path(name, ending) for ending in ("html", "xml")]


def _version() -> str:
    """Return what changes whenever the templates do."""
    sources = sorted((templates_folder() / "site").iterdir())
    rules = sorted((templates_folder() / "rules").iterdir())
    return f"{FORMAT}.{crc32(b''.join(path.read_bytes() for path in (*sources, *rules))):08x}"
