"""The command `status`: what is wrong with the servers, and what waits."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import typer

from pbem.cli import core
from pbem.cli.core import CONFIG, FOUND, ConfigOption, JsonOption, app, out, stored
from pbem.cli.doctor.storage import SECONDS, missing_messages, obstacle, within
from pbem.cli.terminal import show_json
from pbem.server import figures, reports
from pbem.server.figures import OF_DATABASE, Figures
from pbem.storage import database
from pbem.storage.models import Daemon

LONGEST = 5 * SECONDS


@app.command()
def status(config_file: ConfigOption = CONFIG, as_json: JsonOption = False) -> None:
    now, problems, servers, found = within(LONGEST, lambda: _look(config_file))
    if as_json:
        rows = [server.model_dump(exclude={"id"}) for server in servers]
        shown = {"healthy": not problems, "problems": problems, "now": now, "servers": rows}
        show_json(out, shown | {"figures": _plain(found)})
    else:
        lines = [f"problem {problem}" for problem in problems] or ["all is well"]
        for line in (*lines, *map(_server, servers), *_waiting(found), *_rest(found)):
            out.print(line)
    if problems:
        raise typer.Exit(FOUND)


def _look(config_file: Path) -> tuple[datetime, list[str], list[Daemon], Figures]:
    with stored(config_file) as server:
        now, why, lost = core.now(), obstacle(server.engine), missing_messages(server.engine)
        with database.read_only(server.engine) as session:
            servers, found = reports.read(session), figures.of_database(session, now, server.settings)
    problems = [f"no message can be stored: {why.sentence}: {why.advice}"] if why is not None else []
    problems += [lost] if lost else []
    return now, [*problems, *reports.problems(servers, now), *figures.problems(found)], servers, found


def _server(row: Daemon) -> str:
    counts = f"{row.state['mails_in']} messages in, {row.state['mails_out']} out"
    return f"{row.host}, process {row.process}, since {row.started:%Y-%m-%d %H:%M} UTC: {counts}"


def _waiting(found: Figures) -> Iterator[str]:
    for figure in OF_DATABASE:
        for label, some in found.get(figure.name, {}).items():
            if figure.has_age and some.number:
                at_least = "at least " if some.number == figures.MOST else ""
                waits = figures.UNSENT.get(label) or figure.about[0].lower() + figure.about[1:].rstrip(".")
                yield f"{label or figure.name}: {at_least}{some.number}, {waits}; the first for {some.age}"


def _rest(found: Figures) -> Iterator[str]:
    matches = ", ".join(f"{some.number} {state}" for state, some in found["matches"].items() if some.number)
    if matches:
        yield f"matches: {matches}"
    for made in found["backup_timestamp_seconds"].values():
        if made.number is not None:
            yield f"last backup: of {datetime.fromtimestamp(made.number, UTC):%Y-%m-%d}"


def _plain(found: Figures) -> dict[str, object]:
    """Return the figures by what Prometheus calls them: a number, or one for each label."""
    families = figures.metrics(found)
    values = {each.name: {"".join(some.labels.values()): some.value for some in each.samples} for each in families}
    return {name: numbers.get("", numbers) for name, numbers in values.items()}
