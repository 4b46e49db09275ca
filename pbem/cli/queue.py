"""Commands for messages that go out: what is owed, and what the operator does about it."""

from pathlib import Path
from typing import Annotated, Any

import typer
from sqlmodel import col, select, update

from pbem.cli import core
from pbem.cli.core import CONFIG, FOUND, PAGE, ConfigOption, JsonOption, PageOption, app, errors, out, stored
from pbem.cli.terminal import TerminalListing
from pbem.storage import database, leases
from pbem.storage.models import UNSENT, Outgoing, OutgoingState

IN_QUEUE = (OutgoingState.OWED, OutgoingState.WAITING, OutgoingState.BATCHED, OutgoingState.FAILED)
Messages = Annotated[list[int], typer.Argument(help="Numbers of messages from `pbem queue list`.", metavar="N ...")]


@app.command("queue list")
def list_(page: PageOption = 1, config_file: ConfigOption = CONFIG, as_json: JsonOption = False) -> None:
    found = TerminalListing(
        number="out",
        to="to",
        what="what",
        state="state",
        since="since (UTC)",
        attempts="tries",
        next="next",
        reply="reply",
    )
    waiting = select(Outgoing).where(col(Outgoing.state).in_(IN_QUEUE)).order_by(col(Outgoing.due), col(Outgoing.id))
    with stored(config_file) as server, database.read_only(server.engine) as session:
        rows = session.exec(waiting.offset((page - 1) * PAGE).limit(PAGE + 1)).all()
        for row in rows[:PAGE]:
            due = None if row.state == OutgoingState.FAILED else row.due
            about = f"{row.template}, match {row.match}" if row.match is not None else row.template
            found.add(row.id, row.address, about, row.state, row.created, row.attempts, due, row.reply)
    found.show(out, "nothing waits to be sent", page=page, more=len(rows) > PAGE, as_json=as_json)


@app.command("queue flush")
def flush(config_file: ConfigOption = CONFIG) -> None:
    _change("will be tried now", config_file, None, (OutgoingState.OWED,), due=core.now())


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
    again = {"due": core.now(), "retried": core.now(), "attempts": 0, "error": None}
    _change("will be sent again", config_file, messages, (OutgoingState.SENT,), state=OutgoingState.OWED.value, **again)


def _change(
    done: str, config_file: Path, messages: list[int] | None, states: tuple[OutgoingState, ...], **values: Any
) -> None:
    """Change those messages, or all, that are in one of those states and that no daemon is sending just now."""
    fits = [col(Outgoing.state).in_(states), col(Outgoing.removed).is_(None), leases.is_free(Outgoing)]
    if messages is not None:
        fits.append(col(Outgoing.id).in_(messages))
    with stored(config_file) as server, database.writing(server.engine) as connection:
        statement = update(Outgoing).where(*fits).values(**values).returning(col(Outgoing.id))
        changed = set(connection.execute(statement).scalars())
    out.print(f"{len(changed)} {done}")
    if missing := [number for number in messages or () if number not in changed]:
        numbers = ", ".join(map(str, missing))
        errors.print(f'pbem: not changed: {numbers}; "pbem show out {missing[0]}" tells what became of it')
        raise typer.Exit(FOUND)
