"""The operator's verbs: init, run, feed, check, show, shunted, retry, revoke, bounced, export, delete, demo and more.

Exit codes: 0 all is well · 1 something was found wrong, and said · 2 it could not be done, and why.
"""

import os
import secrets
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import structlog
import typer
from rich.markup import escape
from rich.progress import track
from rich.table import Table
from sqlalchemy import make_url
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col, select

from engines import GAMES
from engines.core import BadOption
from notation import NOTATIONS, record
from notation.board import format_board
from pbem import (
    belongings,
    bounces,
    config,
    daemon,
    database,
    demo,
    erasure,
    failpoints,
    handle,
    keyboard,
    logs,
    matches,
    premises,
    renewal,
    terminal,
)
from pbem import check as checking
from pbem.config import BadConfig, Settings
from pbem.failpoints import BadFailpoint
from pbem.mime import text_of
from pbem.models import Incoming, IncomingState, Match, MatchState, Outgoing, OutgoingState, Player
from pbem.receive import NotStored
from pbem.render import Renderer
from pbem.transport import Arrival, Unreachable

log = structlog.get_logger()

app = typer.Typer(
    help="A play-by-email server for small abstract board games.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    add_completion=False,
)
records = typer.Typer(help="Work with record files.", no_args_is_help=True)
app.add_typer(records, name="record")

out = terminal.console()
errors = terminal.console(errors=True)

ConfigOption = Annotated[
    Path, typer.Option("--config", "-c", envvar="PBEM_CONFIG", help="The configuration file.", show_default=True)
]
CONFIG = Path("pbem.toml")
FOUND, IMPOSSIBLE = 1, 2


@contextmanager
def sentences() -> Iterator[None]:
    """Turn what can go wrong outside of us into a sentence and exit code 2."""
    try:
        yield
    except DBAPIError as error:
        errors.print(f"pbem: the database: {escape(str(error.orig))}")
        raise typer.Exit(IMPOSSIBLE) from error
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        errors.print(f"pbem: {escape(what)}", highlight=False)
        raise typer.Exit(IMPOSSIBLE) from error
    except (BadConfig, BadFailpoint, database.InUse, database.Unusable, Unreachable, NotStored) as error:
        errors.print(f"pbem: {escape(str(error))}", highlight=False)
        raise typer.Exit(IMPOSSIBLE) from error


@contextmanager
def opened(path: Path) -> Iterator[daemon.Works]:
    """The configured server, with its log set up, but not running."""
    with sentences():
        settings = config.load(path)
        logs.configure(settings.log)
        failpoints.prepare()
        with daemon.works(settings) as works:
            yield works


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
    inside = Path(__file__).parent / "config.example.toml"
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
    with opened(config_file) as works, database.alone(works.settings.server.database):
        for file in premises.exposed(config_file, works.settings):
            log.warning("everybody on this machine can read it", file=str(file))
        if once:
            received, handled, sent = daemon.run_once(works)
            out.print(f"{received} received, {handled} handled, {sent} handed over")
        else:
            daemon.run(works, _stop_by_signal())


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
    with opened(config_file) as works:
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        if not raw.strip():
            errors.print(f"pbem: {file} is empty; a raw mail begins with its header lines")
            raise typer.Exit(IMPOSSIBLE)
        added = works.take((Arrival(raw, "feed", recipients=(to,) if to else ()),))
        if not added:
            out.print("this mail was received before; nothing is done twice")
            return
        if works.desk.take_this(added[0]):  # or else a daemon beside us has it already
            handle.handle(works.engine, works.office, works.desk, added[0], daemon.now())
        with database.transaction(works.engine) as session:
            row = session.get_one(Incoming, added[0])
            out.print(f"mail {row.id}: {row.state}, {row.verdict}", highlight=False, markup=False)
            owed = session.exec(select(Outgoing).where(Outgoing.incoming == row.id).order_by(col(Outgoing.id)))
            for mail in owed:
                _print_mail(works.renderer, session, mail)
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
    with opened(config_file) as works, database.transaction(works.engine) as session:
        around = list(premises.faults(config_file, works.settings))
        for note in (f"the database {_shown(works.settings)} is up to date", *premises.notes(works.settings)):
            errors.print(note, markup=False, highlight=False)
        stored = checking.played(session)
        found = [
            fault
            for match in track(stored, "replaying", console=errors, transient=True)
            for fault in checking.faults(session, match)
        ]
    for fault in found:
        out.print(f"match #{fault.match}: {fault.sentence}", markup=False)
    for sentence in around:
        out.print(f"fault: {sentence}", markup=False, highlight=False)
    out.print(f"{len(stored)} matches replayed, {len(found)} faults")
    if found or around:
        raise typer.Exit(FOUND)


@app.command()
def show(
    number: Annotated[int, typer.Argument(help="The match, or with --mail the mail.")],
    config_file: ConfigOption = CONFIG,
    mail: Annotated[bool, typer.Option("--mail", help="Show an incoming mail and what became of it.")] = False,
) -> None:
    """Show a match with all its turns and mails, or a mail and what became of it."""
    with opened(config_file) as works, database.transaction(works.engine) as session:
        row = session.get(Incoming, number) if mail else session.get(Match, number)
        if row is None:
            errors.print(f"pbem: there is no {'mail' if mail else 'match'} {number}")
            raise typer.Exit(FOUND)
        if isinstance(row, Incoming):
            _show_mail(session, row)
        elif not _show_match(session, row):
            raise typer.Exit(FOUND)


def _show_mail(session: Session, row: Incoming) -> None:
    out.print(f"mail {row.id} from {row.source}, received {row.received:%Y-%m-%d %H:%M:%S} UTC", markup=False)
    out.print(f"state {row.state}, verdict: {row.verdict or 'none yet'}, attempts: {row.attempts}", markup=False)
    for owed in session.exec(select(Outgoing).where(Outgoing.incoming == row.id)):
        out.print(f"owed: {owed.template} to {owed.address}, {owed.state} {owed.message_id}", markup=False)
    if row.trouble:
        out.print(row.trouble, markup=False)
    if not row.raw:
        out.print("the mail itself is removed: its time was over, or its sender has left")
        return
    out.rule("as it came", style="dim")
    out.print(row.raw.decode("utf-8", "replace"), markup=False, highlight=False)


def _show_match(session: Session, match: Match) -> bool:
    """Print the match; whether its turns can be replayed. They are listed in any case."""
    first, second = (matches.name(session.get_one(Player, seat)) for seat in (match.seat0, match.seat1))
    title = GAMES[match.game].title if match.game in GAMES else match.game
    options = " ".join(f"{option}={choice}" for option, choice in match.options.items())
    out.print(f"match #{match.id}, {title} {options}: {first} - {second}, {match.state}", markup=False)
    if match.reason:
        winner = "a draw" if match.winner is None else f"{(first, second)[match.winner]} won"
        out.print(f"{winner}: {match.reason}", markup=False)
    if match.part:
        out.print(f"begun: {match.part}", markup=False)
    faults = list(checking.faults(session, match))
    for fault in faults:
        out.print(f"fault: {fault.sentence}", markup=False, highlight=False)
    if not faults:
        out.print()
        out.print(format_board(matches.stand(session, match).position.diagram()), markup=False, highlight=False)
    out.print()
    table = Table("turn", "by", "text", "played (UTC)", "mail")
    for ply in matches.plies(session, match):
        by = (first, second)[ply.seat]
        played = f"{ply.played:%Y-%m-%d %H:%M:%S}"
        table.add_row(str(ply.number), by, escape(ply.text), played, str(ply.incoming or ""))
    out.print(table)
    mails = Table("mail", "what", "to", "state", "Message-ID")
    for row in session.exec(select(Outgoing).where(Outgoing.match == match.id).order_by(col(Outgoing.id))):
        mails.add_row(f"out {row.id}", f"{row.template}, turn {row.ply}", row.address, row.state, row.message_id)
    out.print(mails)
    return not faults


@app.command()
def shunted(config_file: ConfigOption = CONFIG) -> None:
    """List the mails that met a bug, and the owed ones that nobody would take; exit code 1 when there are any."""
    with opened(config_file) as works, database.transaction(works.engine) as session:
        came = session.exec(select(Incoming).where(Incoming.state == IncomingState.SHUNTED)).all()
        owed = session.exec(select(Outgoing).where(Outgoing.state == OutgoingState.FAILED)).all()
        table = Table("mail", "what", "why", "since (UTC)")
        for row in came:
            table.add_row(
                f"{row.id}", f"from {row.source}", escape(row.verdict or ""), f"{row.received:%Y-%m-%d %H:%M}"
            )
        for sent in owed:
            last = (sent.trouble or "").strip().splitlines()[-1:] or [""]
            table.add_row(f"out {sent.id}", f"to {sent.address}", escape(last[0]), f"{sent.created:%Y-%m-%d %H:%M}")
    if not came and not owed:
        out.print("nothing is shunted")
        return
    out.print(table)
    out.print('"pbem show --mail N" shows one with its traceback')
    out.print('"pbem retry N" tries it again, "pbem retry --out N" an owed one')
    raise typer.Exit(FOUND)


@app.command()
def retry(
    numbers: Annotated[list[int], typer.Argument(help="The mails, as `pbem shunted` numbers them.")],
    config_file: ConfigOption = CONFIG,
    owed: Annotated[bool, typer.Option("--out", help="The numbers are of owed mails.")] = False,
) -> None:
    """Let the daemon try shunted or failed mails again."""
    missing = []
    with opened(config_file) as works, database.transaction(works.engine) as session:
        for number in numbers:
            row = session.get(Outgoing if owed else Incoming, number)
            if isinstance(row, Incoming) and row.state == IncomingState.SHUNTED:
                row.state, row.attempts = IncomingState.NEW, 0
                row.handled = row.verdict = row.trouble = None
            elif isinstance(row, Outgoing) and row.state == OutgoingState.FAILED:
                row.state, row.attempts, row.due, row.created = OutgoingState.OWED, 0, daemon.now(), daemon.now()
            else:
                missing.append(number)
                continue
            session.add(row)
    for number in missing:
        errors.print(f"pbem: {number} is not among the {'failed' if owed else 'shunted'} mails")
    out.print(f"{len(numbers) - len(missing)} will be tried again")
    if missing:
        raise typer.Exit(FOUND)


@app.command()
def revoke(
    name: Annotated[str, typer.Argument(help="The player's name or address.")], config_file: ConfigOption = CONFIG
) -> None:
    """Make all reply addresses of a player worthless, because one got out, and mail him a new personal address."""
    with opened(config_file) as works, database.transaction(works.engine) as session:
        player = _player(session, name)
        renewal.revoke_and_tell(session, works.settings.server, player, daemon.now())
        out.print(f"{player.name}'s addresses are void; a new one goes to {player.address}", markup=False)


@app.command()
def bounced(
    again: Annotated[str, typer.Option("--again", help="A player to whom mail is sent again.")] = "",
    config_file: ConfigOption = CONFIG,
) -> None:
    """List the players from whose addresses mail comes back; exit code 1 when nothing is sent to one any more."""
    with opened(config_file) as works, database.transaction(works.engine) as session:
        if again:
            bounces.revive(session, _player(session, again), daemon.now())
            out.print(f"mail is sent to {again} again", markup=False)
            return
        found = session.exec(select(Player).where(Player.bounces > 0).order_by(col(Player.id))).all()
        table = Table("player", "address", "bounces", "last (UTC)", "given up (UTC)")
        for row in found:
            given_up = f"{row.unreachable:%Y-%m-%d %H:%M}" if row.unreachable else ""
            last = f"{row.bounced:%Y-%m-%d %H:%M}" if row.bounced else ""
            table.add_row(matches.name(row), escape(row.address), str(row.bounces), last, given_up)
    if not found:
        out.print("no mail comes back")
        return
    out.print(table)
    if any(row.unreachable for row in found):
        out.print('"pbem bounced --again PLAYER" sends mail there again')
        raise typer.Exit(FOUND)


@app.command()
def export(
    name: Annotated[str, typer.Argument(help="The player's name, address or number.")],
    folder: Annotated[Path | None, typer.Option("--folder", help="Where to write; the name when left out.")] = None,
    config_file: ConfigOption = CONFIG,
) -> None:
    """Write all that is held on a player into a folder, without the limit that one mail has."""
    with opened(config_file) as works, database.transaction(works.engine) as session:
        player = _player(session, name, guests=True)
        held = belongings.gather(session, player, daemon.now())
        place = folder or Path(held.name)
        (place / "mails").mkdir(parents=True, exist_ok=True)
        for file in works.renderer.files(held):
            if file.subtype != "zip":
                (place / file.name).write_bytes(file.content)
        for title, _, raw in held.mails:
            (place / "mails" / title).write_bytes(raw)
        out.print(f"wrote {place}, with {len(held.mails)} mails", markup=False, highlight=False)


@app.command()
def delete(
    name: Annotated[str, typer.Argument(help="The player's name, address or number.")],
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
    config_file: ConfigOption = CONFIG,
) -> None:
    """Remove all that is held on a player, as "delete me" does; the matches stay, without a name."""
    with opened(config_file) as works:
        with database.transaction(works.engine) as session:
            player = _player(session, name, guests=True)
            open_ = matches.of_player(session, player, (MatchState.RUNNING, MatchState.OFFERED))
            about = f"{matches.name(player)}, {player.address}, with {len(open_)} matches and challenges that would end"
        if not yes and not typer.confirm(f"remove {about}? This can't be undone"):
            out.print("nothing was removed")
            raise typer.Exit(FOUND)
        with database.transaction(works.engine) as session:
            anonymous = erasure.erase(session, works.settings.server, player, daemon.now())
        out.print(f"done: called {anonymous} from now on, and told so by a last mail")
        out.print("logs, backups and the mail server's folders are yours to clear (docs/privacy.md)")


def _player(session: Session, wanted: str, *, guests: bool = False) -> Player:
    """The player of that name, address or number; ends the program with a sentence where there is none."""
    place = Player.address if "@" in wanted else Player.name
    known = Player.id == int(wanted) if wanted.isdecimal() else place == wanted.lower()
    player = session.exec(select(Player).where(known)).first()
    if player is None or player.deleted is not None or (player.confirmed is None and not guests):
        errors.print(f"pbem: no player is called {wanted}", markup=False)
        raise typer.Exit(FOUND)
    return player


@app.command()
def games() -> None:
    """List the games that can be played, with their options."""
    table = Table("game", "options", "a turn")
    for key, game in GAMES.items():
        options = "\n".join(f"{option.name}={'|'.join(option.choices)}" for option in game.options)
        table.add_row(f"{game.title}\n[dim]{key}[/]", escape(options), escape(NOTATIONS[key].help))
    out.print(table)
    out.print('"pbem play GAME" tries one; by mail "rules GAME" explains it')


@app.command()
def play(
    game: Annotated[str, typer.Argument(help="The game, as `pbem games` lists it.")],
    options: Annotated[list[str] | None, typer.Argument(help="Its options, as in first=o.")] = None,
) -> None:
    """Try a game at the terminal, two people at one keyboard, with the boards and texts of the mails."""
    key = game.lower()
    chosen = dict(option.split("=", 1) for option in options or [] if "=" in option)
    try:
        if key not in GAMES:
            raise BadOption(f"there is no game {game}; there are {', '.join(GAMES)}")
        if len(chosen) < len(options or []):
            raise BadOption("an option is written as NAME=CHOICE, for example first=o")
        keyboard.play(key, chosen, input, lambda words: out.print(words, markup=False, highlight=False))
    except BadOption as error:
        errors.print(f"pbem: {escape(str(error))}", highlight=False)
        raise typer.Exit(IMPOSSIBLE) from error


@app.command("demo")
def demo_(
    folder: Annotated[Path | None, typer.Option("--folder", help="Where to put database and mails.")] = None,
) -> None:
    """Play a whole match by mail between two scripted players, with nothing but this machine."""
    with sentences():
        if not demo.play(out, folder):
            raise typer.Exit(FOUND)


@records.command("check")
def record_check(
    file: Annotated[Path, typer.Argument(help="A record; - reads standard input.")],
    tolerant: Annotated[bool, typer.Option("--tolerant", help="List every slip, as an arbiter would.")] = False,
    game: Annotated[str, typer.Option("--game", help="The game, where the record does not tell.")] = "",
) -> None:
    """Replay a record file; a sentence for each slip, and exit code 1 when there are any."""
    with sentences():
        try:
            text = (sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()).decode("utf-8")
        except UnicodeDecodeError as error:
            errors.print(f"pbem: {file} is not a text file: {error.reason} at byte {error.start}")
            raise typer.Exit(IMPOSSIBLE) from error
    raise typer.Exit(_check_record(text, game or None, tolerant=tolerant))


def _check_record(text: str, game: str | None, *, tolerant: bool) -> int:
    """Print a sentence for each slip, and the last board; the exit code."""
    try:
        loaded = record.loads(text, game)
        positions, slips = record.replay_tolerantly(loaded) if tolerant else (record.replay(loaded), ())
    except (record.BadRecord, BadOption) as error:
        out.print(str(error), markup=False, highlight=False)
        return FOUND
    for slip in slips:
        out.print(f"turn {slip.turn}, {slip.player}, {slip.token}: {slip.why}", markup=False, highlight=False)
    last = positions[-1]
    difference = record.board_difference(loaded, last)
    if difference:
        out.print(difference, markup=False, highlight=False)
    title = GAMES[loaded.game].title
    out.print(f"{title}, {len(loaded.moves)} turns: {len(slips)} slips", markup=False, highlight=False)
    out.print(f"\n{format_board(last.diagram())}", markup=False, highlight=False)
    if last.outcome is not None:
        winner = "a draw" if last.outcome.winner is None else f"{loaded.players[last.outcome.winner]} won"
        out.print(f"\n{winner}: {last.outcome.reason}", markup=False, highlight=False)
    elif loaded.resigned is not None:
        out.print(f"\n{loaded.players[loaded.resigned]} resigned", markup=False, highlight=False)
    return FOUND if slips or difference else 0


def main() -> None:
    """Run the command line. What it writes (mails, tokens in them, the key) is for its user alone."""
    os.umask(0o077)
    app()
