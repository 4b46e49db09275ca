"""Commands for messages: feed; mail list and retry, for those that need the operator; queue, for those that go out."""

import re
import sys
from collections.abc import Collection, Sequence
from datetime import timedelta
from email import message_from_bytes, policy
from pathlib import Path
from typing import Annotated, Any

import typer
from sqlalchemy import Connection, and_, or_
from sqlmodel import Session, col, select, update

from pbem.cli import shared
from pbem.cli.printing import TerminalListing
from pbem.cli.shared import CONFIG, FOUND, PAGE, ConfigOption, JsonOption, PageOption, app, errors, opened, out, stored
from pbem.errors import Refused
from pbem.mail.reading.text.normalize import escape_controls
from pbem.mail.transports.protocols import Arrival
from pbem.messages.mime import text_of
from pbem.messages.render import Renderer
from pbem.players import player_directory
from pbem.server import incoming_queue, worker
from pbem.storage import database, leases
from pbem.storage.models import UNSENT, Incoming, IncomingState, Outgoing, OutgoingState, Player
from pbem.storage.retention import NEVER

UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}
IN_QUEUE = (OutgoingState.OWED, OutgoingState.WAITING, OutgoingState.BATCHED, OutgoingState.FAILED)
SHUNTED = col(Incoming.state) == IncomingState.SHUNTED
FAILED = or_(
    col(Outgoing.state) == OutgoingState.FAILED,
    and_(col(Outgoing.state) == OutgoingState.OWED, col(Outgoing.troubled).is_not(None)),
)
"""Which messages need the operator: of those that came, and of those that go out."""
Messages = Annotated[list[int], typer.Argument(help="Numbers of messages from `pbem queue list`.", metavar="N ...")]


@app.command("mail list")
def shunted(
    everything: Annotated[bool, typer.Option("--all", help="All of the newest messages.")] = False,
    since: Annotated[str, typer.Option("--since", help="Only messages of the last 30m, 1h, 2d, say.")] = "",
    page: PageOption = 1,
    config_file: ConfigOption = CONFIG,
    as_json: JsonOption = False,
) -> None:
    listing = TerminalListing(number="message", what="what", why="why", since="since (UTC)")
    span = re.fullmatch(r"(\d{1,5})([mhd])", since)
    if since and span is None:
        raise typer.BadParameter("write 30m, 1h or 2d", param_hint="--since")
    begins = shared.now() - int(span[1]) * UNITS[span[2]] if span else NEVER
    came = select(Incoming).where(everything or SHUNTED, col(Incoming.received) >= begins)
    went = select(Outgoing).where(everything or FAILED, col(Outgoing.created) >= begins)
    with stored(config_file) as server, database.read_only(server.engine) as session:
        rows = _page(session, came.order_by(col(Incoming.id).desc()), page)
        sent = _page(session, went.order_by(col(Outgoing.id).desc()), page)
        for row in rows[:PAGE]:
            listing.add(str(row.id), f"from {row.source}", row.verdict or row.state, row.received)
        for row in sent[:PAGE]:
            listing.add(f"out {row.id}", f"to {row.address}", row.reply or row.state, row.created)
    more = max(len(rows), len(sent)) > PAGE
    listing.show(out, "nothing is shunted", page=page, more=more, as_json=as_json)
    if not listing or everything:
        return
    if not as_json:
        out.print('"pbem show mail N" shows one with its traceback')
        out.print('"pbem mail retry N" tries it again, "pbem mail retry out N" an outgoing one, "--all" all of them')
    raise typer.Exit(FOUND)


@app.command("mail retry")
def retry(
    message: Annotated[
        list[str] | None, typer.Argument(help="Numbers of messages from `pbem mail list`, such as 8 out 9.")
    ] = None,
    config_file: ConfigOption = CONFIG,
    everything: Annotated[
        bool,
        typer.Option("--all", help="Retry all of them, and resume sending to all that `pbem player bounced` lists."),
    ] = False,
) -> None:
    if everything == bool(message):
        raise typer.BadParameter('give the numbers of messages, or "--all"')
    numbers = _numbers(message or [])
    came, owed = numbers["mail"], numbers["out"]
    anew = {"state": IncomingState.NEW.value, "attempts": 0, "handled": None, "verdict": None, "error": None}
    again = {"state": OutgoingState.OWED.value, "attempts": 0, "due": shared.now(), "retried": shared.now()}
    with stored(config_file) as server, database.transaction(server.engine) as session:
        connection = session.connection()
        tried = _changed(connection, Incoming, None if everything else came, SHUNTED, **anew)
        sent = _changed(connection, Outgoing, None if everything else owed, FAILED, troubled=None, **again)
        if everything:
            from pbem.players import bounces  # only this needs what parses messages

            unreachable = session.exec(select(Player).where(col(Player.unreachable).is_not(None))).all()
            for player in unreachable:
                bounces.reinstate(session, player, shared.now())
    resumes = f", and sending resumes to {len(unreachable)} addresses" if everything else ""
    missing = [f"{number} is not among the shunted messages" for number in sorted(came - tried)]
    missing += [f"out {number} is not among the failed messages" for number in sorted(owed - sent)]
    for sentence in missing:
        errors.print(f"pbem: {sentence}")
    out.print(f"{len(tried) + len(sent)} will be retried{resumes}")
    if missing:
        raise typer.Exit(FOUND)


def _page(session: Session, statement: Any, page: int) -> Sequence[Any]:
    """Return the rows of a page, and one more if there are more."""
    rows: Sequence[Any] = session.exec(statement.offset((page - 1) * PAGE).limit(PAGE + 1)).all()
    return rows


def _numbers(words: list[str]) -> dict[str, set[int]]:
    """Return the numbers of messages by the kind that stands before them; at first, of those that came."""
    kind, numbers = "mail", {"mail": set[int](), "out": set[int]()}
    for word in words:
        if word in numbers:
            kind = word
        elif word.isdecimal() and len(word) < player_directory.LONGEST_NUMBER:
            numbers[kind].add(int(word))
        else:
            raise Refused(f'"{word[:40]}" is no number of a message.', fits='Write them such as "8 9 out 12".')
    return numbers


@app.command("queue list")
def list_(page: PageOption = 1, config_file: ConfigOption = CONFIG, as_json: JsonOption = False) -> None:
    headings = {"since": "since (UTC)", "attempts": "tries", "next": "next", "reply": "reply"}
    listing = TerminalListing(number="out", to="to", what="what", state="state", **headings)
    waiting = select(Outgoing).where(col(Outgoing.state).in_(IN_QUEUE)).order_by(col(Outgoing.due), col(Outgoing.id))
    with stored(config_file) as server, database.read_only(server.engine) as session:
        rows = _page(session, waiting, page)
        for row in rows[:PAGE]:
            due = None if row.state == OutgoingState.FAILED else row.due
            about = f"{row.template}, match {row.match}" if row.match is not None else row.template
            listing.add(row.id, row.address, about, row.state, row.created, row.attempts, due, row.reply)
    listing.show(out, "nothing waits to be sent", page=page, more=len(rows) > PAGE, as_json=as_json)


@app.command("queue flush")
def flush(config_file: ConfigOption = CONFIG) -> None:
    _change("will be tried now", config_file, None, (OutgoingState.OWED,), due=shared.now())


@app.command("queue hold")
def hold(messages: Messages, config_file: ConfigOption = CONFIG) -> None:
    values = {"state": OutgoingState.FAILED.value, "error": "held by the operator", "troubled": None}
    _change('held: "pbem mail retry out N" lets it go', config_file, messages, UNSENT, **values)


@app.command("queue drop")
def drop(messages: Messages, config_file: ConfigOption = CONFIG) -> None:
    values = {"state": OutgoingState.DROPPED.value, "error": "dropped by the operator", "troubled": None}
    _change("dropped", config_file, messages, UNSENT, **values)


@app.command("queue resend")
def resend(messages: Messages, config_file: ConfigOption = CONFIG) -> None:
    again = {"due": shared.now(), "retried": shared.now(), "attempts": 0, "error": None}
    _change("will be sent again", config_file, messages, (OutgoingState.SENT,), state=OutgoingState.OWED.value, **again)


def _change(
    done: str, config_file: Path, messages: list[int] | None, states: tuple[OutgoingState, ...], **values: Any
) -> None:
    """Change those messages, or all, that are in one of those states and that no daemon is sending just now."""
    fits = (col(Outgoing.state).in_(states), col(Outgoing.removed).is_(None), leases.is_free(Outgoing))
    with stored(config_file) as server, database.writing(server.engine) as connection:
        changed = _changed(connection, Outgoing, messages, *fits, **values)
    out.print(f"{len(changed)} {done}")
    if missing := [number for number in messages or () if number not in changed]:
        numbers = ", ".join(map(str, missing))
        errors.print(f'pbem: not changed: {numbers}; "pbem show out {missing[0]}" tells what became of it')
        raise typer.Exit(FOUND)


def _changed(
    connection: Connection, table: Any, numbers: Collection[int] | None, *which: Any, **values: Any
) -> set[int]:
    """Change rows, of those with these numbers or of all. Return the numbers of those that were."""
    among = () if numbers is None else (table.id.in_(numbers),)
    statement = update(table).where(*which, *among).values(**values).returning(table.id)
    return set(connection.execute(statement).scalars())


@app.command()
def feed(
    file: Annotated[Path, typer.Argument(help="A raw message; - reads standard input.")],
    config_file: ConfigOption = CONFIG,
    to: Annotated[str, typer.Option("--to", help="The envelope recipient, if it isn't in the message.")] = "",
) -> None:
    with opened(config_file) as server:
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        if not raw.strip():
            raise shared.ended(f"{file} is empty; a raw message starts with its headers")
        added = server.store((Arrival(raw, "feed", recipients=(to,) if to else ()),))
        if not added:
            out.print("this message was received before, so nothing was done")
            return
        (number,) = added
        for claimed in incoming_queue.claim_one(server.desk.queue, number):  # otherwise a running daemon already has it
            worker.handle(server.desk, claimed, shared.now())
        with database.read_only(server.engine) as session:
            row = session.get_one(Incoming, number)
            out.print(f"message {row.id}: {row.state}, {row.verdict}")
            owed = session.exec(select(Outgoing).where(Outgoing.incoming == row.id).order_by(col(Outgoing.id)))
            printed = [_print_mail(server.renderer, session, mail) for mail in owed]
            state = row.state
    if state == IncomingState.SHUNTED or not all(printed):
        raise typer.Exit(FOUND)


def _print_mail(renderer: Renderer, session: Session, row: Outgoing) -> bool:
    try:
        (raw,) = renderer.render(session, [row])
    except Exception as error:  # noqa: BLE001 - a bug; `pbem run` stores its traceback
        errors.print(f"pbem: the message to {row.address} can't be rendered: {type(error).__name__}: {error}")
        return False
    message = message_from_bytes(raw, policy=policy.default)
    out.rule(escape_controls(f"to {row.address}"), style="dim")
    for header in ("From", "To", "Reply-To", "Subject"):
        out.print(f"{header}: {message[header]}")
    out.print()
    out.print(text_of(message))
    return True
