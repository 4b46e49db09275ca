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
    Backup,
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

_LOOK = columns(
    or_(
        exists().where(*_SHUNTED),
        exists().where(*_FAILED),
        exists().where(col(Match.unreached).is_not(None)),
        exists().where(col(Player.complained).is_not(None)),
        exists().where(col(Search.troubled).is_not(None)),
        exists().where(col(Analysis.troubled).is_not(None)),
        exists().where(col(Backup.troubled).is_not(None)),
        setbacks.ARE_ANY,
    )
)
"""Whether there is anything that an alert might tell, or has told."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """The messages of one kind that wait for the admin: how many, and the numbers of the newest."""

    count: int
    numbers: tuple[int, ...]


_Numbers = tuple[int, ...]
_News = tuple[_Waiting, _Waiting, _Numbers, _Numbers, _Numbers, _Numbers, str, tuple[str, ...]]
"""Messages that need attention, received and outgoing; players who complained; matches lost on time, those in which the
house is stuck, those that it couldn't analyse, since when no backup can be made, and what fails of the scheduled work.
"""


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
        came, owed, complained, lost, stuck, unanalysed, unsaved, failing = news
        alert = Alert(
            came=came.numbers,
            owed=owed.numbers,
            complained=complained,
            lost=lost,
            stuck=stuck,
            unanalysed=unanalysed,
            unsaved=unsaved,
            failing=failing,
            used=used,
            listed=LISTED,
            came_count=came.count,
            owed_count=owed.count,
        )
        Mailer(session, server, now).to_address(server.admin, alert)
    told = {"used": used, "lost": len(lost), "stuck": len(stuck), "unanalysed": len(unanalysed), "unsaved": unsaved}
    told |= {"complained": len(complained)}
    log.error("mails wait for the operator", shunted=came.count, failed=owed.count, failing=len(failing), **told)
    return True


def _news(session: Session, admin: str, used: tuple[str, ...], now: datetime) -> _News | None:
    """Return what needs attention; None if there is nothing to tell."""
    last = _last(session, admin)
    if last is not None and now - last.created < AT_MOST_EVERY:
        return None
    complained = _since(session, Player.id, col(Player.complained), last, "complained")
    lost = _since(session, Match.id, col(Match.unreached), last, "lost")
    unanalysed = _since(session, Analysis.match, col(Analysis.troubled), last, "unanalysed")
    stuck = _stuck(session, last)
    unsaved, failing = _unsaved(session), _failing(session, last, now)
    if not (
        complained
        or lost
        or stuck
        or unanalysed
        or failing
        or _is_used_news(used, last, now)
        or (unsaved and (last is None or last.payload.get("unsaved") != unsaved))
        or _is_new(session, Incoming.id, _SHUNTED, Incoming.handled, last, "came")
        or _is_new(session, Outgoing.id, _FAILED, Outgoing.troubled, last, "owed")
    ):
        return None
    return (
        _waiting(session, Incoming.id, _SHUNTED, Incoming.handled),
        _waiting(session, Outgoing.id, _FAILED, Outgoing.troubled),
        complained,
        lost,
        stuck,
        unanalysed,
        unsaved,
        failing,
    )


def _since(session: Session, number: Any, since: Any, last: Outgoing | None, told: str) -> _Numbers:
    """Return the numbers of what has happened, at that column's time, since the last alert, which lists its own."""
    happened, known = select(number).where(since.is_not(None)), set[int]()
    if last is not None:
        happened = happened.where(since >= last.created)
        known = {*last.payload.get(told, ())}
    return tuple(sorted({*session.exec(happened.order_by(since.desc()).limit(KEPT))} - known))


def _stuck(session: Session, last: Outgoing | None) -> tuple[int, ...]:
    """Return the matches in which the house finds no turn, if it found none in one that the last alert doesn't tell."""
    waits = (col(Match.to_move).is_not(None), Search.version == col(Match.plies) + col(Match.shift))
    found = (
        select(Search.match)
        .join(Match, col(Match.id) == col(Search.match))
        .where(col(Search.troubled).is_not(None), *waits)
        .order_by(col(Search.troubled).desc())
    )
    stuck = {*session.exec(found.limit(KEPT))}
    told = {*last.payload.get("stuck", ())} if last is not None else set()
    return tuple(sorted(stuck)) if stuck - told else ()


def _failing(session: Session, last: Outgoing | None, now: datetime) -> tuple[str, ...]:
    """Return what fails of the scheduled work, if the last alert doesn't tell all of it."""
    failing = setbacks.failing(session, now, setbacks.LASTING)[:KEPT]
    failing += [f"{setbacks.GAME}{key}" for key in setbacks.suspended(session)]
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


def _unsaved(session: Session) -> str:
    """Return since when no backup can be made; nothing if the last one was."""
    troubled = session.exec(select(Backup.troubled).where(col(Backup.troubled).is_not(None))).first()
    return f"{troubled:%Y-%m-%d %H:%M} UTC" if troubled is not None else ""


def _waiting(session: Session, number: Any, which: tuple[Any, ...], since: Any) -> _Waiting:
    newest = session.exec(select(number).where(*which).order_by(since.desc(), number.desc()).limit(KEPT)).all()
    count = session.exec(select(func.count(number)).where(*which)).one() if len(newest) == KEPT else len(newest)
    return _Waiting(count, tuple(sorted(newest)))


def _is_new(
    session: Session, number: Any, which: tuple[Any, ...], since: Any, last: Outgoing | None, told: str
) -> bool:
    """Return whether a message has come to need attention since the last alert.

    One that did so in the same moment is new if that alert doesn't list it.
    """
    if last is None:
        return session.exec(select(number).where(*which).limit(1)).first() is not None
    if session.exec(select(number).where(*which, since > last.created).limit(1)).first() is not None:
        return True
    same = session.exec(select(number).where(*which, since == last.created).limit(KEPT)).all()
    return not {*same} <= {*last.payload[told]}


def _last(session: Session, admin: str) -> Outgoing | None:
    """Return the last alert, sent or not."""
    alerts = select(Outgoing).where(Outgoing.address == admin, Outgoing.template == TEMPLATE)
    return session.exec(alerts.order_by(col(Outgoing.id).desc()).limit(1).options(WITH_CONTENT)).first()
