"""Telling the admin by email what needs attention: at most hourly, and quoting nothing that people wrote."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import structlog
from sqlalchemy import Engine, and_, exists, or_
from sqlalchemy import select as columns
from sqlmodel import Session, col, select

from pbem.config import ServerSettings
from pbem.messages.contents.message_payloads import Alert
from pbem.storage import setbacks
from pbem.storage.database import exclude_others, read_only, transaction
from pbem.storage.mailer import WITH_CONTENT, Mailer
from pbem.storage.models import Analysis, Incoming, IncomingState, Match, Outgoing, OutgoingState, Player, Search

log = structlog.get_logger()

TEMPLATE = "alert"
AT_MOST_EVERY = timedelta(hours=1)
MOST = 200  # how many of the newest rows an alert lists; `pbem mail list` lists all


class _Kind(NamedTuple):
    """A kind of rows that need attention, with the columns of their numbers and of since when they do."""

    name: str
    number: Any
    since: Any
    which: tuple[Any, ...] = ()
    lists_all: bool = False  # and not only those since the last alert


_SHUNTED = (col(Incoming.state) == IncomingState.SHUNTED, col(Incoming.removed).is_(None))
_FAILED = (
    # Not by the index of the states, which has all that was ever refused: by that of the few that are troubled.
    col(Outgoing.state).concat("").in_((OutgoingState.FAILED, OutgoingState.OWED)),
    col(Outgoing.template) != TEMPLATE,
)
_GONE = (col(Player.confirmed).is_not(None), col(Player.deleted).is_(None))
"""Only players count: others' addresses bounce all the time, since anyone can make us write there."""
_STUCK = (
    # For the present turn of a match.
    col(Match.id) == col(Search.match),
    col(Match.to_move).is_not(None),
    Search.version == col(Match.plies) + col(Match.shift),
)
KINDS = (
    _Kind("came", Incoming.id, Incoming.handled, _SHUNTED, lists_all=True),
    _Kind("owed", Outgoing.id, Outgoing.troubled, _FAILED, lists_all=True),
    _Kind("complained", Player.id, Player.complained),
    _Kind("unreachable", Player.id, Player.unreachable, _GONE),
    _Kind("lost", Match.id, Match.unreached),
    _Kind("stuck", Search.match, Search.troubled, _STUCK, lists_all=True),
    _Kind("unanalysed", Analysis.match, Analysis.troubled),
)
WHEN = or_(setbacks.HAVE_FAILED, *(exists().where(col(kind.since).is_not(None), *kind.which) for kind in KINDS))
"""Whether there is anything that an alert might tell, or has told."""


def tell(engine: Engine, server: ServerSettings, now: datetime, _stopped: Callable[[], bool] = lambda: False) -> int:
    """Enqueue an alert if there is something that the last one didn't tell; return 1 if so, else 0."""
    if server.admin is None:
        return 0
    with read_only(engine) as session:
        if _news(session, server.admin, now) is None:
            return 0
    with transaction(engine) as session:
        exclude_others(session.connection(), "alert")  # only one of several daemons tells
        news = _news(session, server.admin, now)
        if news is None:
            return 0
        Mailer(session, server, now).to_address(server.admin, news)
    counts = {kind: len(numbers) for kind, numbers in news.numbers.items()}
    log.error("mails wait for the operator", **counts, failing=len(news.failing))
    return 1


def _news(session: Session, admin: str, now: datetime) -> Alert | None:
    """Return the alert that tells what needs attention; None if the last one told all of it, or is too recent."""
    alerts = select(Outgoing).where(Outgoing.address == admin, Outgoing.template == TEMPLATE)
    last = session.exec(alerts.order_by(col(Outgoing.id).desc()).limit(1).options(WITH_CONTENT)).first()
    if last is not None and now - last.created < AT_MOST_EVERY:
        return None
    former = last.payload if last is not None else {}
    numbers: dict[str, tuple[int, ...]] = {}
    is_news = False
    for kind in KINDS:
        number, since = col(kind.number), col(kind.since)
        newest = columns(number).where(since.is_not(None), *kind.which)
        newest = newest.order_by(since.desc(), number.desc()).limit(MOST)
        news = newest
        if last is not None:
            is_new = number.not_in(former.get("numbers", {}).get(kind.name, ()))
            news = newest.where(or_(since > last.created, and_(since == last.created, is_new)))
        new = {*session.scalars(news)}  # a match has several analyses
        numbers[kind.name] = tuple(sorted({*session.scalars(newest)} if kind.lists_all else new))
        is_news = is_news or bool(new)
    failing = setbacks.failing(session, now, setbacks.LASTING)[:MOST]
    if {*failing} <= {*former.get("failing", ())} and (last is None or not setbacks.have_begun(session, last.created)):
        failing = []
    return Alert(numbers=numbers, failing=tuple(failing)) if is_news or failing else None
