"""One publication: what has changed since the last one is written, and what is no longer shown is removed.

Pages are written before those that link to them, and removed after them, so that no link ever leads nowhere. Each step
reads in a short transaction of its own: the database isn't held while pages are made. What happens meanwhile is
published next time.
"""

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from heapq import nlargest
from pathlib import Path
from zlib import crc32

from sqlalchemy import Engine
from sqlmodel import col, func, select

from engines import GAMES
from pbem.payloads.templates import templates_folder
from pbem.publishing import contents, feeds, machine_readable, pages, visibility
from pbem.publishing.contents import Line
from pbem.publishing.folder import UNFINISHED, SiteFolder
from pbem.publishing.pages import THOUSAND, Site, match_path, player_path, tournament_path
from pbem.publishing.visibility import Listed
from pbem.rendering.boards import board_image
from pbem.rendering.files import attachments
from pbem.storage import database
from pbem.storage.models import Match, MatchState, RatedWeek

AT_ONCE = 50
"""How many matches are read in one transaction."""
NEWEST, OF_PLAYER = 25, 200
"""How many matches the first page and those of games have, and how many that of a player."""
ENDINGS = ("html", "txt", "json", "gif", "png")
FORMAT = 1
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
        folder.sweep()
        publication = _Publication(engine, site, folder, now)
        publication.run(progress)
        return Published(len(publication.shown), folder.written, folder.removed)


class _Publication:
    def __init__(self, engine: Engine, site: Site, folder: SiteFolder, now: datetime) -> None:
        self._engine, self._site, self._folder, self._now = engine, site, folder, now
        look = f"{_version()},{site.url},{site.name}"
        with database.read_only(engine) as session:
            self._people = visibility.people(session)
            self.shown = {each.number: each for each in visibility.matches(session, self._people)}
            week = session.exec(select(func.max(RatedWeek.week))).one()
        self._stamps = {str(number): f"{look},{each.stamp}" for number, each in self.shown.items()}
        self._general = f"{look},{week}"

    def run(self, progress: Progress) -> None:
        """Write and remove what has changed."""
        known = self._folder.stamps("match")
        changed = [number for number in self.shown if known.get(str(number)) != self._stamps[str(number)]]
        gone = [int(number) for number in known if number not in self._stamps]
        self._write_common()
        for start in range(0, len(changed), AT_ONCE):
            self._write_matches(changed[start : start + AT_ONCE])
            progress(min(start + AT_ONCE, len(changed)), len(changed))
        seats, tournaments = self._touched(gone)
        self._write_players(seats | {seat for number in changed for seat in self.shown[number].seats})
        self._write_tournaments(tournaments | {self.shown[number].tournament or 0 for number in changed})
        self._write_lists({number // THOUSAND for number in (*changed, *gone)})
        self._write_front()
        self._remove()

    def _touched(self, gone: Sequence[int]) -> tuple[set[int], set[int]]:
        """Return the players and the tournaments of matches that are no longer shown."""
        seats: set[int] = set()
        tournaments: set[int] = set()
        for start in range(0, len(gone), AT_ONCE):
            numbers = col(Match.id).in_(gone[start : start + AT_ONCE])
            with database.read_only(self._engine) as session:
                for first, second, number in session.exec(
                    select(Match.seat0, Match.seat1, Match.tournament).where(numbers)
                ):
                    seats |= {first, second}
                    tournaments.add(number or 0)
        return seats, tournaments

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

    def _write_matches(self, numbers: Sequence[int]) -> None:
        self._folder.note("match", {str(number): UNFINISHED for number in numbers})
        with database.read_only(self._engine) as session:
            found = [contents.match(session, self.shown[number], self._people) for number in numbers]
        for match in found:
            number, files = match.line.number, {}
            written = match.ended or match.started
            for each in attachments.of(match.snapshot, site=self._site.name, generated=written):
                ending = each.name.rpartition(".")[2]
                if ending != "gif" or match.line.is_over:
                    files[ending] = each.content
            files["png"] = board_image.png(match.boards[-1].diagram, scale=1.0)
            for ending, content in files.items():
                self._folder.write(match_path(number, ending), content)
            self._folder.write(match_path(number), pages.match(self._site, match, tuple(files)))
        self._folder.note("match", {str(number): self._stamps[str(number)] for number in numbers})

    def _write_players(self, touched: set[int]) -> None:
        """Write the pages of those whose matches have changed, or of all if a week of ratings is over."""
        known = self._folder.stamps("player")
        stamps = {each.name: self._general for each in self._people.values() if each.has_page}
        wanted = [
            each
            for each in self._people.values()
            if each.has_page and (each.player in touched or known.get(each.name) != stamps[each.name])
        ]
        theirs: dict[int, list[Listed]] = {each.player: [] for each in wanted}
        for listed in self.shown.values():
            for seat in set(listed.seats) & theirs.keys():
                theirs[seat].append(listed)
        self._folder.note("player", {each.name: UNFINISHED for each in wanted})
        for each in wanted:
            lines = self._lines(nlargest(OF_PLAYER, theirs[each.player], key=lambda listed: listed.number))
            with database.read_only(self._engine) as session:
                ratings = contents.ratings(session, each.player, self._now)
            self._folder.write(player_path(each.name), pages.player(self._site, each, lines, ratings))
            path, page = player_path(each.name, "xml"), player_path(each.name)
            self._folder.write(path, feeds.matches(self._site, f"Matches of {each.name}", path, page, lines))
        self._folder.note("player", {each.name: stamps[each.name] for each in wanted})

    def _write_tournaments(self, touched: set[int]) -> None:
        """Write the pages of those whose matches have changed, and of all that go on."""
        known = self._folder.stamps("tournament")
        with database.read_only(self._engine) as session:
            rows = contents.tournaments(session)
            stamps = {
                str(row.id): f"{self._general},{row.title},{row.started},{row.ended},{row.closes}" for row in rows
            }
        wanted = [
            row
            for row in rows
            if row.id in touched or row.ended is None or known.get(str(row.id)) != stamps[str(row.id)]
        ]
        of_tournament: dict[int, list[Listed]] = {row.id or 0: [] for row in wanted}
        for listed in self.shown.values():
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

    def _write_lists(self, touched: set[int]) -> None:
        """Write the lists of the folders whose matches have changed; all of them if there is a new folder."""
        thousands = self._thousands()
        known = self._folder.stamps("folder")
        stamp = f"{self._general},{','.join(map(str, thousands))}"
        self._folder.note("folder", {str(each): UNFINISHED for each in thousands})
        by_folder: dict[int, list[Listed]] = {
            each: [] for each in thousands if each in touched or known.get(str(each)) != stamp
        }
        for listed in self.shown.values():
            if listed.number // THOUSAND in by_folder:
                by_folder[listed.number // THOUSAND].append(listed)
        for each, found in by_folder.items():
            lines = self._lines(found)
            self._folder.write(f"matches/{each}/index.json", machine_readable.matches(self._site, lines))
            self._folder.write(f"matches/{each}/index.html", pages.matches(self._site, each, lines, thousands))
            if self._site.url:
                paths = [match_path(line.number) for line in lines]
                self._folder.write(f"matches/{each}/sitemap.xml", feeds.sitemap(self._site, paths))
        self._folder.note("folder", {str(each): stamp for each in thousands})

    def _write_front(self) -> None:
        running = self._lines(nlargest(NEWEST, self._in_state(is_over=False), key=lambda each: each.number))
        most = max(NEWEST, feeds.ENTRIES)
        newest = nlargest(most, self._in_state(is_over=True), key=lambda each: (each.day, each.number))
        over, thousands = self._lines(newest), self._thousands()
        with database.read_only(self._engine) as session:
            places = {key: contents.place_list(session, key, self._people, self._now) for key in GAMES}
            seeks = contents.seeks(session, self._people, self._now)
            tournaments = contents.tournament_lines(session, NEWEST, self._now)
        for key in GAMES:
            of_game = nlargest(NEWEST, self._of_game(key), key=lambda each: (each.day, each.number))
            self._folder.write(f"games/{key}.html", pages.game(self._site, key, places[key], self._lines(of_game)))
        folders = [f"matches/{each}/index.json" for each in thousands]
        self._folder.write("index.json", machine_readable.matches(self._site, [*running, *over], folders))
        self._folder.write("feed.xml", feeds.matches(self._site, self._site.name, "feed.xml", "index.html", over))
        if self._site.url:
            others = [player_path(each.name) for each in self._people.values() if each.has_page]
            others += ["index.html", *(f"games/{key}.html" for key in GAMES)]
            self._folder.write("sitemap-pages.xml", feeds.sitemap(self._site, others))
            maps = ["sitemap-pages.xml", *(f"matches/{each}/sitemap.xml" for each in thousands)]
            self._folder.write("sitemap.xml", feeds.sitemaps(self._site, maps))
        front = pages.front(self._site, running, over[:NEWEST], places, seeks, tournaments, thousands)
        self._folder.write("index.html", front)
        self._folder.note("common", {"files": self._general})

    def _remove(self) -> None:
        """Remove what is no longer shown; first what links to something, then what it links to."""
        names = {each.name for each in self._people.values() if each.has_page}
        self._remove_of("folder", set(map(str, self._thousands())), _paths_of_folder)
        self._remove_of("match", self._stamps.keys(), _paths_of_match)
        self._remove_of("player", names, _paths_of_player)

    def _remove_of(self, kind: str, kept: Set[str], paths: Callable[[str], list[str]]) -> None:
        gone = [name for name in self._folder.stamps(kind) if name not in kept]
        for name in gone:
            self._folder.remove(*paths(name))
        self._folder.forget(kind, gone)

    def _lines(self, found: Sequence[Listed]) -> list[Line]:
        return [contents.line(each, self._people) for each in found]

    def _thousands(self) -> list[int]:
        return sorted({number // THOUSAND for number in self.shown})

    def _in_state(self, *, is_over: bool) -> Iterator[Listed]:
        return (each for each in self.shown.values() if (each.state == MatchState.OVER) is is_over)

    def _of_game(self, key: str) -> Iterator[Listed]:
        return (each for each in self.shown.values() if each.game == key)


def _paths_of_folder(thousand: str) -> list[str]:
    return [f"matches/{thousand}/{name}" for name in ("index.html", "index.json", "sitemap.xml")]


def _paths_of_match(number: str) -> list[str]:
    return [match_path(int(number), ending) for ending in ENDINGS]


def _paths_of_player(name: str) -> list[str]:
    return [player_path(name, ending) for ending in ("html", "xml")]


def _version() -> str:
    """Return what changes whenever the templates do."""
    sources = sorted((templates_folder() / "site").iterdir())
    rules = sorted((templates_folder() / "rules").iterdir())
    return f"{FORMAT}.{crc32(b''.join(path.read_bytes() for path in (*sources, *rules))):08x}"
