"""Time controls: how much time a player has, as two players agree on it and as they write it.

    14d+1d         14 days, and 1 day more for each turn, up to 14 days again
    14d+1d<=21d    the same, but what is saved adds up to 21 days
    3d/move        3 days for each turn
    90d/20         90 days for 20 turns, and 90 more for each 20 that follow; what is saved stays
    60d            60 days for the whole match
    60d,7d/move    both: 60 days in all, and no more than 7 for one turn
    10d/3d         10 days for one player, and 3 for the other; so can each of these be written
    none           no limit

`nag=DURATION` may follow: how long a turn may take until its player is reminded. And so may `auto`: who runs out of
time has lost at once; otherwise the opponent can claim the match, or wait. With `weekends=off` no time runs on
Saturdays and Sundays, or instead on the days that a player has chosen for that.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

UNITS = {"w": timedelta(weeks=1), "d": timedelta(days=1), "h": timedelta(hours=1), "m": timedelta(minutes=1)}
NAMES = {"d": "day", "h": "hour", "m": "minute"}
SHORTEST, LONGEST = timedelta(hours=1), timedelta(days=3650)
SHORT = timedelta(days=14)
"""How long a time may be that somebody meant for each turn, and not for the whole match."""
MOST_TURNS = 1000
NONE, AUTOMATIC = "none", "auto"
DEFAULT = "5d+1d<=21d"
"""What two players have who say nothing about time, unless the operator says otherwise."""
WEEKENDS, OFF, ON = "weekends", "off", "on"
_DURATION = re.compile(r"(?:[0-9]{1,6}[wdhm])+")
_WEEKENDS_OFF = f"{WEEKENDS}={OFF}"
_FORMS = f'For example "14d+1d", "3d/move", "90d/20" or "{NONE}".'
ROGNLIE = {"nagtime": "nag", "forfeittime": "per_move", "totaltime": "bank"}
"""The options of Richard Rognlie's server, in days, and what they are here."""


class BadTime(Exception):
    """A text that is no time control; the message is a sentence, followed by what would work."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How much time each player has. Without any limit, nothing is ever due."""

    bank: timedelta | None = None
    """The time for the whole match, or for the first `turns`."""
    increment: timedelta = timedelta()
    """What each turn adds."""
    cap: timedelta | None = None
    """What the bank can't exceed by increments."""
    turns: int | None = None
    """After how many turns the bank is added again."""
    per_move: timedelta | None = None
    """The time for one turn."""
    nag: timedelta | None = None
    """How long a turn may take until its player is reminded."""
    is_automatic: bool = False
    """Whether a match is over at once when a player runs out of time, without a claim by the opponent."""
    weekends_off: bool = False
    """Whether no time runs on weekends, for players who haven't chosen their days off themselves."""
    second: "TimeControl | None" = None
    """The limits of the second player where they are others: the one who is challenged, or in the second seat."""

    def __post_init__(self) -> None:
        for what in (self.bank, self.cap, self.per_move, self.nag):
            if what is not None and not SHORTEST <= what <= LONGEST:
                raise BadTime(f"{duration(what)} is out of range: {duration(SHORTEST)} to {duration(LONGEST)}.")
        if self.increment and self.increment > LONGEST:
            raise BadTime(f"{duration(self.increment)} for each turn is too much.")
        if self.cap is not None and (self.bank is None or self.cap < self.bank):
            raise BadTime("The most that can be saved can't be less than the time at the beginning.")
        if self.turns is not None and not 1 <= self.turns <= MOST_TURNS:
            raise BadTime(f"{self.turns} is out of range: 1 to {MOST_TURNS} turns.")

    @property
    def is_limited(self) -> bool:
        return self.bank is not None or self.per_move is not None

    def of(self, seat: int) -> "TimeControl":
        return self.second if seat and self.second is not None else self

    @property
    def swapped(self) -> "TimeControl":
        """The control with the limits of the first player for the second, and the other way round.

        >>> format_control(parse("14d+1d/7d+1d,auto").swapped)
        '7d+1d/14d+1d,auto'
        """
        if self.second is None:
            return self
        limits = {name: getattr(self.second, name) for name in _LIMITS}
        return replace(self, **limits, second=_limits_of(self))

    def after_turn(self, bank: timedelta, played: int) -> timedelta:
        """Return the bank after a turn, the player's `played`-th, of which the time is subtracted already."""
        bank = max(bank, timedelta())
        if self.increment:
            bank = max(bank, min(bank + self.increment, self.cap or bank + self.increment))
        if self.turns is not None and self.bank is not None and played % self.turns == 0:
            bank += self.bank
        return bank


_LIMITS = ("bank", "increment", "cap", "turns", "per_move")
"""The fields in which the two players can differ."""


def _limits_of(control: TimeControl) -> TimeControl:
    return TimeControl(**{name: getattr(control, name) for name in _LIMITS})


def parse(text: str) -> TimeControl:
    """Return the time control that a text spells; raise BadTime.

    >>> parse("14d+1d") == TimeControl(bank=UNITS["d"] * 14, increment=UNITS["d"], cap=UNITS["d"] * 14)
    True
    >>> format_control(parse("2w+36h<=504h")), format_control(parse("90d/20")), format_control(parse("None"))
    ('14d+1d12h<=21d', '90d/20', 'none')
    >>> format_control(parse("10d/3d")), format_control(parse("3d/24h/move")), format_control(parse("9d/9d/20"))
    ('10d/3d', '3d/1d/move', '9d/20')
    """
    text = text.strip().lower()
    if text in (NONE, "off", "unlimited"):
        return TimeControl()
    sides = [_both(part.strip()) for part in text.split(",")]
    first, second = (_of_one([side[at] for side in sides]) for at in (0, 1))
    return first if first == second else replace(first, second=_limits_of(second))


_TIMES = re.compile(rf"{_DURATION.pattern}(?:\+{_DURATION.pattern}(?:<={_DURATION.pattern})?)?")


def _both(part: str) -> tuple[str, str]:
    """Return what one part of a time control is for each of the two players.

    >>> _both("10d+1d/3d"), _both("3d/1d/move"), _both("90d/20")
    (('10d+1d', '3d'), ('3d/move', '1d/move'), ('90d/20', '90d/20'))
    """
    first, *rest = part.split("/")
    if not rest or not _TIMES.fullmatch(first) or not _TIMES.fullmatch(rest[0]):
        return part, part
    return "/".join((first, *rest[1:])), "/".join((rest[0], *rest[1:]))


def _of_one(parts: list[str]) -> TimeControl:
    control = TimeControl()
    for part in parts:
        given = _part(part)
        if any(getattr(control, name) != getattr(TimeControl(), name) for name in given):
            raise BadTime(f'"{part[:20]}" says something a second time. {_FORMS}')
        control = replace(control, **given)
    if (control.is_automatic or control.weekends_off) and not control.is_limited:
        raise BadTime(f'"{AUTOMATIC if control.is_automatic else _WEEKENDS_OFF}" needs a limit. {_FORMS}')
    return control


def _part(part: str) -> dict[str, Any]:
    if part == AUTOMATIC:
        return {"is_automatic": True}
    if part == _WEEKENDS_OFF:
        return {"weekends_off": True}
    if part.startswith("nag="):
        return {"nag": parse_duration(part.removeprefix("nag="))}
    head, slash, tail = part.partition("/")
    if slash and tail in ("move", "turn"):
        return {"per_move": parse_duration(head)}
    if slash:
        if not (tail.isascii() and tail.isdecimal() and len(tail) <= 6):
            raise BadTime(
                f'After the slash, we expected "move", a number of turns or a time, not "{tail[:20]}". {_FORMS}'
            )
        return {"bank": parse_duration(head), "turns": int(tail)}
    head, plus, tail = part.partition("+")
    bank = parse_duration(head)
    if not plus:
        return {"bank": bank}
    increment, capped, cap = tail.partition("<=")
    added = parse_duration(increment)
    return {"bank": bank, "increment": added, "cap": parse_duration(cap) if capped else max(bank, added)}


def of_flags(flags: Mapping[str, str]) -> TimeControl:
    """Return the time control of Rognlie's flags, given by name in days; raise BadTime.

    >>> format_control(of_flags({"nagtime": "7", "forfeittime": "21", "totaltime": "365"}))
    '365d,21d/move,nag=7d'
    """
    given: dict[str, Any] = {}
    for name, days in flags.items():
        if name not in ROGNLIE:
            raise BadTime(f'"{name[:20]}" is no option for the time; there are {", ".join(ROGNLIE)}.')
        if not (days.isascii() and days.isdecimal() and len(days) <= 6):
            raise BadTime(f'"--{name}={days[:20]}" needs a number of days.')
        if int(days):
            given[ROGNLIE[name]] = timedelta(days=int(days))
    return replace(TimeControl(), **given)


def format_control(control: TimeControl) -> str:
    """Return the canonical text of a time control, which `parse` reads as the same."""
    return ",".join((*_limits(control), *_flags(control))) or NONE


def _limits(control: TimeControl) -> Iterator[str]:
    """Yield the limits, each of both players where they differ: "10d/3d"."""
    sides = (control, control.of(1))
    banks, moves = ([_bank(side) for side in sides], [_per_move(side) for side in sides])
    if banks[0]:
        yield "/".join((*dict.fromkeys(banks), *([str(control.turns)] if control.turns is not None else [])))
    if moves[0]:
        yield "/".join((*dict.fromkeys(moves), "move"))


def _bank(control: TimeControl) -> str:
    if control.bank is None:
        return ""
    text = duration(control.bank)
    if control.increment:
        text += f"+{duration(control.increment)}"
        if control.cap != max(control.bank, control.increment):
            text += f"<={duration(control.cap or control.bank)}"
    return text


def _per_move(control: TimeControl) -> str:
    return "" if control.per_move is None else duration(control.per_move)


def to_stored(control: TimeControl) -> str | None:
    """Return the text of a time control as the database has it: None for one without limits."""
    return None if control == TimeControl() else format_control(control)


def from_stored(text: str | None) -> TimeControl:
    return TimeControl() if text is None else parse(text)


def _flags(control: TimeControl) -> Iterator[str]:
    if control.nag is not None:
        yield f"nag={duration(control.nag)}"
    if control.is_automatic:
        yield AUTOMATIC
    if control.weekends_off:
        yield _WEEKENDS_OFF


def in_words(control: TimeControl, names: tuple[str, str] = ("the one who offers it", "the other")) -> str:
    """Return what a time control means, for the two players who agree on it; `names` is who has which time.

    >>> in_words(parse("14d+1d")), in_words(parse("60d"))
    ('14 days each, plus 1 day for each turn, up to 14 days', '60 days each for the whole match')
    >>> in_words(parse("3d/move,auto"))
    '3 days for each turn; a player who runs out of time loses at once'
    >>> in_words(parse("10d/3d"), ("alice", "bob"))
    'alice: 10 days for the whole match; bob: 3 days for the whole match'
    """
    words = _limits_in_words(control)
    if control.second is not None:
        both = zip(names, (control, control.second), strict=True)
        words = "; ".join(f"{name}: {_limits_in_words(side).replace(' each', '')}" for name, side in both)
    words += "; no time runs on weekends" if control.weekends_off else ""
    return words + ("; a player who runs out of time loses at once" if control.is_automatic else "")


def with_weekends(control: TimeControl, choice: str) -> TimeControl:
    """Return the time control with or without weekends; raise BadTime.

    >>> format_control(with_weekends(parse("3d/move"), "off")), format_control(with_weekends(TimeControl(), "on"))
    ('3d/move,weekends=off', 'none')
    """
    if choice not in (ON, OFF):
        raise BadTime(f'"{WEEKENDS}={choice[:20]}" is not a choice; use {WEEKENDS}={OFF} or {WEEKENDS}={ON}.')
    if choice == OFF and not control.is_limited:
        raise BadTime(f'"{_WEEKENDS_OFF}" needs a limit: add for example "time=14d+1d".')
    return replace(control, weekends_off=choice == OFF)


def _limits_in_words(control: TimeControl) -> str:
    if control.bank is None:
        return "no limit" if control.per_move is None else f"{spoken(control.per_move)} for each turn"
    words = f"{spoken(control.bank)} each"
    if control.turns is not None:
        words += f" for every {control.turns} turns"
    elif control.increment:
        words += f", plus {spoken(control.increment)} for each turn"
        words += f", up to {spoken(control.cap)}" if control.cap is not None else ""
    else:
        words += " for the whole match"
    return words + (f", and at most {spoken(control.per_move)} for one turn" if control.per_move is not None else "")


def per_turn_instead(control: TimeControl) -> str:
    """Return how to write a time for each turn, where one for the whole match is so short that this may be meant.

    >>> per_turn_instead(parse("3d")), per_turn_instead(parse("60d"))
    ('time=3d/move', '')
    """
    bank = control.bank
    if (
        bank is None
        or bank > SHORT
        or control.second is not None
        or control.increment
        or control.turns is not None
        or control.per_move is not None
    ):
        return ""
    return f"time={duration(bank)}/move"


def parse_duration(text: str) -> timedelta:
    """Return the time that a text such as `3d` or `1d12h` spells; raise BadTime.

    >>> parse_duration("1d12h") == parse_duration("36h")
    True
    """
    if not _DURATION.fullmatch(text):
        unit = next((word for word in re.findall(r"[^\d\s]+", text) if word not in UNITS), None)
        if unit and text[:1].isdigit():
            raise BadTime(f'"{unit[:20]}" is no unit of time; use {", ".join(UNITS)}. {_FORMS}')
        raise BadTime(f'"{text[:20]}" is no time. {_FORMS}')
    found = re.findall(r"([0-9]+)([wdhm])", text)
    minutes = sum(int(number) * (UNITS[unit] // UNITS["m"]) for number, unit in found)
    if minutes > LONGEST // UNITS["m"]:
        raise BadTime(f"{text[:20]} is too long; the longest is {duration(LONGEST)}.")
    return minutes * UNITS["m"]


def duration(time: timedelta) -> str:
    """Return the time in days, hours and minutes.

    >>> duration(timedelta(hours=36, minutes=5)), duration(timedelta())
    ('1d12h5m', '0m')
    """
    text, rest = "", time
    for unit in NAMES:
        number, rest = divmod(rest, UNITS[unit])
        text += f"{number}{unit}" if number else ""
    return text or "0m"


def spoken(time: timedelta) -> str:
    """Return the time in words, with at most two units.

    >>> spoken(timedelta(days=13, hours=4, minutes=59)), spoken(timedelta(minutes=1)), spoken(timedelta(seconds=9))
    ('13 days 4 hours', '1 minute', 'less than a minute')
    """
    words, rest = [], time
    for unit, name in NAMES.items():
        number, rest = divmod(rest, UNITS[unit])
        if number:
            words.append(f"{number} {name}{'s' if number > 1 else ''}")
    return " ".join(words[:2]) or "less than a minute"
