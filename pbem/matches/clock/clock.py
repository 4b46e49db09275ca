"""The clock of a match: whose time runs, and how much is left. A value, without mail, rows or the time of day.

The time of a turn runs from the moment at which the message about it was handed over until the reply was received here.
Who has played without such a message follows the match elsewhere, so their time runs from the opponent's turn.
What happens is a log of events, and the clock is what they add up to: the same events always give the same clock. Each
instant is counted at most once, since an event only ever adds the time since the last one. Where the computer's clock
was set back, the time that comes twice counts once.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import reduce

from engines.core import Seat
from engines.seats import other
from notation.time_control import TimeControl
from pbem.matches.clock.working_days import WorkingDays

NOTHING = timedelta()


@dataclass(frozen=True, slots=True)
class TurnHandedOver:
    """The message that it is a player's turn was handed over to the next mail server, or waits as they want it to."""

    at: datetime
    seat: Seat


@dataclass(frozen=True, slots=True)
class ReplyReceived:
    """A player's turn was received. It ends a pause."""

    at: datetime
    seat: Seat


@dataclass(frozen=True, slots=True)
class FollowsElsewhere:
    """A player plays a turn that no message of ours has told them about: from then on their time runs without one."""

    at: datetime
    seat: Seat


@dataclass(frozen=True, slots=True)
class TurnsTakenBack:
    """Turns were taken back: nobody's time runs until the message about it is handed over. What was used stays used."""

    at: datetime
    seat: Seat | None = None
    """Who took back their last turn without asking: it gave them no time, and the opponent's answer has taken none."""


@dataclass(frozen=True, slots=True)
class Unreachable:
    """Nothing is sent to a player any more: nobody's time runs until a message is handed over again."""

    at: datetime


@dataclass(frozen=True, slots=True)
class RanOut:
    """The player whose turn it is has run out of time, and the opponent was told that they can claim the match."""

    at: datetime
    until: datetime | None = None
    """When it ends without a claim; None in matches of earlier versions, which wait for one."""


@dataclass(frozen=True, slots=True)
class TimeGiven:
    """The opponent of that player has given them time: so much more than they had then, and none is none."""

    at: datetime
    seat: Seat
    taken: timedelta  # how much that is


@dataclass(frozen=True, slots=True)
class Paused:
    """The players agreed on a pause, which ends by itself at that instant, or by nothing but what they do."""

    at: datetime
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Resumed:
    at: datetime


@dataclass(frozen=True, slots=True)
class Outage:
    """The server was down, or couldn't send to the player, from `since` until it was noted: nobody's time ran."""

    at: datetime
    since: datetime


@dataclass(frozen=True, slots=True)
class Righted:
    """Version 1.0 found that the server's clock had been ahead, and this one with it: it goes on from that instant."""

    at: datetime


@dataclass(frozen=True, slots=True)
class DaysChosen:
    """A player chose other days off, or to be away. What has passed counts by the days of then."""

    at: datetime
    seat: Seat
    days: WorkingDays


@dataclass(frozen=True, slots=True)
class Reminded:
    """Reminders of the present turn are settled: sent, or of no use."""

    at: datetime
    taken: timedelta  # those that were due by when the turn had taken so long


@dataclass(frozen=True, slots=True)
class SideRestored:
    """What is known of one player's time, but for the days on which it runs."""

    bank: timedelta | None
    turns: int
    used: timedelta


@dataclass(frozen=True, slots=True)
class Restored:
    """What both players had when the present turn began, in a match that version 1.0 restored from a message."""

    at: datetime
    sides: tuple[SideRestored, SideRestored]


@dataclass(frozen=True, slots=True)
class Ended:
    at: datetime


ClockChange = (
    TurnHandedOver
    | ReplyReceived
    | FollowsElsewhere
    | TurnsTakenBack
    | Unreachable
    | RanOut
    | TimeGiven
    | Paused
    | Resumed
    | Outage
    | Righted
    | DaysChosen
    | Reminded
    | Restored
    | Ended
)


@dataclass(frozen=True, slots=True)
class Side:
    """One player's time: the bank before the present turn, the days on which it runs, and what the past turns took."""

    bank: timedelta | None
    days: WorkingDays
    turns: int = 0
    used: timedelta = NOTHING
    given: timedelta = NOTHING
    """How much longer than `per_move` the present turn may take, or the next one, as the opponent has given time."""
    added: timedelta = field(default=NOTHING, compare=False)
    """What the last turn has added to the bank; clocks of earlier versions don't know."""
    follows: bool = False
    """Whether their time runs as soon as it's their turn, with or without a message (see FollowsElsewhere)."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Both players' time as it stood at an instant."""

    control: TimeControl
    sides: tuple[Side, Side]
    now: datetime
    seat: Seat | None = None  # whose time runs, or would run if there were no pause
    spent: timedelta = NOTHING  # what the present turn has taken
    is_paused: bool = False
    paused_until: datetime | None = None
    is_told: bool = False  # whether the opponent was told that the time of the present turn has run out
    ends: datetime | None = None  # when the match ends without a claim, once they were told
    reminded: timedelta = NOTHING
    """Reminders of the present turn are settled up to that time it has taken (see reminders)."""

    def at(self, now: datetime) -> "Clock":
        """Return the clock at a later instant, if nothing happens until then; it never goes back."""
        if now <= self.now:
            return self
        if self.is_paused and self.paused_until is not None and self.paused_until <= now:
            return replace(_resumed(self), now=max(self.now, self.paused_until)).at(now)
        if self.seat is None or self.is_paused:
            return replace(self, now=now)
        return replace(self, now=now, spent=self.spent + self.sides[self.seat].days.between(self.now, now))

    def after(self, event: ClockChange) -> "Clock":
        if isinstance(event, Outage):
            before = self.at(event.since)
            return replace(before, now=max(before.now, event.at))
        if isinstance(event, Righted):
            return replace(self, now=min(self.now, event.at))
        then = self.at(event.at)
        match event:
            case TurnHandedOver(_, seat):
                return then if then.seat == seat else replace(_stopped(then), seat=seat)
            case ReplyReceived(_, seat):
                return _resumed(_played(then, seat))
            case FollowsElsewhere(_, seat):
                return _with(then, seat, replace(then.sides[seat], follows=True))
            case TurnsTakenBack(_, int() as seat):
                return _resumed(_unplayed(then, seat))
            case TurnsTakenBack():
                return _resumed(_stopped(then))
            case Ended():
                return _resumed(_stopped(then))
            case Unreachable():
                return then if then.seat is not None and then.sides[then.seat].follows else _stopped(then)
            case RanOut(_, until):
                return replace(then, is_told=then.has_run_out, ends=until if then.has_run_out else None)
            case TimeGiven(_, seat, time):
                return _given(then, seat, time)
            case Paused(_, until):
                return replace(then, is_paused=True, paused_until=until)
            case Resumed():
                return _resumed(then)
            case Reminded(_, taken):
                return replace(then, reminded=max(then.reminded, taken))
            case Restored(_, (first, second)):
                return _with(_with(then, 0, _restored(then.sides[0], first)), 1, _restored(then.sides[1], second))
            case DaysChosen(_, seat, days):
                return _with(then, seat, replace(then.sides[seat], days=days))

    def left(self, seat: Seat) -> timedelta | None:
        """Return how much time a player has, never less than none; None without a limit."""
        spent, limit = self.spent if seat == self.seat else NOTHING, self._limit(seat)
        return None if limit is None else max(limit - spent, NOTHING)

    @property
    def allowed(self) -> timedelta | None:
        """How much time there was for the present turn when it began; None without a limit, or while nobody's runs."""
        return None if self.seat is None else self._limit(self.seat)

    def _limit(self, seat: Seat) -> timedelta | None:
        side, per_move = self.sides[seat], self.control.of(seat).per_move
        limits = (side.bank, None if per_move is None else per_move + side.given)
        return min((limit for limit in limits if limit is not None), default=None)

    @property
    def has_run_out(self) -> bool:
        return self.seat is not None and self.left(self.seat) == NOTHING

    @property
    def due(self) -> datetime | None:
        """When the time of the player whose turn it is runs out, if nothing happens until then; None if it doesn't.

        Once the opponent was told that it has, nothing is due any more (see expires).
        """
        left = None if self.seat is None or self.is_told else self.left(self.seat)
        return self._when(left)

    @property
    def expires(self) -> datetime | None:
        """When something follows by itself: the turn is due, or a match that could be claimed ends."""
        return self.due if not self.is_told or self.is_paused else self.ends

    def due_for(self, seat: Seat) -> datetime | None:
        return self.due if self.seat is not None else self.after(TurnHandedOver(self.now, seat)).due

    def when_taken(self, time: timedelta) -> datetime | None:
        """Return when the turn will have taken that long, if nothing happens until then; None if it never will."""
        return self._when(time - self.spent)

    def _when(self, needed: timedelta | None) -> datetime | None:
        if needed is None or self.seat is None:
            return None
        if self.is_paused and self.paused_until is None:
            return None
        runs_from = self.now if self.paused_until is None else max(self.now, self.paused_until)
        return self.sides[self.seat].days.after(runs_from, needed)


def begin(control: TimeControl, now: datetime, days: tuple[WorkingDays, WorkingDays]) -> Clock:
    return Clock(control, (Side(control.of(0).bank, days[0]), Side(control.of(1).bank, days[1])), now)


def replay(clock: Clock, events: Iterable[ClockChange]) -> Clock:
    return reduce(Clock.after, events, clock)


def _resumed(clock: Clock) -> Clock:
    return replace(clock, is_paused=False, paused_until=None)


def _stopped(clock: Clock) -> Clock:
    """Return the clock with nobody's time running; what the turn took is used."""
    if clock.seat is None:
        return clock
    side = clock.sides[clock.seat]
    bank = None if side.bank is None else max(side.bank - clock.spent, NOTHING)
    stopped = _with(clock, clock.seat, replace(side, bank=bank, used=side.used + clock.spent))
    return replace(stopped, seat=None, spent=NOTHING, is_told=False, ends=None, reminded=NOTHING)


def _played(clock: Clock, seat: Seat) -> Clock:
    """Return the clock after a turn of that seat, whose time may not have run: they can have seen it elsewhere."""
    stopped = _stopped(clock)
    side = stopped.sides[seat]
    bank = None if side.bank is None else clock.control.of(seat).after_turn(side.bank, side.turns + 1)
    added = NOTHING if bank is None or side.bank is None else bank - side.bank
    played = _with(stopped, seat, replace(side, bank=bank, added=added, turns=side.turns + 1, given=NOTHING))
    return replace(played, seat=other(seat)) if played.sides[other(seat)].follows else played


def _unplayed(clock: Clock, seat: Seat) -> Clock:
    """Return the clock after that seat has taken back the last turn, which the opponent was about to answer."""
    stopped = _stopped(replace(clock, spent=NOTHING))
    side = stopped.sides[seat]
    bank = None if side.bank is None else max(side.bank - side.added, NOTHING)
    return _with(stopped, seat, replace(side, bank=bank, added=NOTHING, turns=side.turns - 1))


def _given(clock: Clock, seat: Seat, time: timedelta) -> Clock:
    """Return the clock after that seat was given time; if it had run out, the turn goes on from now with that much."""
    side, per_move = clock.sides[seat], clock.control.of(seat).per_move
    spent = clock.spent if clock.seat == seat else NOTHING
    bank = None if side.bank is None else max(side.bank, spent) + time
    given = side.given if per_move is None else max(per_move + side.given, spent) + time - per_move
    more = _with(clock, seat, replace(side, bank=bank, given=given))
    return replace(more, is_told=False, ends=None) if clock.seat == seat else more


def _restored(side: Side, known: SideRestored) -> Side:
    return replace(side, bank=known.bank, turns=known.turns, used=known.used)


def _with(clock: Clock, seat: Seat, side: Side) -> Clock:
    return replace(clock, sides=(clock.sides[0], side) if seat else (side, clock.sides[1]))
