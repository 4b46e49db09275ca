"""What every player can choose: how messages look, when they come, when time runs.

What else there is to choose stands with the feature that it belongs to (see `Feature.preferences`).
"""

import re
from collections.abc import Mapping
from functools import cache
from zoneinfo import available_timezones

from notation.time_control import BadTime
from pbem.matches.clock import reminder_times
from pbem.matches.clock.calendars import DAYS
from pbem.matches.clock.timekeeping import REMIND, ZONE
from pbem.matches.clock.working_days import BadDays, format_days, parse_days
from pbem.matches.prepared_and_forced_turns import AUTOMOVE
from pbem.messages.delivery_choices import OWN, SPECTATING, TOURNAMENTS
from pbem.storage.preference_definition import OFF, ON, Preference

HINTS, LONG, HOUR, PUBLIC = "hints", "long", "hour", "public"


@cache
def _zones() -> Mapping[str, str]:
    return {name.lower(): name for name in available_timezones()}


_OFFSET = re.compile(r"(?:utc|gmt)\s?([+-])0?(\d{1,2})(?::?(\d\d))?", re.IGNORECASE)
_HALVES = {"+5:30": "Asia/Kolkata", "+5:45": "Asia/Kathmandu", "+6:30": "Asia/Yangon", "+9:30": "Australia/Darwin"}
"""Zones that aren't whole hours from UTC all the year."""


def _zone(text: str) -> str | None:
    """Return the IANA time zone of that name in any case, or of that distance from UTC; or None.

    >>> _zone("europe/vienna"), _zone("utc"), _zone("../etc/passwd"), _zone("America/" * 260)
    ('Europe/Vienna', 'UTC', None, None)
    >>> _zone("UTC+5:30"), _zone("GMT-3")
    ('Asia/Kolkata', 'Etc/GMT+3')
    """
    if not (offset := _OFFSET.fullmatch(text)):
        return _zones().get(text.lower())
    sign, hours, minutes = offset.groups()
    whole = f"Etc/GMT{'-' if sign == '+' else '+'}{int(hours)}"  # its sign is the other way round
    return _HALVES.get(f"{sign}{hours}:{minutes}") if minutes and int(minutes) else _zones().get(whole.lower())


def _hour(text: str) -> str | None:
    """Return the hour of the day in the forms that people write, or None.

    >>> _hour("07"), _hour("18:00"), _hour("24")
    ('7', '18', None)
    """
    hour, colon, minutes = text.partition(":")
    is_hour = hour.isascii() and hour.isdecimal() and len(hour) <= 2 and int(hour) < 24
    return str(int(hour)) if is_hour and (not colon or minutes == "00") else None


def _days(text: str) -> str | None:
    try:
        return format_days(parse_days(text))
    except BadDays:
        return None


def _reminders(text: str) -> str | None:
    try:
        return reminder_times.spelled(reminder_times.parse_wishes(text))
    except BadTime:
        return None


GENERAL = (
    Preference("board", ("ascii", "unicode", "words"), 'how text shows boards; "words" is best for screen readers'),
    Preference(
        HINTS,
        ("short", LONG),
        "how much we say of writing turns; in your first match of a game it's always long at first",
    ),
    Preference("html", (ON, OFF), "whether messages have an HTML part as well as text"),
    Preference("picture", (ON, OFF), "whether the HTML part shows the board as a picture"),
    *(OWN, SPECTATING, TOURNAMENTS),
    Preference(HOUR, ("8",), "the hour at which the daily message comes, from 0 to 23", "18", _hour),
    Preference(ZONE, ("UTC",), "your time zone, for that hour and other times", "Europe/Vienna", _zone),
    Preference(DAYS, ("all",), "the days of the week on which your time runs", "mon-fri", _days),
    Preference(
        REMIND,
        (reminder_times.DEFAULT, OFF),
        f"when we remind you of a turn: up to {reminder_times.MOST}, as shares of its time or time that is left",
        accept=_reminders,
        words=reminder_times.MOST,
    ),
    Preference(AUTOMOVE, (OFF, ON), "whether a turn is played for you where it is the only legal one"),
    Preference(
        PUBLIC, (OFF, ON, "anonymous"), "whether your matches are shown on the web, if your opponent wants that too"
    ),
    Preference("receipt", (ON, OFF), "whether you get the board after your own turn, too"),
)


def with_defaults(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the choice of each that applies to a player with those settings."""
    return {preference.name: preference.of(settings) for preference in GENERAL}
