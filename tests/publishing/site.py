"""A server with matches, the site that it publishes, and what is looked at in one."""

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage
from html import unescape
from itertools import islice
from pathlib import Path
from string import ascii_lowercase
from urllib.parse import parse_qs, unquote, urlsplit

from sqlalchemy import Engine
from sqlmodel import Session, func, select

from notation.ending import Termination
from notation.games import GAMES
from notation.record import replay
from pbem.matches.ratings import weekly_rating
from pbem.publishing import freeze
from pbem.publishing.board_form import Boards
from pbem.publishing.cached_pages import Pages
from pbem.publishing.freeze import LIST, Progress, Published
from pbem.publishing.html_pages import Site
from pbem.storage import database
from pbem.storage.models import Entry, Match, MatchState, Player, Ply
from tests.correspondence import MORNING, Correspondence, correspondence, text
from tests.diagrams import NAMES, played

URL = "https://games.example/archive/"
OPENING = ("1 a7b7 i3i2", "c1d1 g9h9 2 d1f1 h9h7")
NEXT = "b7b5 i2g2 1 b5c5 g2g3"
LAST = "f1g1 h7h6 1 g1h1 h6h5"
WORDS = "Greetings from the Danube"
LINK = re.compile(rf"{re.escape(URL)}(board/(\w+))")


class Archive:
    """The correspondence of alice, bob and carol, and a folder for its site."""

    def __init__(self, letters: Correspondence, folder: Path) -> None:
        self.letters = letters
        self.folder = folder

    def publish(self, folder: Path | None = None, progress: Progress = lambda _done, _all: None) -> Published:
        """Publish into the folder, or into another one."""
        return freeze.publish(self.pages(), folder or self.folder, progress)

    def pages(self) -> Pages:
        """Return the site as `pbem serve` has it, with boards."""
        server = self.letters.server
        settings = server.settings.server
        site = Site("PBeM", settings.address, URL)
        store = server.take if server.settings.serve.post else None
        return Pages(server.engine, site, self.letters.clock, Boards(settings, settings.keyring(), store))

    def choose(self, choice: str, *names: str) -> None:
        """Let players choose whether their matches are shown."""
        for name in names:
            self.letters.say(name, f"set public {choice}")

    def begin(self, first: str = "alice", second: str = "bob", game: str = "quadraphages") -> None:
        """Let a match begin."""
        self.letters.say(first, f"challenge {second} {game}")
        self.letters.reply(self.letters.last(second), "accept")

    def turn(self, name: str, words: str) -> None:
        """Let a player answer the newest message that says it's their turn."""
        mails = self.letters.received[f"{name}@mail.example"]
        self.letters.reply(next(mail for mail in reversed(mails) if "your turn" in str(mail["Subject"])), words)

    def end(self, name: str = "alice") -> None:
        """Let a player resign a match in which it's their turn."""
        self.turn(name, "resign")
        self.letters.reply(self.letters.last(name), "yes")

    def tap(self, uri: str, sender: str) -> list[EmailMessage]:
        """Send the message that a mail program writes for a link, unchanged. Return what the server sent."""
        parts = urlsplit(unescape(uri))
        fields = {name: values[0] for name, values in parse_qs(parts.query, strict_parsing=True).items()}
        return self.letters.write(sender, fields["body"], fields["subject"], to=unquote(parts.path))

    def text(self, name: str) -> str:
        """Return a file of the site."""
        return (self.folder / name).read_text(encoding="utf-8")


@contextmanager
def archive(folder: Path, choice: str = "") -> Iterator[Archive]:
    """Begin a match of alice and bob, and play two turns, with words; let both choose whether it is shown."""
    with correspondence(folder / "server") as letters:
        letters.play(_begun, choice)
        yield Archive(letters, folder / "site")


@contextmanager
def with_boards(folder: Path, boards: str = "true", post: str = "false") -> Iterator[Archive]:
    """Do the same on a server whose messages link to boards, and let alice play a third turn; bob is to move."""
    more = f'[serve]\nurl = "{URL}"\nboards = {boards}\npost = {post}'
    with correspondence(folder / "server", more=more) as letters:
        letters.play(_begun, "")
        made = Archive(letters, folder / "site")
        made.turn("alice", NEXT)
        yield made


def page(boards: Archive, name: str) -> str:
    """Return the path of the page to which the newest message to somebody links."""
    return str(LINK.findall(text(boards.letters.last(name)))[0][0])


def shown(boards: Archive, path: str) -> str:
    """Return what the page shows; "" if it isn't there."""
    answer = boards.pages().answer(path)
    assert answer is None or answer.etag == "", "nobody keeps it"
    return "" if answer is None else answer.content.decode()


def _begun(letters: Correspondence, choice: str) -> None:
    for name in ("alice", "bob", "carol"):
        letters.join(name)
    begun = Archive(letters, letters.folder)
    begun.begin()
    for name, turn in zip(("alice", "bob"), OPENING, strict=True):
        letters.reply(letters.last(name), f"{turn}\n\n{WORDS}")
    if choice:
        begun.choose(choice, "alice", "bob")


def store_players(session: Session, *names: str) -> list[int]:
    """Store players who allow that they're shown. Return their numbers."""
    rows = [
        Player(name=name, address=f"{name}@mail.example", confirmed=MORNING, created=MORNING, settings={"public": "on"})
        for name in names
    ]
    session.add_all(rows)
    session.flush()
    return [row.id or 0 for row in rows]


def store_many(engine: Engine, number: int) -> None:
    """Store running matches of two players who allow that they're shown."""
    with database.transaction(engine) as session:
        first, second = store_players(session, "dora", "emil")
        for _ in range(number):
            match = Match(
                game="quadraphages", options={}, seat0=first, seat1=second, challenger=first, created=MORNING,
                state=MatchState.RUNNING, plies=len(OPENING), to_move=0,
            )  # fmt: skip
            session.add(match)
            session.flush()
            for ply, text in enumerate(OPENING):
                session.add(Ply(match=match.id, number=ply + 1, seat=ply, text=text, played=MORNING))


def store_all_games(engine: Engine, tournament: int) -> None:
    """Store a match of every game and variant, resigned after two turns; and a dozen who enter a tournament.

    Their names are as long as names can be.
    """
    with database.transaction(engine) as session:
        crowd = store_players(session, *(letter * 20 for letter in ascii_lowercase[:12]))
        session.add_all(Entry(tournament=tournament, player=each, entered=MORNING) for each in crowd)
        for name in NAMES:
            whole = played(name)
            record = replace(whole, moves=whole.moves[:2])
            match = Match(
                game=record.game, options=dict(record.options), seat0=crowd[0], seat1=crowd[1], challenger=crowd[0],
                created=MORNING, started=MORNING, ended=MORNING, state=MatchState.OVER, plies=2,
                winner=0, termination=Termination.RESIGNATION, termination_seat=1,
            )  # fmt: skip
            session.add(match)
            session.flush()
            for number, (turn, position) in enumerate(zip(record.moves, replay(record), strict=False), start=1):
                session.add(Ply(match=match.id, number=number, seat=position.turn, text=turn, played=MORNING))


def store_history(engine: Engine, weeks: int = 12) -> None:
    """Store a match of Kvadratik a week, of two players who allow that they're shown, and their ratings.

    Three of four are won by dora, who begins. They begin in two ways, and both are answered in two.
    """
    pack = GAMES["kvadratik"]
    start = pack.game.position({})
    turns = [pack.notation.format(move, start) for move in islice(start.moves(), 2)]
    with database.transaction(engine) as session:
        first, second = store_players(session, "dora", "emil")
        newest = session.exec(select(func.max(Match.id))).one() or 0
        for week in range(weeks):
            ended = MORNING - timedelta(weeks=weeks - week)
            won = 1 if week % 4 == 3 else 0
            number = newest + 1 + week
            match = Match(
                id=number, game="kvadratik", options={}, seat0=first, seat1=second, challenger=first, rated=True,
                created=ended, started=ended, ended=ended, counted=ended, state=MatchState.OVER, plies=2,
                winner=won, termination=Termination.RESIGNATION, termination_seat=1 - won,
            )  # fmt: skip
            session.add(match)
            for ply, text in enumerate((turns[week % 2], turns[week // 2 % 2])):
                session.add(Ply(match=number, number=ply + 1, seat=ply, text=text, played=ended))
    weekly_rating.rate_due(engine, MORNING)


def files(folder: Path) -> dict[str, str]:
    """Return what the files of a site contain, as hashes, by their paths; without the list of what was published."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith(LIST)
    }


def broken_links(folder: Path) -> list[str]:
    """Return the links that lead to no file, or nowhere in it, of all pages that can be reached from the first."""
    broken, reached = [], [folder / "index.html"]
    places: dict[Path, set[str]] = {}
    for page in reached:  # it grows while it is walked
        for link in re.findall(r'(?:href|src)="([^"]*)"', page.read_text(encoding="utf-8")):
            path, _, place = unquote(unescape(link)).partition("#")
            path = path.partition("?")[0]
            if ":" in path:
                continue
            target = (page.parent / path).resolve() if path else page
            if target not in places and target.exists():
                places[target] = set(re.findall(r' id="([^"]*)"', target.read_bytes().decode(errors="replace")))
            if target not in places or (place and place not in places[target]):
                broken.append(f"{page.relative_to(folder)}: {link}")
            elif target.suffix == ".html" and target not in reached:
                reached.append(target)
    assert len(reached) > len(GAMES)
    return broken
