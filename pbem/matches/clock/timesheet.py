"""When each turn of a match was received, how much time it took, and what else happened to the clock."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, select

from engines.core import Seat
from notation.time_control import spoken
from pbem.matches.clock import clock as clocks
from pbem.matches.clock import timekeeping
from pbem.matches.clock.clock import ClockChange
from pbem.matches.clock.working_days import EVERY_DAY, format_days
from pbem.storage.models import Match, Ply, TakenBack


@dataclass(frozen=True, slots=True)
class TurnTime:
    """When a turn was received, how much of its player's time it took, and what was left of a limit for many turns."""

    received: datetime
    used: timedelta | None = None
    """None where no clock ran."""
    left: timedelta | None = None
    """What the next turns may take together; None where each has a limit of its own, or none has."""

    @property
    def in_words(self) -> str:
        return "" if self.used is None else spoken(self.used)


@dataclass(frozen=True, slots=True)
class ClockNote:
    kind: str
    """As it is stored (see timekeeping)."""
    at: datetime
    seat: Seat | None = None
    until: datetime | None = None
    days: str = ""
    """The days of the week on which the player's time runs, if they aren't all."""
    away: tuple[tuple[datetime, datetime], ...] = ()
    """When the player is away."""
    given_back: str = ""
    """How much time nobody used, or was given to the player, in words."""


CHOICE = "days"
"""What the days that a player chose are stored as."""
UNTOLD = (clocks.TurnHandedOver, clocks.ReplyReceived, clocks.FollowsElsewhere, clocks.Reminded, clocks.Ended)
"""What is no news: turns have lines of their own, and so has the end."""


def turn_times(session: Session, match: Match) -> tuple[TurnTime, ...]:
    session.flush()
    plays: list[tuple[datetime, int, Seat, bool]] = []
    for table in (Ply, TakenBack):
        rows = session.exec(select(table.played, table.number, table.seat).where(table.match == match.id))
        plays += [(played, number, 1 if seat else 0, table is Ply) for played, number, seat in rows]
    received = [] if match.time is None else [*_received(match, timekeeping.events_of(session, match))]
    times: list[TurnTime] = []
    # A match with the event `Restored` has turns from before its clock: the last ones are those it knows.
    for position, (played, _, seat, is_kept) in enumerate(sorted(plays)):
        at = position - len(plays) + len(received)
        known = received[at] if at >= 0 and received[at][0] == seat else None
        if is_kept:
            times.append(TurnTime(played) if known is None else known[1])
    return tuple(times)


def _received(match: Match, events: Iterable[ClockChange]) -> Iterator[tuple[Seat, TurnTime]]:
    clock = timekeeping.begun(match)
    for event in events:
        after = clock.after(event)
        if isinstance(event, clocks.ReplyReceived):
            used = after.sides[event.seat].used - clock.sides[event.seat].used
            yield event.seat, TurnTime(event.at, used, after.sides[event.seat].bank)
        clock = after


def notes(session: Session, match: Match, most: int) -> tuple[ClockNote, ...]:
    """Return what happened to the clock of the match besides its turns, the last ones; what changes nothing is none."""
    found: list[ClockNote] = []
    days: dict[Seat | None, tuple[object, ...]] = {}
    for note in (_note(each) for each in timekeeping.events_of(session, match) if not isinstance(each, UNTOLD)):
        chosen, is_choice = (note.days, note.away), note.kind == CHOICE
        if is_choice and days.get(note.seat, ("", ())) == chosen:
            continue
        if is_choice:
            found = [each for each in found if (each.seat, each.at) != (note.seat, note.at)]
            days[note.seat] = chosen
        found.append(note)
    return tuple(found[-most:])


def _note(event: ClockChange) -> ClockNote:
    kind = timekeeping.kind_of(event)
    match event:
        case clocks.DaysChosen(at, seat, days):
            chosen = days.change.days if days.change is not None else days.days
            away = tuple((span.start, span.end) for span in days.away if span.end > at)
            return ClockNote(kind, at, seat, days="" if chosen == EVERY_DAY else format_days(chosen), away=away)
        case clocks.Outage(at, since):
            return ClockNote(kind, since, until=at, given_back=spoken(at - since))
        case clocks.TimeGiven(at, seat, taken):
            return ClockNote(kind, at, seat, given_back=spoken(taken))
        case clocks.Paused(at, until):
            return ClockNote(kind, at, until=until)
    return ClockNote(kind, event.at)
