"""Telling the admin by email what needs attention: at most hourly, and quoting nothing that people wrote."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import Engine, exists, or_
from sqlalchemy import select as columns
from sqlmodel import Session, col, select

from pbem.config import ServerSettings
from pbem.messages.said.messages import Alert
from pbem.storage import setbacks
from pbem.storage.database import exclude_others, read_only, transaction
from pbem.storage.models import Analysis, Incoming, IncomingState, Match, Outgoing, OutgoingState, Player, Search
from pbem.storage.outbox import WITH_CONTENT, Mailer

log = structlog.get_logger()

TEMPLATE = "alert"
AT_MOST_EVERY = timedelta(hours=1)
KEPT = 200
"""How many of the newest it tells and remembers; `pbem mail list` lists all."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of rows that need attention."""

    name: str
    number: Any
    since: Any
    """The column that says since when it does."""
    which: tuple[Any, ...] = ()
    waits: bool = False
    """Whether all that still wait are listed, and not only those since the last alert."""


_SHUNTED = (col(Incoming.state) == IncomingState.SHUNTED, col(Incoming.removed).is_(None))
_FAILED = (
    # Not by the index of the states, which has all that was ever refused: by that of the few that are troubled.
    col(Outgoing.state).concat("").in_((OutgoingState.FAILED, OutgoingState.OWED)),
    col(Outgoing.template) != TEMPLATE,
)
"""Outgoing messages that were refused for good, and those that a bug prevents from being rendered."""
_GONE = (col(Player.confirmed).is_not(None), col(Player.deleted).is_(None))
"""Only players count: others' addresses bounce all the time, since anyone can make us write there."""
_STUCK = (
    col(Match.id) == col(Search.match),
    col(Match.to_move).is_not(None),
    Search.version == col(Match.plies) + col(Match.shift),
)
"""Searches of the house for the present turn of a match."""
KINDS = (
    _Kind("came", Incoming.id, Incoming.handled, _SHUNTED, waits=True),
    _Kind("owed", Outgoing.id, Outgoing.troubled, _FAILED, waits=True),
    _Kind("complained", Player.id, Player.complained),
    _Kind("unreachable", Player.id, Player.unreachable, _GONE),
    _Kind("lost", Match.id, Match.unreached),
    _Kind("stuck", Search.match, Search.troubled, _STUCK, waits=True),
    _Kind("unanalysed", Analysis.match, Analysis.troubled),
)
_LOOK = columns(or_(setbacks.ARE_ANY, *(exists().where(col(kind.since).is_not(None), *kind.which) for kind in KINDS)))
"""Whether there is anything that an alert might tell, or has told."""


def tell(engine: Engine, server: ServerSettings, now: datetime) -> bool:
    """Enqueue an alert if there is something that the last one didn't tell. Return whether there was."""
    if server.admin is None:
        return False
    with read_only(engine) as session:
        if not session.connection().execute(_LOOK).scalar() or _news(session, server.admin, now) is None:
            return False
    with transaction(engine) as session:
        exclude_others(session.connection(), "alert")  # only one of several daemons tells
        news = _news(session, server.admin, now)
        if news is None:
            return False
        Mailer(session, server, now).to_address(server.admin, news)
    counts = {name: len(numbers) for name, numbers in news.numbers.items()}
    log.error("mails wait for the operator", **counts, failing=len(news.failing))
    return True


def _news(session: Session, admin: str, now: datetime) -> Alert | None:
    """Return the alert that tells what needs attention; None if the last one told all of it, or is too recent."""
    last = _last(session, admin)
    if last is not None and now - last.created < AT_MOST_EVERY:
        return None
    told = last.payload.get("numbers", {}) if last is not None else {}
    found: dict[str, tuple[int, ...]] = {}
    is_news = False
    for kind in KINDS:
        since = col(kind.since)
        rows = columns(kind.number, since).where(since.is_not(None), *kind.which)
        newest = session.execute(rows.order_by(since.desc(), col(kind.number).desc()).limit(KEPT)).all()
        new = {
            number
            for number, at in newest
            if last is None or at > last.created or (at == last.created and number not in told.get(kind.name, ()))
        }
        found[kind.name] = tuple(sorted({number for number, _ in newest} if kind.waits else new))
        is_news = is_news or bool(new)
    failing = _failing(session, last, now)
    return Alert(numbers=found, failing=failing) if is_news or failing else None


def _failing(session: Session, last: Outgoing | None, now: datetime) -> tuple[str, ...]:
    failing = setbacks.failing(session, now, setbacks.LASTING)[:KEPT]
    if last is None:
        return tuple(failing)
    is_new = {*failing} - {*last.payload.get("failing", ())} or setbacks.have_begun(session, last.created)
    return tuple(failing) if is_new else ()


def _last(session: Session, admin: str) -> Outgoing | None:
    alerts = select(Outgoing).where(Outgoing.address == admin, Outgoing.template == TEMPLATE)
    return session.exec(alerts.order_by(col(Outgoing.id).desc()).limit(1).options(WITH_CONTENT)).first()
