"""What all commands share: the app, two consoles, exit codes, and turning outside errors into sentences."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer
from sqlalchemy import Engine, make_url
from sqlalchemy.exc import DBAPIError

from engines.core import Game
from notation.games import GAMES, installed
from pbem import config, failpoints
from pbem.cli import FOUND as FOUND
from pbem.cli import IMPOSSIBLE, log_format, printing
from pbem.cli.doctor.findings import database_advice
from pbem.errors import Refused
from pbem.failpoints import BadFailpoint
from pbem.mail.transports.protocols import NotStored, ServerUnreachable
from pbem.secret_setting import BadConfig
from pbem.storage import database, sqlite
from pbem.storage.utc import now as now

if TYPE_CHECKING:
    from pbem.server.daemon import Server

app = typer.Typer()  # where modules put their commands; `pbem.cli.command_index` says what each does, and calls it


def games(beginning: str) -> list[str]:
    """Return what a shell offers for a game."""
    return [key for key in installed() if key.startswith(beginning)]


out = printing.console()
errors = printing.console(errors=True)

ConfigOption = Annotated[
    Path, typer.Option("--config", "-c", envvar="PBEM_CONFIG", help="The configuration file.", readable=False)
]
PlayerName = Annotated[str, typer.Argument(metavar="PLAYER", help="The player's name, address or number.")]
GameOption = Annotated[str, typer.Option("--game", help="The game, if a record doesn't say.", autocompletion=games)]
YesOption = Annotated[bool, typer.Option("--yes", help="Don't ask for confirmation.")]
PageOption = Annotated[int, typer.Option("--page", min=1, help="Which page of the list.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]
CONFIG = Path("pbem.toml")
PAGE = 50


@contextmanager
def sentences() -> Iterator[None]:
    """Turn what ends a command from outside into a sentence and an exit code; files and Ctrl-C are `pbem.cli`'s."""
    try:
        yield
    except Refused as refusal:
        fits = refusal.fits.replace('"players"', '"pbem player list"')  # that is what the admin writes by email
        raise ended(f"{refusal.sentence} {fits}".strip(), FOUND) from refusal
    except DBAPIError as error:
        raise ended(f"the database: {error.orig}") from error
    except ServerUnreachable as error:
        raise ended(f'{error}; "pbem doctor" tells what to correct') from error
    except (BadConfig, BadFailpoint, database.InUse, database.Unusable, NotStored) as error:
        raise ended(str(error)) from error


def ended(sentence: str, code: int = IMPOSSIBLE) -> typer.Exit:
    """Print why a command ends; return what ends it, by that exit code."""
    with suppress(OSError):
        errors.print(f"pbem: {sentence}")
    return typer.Exit(code)


class Stored(NamedTuple):
    settings: config.Settings
    engine: Engine


def can_be_offered(game: Game) -> bool:
    """Return whether players can write the key and the title of a game for it; asked only of games of others."""
    from pbem.features.accounts.name_rules import can_be_named  # these load what most verbs don't need
    from pbem.features.all import FEATURES

    return can_be_named(game, FEATURES)


@contextmanager
def stored(path: Path) -> Iterator[Stored]:
    """Open the configured database, for a verb that neither parses nor renders. It never upgrades the tables."""
    settings = config.load(path)
    log_format.configure(settings.log, server=settings.server)
    GAMES.enable(settings.games.enabled, can_be_offered)
    failpoints.prepare()
    with who_is_in_the_way(settings), database.opened(settings.server.database) as engine:
        database.require_current(engine)
        yield Stored(settings, engine)


@contextmanager
def who_is_in_the_way(settings: config.Settings) -> Iterator[None]:
    """Turn an error of the database into one that says which process holds it, or what to do, where that is known."""
    try:
        yield
    except DBAPIError as error:
        if who := sqlite.behind(error, make_url(settings.server.database)):
            raise database.InUse(f"the database: {error.orig} by {who}") from error
        reason = " ".join(str(error.orig).partition("\nLINE ")[0].split())
        if advice := database_advice(error, reason, make_url(settings.server.database)):
            raise database.Unusable(f"the database: {reason}. {advice[0].upper()}{advice[1:]}") from error
        raise


@contextmanager
def opened(path: Path, *, to_run: bool = False) -> Iterator["Server"]:
    """Open the configured server without running it. Only a verb that runs it may upgrade its tables."""
    from pbem.server import daemon  # to import it takes four times as long as the rest of a verb that doesn't need it

    settings = config.load(path)
    log_format.configure(settings.log, server=settings.server)
    if to_run:
        config.require_secrets(settings)
        with who_is_in_the_way(settings), database.opened(settings.server.database) as engine:
            database.require_made(engine)  # a server makes none: a disk that isn't mounted looks like a new place
    failpoints.prepare()
    alone = database.alone(settings.server.database) if to_run else nullcontext()
    with alone, who_is_in_the_way(settings), daemon.open_server(settings, upgrade=to_run) as server:
        yield server


@contextmanager
def progress() -> Iterator[database.Progress]:
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn  # most commands show none

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task("")

        def show(doing: str, done: int, total: int) -> None:
            bar.update(task, description=doing, completed=done, total=total or None)

        yield show


def text_in(file: Path) -> str:
    """Return the text in a file, or what standard input has for `-`; exit with a sentence if it is no text."""
    try:
        return (sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ended(f"{file} is not a text file: {error.reason} at byte {error.start}") from error
