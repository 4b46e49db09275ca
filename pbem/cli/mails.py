"""Commands for incoming and outgoing messages: show, shunted, retry."""

from typing import Annotated

import typer
from sqlalchemy import and_, or_
from sqlmodel import Session, col, select

from engines import GAMES
from notation.board import format_board
from notation.ending import in_words
from pbem.cli import core
from pbem.cli.core import CONFIG, FOUND, ConfigOption, JsonOption, app, errors, out, stored
from pbem.cli.terminal import TerminalListing, show_json
from pbem.matches import integrity as checking
from pbem.matches import naming, queries, snapshot
from pbem.storage import database, utc
from pbem.storage.models import Incoming, IncomingState, Match, Outgoing, OutgoingState, Player


@app.command()
def show(
    number: Annotated[int, typer.Argument(help="The number of a match, or with --mail of a message.")],
    config_file: ConfigOption = CONFIG,
    mail: Annotated[bool, typer.Option("--mail", help="Show an incoming message and what became of it.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    with stored(config_file) as server, database.read_only(server.engine) as session:
        row = session.get(Incoming, number) if mail else session.get(Match, number)
        if row is None:
            errors.print(f"pbem: there is no {'message' if mail else 'match'} {number}")
            raise typer.Exit(FOUND)
        if isinstance(row, Incoming):
            if as_json:
                show_json(out, _mail_object(session, row))
            else:
                _show_mail(session, row)
            return
        (faults,) = checking.faults(session, [row], utc.now())
        problems = [fault.sentence for fault in faults]
        if as_json:
            show_json(out, _match_object(session, row, problems))
        else:
            _show_match(session, row, problems)
        if problems:
            raise typer.Exit(FOUND)


def _show_mail(session: Session, row: Incoming) -> None:
    out.print(f"message {row.id} from {row.source}, received {row.received:%Y-%m-%d %H:%M:%S} UTC", markup=False)
    out.print(f"state {row.state}, verdict: {row.verdict or 'none yet'}, attempts: {row.attempts}", markup=False)
    for owed in session.exec(select(Outgoing).where(Outgoing.incoming == row.id)):
        out.print(f"outgoing: {owed.template} to {owed.address}, {owed.state} {owed.message_id}", markup=False)
    if row.error:
        out.print(row.error, markup=False)
    if not row.raw:
        out.print("the message itself has been removed: it was too old, or its sender has left")
        return
    out.rule("as it arrived", style="dim")
    out.print(row.raw.decode("utf-8", "replace"), markup=False, highlight=False)


def _mail_object(session: Session, row: Incoming) -> dict[str, object]:
    """Return the message as a program reads it."""
    owed = session.exec(select(Outgoing).where(Outgoing.incoming == row.id).order_by(col(Outgoing.id)))
    return {
        "message": row.id,
        "source": row.source,
        "received": row.received,
        "state": row.state,
        "verdict": row.verdict,
        "attempts": row.attempts,
        "outgoing": [
            {"message": each.id, "what": each.template, "to": each.address, "state": each.state}
            | {"message_id": each.message_id}
            for each in owed
        ],
        "error": row.error,
        "raw": row.raw.decode("utf-8", "replace") if row.raw else None,
    }


def _match_object(session: Session, match: Match, problems: list[str]) -> dict[str, object]:
    """Return the match as a program reads it."""
    players = _players(session, match)
    ending = snapshot.ending_of(match)
    return {
        "match": match.id,
        "game": match.game,
        "options": match.options,
        "players": players,
        "state": match.state,
        "winner": players[match.winner] if match.winner is not None else None,
        "ending": (match.reason or in_words(ending, players)) if ending else None,
        "unfinished": match.part,
        "problems": problems,
        "turns": _turns(session, match, players).objects(),
        "messages": _mails(session, match).objects(),
    }


def _players(session: Session, match: Match) -> tuple[str, str]:
    first, second = (naming.name(session.get_one(Player, seat)) for seat in (match.seat0, match.seat1))
    return first, second


def _show_match(session: Session, match: Match, problems: list[str]) -> None:
    """Print the match and its turns."""
    first, second = _players(session, match)
    title = GAMES[match.game].title if match.game in GAMES else match.game
    options = " ".join(f"{option}={choice}" for option, choice in match.options.items())
    out.print(f"match #{match.id}, {title} {options}: {first} - {second}, {match.state}", markup=False)
    if ending := snapshot.ending_of(match):
        winner = "no winner" if match.winner is None else f"{(first, second)[match.winner]} won"
        out.print(f"{winner}: {match.reason or in_words(ending, (first, second))}", markup=False)
    if match.part:
        out.print(f"unfinished turn: {match.part}", markup=False)
    for problem in problems:
        out.print(f"problem: {problem}", markup=False, highlight=False)
    if not problems:
        out.print()
        out.print(format_board(snapshot.snapshot_of(session, match).position.diagram()), markup=False, highlight=False)
    out.print()
    _turns(session, match, (first, second)).show(out)
    _mails(session, match).show(out)


def _turns(session: Session, match: Match, players: tuple[str, str]) -> TerminalListing:
    """Return the turns of the match, and those that were taken back."""
    turns = TerminalListing(number="turn", by="by", text="text", played="played (UTC)", incoming="message")
    for ply in queries.plies(session, match):
        turns.add(ply.number, players[ply.seat], ply.text, ply.played, ply.incoming)
    for undone in queries.taken_back(session, match):
        when = f"{undone.played:%Y-%m-%d %H:%M:%S}, taken back {undone.taken_back:%Y-%m-%d %H:%M:%S}"
        turns.add(f"({undone.number})", players[undone.seat], undone.text, when, undone.incoming)
    return turns


def _mails(session: Session, match: Match) -> TerminalListing:
    """Return the messages about the match."""
    mails = TerminalListing(number="message", what="what", to="to", state="state", message_id="Message-ID")
    for row in session.exec(select(Outgoing).where(Outgoing.match == match.id).order_by(col(Outgoing.id))):
        mails.add(f"out {row.id}", f"{row.template}, turn {row.ply}", row.address, row.state, row.message_id)
    return mails


@app.command("mail list")
def shunted(config_file: ConfigOption = CONFIG, as_json: JsonOption = False) -> None:
    with stored(config_file) as server, database.read_only(server.engine) as session:
        came = session.exec(select(Incoming).where(Incoming.state == IncomingState.SHUNTED)).all()
        is_late = and_(col(Outgoing.state) == OutgoingState.OWED, col(Outgoing.troubled).is_not(None))
        owed = session.exec(select(Outgoing).where(or_(col(Outgoing.state) == OutgoingState.FAILED, is_late))).all()
        found = TerminalListing(number="message", what="what", why="why", since="since (UTC)")
        for row in came:
            found.add(str(row.id), f"from {row.source}", row.verdict, row.received)
        for sent in owed:
            last = (sent.error or "").strip().splitlines()[-1:] or [""]
            found.add(f"out {sent.id}", f"to {sent.address}", last[0], sent.created)
    if found or as_json:
        found.show(out, as_json=as_json)
    else:
        out.print("nothing is shunted")
    if found and not as_json:
        out.print('"pbem show --mail N" shows one with its traceback')
        out.print('"pbem mail retry N" tries it again, "pbem mail retry --out N" an outgoing one')
    if found:
        raise typer.Exit(FOUND)


@app.command("mail retry")
def retry(
    numbers: Annotated[list[int], typer.Argument(help="The numbers of the messages, from `pbem mail list`.")],
    config_file: ConfigOption = CONFIG,
    owed: Annotated[bool, typer.Option("--out", help="The numbers are of outgoing messages.")] = False,
) -> None:
    missing = []
    with stored(config_file) as server, database.transaction(server.engine) as session:
        for number in numbers:
            row = session.get(Outgoing if owed else Incoming, number)
            if isinstance(row, Incoming) and row.state == IncomingState.SHUNTED:
                row.state, row.attempts = IncomingState.NEW, 0
                row.handled = row.verdict = row.error = None
            elif isinstance(row, Outgoing) and (
                row.state == OutgoingState.FAILED or (row.state == OutgoingState.OWED and row.troubled)
            ):
                row.state, row.attempts, row.due, row.retried = OutgoingState.OWED, 0, core.now(), core.now()
                row.troubled = None
            else:
                missing.append(number)
                continue
            session.add(row)
    for number in missing:
        errors.print(f"pbem: {number} is not among the {'failed' if owed else 'shunted'} messages")
    out.print(f"{len(numbers) - len(missing)} will be retried")
    if missing:
        raise typer.Exit(FOUND)
