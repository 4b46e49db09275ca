"""Announcements: what the operator tells all players, within a day.

Who has been told is a number in the announcement's row, which moves in the transaction that queues their messages: so
each player gets one message, whatever crashes, and however many daemons there are.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlmodel import Session, col, func, select

from pbem.config import ServerSettings
from pbem.errors import Refused
from pbem.features.moderation import acts
from pbem.features.moderation.acts import Announced, Order
from pbem.storage.due_rows import due_rows
from pbem.storage.mailer import NEWS, Mailer
from pbem.storage.models import HOUSE, Announcement, Player
from pbem.tokens import Purpose

LEAST_PER_MINUTE = 60  # players who get an announcement in a minute, or more if it would take longer than a day
MINUTES_OF_A_DAY = 1440
APART = timedelta(minutes=1)
LONGEST_SUBJECT, MOST_LINES, MOST_CHARACTERS = 78, 500, 20_000

_GETS_NEWS = (
    col(Player.confirmed).is_not(None),
    col(Player.deleted).is_(None),
    col(Player.stopped).is_(None),
    col(Player.unreachable).is_(None),
    col(Player.banned).is_(None),
    Player.address != HOUSE,
)


def read(text: str) -> tuple[str, tuple[str, ...]]:
    r"""Return the subject, which is the first line, and the lines of an announcement. Raises Refused.

    >>> read("Moving house\n\nWe move on Sunday.\n")
    ('Moving house', ('We move on Sunday.',))
    """
    subject, _, below = text.strip().partition("\n")
    lines = tuple(line.rstrip() for line in below.strip("\n").splitlines())
    subject = subject.strip()
    example = "The first line is the subject, and the text stands below it."
    if not subject or not any(lines):
        raise Refused("An announcement needs a subject and a text.", fits=example)
    if len(subject) > LONGEST_SUBJECT:
        raise Refused(f"The subject is longer than {LONGEST_SUBJECT} characters.", fits=example)
    if not all(line.isprintable() for line in (subject, *(line.replace("\t", " ") for line in lines))):
        raise Refused("The announcement has characters that can't be printed.", fits="Write plain text in UTF-8.")
    if len(lines) > MOST_LINES or len(below) > MOST_CHARACTERS:
        raise Refused(f"An announcement has at most {MOST_LINES} lines and {MOST_CHARACTERS:,} characters.")
    return subject, lines


def recipients(session: Session) -> int:
    return session.exec(select(func.count()).select_from(Player).where(*_GETS_NEWS)).one()


def per_minute(players: int) -> int:
    """Return how many of so many players get an announcement each minute.

    >>> per_minute(300), per_minute(1_000_000)
    (60, 695)
    """
    return max(LEAST_PER_MINUTE, -(-players // MINUTES_OF_A_DAY))


def begin(session: Session, subject: str, lines: Sequence[str], order: Order, now: datetime) -> None:
    last = session.exec(select(func.max(Player.id))).one() or 0
    session.add(Announcement(subject=subject, lines=list(lines), last=last, due=now, created=now))
    acts.keep(session, order, "announce", now)


def tell_some(
    session: Session, announcement: Announcement, server: ServerSettings, now: datetime, most: int = 0
) -> bool:
    """Queue the announcement for the next few players. Return whether there were any."""
    if announcement.due is None or announcement.due > now:
        return False  # another daemon was first
    most = most or per_minute(announcement.last)
    more = (col(Player.id) > announcement.told, col(Player.id) <= announcement.last)
    players = session.exec(select(Player).where(*more, *_GETS_NEWS).order_by(col(Player.id)).limit(most)).all()
    message = Announced(subject=announcement.subject, message=tuple(announcement.lines))
    mailer = Mailer(session, server, now)
    for player in players:
        mailer.to_player(player, message, purpose=Purpose.PERSONAL, delivery=NEWS)
    announcement.number += len(players)
    announcement.told = players[-1].id or 0 if players else announcement.last
    announcement.due = now + APART if len(players) == most else None
    return bool(players)


DUE = (due_rows("announcements", Announcement, Announcement.due, tell_some),)
