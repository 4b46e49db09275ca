"""The command `check`: replays all stored matches."""

import typer
from rich.progress import track
from sqlmodel import col, select

from pbem.cli.core import CONFIG, FOUND, ConfigOption, app, errors, opened, out
from pbem.features.tournaments import ladders
from pbem.matches import integrity
from pbem.matches.integrity import Fault
from pbem.matches.ratings import derivation
from pbem.storage import database
from pbem.storage.models import Match

AT_ONCE = 100
"""How many matches are loaded by the same statements."""


@app.command()
def check(config_file: ConfigOption = CONFIG) -> None:
    found: list[Fault] = []
    misrated: list[str] = []
    with opened(config_file) as server:  # what the server refuses to start with is refused here
        with database.read_only(server.engine) as session:
            played, rated = integrity.played(session), derivation.rated_games(session)
        # Each transaction is short: a long one would hold old pages back, and PostgreSQL ends one that is idle.
        for start in track(range(0, len(played), AT_ONCE), "replaying", console=errors, transient=True):
            some = select(Match).where(col(Match.id).in_(played[start : start + AT_ONCE])).order_by(col(Match.id))
            with database.read_only(server.engine) as session:
                for faults in integrity.faults(session, session.exec(some).all()):
                    found += faults
        for game in track(rated, "comparing ratings", console=errors, transient=True):
            with database.read_only(server.engine) as session:
                misrated += derivation.faults(session, game)
        with database.read_only(server.engine) as session:
            misplaced = list(ladders.faults(session))
    for fault in found:
        out.print(f"match #{fault.match}: {fault.sentence}")
    for sentence in misrated:
        out.print(f"rating: {sentence}")
    if misrated:
        out.print('"pbem ratings rebuild" derives the ratings from the matches again')
    for sentence in misplaced:
        out.print(f"problem: {sentence}")
    out.print(f"{len(played)} matches replayed, {len(found)} problems")
    if found or misrated or misplaced:
        raise typer.Exit(FOUND)
