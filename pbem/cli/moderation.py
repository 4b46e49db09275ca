"""Commands for moderation: moderate, announce and acts."""

import os
import pwd
from pathlib import Path
from typing import Annotated

import typer

from pbem.cli import shared
from pbem.cli.printing import TerminalListing
from pbem.cli.shared import CONFIG, PAGE, ConfigOption, JsonOption, PageOption, PlayerName, app, out, stored
from pbem.errors import Refused
from pbem.features.moderation import lists, orders
from pbem.matches import shown_names
from pbem.players import player_directory
from pbem.storage import database
from pbem.storage.models import Player

ORDERS = ("ban", "unban", "rename", "close", "adjudicate")


@app.command("acts")
def acts_(
    player: PlayerName = "", page: PageOption = 1, config_file: ConfigOption = CONFIG, as_json: JsonOption = False
) -> None:
    with stored(config_file) as server, database.read_only(server.engine) as session:
        about = player_directory.called(session, player) if player else None
        rows, more = lists.newest(session, PAGE, page, about)
        listing = TerminalListing(at="time (UTC)", by="by", what="what", player="player", match="match", why="why")
        for row in rows:
            whom = session.get(Player, row.player) if row.player else None
            former = f"{row.former_name}, now " if row.former_name else ""
            listing.add(
                row.at, row.actor, row.act, former + (shown_names.name(whom) if whom else ""), row.match, row.note
            )
    listing.show(out, "nothing was done", page=page, more=more, as_json=as_json)


@app.command()
def moderate(
    order: Annotated[list[str], typer.Argument(help="What to do, in the words of `help moderation`: ban bob.")],
    note: Annotated[str, typer.Option("--note", help="Why; it is stored with what was done.")] = "",
    tell: Annotated[bool, typer.Option("--tell", help="Tell the players the note.")] = False,
    yes: shared.YesOption = False,
    config_file: ConfigOption = CONFIG,
) -> None:
    name, *words = order
    if name not in ORDERS:
        raise Refused(f'There is no order "{name[:40]}".', fits=f"Write {' or '.join(ORDERS)}.")
    for word in words:
        if word.split() != [word]:
            raise Refused(f'"{word[:40]}" isn\'t one word.')
    with stored(config_file) as server:
        _obey(server, name, " ".join((*words, *(["tell=yes"] if tell else []))), note, yes=yes)


@app.command()
def announce(
    file: Annotated[Path, typer.Argument(help="A text file: the subject, then the text. - reads standard input.")],
    yes: shared.YesOption = False,
    config_file: ConfigOption = CONFIG,
) -> None:
    with stored(config_file) as server:
        subject, _, below = shared.text_in(file).strip().partition("\n")
        _obey(server, "announce", subject, below, yes=yes)


def _obey(server: shared.Stored, name: str, words: str, below: str, *, yes: bool) -> None:
    """Run a command as if the admin had written that line, and what stands below it; print the answer."""
    from pbem.features.all import FEATURES  # the lists do without
    from pbem.messages.templating import text_of

    try:
        user = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        user = str(os.getuid())
    order = (server.settings, FEATURES, shared.now(), f"{name} {words}", below, user)
    if not yes:
        with database.transaction(server.engine) as session:
            trial = session.begin_nested()
            outcome = orders.by_operator(session, *order, is_trial=True)
            trial.rollback()
        out.print(text_of("parts/acts.j2", {"shown": [outcome.act]}), end="")
        typer.confirm("is that what you want?", abort=True)
    with database.transaction(server.engine) as session:
        outcome = orders.by_operator(session, *order, is_trial=False)
    out.print(text_of("sections/act_done.j2", {"section": outcome}), end="")
