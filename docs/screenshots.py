"""The screenshots in docs/mails and docs/site, made by headless Chromium. `make screenshots` updates them.

They show real messages, and a site that was published from matches that were played at random.

To look at all messages at once, `python docs/screenshots.py FOLDER` renders each at 360 and 900 pixels, light and dark,
and as in mail programs that drop <style>, block pictures or support little more than tables.
"""

import base64
import importlib
import itertools
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from PIL import Image, ImageChops
from sqlalchemy import Engine, insert, update
from sqlmodel import col

ROOT = Path(__file__).resolve().parent.parent
SHELF = ("hex", "amazons")
"""The games of packages of which messages are shown."""
sys.path += [path for path in (str(ROOT), str(ROOT / "packs" / "pbem-classics" / "src")) if path not in sys.path]

from notation.ending import Termination
from notation.games import GAMES
from notation.record import Record
from pbem.cli import log_format
from pbem.config import LogSettings
from pbem.conformance.server_harness import letters
from pbem.publishing import freeze
from pbem.publishing.cached_pages import Pages
from pbem.publishing.html_pages import Site, match_path
from pbem.storage import database
from pbem.storage.models import Match, MatchState, Player, Ply
from tests.correspondence import MORNING
from tests.templates.letters import examples

CHROMIUM = ("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run")
QUIET = ("--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars")
SCHEMES = {"light": 1, "dark": 0}
SHOWN = (
    ("turn-yours", 360, "light"),
    ("turn-yours", 360, "dark"),
    ("face-table", 360, "light"),
    ("turn-over", 900, "light"),
    ("challenge", 360, "dark"),
    ("refused-slip", 360, "light"),
    ("digest", 900, "dark"),
    ("section-tournament", 360, "light"),
    ("hex-swap", 360, "light"),
    ("hex-over", 900, "dark"),
    ("amazons-part", 360, "light"),
    ("amazons-over", 900, "light"),
)
"""The screenshots in docs/mails.md: message, width in pixels, colour scheme."""
PUBLISHED = (
    ("front", "index.html", 1280, 1640, "light"),
    ("front", "index.html", 360, 1640, "dark"),
    ("match", match_path(2), 1280, 860, "dark"),
    ("match", match_path(3), 360, 1100, "light"),
    ("game", "games/quadrature.html", 1280, 1640, "light"),
    ("board", "games/hexaphages-board.html", 360, 1100, "dark"),
)
"""Those in docs/publishing.md: name, page, width and greatest height in pixels, colour scheme."""
SITE = Site("PBeM", "games@pbem.example", "https://games.example/archive/")
PLAYERS = ("alice", "bob")
TURNS = 40
"""How many turns a published match has at most."""
OF_GAME = 5
"""How many matches are played at random in each game; every other one is published."""
LEFT = 8
"""How many turns are left to play in another one."""
IN_PARTS = 13
"""Which turn is sent in parts, if it has any."""
FIRST_RUNNING = 4
"""The matches after this one go on."""
TALL = 2600
COLOURS = 64


def page(mail: EmailMessage) -> str:
    """Return the HTML part with its pictures inlined, for a browser."""
    part = mail.get_body(("html",))
    html = str(part.get_content()) if part else ""
    for picture in mail.walk():
        if picture["Content-ID"]:
            content = base64.b64encode(picture.get_content()).decode()
            html = html.replace(f"cid:{picture['Content-ID'].strip('<>')}", f"data:image/png;base64,{content}")
    return html


def of_package(game: str, folder: Path) -> dict[str, EmailMessage]:
    """Play a match of a game in a package of its own at random. Return its messages by what they show."""
    pack = vars(importlib.import_module(f"pbem_classics.{game}"))[game.upper()]
    GAMES.packs[game] = pack
    chance, found, position = random.Random(game), {}, pack.game.position({})  # noqa: S311 - no secret
    with letters(folder) as post:
        post.match(f"challenge bob {game}")
        for number in itertools.count(1):
            if position.turn is None:
                break
            who = ("alice", "bob")[position.turn]
            turns = [pack.notation.format(move, position) for move in position.moves()]
            turn = "swap" if "swap" in turns else chance.choice(turns)
            step, _, rest = turn.partition(" ")
            if rest and number == IN_PARTS:
                post.reply(post.last(who), step)
                found["part"] = post.last(who)
            post.reply(post.last(who), rest if rest and number == IN_PARTS else turn)
            if turn == "swap":
                found["swap"] = post.last("alice")
            position = position.play(pack.notation.parse(turn))
        return {f"{game}-{name}": mail for name, mail in found.items()} | {f"{game}-over": post.last("alice")}


def lesser(html: str) -> dict[str, str]:
    """Return the page as less capable mail programs show it, by the name of what they lack."""
    plain = re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)
    blocked = re.sub(r'src="data:[^"]*"', 'src="cid:blocked"', plain)
    word = r"(border-radius|max-width|overflow[a-z-]*|word-break|width|table-layout|display):[^;\"]*;?"
    return {
        "no-style": plain,
        "no-pictures": blocked,
        "word": re.sub(word, "", blocked),
        "bare": re.sub(r' (style|class)="[^"]*"', "", blocked),
    }


def shoot(html: str, target: Path, width: int, scheme: str) -> None:
    """Write a text as a PNG of the given width, as tall as its content."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "mail.html"
        source.write_text(html, encoding="utf-8")
        shoot_page(source, target, width, scheme)


def shoot_page(source: Path, target: Path, width: int, scheme: str, tall: int = TALL) -> None:
    """Write a page as a PNG of the given width, as tall as its content, or as a screen of that height shows it."""
    with tempfile.TemporaryDirectory() as profile:
        size, setting = f"--window-size={width},{tall}", f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}"
        where = (f"--user-data-dir={profile}", f"--screenshot={target}", source.as_uri())
        subprocess.run((*CHROMIUM, *QUIET, size, setting, *where), check=True, capture_output=True, timeout=60)  # noqa: S603
    with Image.open(target) as shot:
        image = shot.convert("RGB")
    empty = Image.new("RGB", image.size, image.getpixel((0, tall - 1)))  # type: ignore[arg-type]  # RGB has tuples
    box = ImageChops.difference(image, empty).getbbox() or (0, 0, width, tall)
    image.crop((0, 0, width, min(tall, box[3] + 12))).quantize(COLOURS).save(target, optimize=True)


def played(game: str, seed: int) -> Record:
    """Return a match that was played at random, until its end or for TURNS turns."""
    chance, position = random.Random(seed), GAMES[game].game.position({})  # noqa: S311 - no secret
    moves: list[str] = []
    while position.turn is not None and len(moves) < TURNS:
        move = chance.choice(list(position.moves()))
        moves.append(GAMES[game].notation.format(move, position))
        position = position.play(move)
    return Record(game, {}, PLAYERS, tuple(moves))


def store(engine: Engine, records: Sequence[Record], running: Record) -> None:
    """Add matches that are resigned, and one that waits for its last turns."""
    began = MORNING - timedelta(days=TURNS)
    common = {"options": {}, "seat0": 1, "seat1": 2, "challenger": 1, "created": began, "started": began}
    over = {"state": MatchState.OVER.value, "winner": 0, "termination_seat": 1, "ended": MORNING}
    over["termination"] = Termination.RESIGNATION.value
    with engine.begin() as connection:
        for number, name in enumerate(PLAYERS, start=1):
            row = {"id": number, "name": name, "address": f"{name}@mail.example", "settings": {"public": "on"}}
            connection.execute(insert(Player).values(**row, confirmed=MORNING, created=MORNING))
        for number, record in enumerate(records, start=1):
            row = {"id": number, "game": record.game, "plies": len(record.moves)}
            connection.execute(insert(Match).values(**common, **over, **row))
            connection.execute(insert(Ply), list(plies(number, record)))
        number = len(records) + 1
        begun = list(plies(number, running))[:-LEFT]
        row = {"id": number, "game": running.game, "state": MatchState.RUNNING.value, "plies": len(begun)}
        connection.execute(insert(Match).values(**common, **row, to_move=1 - begun[-1]["seat"]))
        connection.execute(insert(Ply), begun)


def plies(number: int, record: Record) -> Iterator[dict[str, Any]]:
    """Yield the rows of the turns of a match, one a day."""
    position = GAMES[record.game].game.position({})
    for turn, words in enumerate(record.moves, start=1):
        when = MORNING - timedelta(days=TURNS - turn)
        yield {"match": number, "number": turn, "seat": position.turn, "text": words, "played": when}
        position = position.play(GAMES[record.game].notation.parse(words))


def published(folder: Path) -> Path:
    """Publish a few matches of each game, and return the folder with the site."""
    engine = database.connect(f"sqlite:///{folder}/pbem.sqlite")
    database.upgrade(engine)
    records = [played(game, seed) for game in GAMES for seed in range(OF_GAME)]
    store(engine, records[::2], records[0])
    with engine.begin() as connection:
        goes_on = update(Match).where(col(Match.plies) == TURNS, col(Match.id) > FIRST_RUNNING)
        over = {"ended": None, "winner": None, "termination": None, "termination_seat": None}
        connection.execute(goes_on.values(state=MatchState.RUNNING.value, to_move=0, **over))
    freeze.publish(Pages(engine, SITE, lambda: MORNING), folder / "site")
    engine.dispose()
    return folder / "site"


def shoot_site() -> None:
    """Make the screenshots of the site."""
    with tempfile.TemporaryDirectory() as folder:
        site = published(Path(folder))
        for name, path, width, tall, scheme in PUBLISHED:
            shoot_page(site / path, ROOT / "docs" / "site" / f"{name}-{width}-{scheme}.png", width, scheme, tall)


def main() -> None:
    """Make the screenshots of the documents, or those of all messages in the folder given as an argument."""
    log_format.configure(LogSettings(level="error"))
    with tempfile.TemporaryDirectory() as folder:
        mails = examples(Path(folder) / "examples")[0]
        for game in SHELF:
            mails |= of_package(game, Path(folder) / game)
        pages = {name: html for name, mail in mails.items() if (html := page(mail))}
    if len(sys.argv) == 1:
        for name, width, scheme in SHOWN:
            shoot(pages[name], ROOT / "docs" / "mails" / f"{name}-{width}-{scheme}.png", width, scheme)
        shoot_site()
        return
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    for name, html in pages.items():
        for scheme in SCHEMES:
            for width in (360, 900):
                shoot(html, target / f"{name}-{width}-{scheme}.png", width, scheme)
        for program, left in lesser(html).items():
            shoot(left, target / f"{name}-360-{program}.png", 360, "light")


if __name__ == "__main__":
    main()
