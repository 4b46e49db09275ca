"""The command that brings matches in: match import."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import track
from sqlmodel import Session

from notation.games import GAMES
from notation.record import BadRecord
from pbem.cli import core
from pbem.cli.core import CONFIG, FOUND, ConfigOption, GameOption, app, errors, out
from pbem.features.moderation import roster
from pbem.features.records import imported
from pbem.features.records.imported import PlayedElsewhere
from pbem.storage import database
from pbem.storage.models import Player


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
        raise core.ended(f"there is no game {game}; the games are {GAMES.some()}")
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
            out.print(f"{file}: match #{number}, {title}, {turns} turns{how}")
    for sentence in refused:
        out.print(sentence)
    out.print(f"{stored} imported, {known} imported before, {len(refused)} refused")
    if refused:
        raise typer.Exit(FOUND)


def _ours(session: Session, given: list[str]) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for each in given:
        name, equals, wanted = each.rpartition("=")
        if not equals or not name.strip():
            raise core.ended(f"write --player NAME=PLAYER, not {each}")
        found[name.strip().casefold()] = roster.called(session, wanted.strip()).id or 0
    return found


def _read(file: Path, game: str | None, *, tolerant: bool) -> PlayedElsewhere:
    with file.open("rb") as opened_file:
        raw = opened_file.read(imported.LARGEST + 1)
    if len(raw) > imported.LARGEST:
        raise BadRecord(0, "", f"a record has at most {imported.LARGEST} bytes")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadRecord(0, "", f"this is not a text file: {error.reason} at byte {error.start}") from error
    return imported.read(text, game, tolerant=tolerant)
