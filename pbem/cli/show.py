"""The command show, for a player, a match or a message and what became of it, and `config show`."""

from collections.abc import Callable
from typing import Annotated, Any

import typer
from sqlmodel import Session

from pbem import config
from pbem.cli import show_facts
from pbem.cli.printing import TerminalListing, show_json, shown
from pbem.cli.shared import CONFIG, FOUND, ConfigOption, JsonOption, Stored, app, out, stored
from pbem.cli.show_facts import Facts
from pbem.config.dump import lines, veiled
from pbem.errors import Refused
from pbem.messages.token_redaction import TokenRedactor
from pbem.players import player_directory
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
        ours = server.settings.server
        redactor = TokenRedactor(ours.address, ours.delimiter)
        facts = _without_tokens(_facts(session, server, kind, words[0]), redactor)
        if as_json:
            show_json(out, facts)
        else:
            _print(facts)
    if facts.get("problems"):
        raise typer.Exit(FOUND)


def _facts(session: Session, server: Stored, kind: str, word: str) -> Facts:
    if kind == "player":
        try:
            return show_facts.of_player(session, server, player_directory.called(session, word, guests=True))
        except Refused:
            facts = show_facts.of_address(session, server, word.lower()) if "@" in word else {}
            if not any(facts.values()):
                raise
            return {"address": word.lower(), "standing": ["nobody who plays here"], **facts}
    table, name, facts_of = TABLES[kind]
    number = word.removeprefix("#")
    row = (
        session.get(table, int(number))
        if number.isdecimal() and len(number) < player_directory.LONGEST_NUMBER
        else None
    )
    if row is None:
        raise Refused(f"There is no {name} {word[:40]}.")
    return facts_of(session, server, row)


def _without_tokens(value: Any, redactor: TokenRedactor) -> Any:
    match value:
        case str():
            return redactor.redact(value)
        case list():
            return [_without_tokens(part, redactor) for part in value]
        case dict():
            return {key: _without_tokens(part, redactor) for key, part in value.items()}
        case _:
            return value


def _print(facts: Facts) -> None:
    """Print all facts: a line each, lists of objects as tables, and texts of several lines below a rule."""
    for name, value in facts.items():
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
                for part in value:
                    out.print(f"{heading}: {part}")
            case dict():
                for key, part in value.items():
                    out.print(f"{heading}: {key}={part}")
            case _ if value not in (None, ""):
                out.print(f"{heading}: {shown(value)}")


TABLES: dict[str, tuple[Any, str, Callable[[Session, Stored, Any], Facts]]] = {
    "match": (Match, "match", show_facts.of_match),
    "mail": (Incoming, "message", show_facts.mail),
    "out": (Outgoing, "message out", show_facts.sent),
}


@app.command("config show")
def show_config(config_file: ConfigOption = CONFIG, as_json: JsonOption = False) -> None:
    settings = config.load(config_file)
    if as_json:
        show_json(out, veiled(settings))
    else:
        out.print("\n".join(lines(settings)))
