"""The command show: how a player, a match or a message stands, and what became of it and why."""

from typing import Annotated, Any

import typer
from sqlmodel import Session, col, select

from notation.board import format_board
from pbem.cli import dossier
from pbem.cli.core import CONFIG, FOUND, ConfigOption, JsonOption, Stored, app, out, stored
from pbem.cli.dossier import Told
from pbem.cli.terminal import TerminalListing, show_json, shown
from pbem.errors import Refused
from pbem.features.moderation import lists
from pbem.matches import integrity as checking
from pbem.matches import queries, snapshot
from pbem.messages.token_redaction import TokenRedactor
from pbem.storage import database
from pbem.storage.models import Incoming, Match, Outgoing

KINDS = ("match", "player", "mail", "out")
"""The words that say what is shown; a number alone is that of a match, and anything else a name or an address."""
COLUMNS = (
    *("message", "what", "to", "received", "subject", "queued", "verdict", "why", "waits", "became", "reply"),
    *("match", "game", "against", "turn", "left", "due", "number", "by", "text", "played", "incoming", "message_id"),
)
"""What tables have of what is known of a message, a match or a turn; `--json` has all of it."""


HEADINGS = {"claimed": "received in their name, without proof", "raw": "as it arrived, without reply tokens"}


@app.command()
def show(
    what: Annotated[
        list[str], typer.Argument(help="A name, an address, the number of a match, `mail 11` or `out 13`.")
    ],
    config_file: ConfigOption = CONFIG,
    as_json: JsonOption = False,
) -> None:
    """What is printed has no reply token: anybody who sees one can play."""
    kind, *words = what
    if not words:
        kind, words = "match" if kind.removeprefix("#").isdecimal() else "player", [kind]
    if kind not in KINDS or len(words) != 1:
        raise Refused(
            f'There is nothing called "{" ".join((kind, *words))[:60]}".',
            fits='Write a name, an address, the number of a match, "mail 11" or "out 13".',
        )
    with stored(config_file) as server, database.read_only(server.engine) as session:
        told = _told(session, server, kind, words[0])
        place = server.settings.server
        told = _without_tokens(told, TokenRedactor(place.address, place.delimiter))
        if as_json:
            show_json(out, told)
        else:
            _print(told)
    if told.get("problems"):
        raise typer.Exit(FOUND)


def _told(session: Session, server: Stored, kind: str, word: str) -> Told:
    if kind == "player":
        try:
            return dossier.of_player(session, server, lists.called(session, word, guests=True))
        except Refused:
            found = dossier.of_address(session, server, word.lower()) if "@" in word else {}
            if not any(found.values()):
                raise
            return {"address": word.lower(), "standing": ["nobody who plays here"], **found}
    table: Any = {"match": Match, "mail": Incoming, "out": Outgoing}[kind]
    number = word.removeprefix("#")
    row = session.get(table, int(number)) if number.isdecimal() and len(number) < lists.LONGEST_NUMBER else None
    if row is None:
        what = {"match": "match", "mail": "message", "out": "message out"}[kind]
        raise Refused(f"There is no {what} {word[:40]}.")
    tell: Any = {"match": _match, "mail": dossier.mail, "out": dossier.sent}[kind]
    told: Told = tell(session, server, row)
    return told


def _without_tokens(value: Any, redactor: TokenRedactor) -> Any:
    match value:
        case str():
            return redactor.redact(value)
        case list():
            return [_without_tokens(each, redactor) for each in value]
        case dict():
            return {key: _without_tokens(each, redactor) for key, each in value.items()}
        case _:
            return value


def _print(told: Told) -> None:
    """Print all that is told: a line each, lists of objects as tables, and texts of several lines below a rule."""
    for name, value in told.items():
        heading = HEADINGS.get(name, name.replace("_", " "))
        match value:
            case [dict(), *_]:
                keys = [key for key in COLUMNS if any(row.get(key) for row in value)]
                listing = TerminalListing(" ".join(keys))
                for row in value:
                    listing.add(*(row[key] for key in keys))
                out.print(f"\n{heading}")
                listing.show(out)
            case str() if "\n" in value:
                out.rule(heading, style="dim")
                out.print(value)
            case list():
                for each in value:
                    out.print(f"{heading}: {each}")
            case dict():
                for key, each in value.items():
                    out.print(f"{heading}: {key}={each}")
            case _ if value not in (None, ""):
                out.print(f"{heading}: {shown(value)}")


def _match(session: Session, server: Stored, match: Match) -> Told:
    (faults,) = checking.faults(session, [match])
    problems = [fault.sentence for fault in faults]
    people = queries.players_of(session, match)
    names = (queries.name(people[0]), queries.name(people[1]))
    about = select(Outgoing).where(Outgoing.match == match.id).order_by(col(Outgoing.id))
    return {
        "match": match.id,
        "game": match.game,
        "options": match.options,
        "players": list(names),
        "state": match.state,
        "winner": names[match.winner] if match.winner is not None else None,
        "ending": snapshot.why_over(match, names) or None,
        "unfinished": match.part,
        "problems": problems,
        "board": None if problems else format_board(snapshot.snapshot_of(session, match).position.diagram()),
        "turns": _turns(session, match, names),
        "messages": [dossier.outgoing(session, server, row) for row in session.exec(about)],
    }


def _turns(session: Session, match: Match, players: tuple[str, str]) -> list[Told]:
    turns: list[Any] = [(ply, f"{ply.number}", ply.played) for ply in queries.plies(session, match)]
    undone: list[Any] = [
        (ply, f"({ply.number})", f"{ply.played:%Y-%m-%d %H:%M:%S}, taken back {ply.taken_back:%Y-%m-%d %H:%M:%S}")
        for ply in queries.taken_back(session, match)
    ]
    return [
        {"number": number, "by": players[ply.seat], "text": ply.text, "played": when, "incoming": ply.incoming}
        for ply, number, when in (*turns, *undone)
    ]
