"""The command `status`: what is wrong with the servers, and what waits."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import typer

from pbem.cli import shared
from pbem.cli.doctor.storage import SECONDS, missing_messages, obstacle, within
from pbem.cli.printing import show_json
from pbem.cli.shared import CONFIG, FOUND, ConfigOption, JsonOption, app, out, stored
from pbem.server import figures, server_rows
from pbem.server.figures import OF_DATABASE, Figures
from pbem.storage import database
from pbem.storage.models import Daemon

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
            servers, values = server_rows.read(session), figures.of_database(session, now, server.settings)
    problems = [f"no message can be stored: {why.sentence}: {why.advice}"] if why is not None else []
    problems += [lost] if lost else []
    return now, [*problems, *server_rows.problems(servers, now), *figures.problems(values)], servers, values


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
