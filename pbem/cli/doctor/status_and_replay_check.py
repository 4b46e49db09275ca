"""The commands `status`, for what is wrong and what waits, and `check`, which replays all stored matches."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import track
from sqlalchemy import Engine
from sqlmodel import col, select

from pbem.cli import shared
from pbem.cli.doctor.storage import SECONDS, missing_messages, obstacle, within
from pbem.cli.printing import show_json
from pbem.cli.shared import CONFIG, FOUND, ConfigOption, JsonOption, app, errors, opened, out, stored
from pbem.matches import integrity
from pbem.matches.integrity import Fault
from pbem.matches.ratings import weekly_rating
from pbem.server import figures, running_servers
from pbem.server.figures import OF_DATABASE, Figures
from pbem.storage import database
from pbem.storage.models import Daemon, Match

LONGEST = 5 * SECONDS


@app.command()
def status(config_file: ConfigOption = CONFIG, as_json: JsonOption = False) -> None:
    now, problems, servers, values = within(LONGEST, lambda: _look(config_file))
    if as_json:
        rows = [server.model_dump(exclude={"id"}) for server in servers]
        health = {"healthy": not problems, "problems": problems, "now": now, "servers": rows}
        show_json(out, health | {"figures": _for_programs(values)})
    else:
        for line in [f"problem {problem}" for problem in problems] or ["all is well"]:
            out.print(line)
        for row in servers:
            since, counts = f"{row.started:%Y-%m-%d %H:%M}", (row.state["mails_in"], row.state["mails_out"])
            out.print(f"{row.host}, process {row.process}, since {since} UTC: {counts[0]} messages in, {counts[1]} out")
        for line in _in_words(values):
            out.print(line)
    if problems:
        raise typer.Exit(FOUND)


def _look(config_file: Path) -> tuple[datetime, list[str], list[Daemon], Figures]:
    with stored(config_file) as server:
        now, why, lost = shared.now(), obstacle(server.engine), missing_messages(server.engine)
        with database.read_only(server.engine) as session:
            servers, values = running_servers.read(session), figures.of_database(session, now, server.settings)
    problems = [f"no message can be stored: {why.sentence}: {why.advice}"] if why is not None else []
    problems += [lost] if lost else []
    return now, [*problems, *running_servers.problems(servers, now), *figures.problems(values)], servers, values


def _in_words(values: Figures) -> Iterator[str]:
    for figure in OF_DATABASE:
        for label, value in values.get(figure.name, {}).items():
            if figure.has_age and value.number:
                at_least = "at least " if value.number == figures.MOST else ""
                waits = figures.UNSENT.get(label) or figure.about[0].lower() + figure.about[1:].rstrip(".")
                yield f"{label or figure.name}: {at_least}{value.number}, {waits}; the first for {value.age}"
    matches = ", ".join(f"{value.number} {state}" for state, value in values["matches"].items() if value.number)
    if matches:
        yield f"matches: {matches}"
    for backup in values["backup_timestamp_seconds"].values():
        if backup.number is not None:
            yield f"last backup: of {datetime.fromtimestamp(backup.number, UTC):%Y-%m-%d}"


def _for_programs(values: Figures) -> dict[str, object]:
    """Return the figures by what Prometheus calls them: a number, or one for each label."""
    numbers: dict[str, dict[str, float]] = {}
    for family in figures.metrics(values):
        numbers[family.name] = {"".join(sample.labels.values()): sample.value for sample in family.samples}
    return {name: by_label.get("", by_label) for name, by_label in numbers.items()}


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
