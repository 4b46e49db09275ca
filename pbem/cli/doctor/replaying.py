"""The command `check`: replays all stored matches."""

import random
from typing import Annotated

import typer
from rich.progress import track
from sqlalchemy import Engine
from sqlmodel import col, select

from pbem.cli.printing import show_json
from pbem.cli.shared import CONFIG, FOUND, ConfigOption, JsonOption, app, errors, opened, out
from pbem.matches import integrity
from pbem.matches.integrity import Fault
from pbem.matches.ratings import weekly_rating
from pbem.storage import database
from pbem.storage.models import Match

AT_ONCE = 100  # how many matches are loaded by the same statements
NEWEST = OTHERS = 1_000
"""How many matches are replayed unless all are asked for, in a few seconds; the others are drawn by lot."""


@app.command()
def check(
    config_file: ConfigOption = CONFIG,
    everything: Annotated[
        bool, typer.Option("--all", help=f"Replay all matches, not {NEWEST + OTHERS:,} of them.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    with opened(config_file) as server:  # what the server refuses to start with is refused here
        replay(server.engine, everything=everything, as_json=as_json)


def replay(engine: Engine, *, everything: bool = False, as_json: bool = False) -> None:
    """Print what is wrong with matches and ratings, and end with FOUND if anything is."""
    wrong: list[Fault] = []
    misrated: list[str] = []
    with database.read_only(engine) as session:
        stored, rated = integrity.played(session), weekly_rating.rated_games(session)
    older = stored[:-NEWEST]
    by_lot = older if everything else sorted(random.sample(older, min(OTHERS, len(older))))
    played = [*by_lot, *stored[-NEWEST:]]
    # Each transaction is short: a long one would hold old pages back, and PostgreSQL ends one that is idle.
    for start in track(range(0, len(played), AT_ONCE), "replaying", console=errors, transient=True):
        some = select(Match).where(col(Match.id).in_(played[start : start + AT_ONCE])).order_by(col(Match.id))
        with database.read_only(engine) as session:
            for faults in integrity.faults(session, session.exec(some).all()):
                wrong += faults
    for game in track(rated, "comparing ratings", console=errors, transient=True):
        with database.read_only(engine) as session:
            misrated += weekly_rating.faults(session, game)
    if as_json:
        problems = [{"match": fault.match, "sentence": fault.sentence} for fault in wrong]
        show_json(out, {"matches": len(stored), "replayed": len(played), "problems": problems, "ratings": misrated})
    else:
        for fault in wrong:
            out.print(f"match #{fault.match}: {fault.sentence}")
        for sentence in misrated:
            out.print(f"rating: {sentence}")
        if misrated:
            out.print('"pbem ratings rebuild" derives the ratings from the matches again')
        of_all = f' of {len(stored)}; "--all" replays all' if len(played) < len(stored) else ""
        out.print(f"{len(played)} matches replayed, {len(wrong)} problems{of_all}")
    if wrong or misrated:
        raise typer.Exit(FOUND)
