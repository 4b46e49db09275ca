"""Commands that moderate: players, close, adjudicate, ban, unban, rename, merge, announce, acts."""

import os
import pwd
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from sqlmodel import Session

from pbem.cli import core
from pbem.cli.core import CONFIG, FOUND, IMPOSSIBLE, ConfigOption, JsonOption, app, errors, out, stored
from pbem.cli.terminal import Listing
from pbem.commands import COMMANDS
from pbem.commands.account import check_other_name
from pbem.community import directory, history
from pbem.errors import Refused
from pbem.matches.naming import name
from pbem.matches.queries import players_of
from pbem.moderation import acts, bans, broadcasts, merges, names, roster, verdicts
from pbem.moderation.acts import Order
from pbem.moderation.bans import Ended
from pbem.moderation.roster import Kind
from pbem.storage import database
from pbem.storage.models import HOUSE, MatchState, Player

PAGE = 50
"""How many rows a list shows."""

NoteOption = Annotated[str, typer.Option("--note", help="Why; it is stored with what was done.")]
TellOption = Annotated[bool, typer.Option("--tell", help="Tell the players the note.")]
YesOption = Annotated[bool, typer.Option("--yes", help="Don't ask for confirmation.")]
PageOption = Annotated[int, typer.Option("--page", min=1, help="Which page of the list.")]


@app.command()
def players(
    beginning: Annotated[str, typer.Argument(help="How their names begin; all players without it.")] = "",
    kind: Annotated[Kind, typer.Option("--only", help="Only players of that kind.")] = Kind.ALL,
    page: PageOption = 1,
    config_file: ConfigOption = CONFIG,
    as_json: JsonOption = False,
) -> None:
    with stored(config_file) as server, database.read_only(server.engine) as session:
        found, more = roster.players(session, PAGE, page, beginning=beginning.lower(), kind=kind)
        listed = Listing(
            number="number",
            player="player",
            address="address",
            joined="joined",
            last_wrote="last wrote",
            plays="plays",
            state="state",
        )
        for player in found:
            seen = directory.last_seen(session, player)
            listed.add(
                player.id,
                name(player),
                player.address if player.address != HOUSE else "",
                f"{player.confirmed:%Y-%m-%d}" if player.confirmed else None,
                f"{seen:%Y-%m-%d}" if seen else None,
                history.running(session, player),
                roster.states(player),
            )
    listed.show_page(out, "no such players", page, more=more, as_json=as_json)


@app.command("acts")
def acts_(
    name_: Annotated[str, typer.Argument(metavar="[PLAYER]", help="Only what was done to this player.")] = "",
    page: PageOption = 1,
    config_file: ConfigOption = CONFIG,
    as_json: JsonOption = False,
) -> None:
    with stored(config_file) as server, database.read_only(server.engine) as session:
        about = core.player(session, name_) if name_ else None
        kept, more = acts.newest(session, PAGE, page, about)
        listed = Listing(at="time (UTC)", by="by", what="what", player="player", match="match", why="why")
        for row in kept:
            player = session.get(Player, row.player) if row.player else None
            former = f"{row.former_name}, now " if row.former_name else ""
            listed.add(row.at, row.actor, row.act, former + (name(player) if player else ""), row.match, row.note)
    listed.show_page(out, "nothing was done", page, more=more, as_json=as_json)


@app.command()
def close(
    number: Annotated[int, typer.Argument(help="The number of the match.")],
    note: NoteOption = "",
    tell: TellOption = False,
    yes: YesOption = False,
    config_file: ConfigOption = CONFIG,
) -> None:
    with stored(config_file) as server, _refusals():
        order = _order(note, tell=tell)
        with database.read_only(server.engine) as session:
            about = _about_match(session, number)
        _confirm(f"end {about}, without a result?", yes=yes)
        with database.transaction(server.engine) as session:
            match = verdicts.open_match(session, number)
            verdicts.close(session, server.settings.server, match, order, core.now())
        out.print(f"done: match {number} is {match.state}, and its players are told", markup=False)


@app.command()
def adjudicate(
    number: Annotated[int, typer.Argument(help="The number of the match.")],
    winner: Annotated[str, typer.Argument(help='The name of the player who wins, or "draw".')],
    note: NoteOption = "",
    tell: TellOption = False,
    yes: YesOption = False,
    config_file: ConfigOption = CONFIG,
) -> None:
    with stored(config_file) as server, _refusals():
        order, wanted = _order(note, tell=tell), winner.lower()
        with database.read_only(server.engine) as session:
            about = _about_match(session, number)
        _confirm(f"end {about}, {'as a draw' if wanted == 'draw' else f'as won by {wanted}'}?", yes=yes)
        with database.transaction(server.engine) as session:
            match = verdicts.open_match(session, number)
            verdicts.adjudicate(session, server.settings.server, match, wanted, order, core.now())
        result = "a draw" if match.winner is None else f"won by {wanted}"
        out.print(f"done: match {number} is {result}, and its players are told", markup=False)


@app.command()
def ban(
    name_: Annotated[str, typer.Argument(metavar="PLAYER", help="The player's name, address or number.")],
    matches: Annotated[Ended, typer.Option("--matches", help="What becomes of their matches.")] = Ended.CANCELLED,
    note: NoteOption = "",
    tell: TellOption = False,
    yes: YesOption = False,
    config_file: ConfigOption = CONFIG,
) -> None:
    with stored(config_file) as server, _refusals():
        order = _order(note, tell=tell)
        with database.read_only(server.engine) as session:
            player = core.player(session, name_)
            number = history.running(session, player)
        _confirm(f"ban {name(player)}, {player.address}, and end {number} matches as {matches.value}?", yes=yes)
        with database.transaction(server.engine) as session:
            ended = bans.ban(session, server.settings.server, player, order, core.now(), matches)
        out.print(f"done: {name(player)} is banned, and {ended} matches have ended; all are told", markup=False)


@app.command()
def unban(
    name_: Annotated[str, typer.Argument(metavar="PLAYER", help="The player's name, address or number.")],
    note: NoteOption = "",
    tell: TellOption = False,
    yes: YesOption = False,
    config_file: ConfigOption = CONFIG,
) -> None:
    with stored(config_file) as server, _refusals():
        order = _order(note, tell=tell)
        with database.read_only(server.engine) as session:
            player = core.player(session, name_)
        _confirm(f"let {name(player)}, {player.address}, play again?", yes=yes)
        with database.transaction(server.engine) as session:
            bans.unban(session, server.settings.server, player, order, core.now())
        out.print(f"done: {name(player)} can play again, and is told", markup=False)


@app.command()
def rename(
    name_: Annotated[str, typer.Argument(metavar="PLAYER", help="The player's name, address or number.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The new name.")],
    note: NoteOption = "",
    tell: TellOption = False,
    yes: YesOption = False,
    config_file: ConfigOption = CONFIG,
) -> None:
    with stored(config_file) as server, _refusals():
        order, house = _order(note, tell=tell), server.settings.house.name
        with database.read_only(server.engine) as session:
            player = core.player(session, name_)
            wanted = check_other_name(session, new, COMMANDS, house)
        former = name(player)
        _confirm(f"rename {former}, {player.address}, to {wanted}?", yes=yes)
        with database.transaction(server.engine) as session:
            wanted = check_other_name(session, new, COMMANDS, house)
            names.rename(session, server.settings.server, player, wanted, order, core.now())
        out.print(f"done: {former} is called {wanted} now, and is told", markup=False)


@app.command()
def merge(
    name_: Annotated[str, typer.Argument(metavar="PLAYER", help="The account that goes: a name, address or number.")],
    into: Annotated[str, typer.Argument(metavar="INTO", help="The account that stays.")],
    note: NoteOption = "",
    tell: TellOption = False,
    yes: YesOption = False,
    config_file: ConfigOption = CONFIG,
) -> None:
    with stored(config_file) as server, _refusals():
        order = _order(note, tell=tell)
        with database.read_only(server.engine) as session:
            player, heir = core.player(session, name_), core.player(session, into)
            number = history.running(session, player)
        gone, stays = (f"{name(each)}, {each.address}" for each in (player, heir))
        _confirm(f"make {gone}, with {number} running matches, part of {stays}, for good?", yes=yes)
        with database.transaction(server.engine) as session:
            player, heir = (session.get_one(Player, each.id) for each in (player, heir))
            merger = merges.merge(session, server.settings.server, player, heir, order, core.now())
        out.print(
            f"done: {len(merger.running)} running matches of {name(player)} are {name(heir)}'s, {merger.between} "
            f"between the two don't count, and {len(merger.ended)} of those have just ended; both are told",
            markup=False,
        )


@app.command()
def announce(
    file: Annotated[Path, typer.Argument(help="A text file: the subject, then the text. - reads standard input.")],
    note: NoteOption = "",
    yes: YesOption = False,
    config_file: ConfigOption = CONFIG,
) -> None:
    with stored(config_file) as server, _refusals():
        try:
            text = (sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()).decode("utf-8")
        except UnicodeDecodeError as error:
            errors.print(f"pbem: {file} is not a text file: {error.reason} at byte {error.start}", markup=False)
            raise typer.Exit(IMPOSSIBLE) from error
        subject, lines = broadcasts.read(text)
        with database.read_only(server.engine) as session:
            number = broadcasts.recipients(session)
        if not number:
            raise Refused("There is nobody to write to: no player gets news.")
        out.print("\n".join((f"Subject: {subject}", "", *lines, "")), markup=False, highlight=False)
        per_minute = server.settings.server.announced_per_minute
        minutes = -(-number // per_minute)
        _confirm(f"send this to {number} players, {per_minute} a minute, for about {minutes} minutes?", yes=yes)
        with database.transaction(server.engine) as session:
            broadcasts.begin(session, subject, lines, _order(note), core.now())
        out.print("done: the server sends it from now on", markup=False)


@contextmanager
def _refusals() -> Iterator[None]:
    """Print what can't be done as a sentence, with exit code 1."""
    try:
        yield
    except Refused as refusal:
        errors.print(f"pbem: {refusal.sentence} {refusal.fits}".strip(), markup=False, highlight=False)
        raise typer.Exit(FOUND) from refusal


def _order(note: str, *, tell: bool = False) -> Order:
    """Return who wants something done, and why; raise Refused for a note that can't be stored or told."""
    if len(note) > acts.LONGEST_NOTE:
        raise Refused(f"The note is longer than {acts.LONGEST_NOTE} characters.")
    if tell and not note.strip():
        raise Refused("--tell tells the players the note, and there is none.", fits='Write --note "why".')
    return Order(_user(), note.strip(), tell)


def _user() -> str:
    """Return the user who runs the command; its number where it has no name."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def _about_match(session: Session, number: int) -> str:
    """Return a match in words; raise Refused for one that isn't open."""
    match = verdicts.open_match(session, number, locks=False)
    first, second = players_of(session, match)
    kind = "match" if match.state == MatchState.RUNNING else "challenge"
    return f"{kind} {number}, {match.game}, {name(first)} - {name(second)}, after {match.plies} turns"


def _confirm(question: str, *, yes: bool) -> None:
    """Ask at the terminal; exit if the answer isn't yes."""
    if not yes and not typer.confirm(question):
        out.print("nothing was changed")
        raise typer.Exit(FOUND)
