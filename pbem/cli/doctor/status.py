"""The command `status`: how the servers are and what waits, once or again and again."""

import json
import socket
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from pbem.cli import core
from pbem.cli.core import CONFIG, FOUND, ConfigOption, app, out, stored
from pbem.cli.terminal import roomy, show_json
from pbem.config import Settings
from pbem.server.health import figures, judgement, reports
from pbem.server.health.figures import Figures, QueueSize
from pbem.server.health.judgement import spell
from pbem.server.health.reports import SILENT, Report
from pbem.storage import database, holders

WAITS_FOR = {
    "owed": "to be sent, or tried again",
    "waiting": "a moment, for the house",
    "batched": "to go out in one with other news",
    "paused": "a player who wants no news",
    "suspended": "a player whose mail bounces",
}


@dataclass(frozen=True)
class Status:
    """How things are at a moment."""

    problems: tuple[str, ...]
    servers: tuple[Report, ...]
    figures: Figures
    now: datetime


@app.command()
def status(
    config_file: ConfigOption = CONFIG,
    watch: Annotated[bool, typer.Option("--watch", help="Show it again and again, until Ctrl-C.")] = False,
    every: Annotated[float, typer.Option("--every", min=0.1, help="With --watch, how many seconds to wait.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    with stored(config_file) as server:
        if watch and not as_json:
            _watch(server.engine, server.settings, every)
            return
        found = look(server.engine, server.settings, core.now())
    if as_json:
        show_json(out, _plain(found))
    else:
        with roomy(out):
            out.print(_shown(found))
    if found.problems:
        raise typer.Exit(FOUND)


def look(engine: Engine, settings: Settings, now: datetime) -> Status:
    """Return how things are, from the database alone: nothing is asked of the servers."""
    with database.read_only(engine) as session:
        told, found = reports.reports(session), figures.read(session, now)
    problems = (
        *_stopped(told),
        *judgement.of_reports(told, now),
        *judgement.of_figures(found),
        *judgement.of_backups(found, settings.backup, now),
    )
    return Status(problems, tuple(told), found, now)


def _stopped(servers: Iterable[Report]) -> Iterator[str]:
    """Yield which of the servers on this machine are stopped, which they can't tell themselves."""
    here = socket.gethostname()
    for report in servers:
        if report.host == here and holders.is_stopped(report.process):
            yield f"{report.host}, {holders.in_words(report.process)}"


def _watch(engine: Engine, settings: Settings, every: float) -> None:
    with Live(console=out, screen=out.is_terminal, auto_refresh=False) as live:
        try:
            while True:
                try:
                    live.update(_shown(look(engine, settings, core.now())), refresh=True)
                except DBAPIError as error:
                    live.update(f"the database: {escape(str(error.orig))}", refresh=True)
                time.sleep(every)
        except KeyboardInterrupt:
            raise typer.Exit from None


def _plain(found: Status) -> dict[str, Any]:
    servers = [asdict(report) | {"seconds_ago": (found.now - report.told).total_seconds()} for report in found.servers]
    plain = {
        "healthy": not found.problems,
        "problems": found.problems,
        "servers": servers,
        **asdict(found.figures),
        "now": found.now,
    }
    told: dict[str, Any] = json.loads(json.dumps(plain, default=datetime.isoformat))
    return told


def _shown(found: Status) -> Group:
    verdict = [f"[bold red]problem[/] {escape(problem)}" for problem in found.problems] or ["[green]all is well[/]"]
    return Group(*verdict, *_servers(found), _waiting(found.figures), *_rest(found))


def _servers(found: Status) -> Iterator[Table]:
    if not found.servers:
        return
    table = Table("server", "since (UTC)", "told", "state", "connections", "messages in", "out")
    for report in found.servers:
        state, ago = report.state, (found.now - report.told).total_seconds()
        silent = ago > SILENT.total_seconds()
        table.add_row(
            escape(f"{report.host}, process {report.process}"),
            f"{report.started:%Y-%m-%d %H:%M}",
            f"{spell(ago)} ago",
            "gone?" if silent else "hangs" if state.hanging else "ready" if state.is_ready else "starting",
            escape(", ".join(_link(link.name, link.is_up, link.lost_for) for link in state.links)),
            str(state.mails_in),
            str(state.mails_out),
        )
    yield table


def _link(name: str, is_up: bool | None, lost_for: float) -> str:
    return f"{name}: {'not tried yet' if is_up is None else 'up' if is_up else f'lost for {spell(lost_for)}'}"


def _waiting(found: Figures) -> Table:
    table = Table("messages", "wait for", "how many", "the first for")
    for queue in found.received:
        table.add_row(f"received ({queue.name})", "being handled", *_size(queue))
    table.add_row("held", "their sender to confirm them", *_size(found.held))
    for queue in found.outgoing:
        table.add_row(queue.name, WAITS_FOR.get(queue.name, ""), *_size(queue))
    for queue in (found.shunted, found.troubled):
        table.add_row(queue.name, "you", *_size(queue))
    table.add_row("news of players who complained", '"start"', *_size(found.complained))
    return table


def _size(queue: QueueSize) -> Iterable[str]:
    at_least = "at least " if queue.length == figures.MOST else ""
    return f"{at_least}{queue.length}", spell(queue.oldest) if queue.length else ""


def _rest(found: Status) -> Iterator[str]:
    yield f"matches: {', '.join(f'{number} {state}' for state, number in found.figures.matches.items())}"
    if (made := found.figures.backup) is not None:
        yield f"last backup: {spell((found.now - made).total_seconds())} ago"
