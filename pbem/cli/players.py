"""Commands for players: player list, trust, revoke, bounced, export and delete."""

from pathlib import Path
from typing import Annotated

import typer
from sqlmodel import col, select

from pbem.cli import shared
from pbem.cli.printing import TerminalListing
from pbem.cli.shared import CONFIG, FOUND, PAGE, ConfigOption, JsonOption, PageOption, PlayerName, app, out, stored
from pbem.features.moderation import lists
from pbem.features.moderation.lists import AccountKind
from pbem.matches import queries, shown_names, track_record
from pbem.players import addresses_and_revocation, bounces, erasure, erasure_sweep, player_directory
from pbem.storage import database
from pbem.storage.models import HOUSE, MatchState, Player


@app.command("player revoke")
def revoke(name: PlayerName, config_file: ConfigOption = CONFIG) -> None:
    with stored(config_file) as server, database.transaction(server.engine) as session:
        player = player_directory.called(session, name)
        addresses_and_revocation.revoke_and_tell(session, server.settings.server, player, shared.now())
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
                bounces.reinstate(session, player_directory.called(session, again, guests=True), shared.now())
            out.print(f"sending mail to {again} resumes")
            return
        with database.read_only(server.engine) as session:
            rows = session.exec(select(Player).where(Player.bounces > 0).order_by(col(Player.id))).all()
        listing = TerminalListing("player address bounces", last="last (UTC)", stopped="stopped (UTC)")
        for row in rows:
            listing.add(shown_names.name(row), row.address, row.bounces, row.bounced, row.unreachable)
    listing.show(out, "no mail bounces", as_json=as_json)
    if any(row.unreachable for row in rows):
        if not as_json:
            out.print('"pbem player bounced --again PLAYER" resumes sending')
        raise typer.Exit(FOUND)


@app.command("player export")
def export(
    name: PlayerName,
    folder: Annotated[Path | None, typer.Option("--folder", help="Where to write, if not the player's name.")] = None,
    config_file: ConfigOption = CONFIG,
) -> None:
    from pbem.features.accounts import data_export  # the other commands do without
    from pbem.features.accounts.data_export import export_files
    from pbem.features.all import FEATURES

    with shared.opened(config_file) as server, database.read_only(server.engine) as session:
        player = player_directory.called(session, name, guests=True)
        data = data_export.gather(session, player, shared.now(), server.renderer.redactor, FEATURES.exports)
        place = folder or Path(data.name)
        if place.is_dir() and any(place.iterdir()):
            raise shared.ended(f"{place} isn't empty; choose another folder with --folder")
        (place / "mails").mkdir(parents=True, exist_ok=True)
        for file in export_files(data, server.settings.server, server.renderer.redactor):
            if file.kind != "application/zip":
                (place / file.name).write_bytes(file.content)
        for title, _, raw in data.messages:
            (place / "mails" / title).write_bytes(raw)
        out.print(f"wrote {place}, with {len(data.messages)} messages")


@app.command("player delete")
def delete(name: PlayerName, yes: shared.YesOption = False, config_file: ConfigOption = CONFIG) -> None:
    from pbem.features.all import FEATURES  # the other commands do without

    with stored(config_file) as server:
        with database.read_only(server.engine) as session:
            player = player_directory.called(session, name, guests=True)
            open_ = queries.of_player(session, player, (MatchState.RUNNING, MatchState.OFFERED))
            about = (
                f"{shown_names.name(player)}, {player.address}, with {len(open_)} matches and challenges that would end"
            )
        if not yes:
            typer.confirm(f"delete {about}? This can't be undone", abort=True)
        with database.transaction(server.engine) as session:
            anonymous = erasure.erase(session, server.settings.server, player, shared.now(), FEATURES.forget)
        erasure_sweep.sweep(server.engine, shared.now())
        out.print(f"done: they are called {anonymous} now, and get one last message")
        out.print("logs, backups and the mail server's folders are up to you (docs/privacy.md)")


@app.command("player list")
def players(
    beginning: Annotated[str, typer.Argument(help="How their names begin; all players without it.")] = "",
    kind: Annotated[AccountKind, typer.Option("--only", help="Only players of that kind.")] = AccountKind.ALL,
    page: PageOption = 1,
    config_file: ConfigOption = CONFIG,
    as_json: JsonOption = False,
) -> None:
    with stored(config_file) as server, database.read_only(server.engine) as session:
        rows, more = lists.accounts(session, PAGE, page, beginning=beginning.lower(), kind=kind)
        listing = TerminalListing("number player address joined last_wrote plays state")
        for player in rows:
            address, seen = (
                player.address if player.address != HOUSE else "",
                player_directory.last_seen(session, player),
            )
            days = (f"{day:%Y-%m-%d}" if day else None for day in (player.confirmed, seen))
            plays, states = track_record.running(session, player), list(lists.states(player))
            listing.add(player.id, shown_names.name(player), address, *days, plays, states)
    listing.show(out, "no such players", page=page, more=more, as_json=as_json)


@app.command("player trust")
def trust(
    name: PlayerName,
    end: Annotated[bool, typer.Option("--end", help="Don't trust them any more.")] = False,
    config_file: ConfigOption = CONFIG,
) -> None:
    with stored(config_file) as server, database.transaction(server.engine) as session:
        player = player_directory.called(session, name)
        player.trusted = None if end else shared.now()
        session.add(player)
        can = "can't open tournaments any more" if end else 'can open tournaments now, with "host"'
        out.print(f"{player.name} {can}")
