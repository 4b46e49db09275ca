"""Telling the admin by email what needs attention: at most hourly, and quoting nothing that people wrote."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import Engine, exists, or_
from sqlalchemy import select as columns
from sqlmodel import Session, col, func, select

from pbem.config import LimitsSettings, ServerSettings
from pbem.messages.said.messages import Alert
from pbem.players import invitations, rate_limits
from pbem.storage import setbacks
from pbem.storage.clock import within
from pbem.storage.database import exclude_others, read_only, transaction
from pbem.storage.models import (
    Analysis,
    Incoming,
    IncomingState,
    Match,
    Outgoing,
    OutgoingState,
    Player,
    Search,
)
from pbem.storage.outbox import WITH_CONTENT, Mailer

log = structlog.get_logger()

TEMPLATE = "alert"
AT_MOST_EVERY = timedelta(hours=1)
LISTED = 20
"""How many messages an alert lists; `pbem mail list` lists them all."""
DAY = timedelta(days=1)
"""How long it isn't told again that half of a limit is used."""
KEPT = 200
"""How many of the newest it remembers."""

_SHUNTED = (col(Incoming.state) == IncomingState.SHUNTED, col(Incoming.removed).is_(None))
_FAILED = (
    col(Outgoing.troubled).is_not(None),
    # Not by the index of the states, which has all that was ever refused: by that of the few that are troubled.
    col(Outgoing.state).concat("").in_((OutgoingState.FAILED, OutgoingState.OWED)),
    col(Outgoing.template) != TEMPLATE,
)
"""Outgoing messages that were refused for good, and those that a bug prevents from being rendered."""

_STUCK = (
    col(Match.id) == col(Search.match),
    col(Match.to_move).is_not(None),
    Search.version == col(Match.plies) + col(Match.shift),
)
"""Searches of the house for the present turn of a match."""

_GONE = (col(Player.unreachable).is_not(None), col(Player.confirmed).is_not(None), col(Player.deleted).is_(None))
"""Only players count: others' addresses bounce all the time, since anyone can make us write there."""

_LOOK = columns(
    or_(
        exists().where(*_SHUNTED),
        exists().where(*_FAILED),
        exists().where(col(Match.unreached).is_not(None)),
        exists().where(col(Player.complained).is_not(None)),
        exists().where(*_GONE),
        exists().where(col(Search.troubled).is_not(None)),
        exists().where(col(Analysis.troubled).is_not(None)),
        setbacks.ARE_ANY,
    )
)
"""Whether there is anything that an alert might tell, or has told."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of rows that need attention."""

    name: str
    """The field of the alert that lists them."""
    number: Any
    since: Any
    """The column that says since when it does."""
    which: tuple[Any, ...] = ()
    waits: bool = False
    """Whether all that still wait are listed, and not only those since the last alert."""


KINDS = (
    _Kind("came", Incoming.id, Incoming.handled, _SHUNTED, waits=True),
    _Kind("owed", Outgoing.id, Outgoing.troubled, _FAILED, waits=True),
    _Kind("complained", Player.id, Player.complained),
    _Kind("unreachable", Player.id, Player.unreachable, _GONE),
    _Kind("lost", Match.id, Match.unreached),
    _Kind("stuck", Search.match, Search.troubled, _STUCK, waits=True),
    _Kind("unanalysed", Analysis.match, Analysis.troubled),
)


def tell(engine: Engine, server: ServerSettings, limits: LimitsSettings, now: datetime) -> bool:
    """Enqueue an alert if there is something that the last one didn't tell. Return whether there was."""
    if server.admin is None:
        return False
    with read_only(engine) as session:
        used = _half_used(session, limits, now) if not _was_told(session, server.admin, now) else ()
        is_any = used or session.connection().execute(_LOOK).scalar()
        if not is_any or _news(session, server.admin, used, now) is None:
            return False
    with transaction(engine) as session:
        exclude_others(session.connection(), "alert")  # only one of several daemons tells
        news = _news(session, server.admin, used, now)
        if news is None:
            return False
        Mailer(session, server, now).to_address(server.admin, news)
    counts = {"shunted": news.came_count, "failed": news.owed_count, "used": used}
    lists = ("failing", "lost", "stuck", "unanalysed", "complained", "unreachable")
    log.error("mails wait for the operator", **counts, **{name: len(getattr(news, name)) for name in lists})
    return True


def _news(session: Session, admin: str, used: tuple[str, ...], now: datetime) -> Alert | None:
    """Return the alert that tells what needs attention; None if the last one told all of it, or is too recent."""
    last = _last(session, admin)
    if last is not None and now - last.created < AT_MOST_EVERY:
        return None
    told = last.payload if last is not None else {}
    found: dict[str, Any] = {}
    is_news = _is_used_news(used, last, now)
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
    if not (is_news or failing):
        return None
    found |= {"came_count": _count(session, _SHUNTED), "owed_count": _count(session, _FAILED)}
    return Alert(**found, failing=failing, used=used, listed=LISTED)


def _count(session: Session, which: tuple[Any, ...]) -> int:
    return session.exec(select(func.count()).where(*which)).one()


def _failing(session: Session, last: Outgoing | None, now: datetime) -> tuple[str, ...]:
    failing = setbacks.failing(session, now, setbacks.LASTING)[:KEPT]
    if last is None:
        return tuple(failing)
    is_new = {*failing} - {*last.payload.get("failing", ())} or setbacks.have_begun(session, last.created)
    return tuple(failing) if is_new else ()


def _was_told(session: Session, admin: str, now: datetime) -> bool:
    """Return whether there was an alert within the hour: then it isn't counted what is used."""
    recent = (Outgoing.address == admin, Outgoing.template == TEMPLATE, within(Outgoing.created, AT_MOST_EVERY, now))
    return session.exec(select(Outgoing.id).where(*recent).limit(1)).first() is not None


def _half_used(session: Session, limits: LimitsSettings, now: datetime) -> tuple[str, ...]:
    """Return the settings of [limits] for everybody of which half is used, of a day or of some hours."""
    used = {
        "strangers_per_day": rate_limits.are_half_used(session, limits, now),
        "all_invitations": 2 * invitations.today(session, now) >= limits.all_invitations,
    }
    return tuple(name for name, is_half_used in used.items() if is_half_used)


def _is_used_news(used: tuple[str, ...], last: Outgoing | None, now: datetime) -> bool:
    """Return whether half of something is used, and the last alert, if it is of today, doesn't say so."""
    is_recent = last is not None and now - last.created < DAY
    return not {*used} <= {*(last.payload.get("used", ()) if last is not None and is_recent else ())}


def _last(session: Session, admin: str) -> Outgoing | None:
    alerts = select(Outgoing).where(Outgoing.address == admin, Outgoing.template == TEMPLATE)
    return session.exec(alerts.order_by(col(Outgoing.id).desc()).limit(1).options(WITH_CONTENT)).first()
