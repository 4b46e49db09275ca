"""The command `check`: replays all stored matches."""

from collections.abc import Iterable, Iterator, Sequence

import typer
from rich.progress import track
from sqlalchemy import Engine
from sqlmodel import col, select

from pbem.cli.core import CONFIG, FOUND, ConfigOption, app, errors, opened, out
from pbem.features.tournaments import ladders
from pbem.matches import integrity
from pbem.matches.integrity import Fault
from pbem.matches.ratings import derivation
from pbem.storage import database
from pbem.storage.models import Match

AT_ONCE = 100
"""How many are loaded by the same statements. Each such transaction is short: a long one would hold old pages back."""


@app.command()
def check(config_file: ConfigOption = CONFIG) -> None:
    with opened(config_file) as server:  # what the server refuses to start with is refused here
        with database.read_only(server.engine) as session:
            played, rated = integrity.played(session), derivation.rated_games(session)
        results = replayed(server.engine, played)
        found = list(_flat(track(results, "replaying", len(played), console=errors, transient=True)))
        misrated: list[str] = []
        # Each game in its own transaction: it computes for long, and PostgreSQL ends one that is idle.
        for game in track(rated, "comparing ratings", console=errors, transient=True):
            with database.read_only(server.engine) as session:
                misrated += derivation.faults(session, game)
        with database.read_only(server.engine) as session:
            misplaced = list(ladders.faults(session))
    for fault in found:
        out.print(f"match #{fault.match}: {fault.sentence}", markup=False)
    for sentence in misrated:
        out.print(f"rating: {sentence}", markup=False, highlight=False)
    if misrated:
        out.print('"pbem ratings rebuild" derives the ratings from the matches again')
    for sentence in misplaced:
        out.print(f"problem: {sentence}", markup=False, highlight=False)
    out.print(f"{len(played)} matches replayed, {len(found)} problems")
    if found or misrated or misplaced:
        raise typer.Exit(FOUND)


def replayed(engine: Engine, numbers: Sequence[int]) -> Iterator[list[Fault]]:
    for start in range(0, len(numbers), AT_ONCE):
        yield from _faults(engine, numbers[start : start + AT_ONCE])


def _faults(engine: Engine, numbers: Sequence[int]) -> Iterator[list[Fault]]:
    with database.read_only(engine) as session:
        matches = session.exec(select(Match).where(col(Match.id).in_(numbers)).order_by(col(Match.id))).all()
        yield from integrity.faults(session, matches)


def _flat(results: Iterable[list[Fault]]) -> Iterator[Fault]:
    for found in results:
        yield from found
