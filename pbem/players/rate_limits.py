"""How much mail one sender can send before it is ignored, so that mail loops end here.

Messages that prove nothing are answered sparingly, since the address in From may be a victim's: the same answer goes to
an address once a day, an address that belongs to no player gets a few answers a day, and its domain not many more.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import exists
from sqlmodel import Session, col, func, select

from pbem.config import LimitsSettings
from pbem.errors import Refused, Silence, Unanswerable
from pbem.payloads.sections import Section
from pbem.payloads.stored import dump_sections
from pbem.storage.clock import within
from pbem.storage.models import Incoming, Outgoing, Player
from pbem.storage.outbox import domain_of

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
ANSWERS = ("answer", "confirm")


def of_address(session: Session, address: str, most: int, now: datetime) -> None:
    """Raise Unanswerable if an address whose messages prove nothing has had its answers for this hour."""
    if _answered(session, Outgoing.address == address, HOUR, now) >= most:
        raise Unanswerable(Silence.HOURLY_ANSWERS)


def of_stranger(session: Session, address: str, limits: LimitsSettings, now: datetime) -> None:
    """Raise Unanswerable if an unknown address, or its domain, has had its answers for today."""
    if _answered(session, Outgoing.address == address, DAY, now) >= limits.stranger_per_day:
        raise Unanswerable(Silence.DAILY_ANSWERS_TO_ADDRESS)
    if _answered_at(session, domain_of(address), limits.domain_per_day, now) >= limits.domain_per_day:
        raise Unanswerable(Silence.DAILY_ANSWERS_TO_DOMAIN)


def of_player(session: Session, player: Player, most: int, now: datetime) -> None:
    """Raise Refused, then Unanswerable, if a player sent more messages within an hour than a person writes.

    The current message is counted already.
    """
    had = session.exec(
        select(func.count())
        .select_from(Incoming)
        .where(Incoming.player == player.id, within(Incoming.received, HOUR, now))
    ).one()
    if had > most + 1:
        raise Unanswerable(Silence.HOURLY_MESSAGES_OF_PLAYER)
    if had > most:
        raise Refused(
            f"You sent more than {most} messages within an hour, so this one and the next ones aren't read.",
            fits='Wait an hour; then "games" shows where you are.',
        )


def of_match(session: Session, match: int, most: int, now: datetime) -> None:
    """Raise Unanswerable if more messages went out about a match today than anyone can be reading."""
    if _counted(session, Outgoing.match == match, DAY, now) >= most:
        raise Unanswerable(Silence.DAILY_MESSAGES_ABOUT_MATCH)


def was_said(session: Session, address: str, sections: Sequence[Section], now: datetime) -> bool:
    """Return whether this same answer went to the address within a day."""
    earlier = session.exec(
        select(Outgoing.payload).where(
            Outgoing.address == address, Outgoing.template == "answer", within(Outgoing.created, DAY, now)
        )
    )
    wanted = dump_sections(sections)
    return any(payload.get("sections") == wanted for payload in earlier)


def was_asked(session: Session, address: str, lines: list[str], now: datetime) -> bool:
    """Return whether the address was asked about those lines within a day."""
    earlier = session.exec(
        select(Outgoing.payload).where(
            Outgoing.address == address, Outgoing.template == "confirm", within(Outgoing.created, DAY, now)
        )
    )
    return any(payload.get("lines") == lines for payload in earlier)


def _answered(session: Session, which: Any, span: timedelta, now: datetime) -> int:
    return _counted(session, which & col(Outgoing.template).in_(ANSWERS), span, now)


def _answered_at(session: Session, domain: str, most: int, now: datetime) -> int:
    """Count the answers to strangers at the domain who are still no players, up to the most that matters."""
    is_player = exists().where(col(Player.address) == col(Outgoing.address), col(Player.confirmed).is_not(None))
    recent = (
        select(Outgoing.id)
        .where(Outgoing.stranger_domain == domain, within(Outgoing.created, DAY, now), ~is_player)
        .limit(most)
    )
    return session.exec(select(func.count()).select_from(recent.subquery())).one()


def _counted(session: Session, which: Any, span: timedelta, now: datetime) -> int:
    recent = (which, within(Outgoing.created, span, now))
    return session.exec(select(func.count()).select_from(Outgoing).where(*recent)).one()
