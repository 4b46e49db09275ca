"""Commands that bring matches in: match import and salvage."""

import mailbox
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from email.message import Message
from email.parser import BytesHeaderParser
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import track
from sqlmodel import Session

from notation.games import GAMES
from notation.record import BadRecord
from pbem.cli import core
from pbem.cli.core import CONFIG, FOUND, IMPOSSIBLE, ConfigOption, GameOption, app, errors, opened, out
from pbem.features.moderation import roster
from pbem.features.records import imported, restored
from pbem.features.records.imported import PlayedElsewhere
from pbem.features.records.restored import Salvaged
from pbem.mail.reading.message import is_address
from pbem.messages import carried
from pbem.storage import database
from pbem.storage.models import Player

WHAT_CARRIES = (
    "None carries a match that is believed. What the server sent to a player of a match does, in the header "
    f"{carried.HEADER}, which is lost where text is copied or forwarded: take Maildir folders, mbox files, or messages "
    "saved with all headers (.eml)."
)


@app.command("match import")
def import_(
    files: Annotated[list[Path], typer.Argument(help="Records, as text or JSON.", metavar="FILE")],
    players: Annotated[
        list[str] | None,
        typer.Option("--player", help="Who of ours somebody in the records is.", metavar="NAME=PLAYER"),
    ] = None,
    game: GameOption = "",
    tolerant: Annotated[
        bool, typer.Option("--tolerant", help="Mend slips in old records, where that is legal.")
    ] = False,
    config_file: ConfigOption = CONFIG,
) -> None:
    if game and game not in GAMES:
        errors.print(f"pbem: there is no game {game}; the games are {GAMES.some()}", markup=False)
        raise typer.Exit(IMPOSSIBLE)
    stored = known = 0
    refused: list[str] = []
    with core.stored(config_file) as server:
        with database.read_only(server.engine) as session:
            ours = _ours(session, players or [])
        for file in track(files, "importing", console=errors, transient=True, disable=len(files) < 2):
            try:
                played = _read(file, game or None, tolerant=tolerant)
                with database.transaction(server.engine) as session:
                    rows = {name: session.get_one(Player, number) for name, number in ours.items()}
                    match, is_new = imported.store(session, played, rows, core.now())
                    number, title = match.id, GAMES.title(match.game)
            except BadRecord as bad:
                refused.append(f"{file}:{bad.line}: {bad}" if bad.line else f"{file}: {bad}")
                continue
            except OSError as error:
                refused.append(f"{file}: {error.strerror or error}")
                continue
            stored, known = stored + is_new, known + (not is_new)
            how = "" if is_new else ", imported before"
            turns = len(played.record.moves)
            out.print(f"{file}: match #{number}, {title}, {turns} turns{how}", markup=False, highlight=False)
    for sentence in refused:
        out.print(sentence, markup=False, highlight=False)
    out.print(f"{stored} imported, {known} imported before, {len(refused)} refused", highlight=False)
    if refused:
        raise typer.Exit(FOUND)


@app.command("match salvage")
def salvage(
    files: Annotated[
        list[Path], typer.Argument(help="Mailboxes: Maildir folders, mbox files, messages.", metavar="FILE")
    ],
    players: Annotated[
        list[str] | None,
        typer.Option("--player", help="The address of a player whose mailbox is missing.", metavar="NAME=ADDRESS"),
    ] = None,
    config_file: ConfigOption = CONFIG,
) -> None:
    told = {name.lower(): address.lower() for name, _, address in (each.partition("=") for each in players or [])}
    wrong = [name for name, address in told.items() if not is_address(address)]
    if wrong:
        errors.print(f"pbem: write --player NAME=ADDRESS, not {wrong[0]}={told[wrong[0]]}", markup=False)
        raise typer.Exit(IMPOSSIBLE)
    done: Counter[Salvaged] = Counter()
    with opened(config_file) as server:
        found, refused, read = [], [], 0
        for place, sealed in _read_mailboxes(files):
            read += 1
            for words in sealed:
                try:
                    found.append(carried.unpack(words, server.services.keyring))
                except carried.NotOurs as error:
                    refused.append(f"{place}: {carried.HEADER} is not believed: {error}")
        known = restored.newest(found)
        for match in track(known.matches, "restoring", console=errors, transient=True, disable=len(known.matches) < 2):
            try:
                with database.transaction(server.engine) as session:
                    what = restored.restore(session, match, known.addresses, told, core.now())
            except restored.NotRestorable as error:
                refused.append(str(error))
                continue
            done[what] += 1
            how = f"{len(match.turns)} turns, {match.written:%Y-%m-%d %H:%M} UTC"
            how = f"{what}, no older than that" if what is Salvaged.HERE else f"{what}: {how}"
            first, second = (person.name for person in match.people)
            out.print(f"match #{match.number}: {first} - {second}, {how}", markup=False, highlight=False)
    for sentence in refused:
        out.print(sentence, markup=False, highlight=False)
    if not found:
        out.print(f"{read} messages were read. {WHAT_CARRIES}", highlight=False)
    counted = ", ".join(f"{done[each]} {each}" for each in Salvaged)
    out.print(f"{counted}, {len(refused)} refused", highlight=False)
    if refused or not known.matches:
        raise typer.Exit(FOUND)


def _read_mailboxes(files: Iterable[Path]) -> Iterator[tuple[str, list[str]]]:
    """Yield where each message in the mailboxes is, and the matches that it carries."""
    for file in files:
        for number, message in enumerate(messages(file), start=1):
            yield f"{file}, message {number}", [str(words) for words in message.get_all(carried.HEADER, [])]


def messages(file: Path) -> Iterator[Message]:
    """Yield the messages of a Maildir with all of its folders, of an mbox file, or the one that the file is."""
    if file.is_dir():
        for cur in sorted(file.rglob("cur")):
            yield from mailbox.Maildir(cur.parent, factory=None, create=False)
        return
    with file.open("rb") as opened_file:
        if not opened_file.read(5).startswith(b"From "):
            opened_file.seek(0)
            yield BytesHeaderParser().parse(opened_file)
            return
    with closing(mailbox.mbox(file, factory=None, create=False)) as box:
        yield from box


def _ours(session: Session, given: list[str]) -> Mapping[str, int]:
    """Return the numbers of our players by names in records; exit with a sentence where there is no such player."""
    found: dict[str, int] = {}
    for each in given:
        name, equals, wanted = each.rpartition("=")
        if not equals or not name.strip():
            errors.print(f"pbem: write --player NAME=PLAYER, not {each}", markup=False)
            raise typer.Exit(IMPOSSIBLE)
        found[name.strip().casefold()] = roster.called(session, wanted.strip()).id or 0
    return found


def _read(file: Path, game: str | None, *, tolerant: bool) -> PlayedElsewhere:
    """Return the match of a file; raise BadRecord and OSError."""
    with file.open("rb") as opened_file:
        raw = opened_file.read(imported.LARGEST + 1)
    if len(raw) > imported.LARGEST:
        raise BadRecord(0, "", f"a record has at most {imported.LARGEST} bytes")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadRecord(0, "", f"this is not a text file: {error.reason} at byte {error.start}") from error
    return imported.read(text, game, tolerant=tolerant)
