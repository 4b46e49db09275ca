"""What players can choose: how their messages look and when they come. The command `set` stores it.

A row holds only what differs from the default, so a new default reaches everyone who never chose.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from zoneinfo import available_timezones

from engines import GAMES
from notation.time_control import BadTime
from pbem.errors import Refused
from pbem.features.people.directory import LISTED
from pbem.features.people.willingness import LIMIT, NONE, REJECTS
from pbem.features.time.vacations import AUTO, SETTING
from pbem.features.watching import sight
from pbem.matches.clock import reminders
from pbem.matches.clock.calendars import DAYS
from pbem.matches.clock.timekeeping import REMIND, ZONE
from pbem.matches.clock.working_days import BadDays, format_days, parse_days
from pbem.matches.prepared import AUTOMOVE

ON, OFF = "on", "off"
HINTS, LONG = "hints", "long"
HOUR, BULLETIN, PUBLIC = "hour", "bulletin", "public"
"""The preferences that say at what hour daily messages come, whether the player gets the weekly bulletin, and whether
their matches are shown on the web."""


def _nothing_else(_text: str) -> str | None:
    """Accept nothing beyond the listed choices."""
    return None


@dataclass(frozen=True, slots=True)
class Preference:
    """One thing that a player can choose; the first choice is the default."""

    name: str
    choices: tuple[str, ...]
    help: str
    example: str = ""
    """A sample choice, for a preference with too many to list."""
    accept: Callable[[str], str | None] = _nothing_else
    """Return an unlisted choice in its stored spelling, or None if there is no such choice."""
    words: int = 1
    """The most words that a choice has."""

    @property
    def default(self) -> str:
        """What applies to players who haven't chosen."""
        return self.choices[0]

    @property
    def spelled(self) -> str:
        """How it is written, as in a help message."""
        return f"{self.name} {self.example or '|'.join(self.choices)}"

    def chosen(self, text: str) -> str:
        """Return the choice that the text means; raises Refused, which lists the choices."""
        wanted = text.lower().rstrip(".,;")
        found = wanted if wanted in self.choices else self.accept(text.rstrip(".,;"))
        if found is None:
            works = " or ".join(f'"set {self.name} {choice}"' for choice in self.choices)
            fits = f'For example "set {self.name} {self.example}".' if self.example else f"{works}."
            raise Refused(f'"{self.name}" can\'t be "{text[:40]}".', fits=fits)
        return found


@cache
def _zones() -> Mapping[str, str]:
    """Return the name of each IANA time zone by its lower case."""
    return {name.lower(): name for name in available_timezones()}


def _zone(text: str) -> str | None:
    """Return the IANA time zone of that name in any case, or None.

    >>> _zone("europe/vienna"), _zone("utc"), _zone("../etc/passwd"), _zone("America/" * 260)
    ('Europe/Vienna', 'UTC', None, None)
    """
    return _zones().get(text.lower())


def _hour(text: str) -> str | None:
    """Return the hour of the day in the forms that people write, or None.

    >>> _hour("07"), _hour("18:00"), _hour("24")
    ('7', '18', None)
    """
    hour, colon, minutes = text.partition(":")
    is_hour = hour.isascii() and hour.isdecimal() and len(hour) <= 2 and int(hour) < 24
    return str(int(hour)) if is_hour and (not colon or minutes == "00") else None


MOST_MATCHES = 999


def _number(text: str) -> str | None:
    """Return the number of matches in its shortest form, or None.

    >>> _number("010"), _number("0"), _number("ten"), _number("1000")
    ('10', '0', None, None)
    """
    return str(int(text)) if text.isascii() and text.isdecimal() and int(text[:9]) <= MOST_MATCHES else None


def _games(text: str) -> str | None:
    """Return the games that the text lists, each once and in our order, or None.

    >>> _games("quadrature,Hexaphages"), _games("chess")
    ('hexaphages,quadrature', None)
    """
    wanted = {word for word in text.lower().replace(" ", ",").split(",") if word}
    return ",".join(game for game in GAMES if game in wanted) if wanted and wanted <= set(GAMES) else None


def _days(text: str) -> str | None:
    """Return the days of the week in their stored spelling, or None.

    >>> _days("Mon-Tue,wed"), _days("weekdays")
    ('mon-wed', None)
    """
    try:
        return format_days(parse_days(text))
    except BadDays:
        return None


def _by_hand(text: str) -> str | None:
    """Return the choice not to take vacations automatically for the words that people use for it."""
    return "manual" if text.lower() in (OFF, "none", "never") else None


def _reminders(text: str) -> str | None:
    """Return when to remind in its stored spelling, or None.

    >>> _reminders("1d, 50%"), _reminders("tomorrow")
    ('50% 1d', None)
    """
    try:
        return reminders.spelled(reminders.parse_wishes(text))
    except BadTime:
        return None


PREFERENCES: dict[str, Preference] = {
    "board": Preference(
        "board",
        ("ascii", "unicode", "words"),
        'how text shows boards; "words" is best for screen readers',
    ),
    HINTS: Preference(
        HINTS,
        ("short", LONG),
        "how much we say of writing turns; in your first match of a game it's always long at first",
    ),
    "html": Preference("html", (ON, OFF), "whether messages have an HTML part as well as text"),
    "picture": Preference("picture", (ON, OFF), "whether the HTML part shows the board as a picture"),
    "mail": Preference(
        "mail",
        ("each", "batch", "daily"),
        "when news comes: at once, every few minutes, or once a day; your time doesn't wait for it",
    ),
    HOUR: Preference(HOUR, ("8",), "the hour at which the daily message comes, from 0 to 23", "18", _hour),
    ZONE: Preference(ZONE, ("UTC",), "your time zone, for that hour and other times", "Europe/Vienna", _zone),
    DAYS: Preference(DAYS, ("all",), "the days of the week on which your time runs", "mon-fri", _days),
    SETTING: Preference(
        SETTING, ("manual", AUTO), "whether a day of vacation is taken before your time runs out", accept=_by_hand
    ),
    REMIND: Preference(
        REMIND,
        (reminders.DEFAULT, OFF),
        f"when we remind you of a turn: up to {reminders.MOST}, as shares of its time or time that is left",
        accept=_reminders,
        words=reminders.MOST,
    ),
    "calendar": Preference("calendar", (OFF, ON), "whether messages bring a calendar entry for when a turn is due"),
    AUTOMOVE: Preference(AUTOMOVE, (OFF, ON), "whether a turn is played for you where it is the only legal one"),
    LISTED: Preference(LISTED, (OFF, ON), 'whether "who" shows your name to other players'),
    sight.WATCHERS: Preference(
        sight.WATCHERS,
        (sight.IN_TOURNAMENTS, sight.ALL, sight.LATE, sight.NOBODY),
        "who may watch your matches: in tournaments anybody, in all, in all but a turn late, nobody",
    ),
    BULLETIN: Preference(
        BULLETIN, (OFF, ON), "whether you get a message each Monday on finished matches, open seeks and standings"
    ),
    PUBLIC: Preference(
        PUBLIC, (OFF, ON, "anonymous"), "whether your matches are shown on the web, if your opponent wants that too"
    ),
    LIMIT: Preference(LIMIT, (NONE,), "no more challenges while you play that many matches", "10", _number),
    REJECTS: Preference(
        REJECTS, (NONE,), "the games to which nobody can challenge you", "hexaphages,kvadratik", _games
    ),
    "receipt": Preference("receipt", (ON, OFF), "whether you get the board after your own turn, too"),
}


def with_defaults(settings: Mapping[str, str]) -> dict[str, str]:
    """Return every preference with its value for a player with those settings.

    >>> with_defaults({"board": "words"})["board"], with_defaults({})["html"]
    ('words', 'on')
    """
    return {name: settings.get(name, preference.default) for name, preference in PREFERENCES.items()}


def changed(settings: Mapping[str, str], name: str, text: str) -> dict[str, str]:
    """Return the settings with that choice added, or removed if it is the default; raises Refused.

    >>> changed({"html": "off"}, "html", "ON"), changed({}, "hour", "18:00")
    ({}, {'hour': '18'})
    """
    preference = PREFERENCES[name]
    rest = {known: choice for known, choice in settings.items() if known != name}
    choice = preference.chosen(text)
    return rest if choice == preference.default else {**rest, name: choice}
