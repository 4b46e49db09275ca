"""When a player is told news: at once, some minutes after the first event, at an hour of their day, or not for now.

Nothing is scheduled ahead. Batched news store when they happened; the rest follows from what the player has chosen at
the time of the question. So a new choice takes effect at once, and an hour that was missed is made up for, once.
News for a player who wants none for now has a state of its own, so that nobody looks through it again and again.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from sqlmodel import Session, col, update

from pbem.storage.models import Outgoing, OutgoingState, Player

MONDAY = 0
BATCH = timedelta(minutes=15)
"""How long after the first news players with "set mail batch" get one message with all of it."""


def due_at(way: str, choices: Mapping[str, str], stopped: datetime | None, happened: datetime) -> datetime | None:
    """Return when to tell news that comes in that way, the first of which happened then; None while they want none.

    >>> seven = datetime(2026, 3, 2, 7, tzinfo=UTC)
    >>> choices = {"hour": "9", "zone": "Europe/Vienna"}
    >>> due_at("daily", choices, None, seven).isoformat(), due_at("weekly", choices, None, seven).isoformat()
    ('2026-03-02T08:00:00+00:00', '2026-03-02T08:00:00+00:00')
    >>> due_at("batch", choices, None, seven).isoformat()
    '2026-03-02T07:15:00+00:00'
    """
    if stopped is not None:
        return None
    match way:
        case "daily" | "weekly":
            hour, zone = int(choices["hour"]), ZoneInfo(choices["zone"])
            at = next_hour(happened, hour, zone)
            while way == "weekly" and at.astimezone(zone).weekday() != MONDAY:
                at = next_hour(at, hour, zone)
            return at
        case "batch":
            return happened + BATCH
        case _:
            return happened


def pause(session: Session, player: Player) -> None:
    _change(session, player, OutgoingState.BATCHED, OutgoingState.PAUSED)


def resume(session: Session, player: Player) -> None:
    player.stopped = None
    _change(session, player, OutgoingState.PAUSED, OutgoingState.BATCHED)


def _change(session: Session, player: Player, before: OutgoingState, after: OutgoingState) -> None:
    session.flush()  # locks the player's row, so that nothing is queued meanwhile by what they had chosen before
    waiting = (col(Outgoing.player) == player.id, col(Outgoing.state) == before)
    session.exec(update(Outgoing).where(*waiting).values(state=after.value))


def next_hour(after: datetime, hour: int, zone: ZoneInfo) -> datetime:
    """Return the next time after that one at which clocks in the zone show the hour.

    An hour that the clocks skip counts at the moment of the skip; of an hour that comes twice the first counts.
    """
    day = after.astimezone(zone).date() - timedelta(days=1)
    while True:
        struck = datetime(day.year, day.month, day.day, hour, tzinfo=zone).astimezone(UTC)
        if struck > after:
            return struck
        day += timedelta(days=1)
