"""One table of figures: what is counted and how, what Prometheus calls it, and when it needs the operator.

Metrics, /health, `pbem status`, the row in which a server reports, and the line for systemd are views of it.
"""

import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from sqlalchemy import ColumnElement, Engine, Select, func, null, select
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col

from pbem.config import Settings
from pbem.mail.transports.protocols import ENDS_SOON
from pbem.players import invitations, message_budgets
from pbem.process_vitals import Vitals
from pbem.server import backups
from pbem.storage.clock_doubts_and_outages import doubt, leap
from pbem.storage.database import read_only
from pbem.storage.models import Incoming, IncomingState, Lane, Match, MatchState, Outgoing, Player, Setback
from pbem.storage.setbacks import SENDING, STALE
from pbem.storage.utc import apart

MOST = 100_000  # how many rows are counted, at most: in an index, and without a lock
SLOW = 15 * 60
"""Received messages are handled within seconds, and answers sent within a minute, unless something is wrong."""
LATE = 4 * 3600  # mail servers warn of delayed messages after that time, too
OLD = 2 * backups.EVERY.total_seconds()


class Value(NamedTuple):
    number: float | None
    seconds: float = 0.0  # for how long it has been so: since the first message of a queue came, say
    text: str = ""

    @property
    def age(self) -> str:
        return apart(timedelta(seconds=self.seconds))


Values = Mapping[str, Value]
"""The values of one figure by their labels; the label is empty where there is only one value."""
Figures = Mapping[str, Values]


class Look(NamedTuple):
    session: Session
    now: datetime
    settings: Settings

    def rows(self, statement: Select[*tuple[Any, ...]]) -> list[Any]:
        return list(self.session.connection().execute(statement).all())

    def since(self, number: float | None, moment: datetime | None) -> Value:
        return Value(number, max(0.0, (self.now - moment).total_seconds()) if moment is not None else 0.0)


class Figure(NamedTuple):
    name: str
    about: str
    read: Callable[[Any], Values]  # reads from the `Vitals` of a server, or by a `Look`
    label: str = ""
    has_age: bool = False  # whether Prometheus is told for how long the first has waited, too


def _ready(vitals: Vitals) -> Values:
    waits = f": connecting to {', '.join(vitals.unreached)}" if vitals.unreached else ""
    return {"": Value(vitals.is_ready, text=waits)}


def _links(vitals: Vitals) -> Values:
    links = tuple(vitals.links.values())
    return {link.name: Value(link.is_up, link.lost_for, f"{link.lost}: {link.error}") for link in links}


def _certificates(vitals: Vitals) -> Values:
    ends = {link.name: link.certificate_ends() for link in tuple(vitals.links.values())}
    return {name: Value(end, text=f"{datetime.fromtimestamp(end, UTC):%F %H:%M}") for name, end in ends.items() if end}


def _loops(attribute: str) -> Callable[[Vitals], Values]:
    return lambda vitals: {loop.name: Value(getattr(loop, attribute)) for loop in tuple(vitals.pulses.values())}


def _rows(name: str, about: str, since: Any, which: Mapping[str, Iterable[Any]], label: str = "") -> Figure:
    """Return the figure that counts rows, and says since when the first of them has waited, if that has a column."""

    def read(look: Look) -> Values:
        values = {}
        for name, conditions in which.items():
            column = (null() if since is None else col(since)).label("since")
            rows = select(column).where(*conditions).limit(MOST).subquery()
            ((number, oldest),) = look.rows(select(func.count(), func.min(rows.c.since)))
            values[name] = look.since(number, oldest)
        return values

    return Figure(name, about, read, label, has_age=since is not None)


def _are(table: Any, state: str) -> tuple[ColumnElement[bool], ...]:
    return col(table.state) == state, col(table.removed).is_(None)


def _overdue(look: Look) -> Values:
    ((due,),) = look.rows(select(func.min(Outgoing.due)).where(*_are(Outgoing, "owed")))
    seconds = look.since(None, due).seconds
    return {"": Value(seconds, seconds)}


def _failing(look: Look) -> Values:
    doing, is_recent = col(Setback.doing), col(Setback.due) > look.now - STALE
    failing = select(doing, func.count(), func.min(Setback.since)).where(is_recent).group_by(doing)
    return {doing: look.since(number, since) for doing, number, since in look.rows(failing)}


def _clock(look: Look) -> Values:
    why = doubt(look.session, look.now) or leap(look.session, look.now)
    return {"": Value(why is not None, text=why or "")}


def _backup(look: Look) -> Values:
    if look.settings.backup.folder is None:
        return {}
    made = backups.day(kept[-1]) if (kept := backups.kept(look.settings)) else None
    return {"": look.since(made.timestamp() if made is not None else None, made)}


def _half_used(look: Look) -> Values:
    limits, (session, now, _) = look.settings.limits, look
    used = {
        "strangers_per_day": message_budgets.are_half_used(session, limits, now),
        "all_invitations": 2 * invitations.today(session, now) >= limits.all_invitations,
    }
    return {name: Value(is_half_used) for name, is_half_used in used.items()}


UNSENT = {
    "owed": "to be sent, or tried again",
    "waiting": "for a moment, for the house",
    "batched": "to go out in one with other news",
    "paused": "for a player who wants no news",
    "suspended": "for a player whose mail bounces",
}
"""The states of messages that aren't sent yet, and what they wait for."""
_NEW = {lane.name.lower(): (*_are(Incoming, IncomingState.NEW), col(Incoming.lane) == lane) for lane in Lane}
_HELD, _SHUNTED = {"": _are(Incoming, IncomingState.HELD)}, {"": _are(Incoming, IncomingState.SHUNTED)}
_UNSENT = {state: _are(Outgoing, state) for state in UNSENT}
_TROUBLED, _COMPLAINED = {"": (col(Outgoing.troubled).is_not(None),)}, {"": (col(Player.complained).is_not(None),)}
_MATCHES = {state.value: (col(Match.state) == state,) for state in MatchState}
_GET_TURNS = 'Players who get turns only, until they write "start": they reported messages as spam.'
_LATE = "For how long the first message that is owed should have been sent or tried again."
OF_SERVER = (
    Figure("ready", "Whether mailboxes have been reached and listeners are open.", _ready),
    Figure("link_up", "Whether a connection stands: to a mailbox, the next hop, …", _links, "link"),
    Figure("certificate_ends", "When the certificate of a mail server ends, as a timestamp.", _certificates, "link"),
    Figure("loop_silent_seconds", "How long ago a loop last showed that it goes on.", _loops("silent_for"), "loop"),
    Figure("loop_hangs", "Whether a loop has been silent for longer than it may.", _loops("hangs"), "loop"),
)
OF_DATABASE = (
    _rows("received_waiting", "Received messages that wait to be handled.", Incoming.received, _NEW, "lane"),
    _rows("held", "Received messages that wait for their sender to confirm them.", Incoming.received, _HELD),
    _rows("shunted", "Received messages set aside for a bug.", Incoming.received, _SHUNTED),
    _rows("outgoing", "Outgoing messages that aren't sent yet.", Outgoing.created, _UNSENT, "state"),
    _rows("troubled", "Outgoing messages that need the operator.", Outgoing.troubled, _TROUBLED),
    _rows("complained", _GET_TURNS, Player.complained, _COMPLAINED),
    _rows("matches", "Matches by state.", None, _MATCHES, "state"),
    Figure("backup_timestamp_seconds", "The day, in UTC, of the newest backup in the folder.", _backup),
    Figure("outgoing_overdue_seconds", _LATE, _overdue),
    Figure("limit_half_used", "Whether half of what [limits] gives to all together is used.", _half_used, "limit"),
    Figure("clock_wrong", "Whether the clock must be wrong, or leapt within the last day.", _clock),
    Figure("failing", "Scheduled work that fails, and messages that no mail server takes.", _failing, "work"),
)
_UNSENDABLE = 'what is owed waits until the mail server takes it: see "pbem doctor" and the log'
_DELAYED = 'messages have been tried in vain for {age}: see "pbem queue list"'
_ENDS_SOON = "the certificate of {label} ends {text} UTC: from then on no mail goes through"
_LITTLE_LEFT = 'half of {label} in [limits] is used: see "answers left for strangers" in the log'
PROBLEMS: tuple[tuple[str, Callable[[str, Value], object], str], ...] = (
    ("loop_hangs", lambda _, loop: loop.number, 'the loop "{label}" hangs'),
    ("link_up", lambda _, link: link.number is False, "{label}: {text}, for {age}"),
    ("ready", lambda _, ready: not ready.number, "not ready yet{text}"),
    ("certificate_ends", lambda _, ends: (ends.number or 0) - time.time() < ENDS_SOON, _ENDS_SOON),
    ("clock_wrong", lambda _, clock: clock.number, "{text}: set the clock"),
    ("shunted", lambda _, some: some.number, '{number} received messages are shunted: see "pbem mail list"'),
    ("troubled", lambda _, some: some.number, '{number} outgoing messages need you: see "pbem mail list"'),
    ("failing", lambda work, _: work == SENDING, _UNSENDABLE),
    ("failing", lambda work, _: work != SENDING, 'scheduled work fails ({label}): look for "failed" in the log'),
    ("received_waiting", lambda _, some: some.seconds > SLOW, "received messages ({label}) have waited for {age}"),
    ("outgoing", lambda state, some: state == "owed" and some.seconds > LATE, _DELAYED),
    ("outgoing_overdue_seconds", lambda _, due: due.seconds > SLOW, "messages should have been sent {age} ago"),
    ("limit_half_used", lambda _, used: used.number, _LITTLE_LEFT),
    ("backup_timestamp_seconds", lambda _, made: made.number is None, "there is no backup yet"),
    ("backup_timestamp_seconds", lambda _, made: made.seconds > OLD, "the last backup is {age} old"),
)
"""When a figure needs the operator, by its label and value, and the sentence that says so."""


def of_server(vitals: Vitals) -> Figures:
    return {figure.name: figure.read(vitals) for figure in OF_SERVER}


def of_database(session: Session, now: datetime, settings: Settings) -> Figures:
    return {figure.name: figure.read(Look(session, now, settings)) for figure in OF_DATABASE}


def problems(figures: Figures) -> Iterator[str]:
    for name, is_wrong, sentence in PROBLEMS:
        for label, value in figures.get(name, {}).items():
            if is_wrong(label, value):
                yield sentence.format(label=label, number=value.number, age=value.age, text=value.text)


def metrics(figures: Figures) -> Iterator[Metric]:
    for figure in (figure for figure in (*OF_SERVER, *OF_DATABASE) if figure.name in figures):
        labels = [figure.label] if figure.label else []
        numbers = GaugeMetricFamily(f"pbem_{figure.name}", figure.about, labels=labels)
        ages = GaugeMetricFamily(f"pbem_{figure.name}_seconds", f"{figure.about} Age of the first.", labels=labels)
        for label, value in figures[figure.name].items():
            if value.number is not None:
                numbers.add_metric([label] if labels else [], value.number)
                ages.add_metric([label] if labels else [], value.seconds)
        yield from (numbers, ages) if figure.has_age else (numbers,)


@dataclass(frozen=True, slots=True)
class Exposition:
    """What Prometheus collects from a server."""

    engine: Engine
    vitals: Vitals
    clock: Callable[[], datetime]
    settings: Settings

    def collect(self) -> Iterator[Metric]:
        figures: Figures = {}
        with suppress(DBAPIError), read_only(self.engine) as session:
            figures = of_database(session, self.clock(), self.settings)
        up = "Whether the figures could be read from the database."
        yield GaugeMetricFamily("pbem_database_up", up, bool(figures))
        if self.engine.dialect.name == "sqlite":
            free = shutil.disk_usage(Path(self.engine.url.database or "").absolute().parent).free
            yield GaugeMetricFamily("pbem_disk_free_bytes", "How much room the disk of the database has.", free)
        yield from metrics({**of_server(self.vitals), **figures})
        yield from self.vitals.counts.registry.collect()
