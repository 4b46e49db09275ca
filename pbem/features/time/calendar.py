"""Calendar entries: a file that says when a turn is due, and one that takes it back once it is played (RFC 5545).

A player has one entry for each match. It keeps its UID, and each message about it has a higher SEQUENCE, so a calendar
that the player lets have the file moves the entry. They are published (RFC 5546), not requests: those would be shown in
place of the message, with buttons whose answers come from machines.
"""

from collections.abc import Iterable
from datetime import datetime

from engines.core import Seat
from engines.seats import other, seat_of
from notation.games import GAMES
from pbem.config import ServerSettings
from pbem.matches.clock.timekeeping import clock_of
from pbem.matches.queries import name
from pbem.matches.queries import seat_of as seat_in
from pbem.messages.kinds import Extra, Rendering
from pbem.messages.mime import Attachment
from pbem.storage.facts import MatchFacts
from pbem.storage.models import Match, Player
from pbem.storage.preferences import OFF, ON, Preference

SHOWN_IN = frozenset({"turn", "digest", "answer", "offer"})
"""The messages that have entries."""
DUE, PLAYED = "PUBLISH", "CANCEL"
"""The methods of the two files."""
FILES = {DUE: "due.ics", PLAYED: "played.ics"}


CALENDAR = Preference("calendar", (OFF, ON), "whether messages bring a calendar entry for when a turn is due")


def enclosed(rendering: Rendering) -> Extra | None:
    """Return the entries that go with a message to a player who wants them; nothing for an answer without proof."""
    row, reader = rendering.row, rendering.known.reader
    if reader is None or row.template not in SHOWN_IN or row.standing is not None:
        return None
    if reader.confirmed is None or CALENDAR.of(reader.settings) != ON:
        return None
    return Extra(files=tuple(of(rendering.known.matches.values(), reader, rendering.server, row.created)))


def of(matches: Iterable[MatchFacts], reader: Player, server: ServerSettings, written: datetime) -> list[Attachment]:
    found: dict[str, list[tuple[MatchFacts, Seat, datetime]]] = {DUE: [], PLAYED: []}
    for each in matches:
        seat = seat_in(each.match, reader)
        clock = clock_of(each.match)
        if seat is None or clock is None or not clock.control.is_limited:
            continue
        is_theirs = each.match.to_move is not None and seat_of(each.match.to_move) == seat
        due = clock.at(written).due_for(seat) if is_theirs else None
        if due is not None:
            found[DUE].append((each, seat, due))
        elif each.match.plies or each.match.ended:
            found[PLAYED].append((each, seat, each.match.ended or written))
    return [
        Attachment(FILES[method], "text", "calendar", _file(method, entries, server, written), {"method": method})
        for method, entries in found.items()
        if entries
    ]


def _file(
    method: str, entries: list[tuple[MatchFacts, Seat, datetime]], server: ServerSettings, written: datetime
) -> bytes:
    # Imported here: it takes a tenth of a second, and few players want it.
    from icalendar import Calendar, Event, vCalAddress

    calendar = Calendar()
    calendar.add("prodid", "-//pbem//turns//EN")
    calendar.add("version", "2.0")
    calendar.add("method", method)
    for facts, seat, time in entries:
        match = facts.match
        event = Event()
        event.add("uid", f"match-{match.id}-{seat}@{server.domain}")
        event.add("sequence", _sequence(match, written))
        event.add("dtstamp", written)
        event.add("dtstart", time)
        event.add("summary", _title(facts, seat))
        event.add("status", "CONFIRMED" if method == DUE else "CANCELLED")
        event.add("transp", "TRANSPARENT")
        event["organizer"] = vCalAddress(f"mailto:{server.address}")
        calendar.add_component(event)
    return bytes(calendar.to_ical())


def _sequence(match: Match, written: datetime) -> int:
    """Return a number that is higher for each later message about the match, and the same when it is sent again."""
    return max(0, int((written - match.created).total_seconds()))


def _title(facts: MatchFacts, seat: Seat) -> str:
    """Return game and opponent, in printable characters; the library escapes those that mean something."""
    title = f"{GAMES.title(facts.match.game)} #{facts.match.id}: your turn against {name(facts.players[other(seat)])}"
    return "".join(letter for letter in title if letter.isprintable())
