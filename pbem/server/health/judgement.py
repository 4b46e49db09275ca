"""Whether all is well: sentences on what needs the operator, from what servers tell of themselves and the figures."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from pbem.config import BackupSettings
from pbem.server.backups import rotation
from pbem.server.health.figures import LANES, Figures
from pbem.server.health.reports import SILENT, Report, ServerState
from pbem.storage.setbacks import SENDING

OUTBOX = "outbox"
NAMED = 3
"""How much of the work that fails is named."""
SLOW = 15 * 60.0
"""Received messages are handled within seconds, and answers sent within a minute, unless something is wrong."""


def of_state(state: ServerState) -> Iterator[str]:
    for loop in state.hanging:
        yield f'the loop "{loop}" hangs'
    down = [link for link in state.links if link.is_up is False]
    for link in down:
        lost = "no message is taken" if link.name == OUTBOX else "no connection"
        yield f"{link.name}: {lost} for {spell(link.lost_for)}{f': {link.error}' if link.error else ''}"
    if not state.is_ready and not down:
        yield "not ready yet"


def of_reports(reports: Sequence[Report], now: datetime) -> Iterator[str]:
    running = [report for report in reports if now - report.told <= SILENT]
    if not running:
        yield "no server is running"
    for report in reports:
        name = f"{report.host}, process {report.process}"
        if report in running:
            yield from (f"{name}: {sentence}" for sentence in of_state(report.state))
        else:
            yield f"{name}: told nothing for {spell((now - report.told).total_seconds())}"


def of_figures(figures: Figures) -> Iterator[str]:
    if shunted := figures.queues["shunted"].length:
        yield f'{shunted} received messages are shunted: see "pbem mail list"'
    if troubled := figures.queues["troubled"].length:
        yield f'{troubled} outgoing messages need you: see "pbem mail list"'
    if SENDING in figures.failing:
        yield 'what is owed waits until the mail server takes it: see "pbem doctor" and the log'
    if failing := [name for name in figures.failing if name != SENDING]:
        named = ", ".join(failing[:NAMED]) + (f" and {len(failing) - NAMED} more" if len(failing) > NAMED else "")
        yield f'scheduled work fails ({named}): look for "failed" in the log'
    for lane in LANES:
        if (oldest := figures.queues[lane].oldest) > SLOW:
            yield f"received messages ({lane}) have waited for {spell(oldest)}"
    if figures.overdue > SLOW:
        yield f"messages should have been sent {spell(figures.overdue)} ago"


def of_backups(figures: Figures, wanted: BackupSettings, now: datetime) -> Iterator[str]:
    if wanted.folder is None:
        return
    if figures.no_backup_since is not None:
        yield f"no backup can be made for {spell((now - figures.no_backup_since).total_seconds())}"
    if figures.backup is None:
        yield "there is no backup yet"
    elif now - figures.backup > 2 * rotation.EVERY:
        yield f"the last backup is {spell((now - figures.backup).total_seconds())} old"


def spell(seconds: float) -> str:
    """Return a time as people say it.

    >>> [spell(seconds) for seconds in (4, 61, 7300, 500_000)]
    ['4 s', '1 min', '2 h', '5 days']
    """
    for unit, length in (("days", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= (length if unit != "days" else 2 * length):
            return f"{int(seconds // length)} {unit}"
    return f"{int(seconds)} s"
