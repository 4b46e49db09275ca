"""Timekeeping: the events of the clock of a match are stored as they happen, and with the match what they add up to.

Outages of the server concern all matches. They become events of a match, one after the other, with the next thing that
happens in it. Until then its clock is due too early, so what is found to be due is brought up to date before anything
comes of it. The caller has locked the match. Matches without a time control have no clock, and nothing happens to it.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import bindparam, case
from sqlmodel import Session, col, func, select

from engines.core import Seat
from engines.seats import seat_of
from notation.time_control import parse, spoken
from pbem.matches.clock import clock as clocks
from pbem.matches.clock import reminder_times
from pbem.matches.clock.clock import Clock, ClockChange, Outage, Reminded, Restored, TimeGiven
from pbem.matches.clock.reminder_times import Wishes
from pbem.matches.clock.working_days import WorkingDays
from pbem.matches.queries import version
from pbem.storage.clock_doubts_and_outages import outages_after
from pbem.storage.models import ClockEvent, Match, MatchState, Player, Ply, TakenBack

_CLOCK = TypeAdapter(Clock)
_DAYS = TypeAdapter(WorkingDays)
_SIDES = TypeAdapter(tuple[clocks.SideRestored, clocks.SideRestored])
_EVENTS: dict[str, type[ClockChange]] = {
    "handed over": clocks.TurnHandedOver,
    "received": clocks.ReplyReceived,
    "follows": clocks.FollowsElsewhere,
    "taken back": clocks.TurnsTakenBack,
    "unreachable": clocks.Unreachable,
    "paused": clocks.Paused,
    "resumed": clocks.Resumed,
    "outage": clocks.Outage,
    "righted": clocks.Righted,
    "days": clocks.DaysChosen,
    "ran out": clocks.RanOut,
    "given": clocks.TimeGiven,
    "reminded": clocks.Reminded,
    "restored": clocks.Restored,
    "ended": clocks.Ended,
}
_KINDS = {event: kind for kind, event in _EVENTS.items()}  # the name under which each event is stored
_WITH_PLAYERS_TO_MOVE = (
    select(Match, Player)
    .outerjoin(Player, col(Player.id) == case((col(Match.to_move) == 0, col(Match.seat0)), else_=col(Match.seat1)))
    .where(col(Match.id).in_(bindparam("numbers", expanding=True)))
    .order_by(col(Match.id))
    .with_for_update(of=Match)
    .execution_options(populate_existing=True)
)
REMIND, ZONE = "remind", "zone"
"""The names of the preferences that say when a player is reminded, and where it is night for them."""


def clock_of(match: Match) -> Clock | None:
    """Return the clock after the last event; None if the match has no time control, or hasn't started."""
    if match.clock is None or match.time is None:
        return None
    return _CLOCK.validate_python({**match.clock, "control": parse(match.time)})


def start(session: Session, match: Match) -> None:
    if match.time is not None:
        _keep(session, match, begun(match))


def note(session: Session, match: Match, event: ClockChange) -> None:
    clock = clock_of(match)
    if clock is not None:
        _store(session, match, clock, [*_outages(session, clock, event.at), event])


def play(session: Session, match: Match, seat: Seat, received: datetime, *, by_message: bool) -> None:
    """Store that the turn of that seat was received, `by_message` if not from the house or a turn that waited.

    A first turn proves nothing about its player: it can come with the acceptance, before any message of ours.
    """
    clock = clock_of(match)
    if by_message and clock is not None and clock.seat is None and clock.sides[seat].turns:
        note(session, match, clocks.FollowsElsewhere(received, seat))
    note(session, match, clocks.ReplyReceived(received, seat))


def catch_up(session: Session, match: Match, now: datetime) -> Clock | None:
    """Store the outages until now. Return the clock as it stands then."""
    clock = clock_of(match)
    if clock is None:
        return None
    return _store(session, match, clock, _outages(session, clock, now)).at(now)


def hand_over(session: Session, turns: Collection[tuple[int, int]], now: datetime) -> None:
    """Let the time of players to move begin: they were told of that version of their match, unless it has moved on.

    The matches are found and locked with one statement.
    """
    numbers = [number for number, _ in turns]
    rows = session.execute(_WITH_PLAYERS_TO_MOVE, {"numbers": numbers}).all()  # keeps the players for _wishes
    matches = {match.id: match for match, _ in rows}
    for number, seen in turns:
        match = matches.get(number)
        if match is None or match.state != MatchState.RUNNING or version(match) != seen or match.to_move is None:
            continue
        clock = clock_of(match)
        if clock is not None and clock.seat is None:
            note(session, match, clocks.TurnHandedOver(now, seat_of(match.to_move)))


def remind(session: Session, match: Match, now: datetime) -> Seat | None:
    then, clock = catch_up(session, match, now), clock_of(match)
    if clock is None or clock.seat is None or match.remind is None or match.remind > now:
        return None
    if then is None or then.has_run_out:  # what follows from that is told
        return None
    wishes = _wishes(session, match, clock.seat)
    later = reminder_times.put_off(clock, wishes, now)
    if later is not None:
        match.remind = later
        return None
    note(session, match, Reminded(now, reminder_times.settled(clock, wishes, now)))
    return clock.seat


def choose_reminders(session: Session, match: Match, now: datetime) -> None:
    """Let what the player to move has just chosen hold for the present turn, without reminders of what has passed."""
    clock = catch_up(session, match, now)
    if clock is not None and clock.seat is not None:
        note(session, match, Reminded(now, clock.spent // timedelta(seconds=1) * timedelta(seconds=1)))


def given(session: Session, match: Match, seat: Seat) -> timedelta:
    theirs = (ClockEvent.match == match.id, ClockEvent.kind == _KINDS[TimeGiven], ClockEvent.seat == seat)
    return timedelta(seconds=session.exec(select(func.sum(ClockEvent.taken)).where(*theirs)).one() or 0)


def expected_due(match: Match, now: datetime) -> datetime | None:
    """Return when the present turn is due, or would be if the message about it were handed over now."""
    clock = clock_of(match)
    return None if clock is None or match.to_move is None else clock.at(now).due_for(seat_of(match.to_move))


def rows_of(session: Session, matches: Sequence[Match]) -> Sequence[ClockEvent]:
    theirs = col(ClockEvent.match).in_([match.id for match in matches])
    return session.exec(select(ClockEvent).where(theirs).order_by(col(ClockEvent.id))).all()


def replayed(match: Match, rows: Iterable[ClockEvent]) -> Clock | None:
    if match.time is None or match.started is None:
        return None
    return clocks.replay(begun(match), map(event_of, rows))


def begun(match: Match) -> Clock:
    return clocks.begin(parse(match.time or ""), match.started or match.created, (WorkingDays(), WorkingDays()))


def _outages(session: Session, clock: Clock, until: datetime) -> list[ClockChange]:
    """Return the outages until an instant that the clock doesn't know, if anybody's time ran."""
    if clock.seat is None or clock.is_paused:
        return []
    rows = outages_after(session, clock.now, until)
    return [Outage(min(row.until, until), row.since) for row in rows if row.since < until]


def _store(session: Session, match: Match, clock: Clock, events: list[ClockChange]) -> Clock:
    session.add_all(_row(match, event) for event in events)
    clock = clocks.replay(clock, events)
    _keep(session, match, clock)
    return clock


def _keep(session: Session, match: Match, clock: Clock) -> None:
    remind = _next_reminder(session, match, clock)  # reads rows, so it comes before what is written
    match.clock = _CLOCK.dump_python(clock, mode="json", exclude={"control"}, exclude_defaults=True)
    match.due, match.remind = clock.expires, remind
    session.flush()


def _next_reminder(session: Session, match: Match, clock: Clock) -> datetime | None:
    if clock.seat is None:
        return None
    reminder = reminder_times.next_reminder(clock, _wishes(session, match, clock.seat))
    return None if reminder is None else reminder.at


def _wishes(session: Session, match: Match, seat: Seat) -> Wishes:
    """Return when that player wants to be reminded; the opponent's `nag` isn't for somebody who muted them."""
    settings = session.get_one(Player, match.seat1 if seat else match.seat0).settings
    wishes = reminder_times.parse_wishes(settings.get(REMIND, reminder_times.DEFAULT), settings.get(ZONE, "UTC"))
    return replace(wishes, nag=wishes.nag and not (match.muted1 if seat else match.muted0))


def _row(match: Match, event: ClockChange) -> ClockEvent:
    chosen: WorkingDays | None = getattr(event, "days", None)
    days = None if chosen is None else _DAYS.dump_python(chosen, mode="json", exclude_defaults=True)
    return ClockEvent(
        match=match.id or 0,
        kind=_KINDS[type(event)],
        at=event.at,
        since=getattr(event, "since", None),
        until=getattr(event, "until", None),
        seat=getattr(event, "seat", None),
        taken=int(event.taken.total_seconds()) if isinstance(event, Reminded | TimeGiven) else None,
        days=days,
    )


def event_of(row: ClockEvent) -> ClockChange:
    kind = _EVENTS[row.kind]
    if kind is Restored:
        return Restored(row.at, _SIDES.validate_python((row.days or {})["sides"]))
    fields: dict[str, Any] = {"at": row.at, "since": row.since, "until": row.until, "seat": row.seat}
    fields["taken"] = timedelta(seconds=row.taken or 0)
    fields["days"] = None if row.days is None else _DAYS.validate_python(row.days)
    return kind(**{name: fields[name] for name in kind.__dataclass_fields__})


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
    events = () if match.clock is None else rows_of(session, (match,))
    received = [] if match.time is None else [*_received(match, map(event_of, events))]
    times: list[TurnTime] = []
    # A match with the event `Restored` has turns from before its clock: the last ones are those it knows.
    for position, (played, _, seat, is_kept) in enumerate(sorted(plays)):
        at = position - len(plays) + len(received)
        known = received[at] if at >= 0 and received[at][0] == seat else None
        if is_kept:
            times.append(TurnTime(played) if known is None else known[1])
    return tuple(times)


def _received(match: Match, events: Iterable[ClockChange]) -> Iterator[tuple[Seat, TurnTime]]:
    clock = begun(match)
    for event in events:
        after = clock.after(event)
        if isinstance(event, clocks.ReplyReceived):
            used = after.sides[event.seat].used - clock.sides[event.seat].used
            yield event.seat, TurnTime(event.at, used, after.sides[event.seat].bank)
        clock = after
