"""Commands for tournaments and ratings."""

from typing import Annotated

import typer
from rich.progress import track
from sqlmodel import Session

from pbem.cli import shared
from pbem.cli.printing import TerminalListing
from pbem.cli.shared import CONFIG, PAGE, ConfigOption, JsonOption, PageOption, app, errors, out, stored
from pbem.errors import Refused
from pbem.features.tournaments import due as tournaments
from pbem.features.tournaments import entries, host_syntax, openings, rounds, tournament_views
from pbem.features.tournaments.matchups import Format
from pbem.features.tournaments.openings import TournamentState
from pbem.features.tournaments.standings import crosstable
from pbem.matches.ratings import weekly_rating
from pbem.storage import database
from pbem.storage.models import Tournament

NumberArgument = Annotated[int, typer.Argument(help="The number of the tournament.")]


@app.command("ratings rebuild")
def rebuild(config_file: ConfigOption = CONFIG) -> None:
    with stored(config_file) as server:
        with database.read_only(server.engine) as session:
            games = weekly_rating.rated_games(session)
        progress = track(games, "rebuilding", console=errors, transient=True)
        derived = sum(weekly_rating.rebuild(server.engine, game) for game in progress)
    out.print(f"{derived} ratings derived from the matches")


@app.command("tournament open")
def open_(
    words: Annotated[list[str], typer.Argument(help=f"As by email: {host_syntax.USAGE}", metavar="KIND GAME OPTION")],
    config_file: ConfigOption = CONFIG,
) -> None:
    with stored(config_file) as server:
        terms = host_syntax.read(" ".join(words), server.settings.server.time, shared.now())
        with database.transaction(server.engine) as session:
            row = openings.open_(session, terms)
            until = "" if row.kind == Format.LADDER else f" until {row.closes:%Y-%m-%d %H:%M} UTC"
            out.print(f"tournament {row.id}, {row.title}, is open{until}")


@app.command("tournament list")
def list_(page: PageOption = 1, config_file: ConfigOption = CONFIG, as_json: JsonOption = False) -> None:
    with stored(config_file) as server, database.read_only(server.engine) as session:
        rows, more = openings.listed(session, PAGE, page)
        numbers = openings.numbers_of(session, rows)
        listing = TerminalListing("number title kind game time players state", closes="closes (UTC)")
        for row in rows:
            players, state = f"{numbers[row.id or 0]} of {row.places}", openings.state_of(row).value
            closes = None if row.kind == Format.LADDER else row.closes
            listing.add(row.id, row.title, row.kind, row.game, row.time, players, state, closes)
    listing.show(out, "there are no tournaments", page=page, more=more, as_json=as_json)


@app.command("tournament show")
def show_(number: NumberArgument, config_file: ConfigOption = CONFIG, as_json: JsonOption = False) -> None:
    with stored(config_file) as server, database.read_only(server.engine) as session:
        row = _called(session, number)
        if not as_json:
            out.print(f"tournament {row.id}, {row.title}, {row.kind}, {row.game}: {openings.state_of(row)}")
        _standing(session, row).show(out, "nobody has entered", as_json=as_json)


def _standing(session: Session, row: Tournament) -> TerminalListing:
    """Return the rungs of a ladder, a crosstable, or before it begins who has entered."""
    if row.kind == Format.LADDER:
        _, standing, _ = tournament_views.rungs_for(session, row, None, shared.now(), row.places)
        listing = TerminalListing("rung player matches")
        for rung in standing:
            listing.add(rung.rung, rung.player, rung.matches)
        return listing
    names = tournament_views.names_of(player for _, player in entries.players_of(session, row))
    if row.started is None:
        listing = TerminalListing("player")
        for name in names.values():
            listing.add(name)
        return listing
    table = crosstable(rounds.field_of(session, row))
    listing = TerminalListing("number player", **{head: head for head in (*table.heads, "points", *table.breaks)})
    for line in table.rows:
        listing.add(line.number, names[line.entrant.player], *line.cells, line.points, *line.breaks)
    return listing


@app.command("tournament begin")
def begin(number: NumberArgument, config_file: ConfigOption = CONFIG) -> None:
    with stored(config_file) as server:
        with database.transaction(server.engine) as session:
            row = _called(session, number, locks=True)
            if openings.state_of(row) is not TournamentState.OPEN:
                raise Refused(f"Tournament {number} is {openings.state_of(row)}.")
            openings.begin_now(session, row, shared.now())
        tournaments.advance(server.engine, server.settings.server, shared.now())
        with database.read_only(server.engine) as session:
            out.print(f"tournament {number} is {openings.state_of(_called(session, number))}")


@app.command("tournament end")
def end(number: NumberArgument, config_file: ConfigOption = CONFIG) -> None:
    with stored(config_file) as server, database.transaction(server.engine) as session:
        row = _called(session, number, locks=True)
        if row.every is not None and openings.stop(session, row):
            out.print(f"no other season of tournament {number} will open")
            return
        if row.kind != Format.LADDER or row.ended is not None:
            state = "over" if row.ended is not None else "no ladder: it ends by itself"
            raise Refused(f"Tournament {number} is {state}.")
        players = tournaments.end_ladder(session, server.settings.server, row, shared.now())
        out.print(f"tournament {number} is over; {players} players are told")


def _called(session: Session, number: int, *, locks: bool = False) -> Tournament:
    row = database.lock(session, Tournament, number) if locks else session.get(Tournament, number)
    if row is None:
        raise Refused(f"There is no tournament {number}.")
    return row
