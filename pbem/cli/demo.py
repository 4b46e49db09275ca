"""A whole match by email, all on this machine: a real server, real messages in folders, two scripted players.

The players know only their messages. In Quadraphages they play the second sample match of the rule sheet (2007),
including its slip; in other games, legal turns at random, the same each time, until one of them resigns. At the end,
index.html shows what they saw, and the match is frozen as a site, which `pbem serve` also shows.
"""

import random
import tempfile
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from email.message import EmailMessage
from html import escape
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.panel import Panel
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from notation import record
from notation.board import format_board
from notation.ending import Ending, Termination
from notation.games import GAMES, installed
from notation.record import Record
from pbem import config
from pbem.cli import log_format, shared
from pbem.cli.shared import FOUND, app, out
from pbem.config import LogSettings
from pbem.conformance.server_harness import Clock, Letters
from pbem.mail.reading.isolated_parser import MailParser
from pbem.messages.mime import text_of
from pbem.publishing import freeze
from pbem.publishing.cached_pages import Pages
from pbem.publishing.html_pages import Site, trial_path
from pbem.server import daemon

SAMPLE_GAME = "quadraphages"
SAMPLE = Path(__file__).with_suffix(".txt")
SERVER = "games@pbem.example"
RANDOM_TURNS, CONSIDERED = 24, 2_000
"""How many turns are played at random, and out of how many legal ones each is chosen."""

MENDED = ("---- ---- 2 g3g5 b7d7", "---- ---- 2 g7g5 b7d7")
"""The turn with a slip in the record, corrected and as written."""

CONFIG = """\
# Written by `pbem demo`. What the players wrote is in the folder in, and what they got in out.
[server]
address = "{server}"
database = "sqlite:///pbem.sqlite"
key = {{ file = "pbem.key" }}

[inbox.maildir]
path = "in"

[outbox.maildir]
path = "out"

[games]
enabled = ["{game}"]
"""


@dataclass(frozen=True)
class Screen:
    console: Console
    shown: list[tuple[str, EmailMessage]] = field(default_factory=list)

    def show(self, mail: EmailMessage, title: str) -> None:
        self.shown.append((title, mail))
        fields = ("From", "To", "Reply-To", "Subject")
        head = "".join(f"{name}: {mail[name]}\n" for name in fields) + "\n"
        width = max(78, *(len(line) + 4 for line in head.split("\n")))
        self.console.print(Panel(Text(head + text_of(mail).rstrip()), title=title, width=width))


@app.command("demo")
def demo(
    game: Annotated[
        str, typer.Argument(help="The game, from `pbem games`.", autocompletion=shared.games)
    ] = SAMPLE_GAME,
    folder: Annotated[Path | None, typer.Option("--folder", help="Where to put the database and messages.")] = None,
) -> None:
    GAMES.enable(installed())
    if game not in GAMES:
        raise shared.ended(f"there is no game {game}; the games are {GAMES.some()}")
    if not play(out, game, folder):
        raise typer.Exit(FOUND)


def play(out: Console, game: str, folder: Path | None) -> bool:
    """Play and show a match of the game; return whether the last board is as expected. Raises OSError."""
    folder = Path(tempfile.mkdtemp(prefix="pbem-demo-")) if folder is None else folder
    folder.mkdir(parents=True, exist_ok=True)
    sample = record.loads(SAMPLE.read_text(encoding="utf-8")) if game == SAMPLE_GAME else at_random(game)
    path = folder / "pbem.toml"
    path.write_text(CONFIG.format(server=SERVER, game=sample.game), encoding="utf-8")
    (folder / "pbem.key").write_text("the key of a demonstration\n", encoding="ascii")
    settings, screen = config.load(path), Screen(out)
    with (folder / "server.log").open("w", encoding="utf-8") as log:
        log_format.configure(LogSettings(), log)
        with daemon.open_server(settings, parser=MailParser()) as server:
            players = (sample.players[0].lower(), sample.players[1].lower())
            out.print(f"A server takes mail from {folder / 'in'}; {players[0]} and {players[1]} join it.")
            last = _correspond(screen, sample, players, Letters(server, folder, Clock()))
            freeze.publish(Pages(server.engine, Site(settings.server.name, SERVER), shared.now), folder / "site")
        return _finish(screen, folder, sample, last)


def at_random(game: str) -> Record:
    """Return a match of legal turns, the same for each call; if it isn't over by then, the player to move resigns."""
    chance, notation, position = random.Random(game), GAMES[game].notation, GAMES[game].game.position({})  # noqa: S311 - no secret
    texts: list[str] = []
    while position.turn is not None and len(texts) < RANDOM_TURNS:
        move = chance.choice(list(islice(notation.listed(position), CONSIDERED)))
        texts.append(notation.format(move, position))
        position = position.play(move)
    ending = None if position.turn is None else Ending(Termination.RESIGNATION, position.turn)
    return Record(game, {}, ("alice", "bob"), tuple(texts), ending=ending)


def _correspond(screen: Screen, sample: Record, players: tuple[str, str], post: Letters) -> EmailMessage:
    for name in players:
        post.write(f"{name}@mail.example", "set public on", to=post.join(name))
    screen.show(post.received[f"{players[0]}@mail.example"][0], "the first message")
    welcome = {name: post.received[f"{name}@mail.example"][1] for name in players}
    screen.show(welcome[players[0]], "what follows the reply")
    first = sample.start().turn or 0
    challenger, other = players[first], players[1 - first]
    post.reply(welcome[challenger], f"challenge {other} {sample.game}")
    screen.show(post.last(other), f"{other} is challenged")
    post.reply(post.last(other), "accept\n\nWith pleasure. Good luck!")
    screen.show(post.last(challenger), f"the match begins, and it is {challenger}'s turn")
    return _turns(screen, sample, players, post)


def _turns(screen: Screen, sample: Record, players: tuple[str, str], post: Letters) -> EmailMessage:
    positions = record.replay(sample)
    columns = (TextColumn("{task.description:<44}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=screen.console) as progress:
        task = progress.add_task("turns", total=len(sample.moves))
        for number, turn in enumerate(sample.moves):
            mover = players[positions[number].turn or 0]
            question = post.last(mover)
            if turn == MENDED[0]:
                post.reply(question, MENDED[1])
                screen.show(post.last(mover), f"turn {number + 1} has a slip on the sheet (g7g5 for g3g5): the reply")
            post.reply(question, turn)
            if number == len(sample.moves) // 2:
                screen.show(post.last(players[positions[number + 1].turn or 0]), f"turn {number + 2}")
            progress.update(task, advance=1, description=f"{mover}: {turn}")
    outcome = positions[-1].outcome
    seat = sample.ending.seat if sample.ending else outcome and outcome.winner == 0
    loser, winner = players[1 if seat else 0], players[0 if seat else 1]
    if sample.ending is not None:
        post.reply(post.last(loser), "resign\n\nWell played!")
        post.reply(post.last(loser), "yes")
    screen.show(post.last(winner), "the last message of the match")
    post.reply(post.last(winner), "record")
    return post.last(winner)


def _finish(screen: Screen, folder: Path, sample: Record, last: EmailMessage) -> bool:
    screen.show(last, "the record, which the winner asks for")
    out, end = screen.console, record.replay(sample)[-1]
    same = not record.board_difference(sample, end) and format_board(end.diagram()) in text_of(last)
    board = "the one printed on the rule sheet" if sample.game == SAMPLE_GAME else "that of the match played"
    out.print(f"The last board is {'' if same else 'not '}{board}.", style="green" if same else "red")
    page = _write_page(folder, GAMES.title(sample.game), screen.shown)
    out.print(f"\nWhat they saw: {page.resolve()} (for a browser)")
    out.print(f"As a site:     {(folder / 'site' / 'index.html').resolve()}")
    out.print(f"A board:       {(folder / 'site' / trial_path(sample.game)).resolve()}")
    out.print(f"Database:      {folder / 'pbem.sqlite'}")
    out.print(f"All messages:  {folder}/in/cur/* and {folder}/out/new/*")
    out.print(f"Server log:    {folder / 'server.log'}")
    out.print("\nTry next (in a checkout, put .venv/bin/ in front):")
    out.print(f"  pbem show 1 -c {folder}/pbem.toml")
    out.print(f"  pbem check -c {folder}/pbem.toml")
    out.print(f"  pbem serve --config {folder}/pbem.toml  (the site in a browser, as it is now)")
    out.print("  pbem init, then follow the README to set up your own server")
    return same


PAGE = """\
<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>A match by email</title>
<style>body {{ margin: auto; padding: 24px; max-width: 640px; font: 16px/1.5 sans-serif; }}
iframe {{ width: 100%; }}</style>
<h1>A match by email: {title}</h1>
<p>These are messages as the players got them; the folder out has all. The buttons and links open a reply.</p>
"""
MESSAGE = """\
<h2>{heading}</h2>
<p>To {to}: <b>{subject}</b></p>
<iframe srcdoc="{html}" onload="this.style.height = this.contentDocument.body.scrollHeight + 40 + 'px'"></iframe>
"""


def _write_page(folder: Path, title: str, shown: Sequence[tuple[str, EmailMessage]]) -> Path:
    page = PAGE.format(title=escape(title))
    for heading, mail in shown:
        part = mail.get_body(("html",))
        html = f"<pre>{escape(text_of(mail))}</pre>" if part is None else str(part.get_content())
        for picture in mail.walk() if part is not None else ():
            if picture["Content-ID"]:
                content = b64encode(picture.get_content()).decode()
                html = html.replace(f"cid:{picture['Content-ID'].strip('<>')}", f"data:image/png;base64,{content}")
        words = {"heading": heading, "to": str(mail["To"]), "subject": str(mail["Subject"]), "html": html}
        page += MESSAGE.format_map({name: escape(word) for name, word in words.items()})
    path = folder / "index.html"
    path.write_text(page, encoding="utf-8")
    return path
