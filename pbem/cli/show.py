"""The command show: how a player, a match or a message stands, and what became of it and why."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from sqlmodel import Session, col, select

from notation.board import format_board
from notation.games import GAMES
from pbem.cli import completion, correspondence
from pbem.cli.core import CONFIG, FOUND, ConfigOption, JsonOption, Stored, app, out, stored
from pbem.cli.correspondence import Told
from pbem.cli.terminal import TerminalListing, show_json
from pbem.errors import Refused
from pbem.features.moderation import roster
from pbem.matches import integrity as checking
from pbem.matches import queries, snapshot
from pbem.messages.token_redaction import TokenRedactor
from pbem.storage import database
from pbem.storage.models import Incoming, Match, Outgoing

KINDS = ("match", "player", "mail", "out")
"""The words that say what is shown; a number alone is that of a match, and anything else a name or an address."""
RECEIVED = {"message": "message", "received": "received (UTC)", "subject": "subject", "became": "what became of it"}
OURS = {"message": "message", "what": "what", "queued": "queued (UTC)", "became": "what became of it"}
MATCHES = {
    "match": "match",
    "game": "game",
    "against": "against",
    "turn": "turn of",
    "left": "left",
    "due": "due (UTC)",
}
TURNS = {"number": "turn", "by": "by", "text": "text", "played": "played (UTC)", "incoming": "message"}
MESSAGES = {"message": "message", "what": "what", "to": "to", "state": "state", "message_id": "Message-ID"}


@app.command()
def show(
    what: Annotated[
        list[str],
        typer.Argument(
            help="A name, an address, the number of a match, `mail 11` or `out 13`.", autocompletion=completion.players
        ),
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
            _PRINT[kind](told)
    if told.get("problems"):
        raise typer.Exit(FOUND)


def _told(session: Session, server: Stored, kind: str, word: str) -> Told:
    if kind == "player":
        try:
            return correspondence.of_player(session, server, roster.called(session, word, guests=True))
        except Refused:
            found = correspondence.of_address(session, server, word.lower()) if "@" in word else {}
            if not any(found.values()):
                raise
            return {"address": word.lower(), "standing": ["nobody who plays here"], **found}
    table: Any = {"match": Match, "mail": Incoming, "out": Outgoing}[kind]
    number = word.removeprefix("#")
    row = session.get(table, int(number)) if number.isdecimal() and len(number) < roster.LONGEST_NUMBER else None
    if row is None:
        what = {"match": "match", "mail": "message", "out": "message out"}[kind]
        raise Refused(f"There is no {what} {word[:40]}.")
    tell: Any = {"match": _match, "mail": correspondence.mail, "out": correspondence.sent}[kind]
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


def _table(title: str, rows: Sequence[Told], headings: dict[str, str]) -> None:
    if not rows:
        return
    listing = TerminalListing(**headings)
    for row in rows:
        listing.add(*(row[key] for key in headings))
    out.print(f"\n{title}")
    listing.show(out)


def _of_ours(told: Told) -> str:
    return "; ".join(word for word in (told["became"], told["reply"]) if word)


def _of_theirs(told: Told) -> str:
    words = [told["verdict"] or "not looked at yet", *told["why"], told["waits"]]
    return "; ".join(word for word in words if word)


def _print_player(told: Told) -> None:
    if "player" in told:
        joined = f"joined {told['joined']:%Y-%m-%d}" if told["joined"] else "has not joined"
        wrote = f", last wrote {told['last_wrote']}" if told["last_wrote"] else ""
        out.print(f"player {told['player']}, {told['name'] or 'without a name'}, {told['address']}: {joined}{wrote}")
    else:
        out.print(told["address"])
    for sentence in told["standing"]:
        out.print(sentence)
    waiting, sent = ([{**row, "became": _of_ours(row)} for row in told[key]] for key in ("waiting", "sent"))
    newest = f"the newest {correspondence.RECENT} at most"
    _table(f"waiting for them, {newest}", waiting, OURS)
    for key, title in (("received", "received from them"), ("claimed", "received in their name, without proof")):
        _table(f"{title}, {newest}", [{**row, "became": _of_theirs(row)} for row in told[key]], RECEIVED)
    _table(f"sent to them, {newest}", sent, OURS)
    _table("matches", told.get("matches", ()), MATCHES)


def _print_mail(told: Told) -> None:
    proven = f", proven to be {told['proven']}" if told["proven"] else ""
    out.print(f"message {told['message']} from {told['source']}, received {told['received']:%Y-%m-%d %H:%M:%S} UTC")
    out.print(f"from {told['from'] or 'nobody'}{proven}: {told['subject'] or '(no subject)'}")
    out.print(f"state {told['state']}, verdict: {told['verdict'] or 'none yet'}, attempts: {told['attempts']}")
    for sentence in (*told["why"], *told["played"], told["waits"], told["error"]):
        if sentence:
            out.print(sentence)
    for owed in told["outgoing"]:
        out.print(f"{owed['message']}: {owed['what']}, to {owed['to']}; {_of_ours(owed)} {owed['message_id']}")
    if told["raw"] is None:
        out.print("the message itself has been removed: it was too old, or its sender has left")
        return
    out.rule("as it arrived, without reply tokens", style="dim")
    out.print(told["raw"])


def _print_sent(told: Told) -> None:
    player = f"{told['player']}, " if told["player"] else ""
    because = f", because of message {told['because_of']}" if told["because_of"] else ""
    out.print(f"message {told['message']}: {told['what']}, to {player}{told['to']}")
    out.print(f"queued {told['queued']:%Y-%m-%d %H:%M:%S} UTC{because}, as {told['message_id']}")
    out.print(f"{told['became']}; attempts: {told['attempts']}")
    if told["troubled"]:
        out.print(f"needs you since {told['troubled']:%Y-%m-%d %H:%M} UTC")
    if told["error"]:
        out.print(f"last reply: {told['error']}")


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
        "turns": _turns(session, match, names).objects(),
        "messages": [correspondence.outgoing(session, server, row) for row in session.exec(about)],
    }


def _turns(session: Session, match: Match, players: tuple[str, str]) -> TerminalListing:
    turns = TerminalListing(**TURNS)
    for ply in queries.plies(session, match):
        turns.add(ply.number, players[ply.seat], ply.text, ply.played, ply.incoming)
    for undone in queries.taken_back(session, match):
        when = f"{undone.played:%Y-%m-%d %H:%M:%S}, taken back {undone.taken_back:%Y-%m-%d %H:%M:%S}"
        turns.add(f"({undone.number})", players[undone.seat], undone.text, when, undone.incoming)
    return turns


def _print_match(told: Told) -> None:
    title = GAMES.title(told["game"])
    options = " ".join(f"{option}={choice}" for option, choice in told["options"].items())
    out.print(f"match #{told['match']}, {title} {options}: {' - '.join(told['players'])}, {told['state']}")
    if told["ending"]:
        out.print(f"{told['winner']} won: {told['ending']}" if told["winner"] else f"no winner: {told['ending']}")
    if told["unfinished"]:
        out.print(f"unfinished turn: {told['unfinished']}")
    for problem in told["problems"]:
        out.print(f"problem: {problem}")
    if told["board"]:
        out.print(f"\n{told['board']}")
    _table("turns", told["turns"], TURNS)
    _table("messages", told["messages"], MESSAGES)


_PRINT = {"match": _print_match, "player": _print_player, "mail": _print_mail, "out": _print_sent}
