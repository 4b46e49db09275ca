"""Commands for players: player list, revoke, bounced, export and delete; moderate, announce and acts."""

import os
import pwd
from pathlib import Path
from typing import Annotated

import typer
from sqlmodel import Session, col, select

from pbem.cli import core
from pbem.cli.core import (
    CONFIG,
    FOUND,
    PAGE,
    ConfigOption,
    JsonOption,
    PageOption,
    PlayerName,
    Stored,
    YesOption,
    app,
    opened,
    out,
    stored,
)
from pbem.cli.terminal import TerminalListing
from pbem.errors import Refused
from pbem.features.moderation import acts, lists, orders
from pbem.features.moderation.lists import AccountKind
from pbem.matches import history, queries
from pbem.messages.said.messages import ActDone
from pbem.players import addresses, bounces, directory, erasure, traces
from pbem.storage import database
from pbem.storage.models import HOUSE, MatchState, Player

ORDERS = ("ban", "unban", "rename", "close", "adjudicate")


@app.command("player revoke")
def revoke(name: PlayerName, config_file: ConfigOption = CONFIG) -> None:
    with stored(config_file) as server, database.transaction(server.engine) as session:
        player = lists.called(session, name)
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
                bounces.reinstate(session, lists.called(session, again, guests=True), core.now())
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
        player = lists.called(session, name, guests=True)
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
            player = lists.called(session, name, guests=True)
            open_ = queries.of_player(session, player, (MatchState.RUNNING, MatchState.OFFERED))
            about = f"{queries.name(player)}, {player.address}, with {len(open_)} matches and challenges that would end"
        if not yes:
            typer.confirm(f"delete {about}? This can't be undone", abort=True)
        with database.transaction(server.engine) as session:
            anonymous = erasure.erase(session, server.settings.server, player, core.now(), FEATURES.forget)
        traces.sweep(server.engine, core.now())
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
        found, more = lists.accounts(session, PAGE, page, beginning=beginning.lower(), kind=kind)
        listed = TerminalListing("number player address joined last_wrote plays state")
        for player in found:
            seen = directory.last_seen(session, player)
            listed.add(
                player.id,
                queries.name(player),
                player.address if player.address != HOUSE else "",
                f"{player.confirmed:%Y-%m-%d}" if player.confirmed else None,
                f"{seen:%Y-%m-%d}" if seen else None,
                history.running(session, player),
                list(lists.states(player)),
            )
    listed.show(out, "no such players", page=page, more=more, as_json=as_json)


@app.command("acts")
def acts_(
    player: PlayerName = "", page: PageOption = 1, config_file: ConfigOption = CONFIG, as_json: JsonOption = False
) -> None:
    with stored(config_file) as server, database.read_only(server.engine) as session:
        about = lists.called(session, player) if player else None
        kept, more = acts.newest(session, PAGE, page, about)
        listed = TerminalListing(at="time (UTC)", by="by", what="what", player="player", match="match", why="why")
        for row in kept:
            whom = session.get(Player, row.player) if row.player else None
            former = f"{row.former_name}, now " if row.former_name else ""
            listed.add(row.at, row.actor, row.act, former + (queries.name(whom) if whom else ""), row.match, row.note)
    listed.show(out, "nothing was done", page=page, more=more, as_json=as_json)


@app.command()
def moderate(
    order: Annotated[list[str], typer.Argument(help="What to do, in the words of `help moderation`: ban bob.")],
    note: Annotated[str, typer.Option("--note", help="Why; it is stored with what was done.")] = "",
    tell: Annotated[bool, typer.Option("--tell", help="Tell the players the note.")] = False,
    yes: YesOption = False,
    config_file: ConfigOption = CONFIG,
) -> None:
    name, *words = order
    if name not in ORDERS:
        raise Refused(f'There is no order "{name[:40]}".', fits=f"Write {' or '.join(ORDERS)}.")
    several = next((word for word in words if word.split() != [word]), None)
    if several is not None:
        raise Refused(f'"{several[:40]}" isn\'t one word.')
    with stored(config_file) as server:
        _obey(server, name, " ".join((*words, *(["tell=yes"] if tell else []))), note, yes=yes)


@app.command()
def announce(
    file: Annotated[Path, typer.Argument(help="A text file: the subject, then the text. - reads standard input.")],
    yes: YesOption = False,
    config_file: ConfigOption = CONFIG,
) -> None:
    with stored(config_file) as server:
        subject, _, below = core.text_in(file).strip().partition("\n")
        _obey(server, "announce", subject, below, yes=yes)


def _obey(server: Stored, name: str, words: str, below: str, *, yes: bool) -> None:
    from pbem.messages.templating import text_of  # the lists do without

    def show(template: str, **variables: object) -> None:
        out.print(text_of(template, variables), end="")

    if not yes:
        with database.transaction(server.engine) as session:
            tried = session.begin_nested()
            trial = _done(server, session, name, words, below, is_trial=True)
            tried.rollback()
        show("parts/acts.j2", shown=[trial.act])
        typer.confirm("is that what you want?", abort=True)
    with database.transaction(server.engine) as session:
        told = _done(server, session, name, words, below)
    show("sections/act_done.j2", section=told)


def _done(server: Stored, session: Session, name: str, words: str, below: str, *, is_trial: bool = False) -> ActDone:
    """Run a command as if the admin had written that line, and what stands below it; return the answer."""
    from pbem.features.all import FEATURES  # the lists do without

    return orders.by_operator(
        session, server.settings, FEATURES, core.now(), f"{name} {words}", below, _user(), is_trial=is_trial
    )


def _user() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())
