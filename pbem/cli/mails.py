"""Commands for messages that need the operator: mail list and retry."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy import and_, or_
from sqlmodel import Session, col, select

from pbem.cli import core
from pbem.cli.core import CONFIG, FOUND, ConfigOption, JsonOption, app, errors, out, stored
from pbem.cli.terminal import TerminalListing
from pbem.errors import Refused
from pbem.features.moderation import roster
from pbem.storage import database
from pbem.storage.models import Incoming, IncomingState, Outgoing, OutgoingState, Player


@app.command("mail list")
def shunted(config_file: ConfigOption = CONFIG, as_json: JsonOption = False) -> None:
    with stored(config_file) as server, database.read_only(server.engine) as session:
        came, owed = _waiting_for_operator(session)
        found = TerminalListing(number="message", what="what", why="why", since="since (UTC)")
        for row in came:
            found.add(str(row.id), f"from {row.source}", row.verdict, row.received)
        for sent in owed:
            found.add(f"out {sent.id}", f"to {sent.address}", sent.reply, sent.created)
    found.show(out, "nothing is shunted", as_json=as_json)
    if found and not as_json:
        out.print('"pbem show mail N" shows one with its traceback')
        out.print('"pbem mail retry N" tries it again, "pbem mail retry out N" an outgoing one, "--all" all of them')
    if found:
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
    if everything:
        _retry_all(config_file)
        return
    named = list(_named(message or []))
    missing = []
    with stored(config_file) as server, database.transaction(server.engine) as session:
        for kind, number in named:
            is_out = kind == "out"
            row: Incoming | Outgoing | None = session.get(Outgoing, number) if is_out else session.get(Incoming, number)
            if row is None or not _retried(row):
                missing.append(
                    f"{'out ' * is_out}{number} is not among the {'failed' if is_out else 'shunted'} messages"
                )
    for sentence in missing:
        errors.print(f"pbem: {sentence}")
    out.print(f"{len(named) - len(missing)} will be retried")
    if missing:
        raise typer.Exit(FOUND)


def _named(words: list[str]) -> Iterator[tuple[str, int]]:
    """Yield the numbers of messages, each with the kind that was named last before it: those that came at first."""
    kind = "mail"
    for word in words:
        if word in ("mail", "out"):
            kind = word
        elif word.isdecimal() and len(word) < roster.LONGEST_NUMBER:
            yield kind, int(word)
        else:
            raise Refused(f'"{word[:40]}" is no number of a message.', fits='Write them such as "8 9 out 12".')


def _retried(row: Incoming | Outgoing) -> bool:
    if isinstance(row, Incoming) and row.state == IncomingState.SHUNTED:
        row.state, row.attempts = IncomingState.NEW, 0
        row.handled = row.verdict = row.error = None
        return True
    if isinstance(row, Outgoing) and (
        row.state == OutgoingState.FAILED or (row.state == OutgoingState.OWED and row.troubled)
    ):
        row.state, row.attempts, row.due, row.retried = OutgoingState.OWED, 0, core.now(), core.now()
        row.troubled = None
        return True
    return False


def _retry_all(config_file: Path) -> None:
    """Have everything retried that waits for the operator, and resume sending to all to whom it was stopped."""
    from pbem.players import bounces  # only this needs what parses messages

    with stored(config_file) as server, database.transaction(server.engine) as session:
        came, owed = _waiting_for_operator(session)
        waiting: tuple[Incoming | Outgoing, ...] = (*came, *owed)
        retried = [row for row in waiting if _retried(row)]
        unreachable = session.exec(select(Player).where(col(Player.unreachable).is_not(None))).all()
        for player in unreachable:
            bounces.reinstate(session, player, core.now())
    out.print(f"{len(retried)} will be retried, and sending resumes to {len(unreachable)} addresses")


def _waiting_for_operator(session: Session) -> tuple[Sequence[Incoming], Sequence[Outgoing]]:
    is_late = and_(col(Outgoing.state) == OutgoingState.OWED, col(Outgoing.troubled).is_not(None))
    return (
        session.exec(select(Incoming).where(Incoming.state == IncomingState.SHUNTED)).all(),
        session.exec(select(Outgoing).where(or_(col(Outgoing.state) == OutgoingState.FAILED, is_late))).all(),
    )
