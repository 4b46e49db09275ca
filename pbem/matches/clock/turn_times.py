"""When each turn of a match was received, and how much time it took."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, select

from engines.core import Seat
from notation.time_control import spoken
from pbem.matches.clock import clock as clocks
from pbem.matches.clock import timekeeping
from pbem.matches.clock.clock import ClockChange
from pbem.storage.models import Match, Ply, TakenBack


@dataclass(frozen=True, slots=True)
class TurnTime:
    """When a turn was received, how much of its player's time it took, and what was left of a limit for many turns."""

    received: datetime
    used: timedelta | None = None  # none where no clock ran
    left: timedelta | None = None
    """What the next turns may take together; None where each has a limit of its own, or none has."""

    @property
    def in_words(self) -> str:
        return "" if self.used is None else spoken(self.used)


def turn_times(session: Session, match: Match) -> tuple[TurnTime, ...]:
    session.flush()
    plays: list[tuple[datetime, int, Seat, bool]] = []
    for table in (Ply, TakenBack):
        rows = session.exec(select(table.played, table.number, table.seat).where(table.match == match.id))
        plays += [(played, number, 1 if seat else 0, table is Ply) for played, number, seat in rows]
    events = () if match.clock is None else timekeeping.rows_of(session, (match,))
    received = [] if match.time is None else [*_received(match, map(timekeeping.event_of, events))]
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
