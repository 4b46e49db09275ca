"""The command `doctor`: runs all checks of what is configured, and prints what they find."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from notation.games import GAMES
from pbem import config
from pbem.cli import core, logs
from pbem.cli.core import CONFIG, FOUND, ConfigOption, app, errors, out
from pbem.cli.doctor import domain, machine, mail, round_trip, storage
from pbem.cli.doctor.findings import Check, Finding, Severity, problem
from pbem.cli.terminal import show_json
from pbem.config import LogSettings, Settings
from pbem.mail.oauth2.access import AccessTokens

COLOURS = {Severity.OK: "green", Severity.NOTE: "yellow", Severity.PROBLEM: "bold red"}


@app.command()
def doctor(
    config_file: ConfigOption = CONFIG,
    send: Annotated[
        bool, typer.Option("--send", help="Also send a message to the server's own address, and see it arrive.")
    ] = False,
    wait: Annotated[float, typer.Option("--wait", min=0, help="How many seconds to wait for it.")] = 60,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    settings = config.load(config_file)
    logs.configure(LogSettings(level="error"), server=settings.server)
    GAMES.enable(settings.games.enabled, core.can_be_offered)
    found: list[tuple[Check, Finding]] = []
    planned = checks(config_file, settings)
    if send:
        planned.append(Check("round trip", partial(round_trip.check, settings, wait, core.now)))
    with Progress(console=errors, transient=True) as progress:
        task = progress.add_task("", total=len(planned))
        for check in planned:
            progress.update(task, description=check.name)
            for finding in findings(check):
                found.append((check, finding))
                if not as_json:
                    _print(check, finding)
            progress.advance(task)
    problems = sum(finding.level is Severity.PROBLEM for _, finding in found)
    if as_json:
        rows = [{"check": check.name, **vars(finding)} for check, finding in found]
        show_json(out, rows)
    else:
        notes = sum(finding.level is Severity.NOTE for _, finding in found)
        out.print(f"{len(planned)} checks: {_counted(problems, 'problem')}, {_counted(notes, 'note')}", highlight=False)
    if problems:
        raise typer.Exit(FOUND)


def findings(check: Check) -> Iterator[Finding]:
    """Yield what the check finds; a file that it may not look at is a problem too, and no end of the other checks."""
    try:
        yield from check.run()
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        yield problem(what, "let the user that runs pbem read and write it, and enter the folders above")


def checks(path: Path, settings: Settings) -> list[Check]:
    return list(_checks(path, settings))


def _checks(path: Path, settings: Settings) -> Iterator[Check]:
    yield Check("secrets", partial(machine.secrets, settings))
    yield Check("rights", partial(machine.rights, path, settings))
    yield Check("templates", machine.templates)
    yield Check("reading", machine.parser)
    yield Check("database", partial(storage.check, settings.server, core.now))
    yield Check("games", partial(storage.games, settings))
    yield Check("backup", partial(storage.backups, settings, core.now))
    if settings.publish.folder is not None:
        yield Check("publish", partial(machine.site, settings.publish.folder))
    tokens = AccessTokens(settings.oauth2) if settings.oauth2 is not None else None
    inbox, outbox = settings.inbox, settings.outbox
    if not any((inbox.imap, inbox.lmtp, inbox.smtp, inbox.maildir)):
        yield Check("inbox", mail.no_inbox)
    if inbox.imap is not None:
        yield Check("inbox.imap", partial(mail.imap, inbox.imap, tokens))
    for kind, listener in (("lmtp", inbox.lmtp), ("smtp", inbox.smtp)):
        if listener is not None:
            yield Check(f"inbox.{kind}", partial(mail.listener, f"inbox.{kind}", listener))
    if settings.metrics.port is not None:
        yield Check("metrics", partial(mail.listener, "metrics", settings.metrics))
    for table, box in (("inbox.maildir", inbox.maildir), ("outbox.maildir", outbox.maildir)):
        if box is not None:
            yield Check(table, partial(mail.folder, table, box.path))
    if outbox.smtp is not None:
        yield Check("outbox.smtp", partial(mail.smtp, outbox.smtp, settings.server, tokens))
    yield Check("dns", partial(domain.check, settings))


def _print(check: Check, finding: Finding) -> None:
    out.print(f"[{COLOURS[finding.level]}]{finding.level.value:8}[/]", end="")
    out.print(f"{check.name}: {finding.sentence}", markup=False, highlight=False)
    if finding.advice:
        out.print(f"        {finding.advice}", markup=False, highlight=False)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
