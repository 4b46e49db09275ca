"""Verbs about the server itself: init, run, feed, check."""

import secrets
import signal
import sys
import threading
from pathlib import Path
from typing import Annotated

import structlog
import typer
from rich.progress import track
from sqlalchemy import make_url
from sqlmodel import Session, col, select

from pbem import config
from pbem.cli import doctor
from pbem.cli.core import CONFIG, FOUND, IMPOSSIBLE, ConfigOption, app, errors, opened, out, sentences
from pbem.config import Settings
from pbem.matches import integrity as checking
from pbem.rendering.mime import text_of
from pbem.rendering.render import Renderer
from pbem.server import daemon, worker
from pbem.storage import database
from pbem.storage.models import Incoming, IncomingState, Match, Outgoing
from pbem.transports.protocols import Arrival

log = structlog.get_logger()


@app.command()
def init(config_file: ConfigOption = CONFIG) -> None:
    """Write a configuration and a key where there are none, and bring the database up to date."""
    with sentences():
        if not config_file.exists():
            config_file.parent.mkdir(parents=True, exist_ok=True)
            config_file.write_bytes(example().read_bytes())
            out.print(f"wrote {config_file}; look it through: it says what every key means")
        settings = config.load(config_file)
        _make_key(settings)
        with database.alone(settings.server.database):
            engine = database.connect(settings.server.database)
            database.upgrade(engine)
            engine.dispose()
        out.print(f"the database {_shown(settings)} is up to date", markup=False)
        out.print(f"next: [bold]pbem run --config {config_file}[/]")


def _shown(settings: Settings) -> str:
    """The database's URL without its password."""
    return make_url(settings.server.database).render_as_string(hide_password=True)


def example() -> Path:
    """The example configuration: inside an installed package, beside it in a checkout."""
    inside = Path(__file__).parent.parent / "config.example.toml"
    return inside if inside.is_file() else inside.parent.parent / "config.example.toml"


def _make_key(settings: Settings) -> None:
    path = settings.server.key.file
    if path is None or path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_text(secrets.token_hex(32) + "\n", encoding="ascii")
    out.print(f"wrote the server's key to {path}; without it no token that players hold is good any more: back it up")


@app.command()
def run(
    config_file: ConfigOption = CONFIG,
    once: Annotated[bool, typer.Option("--once", help="Handle and send what waits, then end.")] = False,
) -> None:
    """Run the server until SIGTERM or Ctrl-C; it ends after the mail in hand."""
    with opened(config_file, to_run=True) as server:
        for file in doctor.exposed(config_file, server.settings):
            log.warning("everybody on this machine can read it", file=str(file))
        if once:
            received, handled, sent = daemon.run_once(server)
            out.print(f"{received} received, {handled} handled, {sent} handed over")
        else:
            daemon.run(server, _stop_by_signal())


def _stop_by_signal() -> threading.Event:
    """What SIGTERM or SIGINT will set. A thread waits for them: a handler that sets an event can deadlock.

    They stay blocked in this process, so nothing else may be called here once the server has run.
    """
    stop = threading.Event()
    numbers = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, numbers)  # inherited by every thread started from here on

    def wait() -> None:
        signal.sigwait(numbers)
        stop.set()

    threading.Thread(target=wait, name="signals", daemon=True).start()
    return stop


@app.command()
def feed(
    file: Annotated[Path, typer.Argument(help="A raw mail; - reads standard input.")],
    config_file: ConfigOption = CONFIG,
    to: Annotated[str, typer.Option("--to", help="The envelope recipient, where it is not in the mail.")] = "",
) -> None:
    """Handle a raw mail as if it had been received, and print what is owed for it."""
    with opened(config_file) as server:
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        if not raw.strip():
            errors.print(f"pbem: {file} is empty; a raw mail begins with its header lines")
            raise typer.Exit(IMPOSSIBLE)
        added = server.take((Arrival(raw, "feed", recipients=(to,) if to else ()),))
        if not added:
            out.print("this mail was received before; nothing is done twice")
            return
        if server.queue.claim(added[0]):  # or else a daemon beside us has it already
            worker.handle(server.engine, server.services, server.queue, added[0], daemon.now())
        with database.read_only(server.engine) as session:
            row = session.get_one(Incoming, added[0])
            out.print(f"mail {row.id}: {row.state}, {row.verdict}", highlight=False, markup=False)
            owed = session.exec(select(Outgoing).where(Outgoing.incoming == row.id).order_by(col(Outgoing.id)))
            for mail in owed:
                _print_mail(server.renderer, session, mail)
            state = row.state
    if state == IncomingState.SHUNTED:
        raise typer.Exit(FOUND)


def _print_mail(renderer: Renderer, session: Session, row: Outgoing) -> None:
    (message,) = renderer.render(session, [row])
    out.rule(f"owed to {row.address}", style="dim")
    for header in ("From", "To", "Reply-To", "Subject"):
        out.print(f"{header}: {message[header]}", markup=False, highlight=False)
    out.print()
    out.print(text_of(message), markup=False, highlight=False)


@app.command()
def check(config_file: ConfigOption = CONFIG) -> None:
    """Replay every stored match, and look at files, templates and DNS; exit code 1 when something is wrong."""
    with opened(config_file) as server:
        around = list(doctor.faults(config_file, server.settings))
        for note in (f"the database {_shown(server.settings)} is up to date", *doctor.notes(server.settings)):
            errors.print(note, markup=False, highlight=False)
        with database.read_only(server.engine) as session:
            stored = [match.id for match in checking.played(session)]
        found: list[checking.Fault] = []
        for number in track(stored, "replaying", console=errors, transient=True):
            with database.read_only(server.engine) as session:  # one each, so that no long one holds old pages back
                found += checking.faults(session, session.get_one(Match, number))
    for fault in found:
        out.print(f"match #{fault.match}: {fault.sentence}", markup=False)
    for sentence in around:
        out.print(f"fault: {sentence}", markup=False, highlight=False)
    out.print(f"{len(stored)} matches replayed, {len(found)} faults")
    if found or around:
        raise typer.Exit(FOUND)
