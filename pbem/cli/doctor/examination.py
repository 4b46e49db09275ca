"""The command `doctor`: runs all checks of what is configured, and prints what they find."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import typer
from rich.progress import Progress

from notation.games import GAMES
from pbem import config
from pbem.cli import core, logs
from pbem.cli.core import CONFIG, FOUND, ConfigOption, JsonOption, app, errors, out
from pbem.cli.doctor import domain, machine, mail_servers, round_trip, storage
from pbem.cli.doctor.findings import Finding, Severity, finding
from pbem.cli.doctor.storage import Late, within
from pbem.cli.terminal import show_json
from pbem.config import LogSettings, Settings

SECONDS = 120.0
"""How long a check may take; each waits for several answers, of which each has a shorter limit."""


@dataclass(frozen=True)
class Check:
    name: str
    run: Callable[[Settings], Iterator[Finding]]
    """Yields nothing if what it looks at isn't configured."""
    seconds: float = SECONDS


CHECKS = (
    Check("secrets", machine.secrets),
    Check("rights", machine.rights),
    Check("templates", machine.templates),
    Check("reading", machine.parser),
    Check("database", storage.database_in_use),
    Check("games", storage.games),
    Check("backup", storage.backup_folder),
    Check("inbox", machine.any_inbox),
    Check("inbox.imap", mail_servers.imap),
    Check("inbox.lmtp", partial(machine.listener, "inbox.lmtp")),
    Check("inbox.smtp", partial(machine.listener, "inbox.smtp")),
    Check("metrics", partial(machine.listener, "metrics")),
    Check("inbox.maildir", partial(machine.maildir, "inbox.maildir")),
    Check("outbox.maildir", partial(machine.maildir, "outbox.maildir")),
    Check("outbox.smtp", mail_servers.smtp),
    Check("dns", domain.check),
)
COLOURS = {Severity.OK: "green", Severity.NOTE: "yellow", Severity.PROBLEM: "bold red"}


@app.command()
def doctor(
    config_file: ConfigOption = CONFIG,
    send: Annotated[
        bool,
        typer.Option(
            "--send", help="Also send a message to the server's own address, and see a running server receive it."
        ),
    ] = False,
    mail_to: Annotated[
        str, typer.Option(help="Also send a message there, and see what mail servers say of the answer.")
    ] = "",
    wait: Annotated[float, typer.Option("--wait", min=0, help="How many seconds to wait for it.")] = 120,
    as_json: JsonOption = False,
) -> None:
    settings = config.load(config_file)
    logs.configure(LogSettings(level="error"), server=settings.server)
    GAMES.enable(settings.games.enabled, core.can_be_offered)
    found: list[tuple[str, Finding]] = []
    recipients = [*([""] if send else []), *([mail_to] if mail_to else [])]
    trips = (partial(round_trip.check, seconds=wait, mail_to=each) for each in recipients)
    sent = tuple(Check("round trip", each, SECONDS + wait) for each in trips)
    with Progress(console=errors, transient=True) as progress:
        task = progress.add_task("", total=len(CHECKS) + len(sent))
        for check in (*CHECKS, *sent):
            progress.update(task, description=check.name)
            for each in findings(check, settings):
                found.append((check.name, each))
                if not as_json:
                    _print(check.name, each)
            progress.advance(task)
    problems, notes = (sum(each.level is level for _, each in found) for level in (Severity.PROBLEM, Severity.NOTE))
    if as_json:
        show_json(out, [{"check": name, **vars(each)} for name, each in found])
    else:
        checks = len({name for name, _ in found})
        out.print(f"{checks} checks: {_counted(problems, 'problem')}, {_counted(notes, 'note')}")
    if problems:
        raise typer.Exit(FOUND)


def findings(check: Check, settings: Settings) -> list[Finding]:
    """Return what the check finds. One that takes too long is left to itself: the others go on."""
    try:
        return within(check.seconds, lambda: list(check.run(settings)))
    except Late:
        return [finding("all.late", seconds=check.seconds)]
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        return [finding("all.closed", what=what)]


def _print(check: str, found: Finding) -> None:
    out.print(f"{found.level.value:8}", style=COLOURS[found.level], end="")
    out.print(f"{check}: {found.sentence}")
    if found.advice:
        out.print(f"        {found.advice}")


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
