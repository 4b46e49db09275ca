"""The command `doctor`: runs all checks of what is configured, and prints what they find."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, NamedTuple

import typer
from rich.progress import Progress

from notation.games import GAMES
from pbem import config
from pbem.cli import log_format, shared
from pbem.cli.doctor import domain, local_files_and_ports, mail_servers, round_trip, storage
from pbem.cli.doctor.findings import Finding, Severity, finding
from pbem.cli.doctor.storage import Late, within
from pbem.cli.printing import show_json
from pbem.cli.shared import CONFIG, FOUND, ConfigOption, JsonOption, app, errors, out
from pbem.config import LogSettings, Settings

SECONDS = 120.0  # how long a check may take; each waits for several answers, of which each has a shorter limit


class Check(NamedTuple):
    name: str
    run: Callable[[Settings], Iterator[Finding]]  # yields nothing if what it looks at isn't configured
    seconds: float = SECONDS


CHECKS = (
    Check("secrets", local_files_and_ports.secrets),
    Check("rights", local_files_and_ports.rights),
    Check("templates", local_files_and_ports.templates),
    Check("reading", local_files_and_ports.parser),
    Check("database", storage.database_in_use),
    Check("games", storage.games),
    Check("backup", storage.backup_folder),
    Check("inbox", mail_servers.any_inbox),
    Check("inbox.imap", mail_servers.imap),
    Check("inbox.lmtp", partial(local_files_and_ports.listener, "inbox.lmtp")),
    Check("inbox.smtp", partial(local_files_and_ports.listener, "inbox.smtp")),
    Check("metrics", partial(local_files_and_ports.listener, "metrics")),
    Check("inbox.maildir", partial(local_files_and_ports.maildir, "inbox.maildir")),
    Check("outbox.maildir", partial(local_files_and_ports.maildir, "outbox.maildir")),
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
    log_format.configure(LogSettings(level="error"), server=settings.server)
    GAMES.enable(settings.games.enabled, shared.can_be_offered)
    results: list[tuple[str, Finding]] = []
    recipients = [*([""] if send else []), *([mail_to] if mail_to else [])]
    trips = (partial(round_trip.check, seconds=wait, mail_to=recipient) for recipient in recipients)
    checks = (*CHECKS, *(Check("round trip", trip, SECONDS + wait) for trip in trips))
    with Progress(console=errors, transient=True) as progress:
        task = progress.add_task("", total=len(checks))
        for check in checks:
            progress.update(task, advance=1, description=check.name)
            for result in findings(check, settings):
                results.append((check.name, result))
                if not as_json:
                    out.print(f"{result.level.value:8}", style=COLOURS[result.level], end="")
                    out.print(f"{check.name}: {result.sentence}")
                    if result.advice:
                        out.print(f"        {result.advice}")
    problems = sum(result.level is Severity.PROBLEM for _, result in results)
    if as_json:
        show_json(out, [{"check": name, **vars(result)} for name, result in results])
    else:
        notes = sum(result.level is Severity.NOTE for _, result in results)
        number = len({name for name, _ in results})
        out.print(f"{number} checks: {_counted(problems, 'problem')}, {_counted(notes, 'note')}")
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


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
