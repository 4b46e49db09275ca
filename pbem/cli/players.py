"""Verbs about people: revoke, bounced, export, delete."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table
from sqlmodel import col, select

from pbem.cli import core
from pbem.cli.core import CONFIG, FOUND, ConfigOption, app, opened, out
from pbem.matches import naming, queries
from pbem.players import addresses, bounces, data_export, erasure
from pbem.server import daemon
from pbem.storage import database
from pbem.storage.models import MatchState, Player


@app.command()
def revoke(
    name: Annotated[str, typer.Argument(help="The player's name or address.")], config_file: ConfigOption = CONFIG
) -> None:
    """Make all reply addresses of a player worthless, because one got out, and mail him a new personal address."""
    with opened(config_file) as server, database.transaction(server.engine) as session:
        player = core.player(session, name)
        addresses.revoke_and_tell(session, server.settings.server, player, daemon.now())
        out.print(f"{player.name}'s addresses are void; a new one goes to {player.address}", markup=False)


@app.command()
def bounced(
    again: Annotated[str, typer.Option("--again", help="A player to whom mail is sent again.")] = "",
    config_file: ConfigOption = CONFIG,
) -> None:
    """List the players from whose addresses mail comes back; exit code 1 when nothing is sent to one any more."""
    with opened(config_file) as server:
        if again:
            with database.transaction(server.engine) as session:
                bounces.revive(session, core.player(session, again), daemon.now())
            out.print(f"mail is sent to {again} again", markup=False)
            return
        with database.read_only(server.engine) as session:
            found = session.exec(select(Player).where(Player.bounces > 0).order_by(col(Player.id))).all()
        table = Table("player", "address", "bounces", "last (UTC)", "given up (UTC)")
        for row in found:
            given_up = f"{row.unreachable:%Y-%m-%d %H:%M}" if row.unreachable else ""
            last = f"{row.bounced:%Y-%m-%d %H:%M}" if row.bounced else ""
            table.add_row(naming.name(row), escape(row.address), str(row.bounces), last, given_up)
    if not found:
        out.print("no mail comes back")
        return
    out.print(table)
    if any(row.unreachable for row in found):
        out.print('"pbem bounced --again PLAYER" sends mail there again')
        raise typer.Exit(FOUND)


@app.command()
def export(
    name: Annotated[str, typer.Argument(help="The player's name, address or number.")],
    folder: Annotated[Path | None, typer.Option("--folder", help="Where to write; the name when left out.")] = None,
    config_file: ConfigOption = CONFIG,
) -> None:
    """Write all that is held on a player into a folder, without the limit that one mail has."""
    with opened(config_file) as server, database.read_only(server.engine) as session:
        player = core.player(session, name, guests=True)
        held = data_export.gather(session, player, daemon.now(), server.renderer.redactor)
        place = folder or Path(held.name)
        (place / "mails").mkdir(parents=True, exist_ok=True)
        for file in server.renderer.files(held):
            if file.subtype != "zip":
                (place / file.name).write_bytes(file.content)
        for title, _, raw in held.mails:
            (place / "mails" / title).write_bytes(raw)
        out.print(f"wrote {place}, with {len(held.mails)} mails", markup=False, highlight=False)


@app.command()
def delete(
    name: Annotated[str, typer.Argument(help="The player's name, address or number.")],
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
    config_file: ConfigOption = CONFIG,
) -> None:
    """Remove all that is held on a player, as "delete me" does; the matches stay, without a name."""
    with opened(config_file) as server:
        with database.read_only(server.engine) as session:
            player = core.player(session, name, guests=True)
            open_ = queries.of_player(session, player, (MatchState.RUNNING, MatchState.OFFERED))
            about = f"{naming.name(player)}, {player.address}, with {len(open_)} matches and challenges that would end"
        if not yes and not typer.confirm(f"remove {about}? This can't be undone"):
            out.print("nothing was removed")
            raise typer.Exit(FOUND)
        with database.transaction(server.engine) as session:
            anonymous = erasure.erase(session, server.settings.server, player, daemon.now())
        out.print(f"done: called {anonymous} from now on, and told so by a last mail")
        out.print("logs, backups and the mail server's folders are yours to clear (docs/privacy.md)")
