"""The command `status`: what is wrong with the servers, and what waits."""

import json
import socket
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

import typer

from pbem.cli import core
from pbem.cli.core import CONFIG, FOUND, ConfigOption, app, out, stored
from pbem.cli.terminal import show_json
from pbem.server.health import figures, judgement, reports
from pbem.server.health.figures import Figures
from pbem.server.health.judgement import spell
from pbem.server.health.reports import Report
from pbem.storage import database, holders

WAITS_FOR = {
    "held": "for their sender to confirm them",
    "owed": "to be sent, or tried again",
    "waiting": "for a moment, for the house",
    "batched": "to go out in one with other news",
    "paused": "for a player who wants no news",
    "suspended": "for a player whose mail bounces",
    "shunted": "for you",
    "troubled": "for you",
    "complained": 'players who get turns only, until they write "start"',
}
"""What messages wait for, by the queue that they are in; received ones in lanes wait to be handled."""


@app.command()
def status(
    config_file: ConfigOption = CONFIG,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    with stored(config_file) as server, database.read_only(server.engine) as session:
        now = core.now()
        servers, found = reports.reports(session), figures.read(session, now)
    problems = [
        *_stopped(servers),
        *judgement.of_reports(servers, now),
        *judgement.of_figures(found),
        *judgement.of_backups(found, server.settings.backup, now),
    ]
    if as_json:
        plain = {"healthy": not problems, "problems": problems, "servers": [asdict(each) for each in servers]}
        told: dict[str, Any] = json.loads(json.dumps(plain | asdict(found) | {"now": now}, default=datetime.isoformat))
        show_json(out, told)
    else:
        lines = [f"problem {problem}" for problem in problems] or ["all is well"]
        for line in (*lines, *map(_server, servers), *_waiting(found), *_rest(found, now)):
            out.print(line, markup=False, highlight=False, soft_wrap=True)
    if problems:
        raise typer.Exit(FOUND)


def _stopped(servers: Iterable[Report]) -> Iterator[str]:
    """Yield which of the servers on this machine are stopped, which they can't tell themselves."""
    here = socket.gethostname()
    for report in servers:
        if report.host == here and holders.is_stopped(report.process):
            yield f"{report.host}, {holders.in_words(report.process)}"


def _server(report: Report) -> str:
    counts = f"{report.state.mails_in} messages in, {report.state.mails_out} out"
    return f"{report.host}, process {report.process}, since {report.started:%Y-%m-%d %H:%M} UTC: {counts}"


def _waiting(found: Figures) -> Iterator[str]:
    for name, queue in found.queues.items():
        if queue.length:
            at_least = "at least " if queue.length == figures.MOST else ""
            waits_for = WAITS_FOR.get(name, "to be handled")
            yield f"{name}: {at_least}{queue.length}, {waits_for}; the first for {spell(queue.oldest)}"


def _rest(found: Figures, now: datetime) -> Iterator[str]:
    if any(found.matches.values()):
        yield f"matches: {', '.join(f'{number} {state}' for state, number in found.matches.items() if number)}"
    if found.backup is not None:
        yield f"last backup: {spell((now - found.backup).total_seconds())} ago"
