"""Commands for players: player revoke, bounced, export and delete."""

from pathlib import Path
from typing import Annotated

import typer
from sqlmodel import col, select

from pbem.cli import core
from pbem.cli.core import CONFIG, FOUND, ConfigOption, JsonOption, PlayerName, YesOption, app, opened, out, stored
from pbem.cli.terminal import TerminalListing
from pbem.features.moderation import roster
from pbem.matches import queries
from pbem.players import addresses, bounces, erasure, traces
from pbem.storage import database
from pbem.storage.models import MatchState, Player


@app.command("player revoke")
def revoke(name: PlayerName, config_file: ConfigOption = CONFIG) -> None:
    with stored(config_file) as server, database.transaction(server.engine) as session:
        player = roster.called(session, name)
        addresses.revoke_and_tell(session, server.settings.server, player, core.now())
        out.print(f"{player.name}'s addresses are invalid now; a new one is sent to {player.address}")


@app.command("player bounced")
def bounced(
    again: Annotated[str, typer.Option("--again", help="Resume sending mail to this player or address.")] = "",
    config_file: ConfigOption = CONFIG,
    as_json: JsonOption = False,
) -> None:
    with stored(config_file) as server:
        if again:
            with database.transaction(server.engine) as session:
                bounces.reinstate(session, roster.called(session, again, guests=True), core.now())
            out.print(f"sending mail to {again} resumes")
            return
        with database.read_only(server.engine) as session:
            rows = session.exec(select(Player).where(Player.bounces > 0).order_by(col(Player.id))).all()
        found = TerminalListing("player address bounces", last="last (UTC)", stopped="stopped (UTC)")
        for row in rows:
            found.add(queries.name(row), row.address, row.bounces, row.bounced, row.unreachable)
    found.show(out, "no mail bounces", as_json=as_json)
    if any(row.unreachable for row in rows):
        if not as_json:
            out.print('"pbem player bounced --again PLAYER" resumes sending')
        raise typer.Exit(FOUND)


@app.command("player export")
def export(
    name: PlayerName,
    folder: Annotated[
        Path | None, typer.Option("--folder", help="Where to write; defaults to the player's name.")
    ] = None,
    config_file: ConfigOption = CONFIG,
) -> None:
    from pbem.features.accounts import data_export  # the other commands do without
    from pbem.features.accounts.data_export import export_files
    from pbem.features.all import FEATURES

    with opened(config_file) as server, database.read_only(server.engine) as session:
        player = roster.called(session, name, guests=True)
        held = data_export.gather(session, player, core.now(), server.renderer.redactor, FEATURES.exports)
        place = folder or Path(held.name)
        if place.is_dir() and any(place.iterdir()):
            raise core.ended(f"{place} isn't empty; choose another folder with --folder")
        (place / "mails").mkdir(parents=True, exist_ok=True)
        for file in export_files(held, server.settings.server, server.renderer.redactor):
            if file.subtype != "zip":
                (place / file.name).write_bytes(file.content)
        for title, _, raw in held.messages:
            (place / "mails" / title).write_bytes(raw)
        out.print(f"wrote {place}, with {len(held.messages)} messages")


@app.command("player delete")
def delete(name: PlayerName, yes: YesOption = False, config_file: ConfigOption = CONFIG) -> None:
    from pbem.features.all import FEATURES  # the other commands do without

    with stored(config_file) as server:
        with database.read_only(server.engine) as session:
            player = roster.called(session, name, guests=True)
            open_ = queries.of_player(session, player, (MatchState.RUNNING, MatchState.OFFERED))
            about = f"{queries.name(player)}, {player.address}, with {len(open_)} matches and challenges that would end"
        if not yes:
            typer.confirm(f"delete {about}? This can't be undone", abort=True)
        with database.transaction(server.engine) as session:
            anonymous = erasure.erase(session, server.settings.server, player, core.now(), FEATURES.forget)
        traces.sweep(server.engine, core.now())
        out.print(f"done: they are called {anonymous} now, and get one last message")
        out.print("logs, backups and the mail server's folders are up to you (docs/privacy.md)")
