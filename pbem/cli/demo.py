"""A whole match by email, all on this machine: a real server, real SMTP, real messages, two scripted players.

The players know only their messages: each replies to the newest one that says it's their turn, at its reply address.
They play the second sample match of the rule sheet (2007), including its slip.
"""

import email
import email.policy
import queue
import smtplib
import tempfile
import threading
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import localtime, make_msgid
from pathlib import Path

from rich.console import Console
from rich.panel import Panel
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from notation import record
from notation.board import format_board
from notation.record import Record
from pbem import config
from pbem.cli import logs
from pbem.config import ListenSettings, LogSettings
from pbem.rendering.mime import text_of
from pbem.server import daemon
from pbem.transports.listener import MailListener
from pbem.transports.protocols import Arrival

SAMPLE = Path(__file__).parent / "demo_record.txt"
SERVER = "games@pbem.example"
HOST = "127.0.0.1"
PATIENCE_SECONDS = 30

MENDED = ("---- ---- 2 g3g5 b7d7", "---- ---- 2 g7g5 b7d7")
"""The turn with a slip in the record, corrected and as written."""

CONFIG = """\
# Written by `pbem demo`. The players' mailboxes are folders in mail/.
[server]
address = "{server}"
database = "sqlite:///pbem.sqlite"
key = {{ file = "pbem.key" }}

[inbox.smtp]
port = {port}

[outbox.smtp]
host = "127.0.0.1"
port = {mailboxes}
security = "none"
"""


class Stuck(Exception):
    """The demo could not continue, and why."""


@dataclass
class Player:
    """A person with a mailbox who plays the turns of the record."""

    name: str
    texts: list[str]
    mailbox: Path
    arrived: "queue.Queue[EmailMessage]" = field(default_factory=queue.Queue)

    @property
    def address(self) -> str:
        """Return the player's address."""
        return f"{self.name}@players.example"

    def deliver(self, raw: bytes) -> None:
        """Put a message into the mailbox."""
        mail = email.message_from_bytes(raw, policy=email.policy.default)
        number = len(list(self.mailbox.iterdir())) + 1
        (self.mailbox / f"{number:03}.eml").write_bytes(raw)
        self.arrived.put(mail)

    def next_mail(self) -> EmailMessage:
        """Return the next message to the player; raise Stuck if none arrives."""
        try:
            return self.arrived.get(timeout=PATIENCE_SECONDS)
        except queue.Empty:
            raise Stuck(f"no message reached {self.name} within {PATIENCE_SECONDS} seconds") from None


def play(out: Console, folder: Path | None) -> bool:
    """Play and show the sample match; return whether the last board is the printed one. Raises OSError."""
    folder = Path(tempfile.mkdtemp(prefix="pbem-demo-")) if folder is None else folder
    folder.mkdir(parents=True, exist_ok=True)
    sample = record.loads(SAMPLE.read_text(encoding="utf-8"))
    players = {seat: _player(sample, seat, folder) for seat in (0, 1)}
    by_address = {player.address: player for player in players.values()}

    def deliver(arrivals: tuple[Arrival, ...]) -> None:
        for arrival in arrivals:
            for recipient in arrival.recipients:
                by_address[recipient].deliver(arrival.raw)

    mailboxes = MailListener(ListenSettings(port=0), "smtp", 1_000_000, lambda address: address in by_address)
    with (folder / "server.log").open("w", encoding="utf-8") as log:
        logs.configure(LogSettings(), log)
        mailboxes.start(deliver)
        try:
            return _serve_and_play(out, folder, sample, (players[0], players[1]), mailboxes.port)
        except Stuck as error:
            out.print(f"[red]pbem: {error}; see {folder / 'server.log'}[/]")
            return False
        finally:
            mailboxes.stop()


def _player(sample: Record, seat: int, folder: Path) -> Player:
    first = sample.start().turn or 0
    mailbox = folder / "mail" / sample.players[seat].lower()
    mailbox.mkdir(parents=True, exist_ok=True)
    return Player(sample.players[seat].lower(), list(sample.moves[(seat - first) % 2 :: 2]), mailbox)


def _serve_and_play(
    out: Console,
    folder: Path,
    sample: Record,
    players: tuple[Player, Player],
    mailboxes: int,
) -> bool:
    path = folder / "pbem.toml"
    path.write_text(CONFIG.format(server=SERVER, port=0, mailboxes=mailboxes), encoding="utf-8")
    (folder / "pbem.key").write_text("the key of a demo\n", encoding="ascii")
    settings = config.load(path)
    stop = threading.Event()
    with daemon.open_server(settings) as server:
        ready = threading.Event()
        thread = threading.Thread(target=daemon.run, args=(server, stop, ready.set), daemon=True)
        thread.start()
        try:
            if not ready.wait(PATIENCE_SECONDS):
                raise Stuck("the server didn't start")
            port = server.listeners[0].port
            path.write_text(CONFIG.format(server=SERVER, port=port, mailboxes=mailboxes), encoding="utf-8")
            out.print(
                f"A server listens for mail on {HOST}, port {port}; {players[0].name} and {players[1].name} join it."
            )
            last = _correspond(out, sample, players, port)
        finally:
            stop.set()
            thread.join()
    return _finish(out, folder, sample, last)


def _correspond(out: Console, sample: Record, players: tuple[Player, Player], port: int) -> EmailMessage:
    """Play the match from the first message to the last; return the record that the winner asks for."""
    welcomes = {}
    for number, player in enumerate(players):
        _write(port, player, SERVER, "", f"join {player.name}")
        confirm = player.next_mail()
        _answer(port, player, confirm, "yes")
        welcomes[player.name] = player.next_mail()
        if number == 0:
            _show(out, confirm, "the first message")
            _show(out, welcomes[player.name], "what follows the reply")
    first = sample.start().turn or 0
    challenger, other = players[first], players[1 - first]
    _answer(port, challenger, welcomes[challenger.name], f"challenge {other.name} {sample.game}")
    challenger.next_mail()
    challenge = other.next_mail()
    _show(out, challenge, f"{other.name} is challenged")
    _answer(port, other, challenge, "accept\n\nWith pleasure. Good luck!")
    return _turns(out, sample, (challenger, other), port)


def _turns(out: Console, sample: Record, order: tuple[Player, Player], port: int) -> EmailMessage:
    begun = {player.name: player.next_mail() for player in order}
    newest = begun[order[0].name]
    _show(out, newest, f"the match begins, and it is {order[0].name}'s turn")
    columns = (TextColumn("{task.description:<44}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=out) as progress:
        task = progress.add_task("turns", total=len(sample.moves))
        for number, text in enumerate(sample.moves):
            mover, other = order[number % 2], order[1 - number % 2]
            if text == MENDED[0]:
                _answer(port, mover, newest, MENDED[1])
                refused = mover.next_mail()
                _show(out, refused, f"turn {number + 1} has a slip on the sheet (g7g5 for g3g5): the reply")
            _answer(port, mover, newest, text)
            mover.next_mail()
            newest = other.next_mail()
            progress.update(task, advance=1, description=f"{mover.name}: {text}")
    loser, winner = order[len(sample.moves) % 2], order[1 - len(sample.moves) % 2]
    if sample.ending is not None:
        _answer(port, loser, newest, "resign\n\nWell played!")
        _answer(port, loser, loser.next_mail(), "yes")
        loser.next_mail()
        newest = winner.next_mail()
    _show(out, newest, "the last message of the match")
    _answer(port, winner, newest, "record")
    return winner.next_mail()


def _finish(out: Console, folder: Path, sample: Record, last: EmailMessage) -> bool:
    _show(out, last, "the record, which the winner asks for")
    expected = format_board(record.replay(sample)[-1].diagram())
    printed = not record.board_difference(sample, record.replay(sample)[-1])
    same = printed and expected in text_of(last)
    out.print(
        "[green]The last board is the one printed on the rule sheet.[/]"
        if same
        else "[red]The last board is not the one printed on the rule sheet.[/]"
    )
    out.print(f"\nDatabase:      {folder / 'pbem.sqlite'}", highlight=False)
    out.print(f"All messages:  {folder / 'mail'}/*/*.eml", highlight=False)
    out.print(f"Server log:    {folder / 'server.log'}", highlight=False)
    out.print("\nTry next (in a checkout, put .venv/bin/ in front):", highlight=False)
    for command in (f"pbem show 1 -c {folder}/pbem.toml", f"pbem check -c {folder}/pbem.toml"):
        out.print(f"  {command}", highlight=False)
    out.print("  pbem init, then follow the README to set up your own server", highlight=False)
    return same


def _show(out: Console, mail: EmailMessage, title: str) -> None:
    head = f"From: {mail['From']}\nTo: {mail['To']}\nReply-To: {mail['Reply-To']}\nSubject: {mail['Subject']}\n\n"
    words = text_of(mail).rstrip()
    out.print(Panel(Text(head + words), title=title, width=max(78, *(len(line) + 4 for line in head.split("\n")))))


def _answer(port: int, player: Player, mail: EmailMessage, words: str) -> None:
    """Reply like a mail program: to the Reply-To, with the old message quoted below."""
    quoted = "".join(f"> {line}\n" for line in text_of(mail).splitlines())
    _write(
        port,
        player,
        mail["Reply-To"].addresses[0].addr_spec,
        f"Re: {mail['Subject']}",
        f"{words}\n\nOn {mail['Date']}, {mail['From']} wrote:\n{quoted}",
        str(mail["Message-ID"]),
    )


def _write(port: int, player: Player, to: str, subject: str, words: str, answers: str = "") -> None:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = player.address, to, subject
    mail["Date"], mail["Message-ID"] = localtime(), make_msgid(domain="players.example")
    if answers:
        mail["In-Reply-To"] = mail["References"] = answers
    mail.set_content(words)
    with smtplib.SMTP(HOST, port, timeout=PATIENCE_SECONDS) as smtp:
        smtp.sendmail(player.address, [to], mail.as_bytes())
