"""Calendar entries: when a turn is due, as calendars read it, and that nothing else gets into them."""

from datetime import datetime, timedelta
from email.message import EmailMessage

from icalendar import Calendar
from sqlmodel import Session, select

from pbem.features.time import calendar
from pbem.storage import facts
from pbem.storage.models import Match, Player
from tests import scenes
from tests.correspondence import Correspondence

SENT_ONCE = {
    *("BEGIN", "END", "VERSION", "PRODID", "METHOD", "SUMMARY", "DTSTART", "DTSTAMP", "UID", "SEQUENCE", "STATUS"),
    *("ORGANIZER", "TRANSP"),
}


def wanted(letters: Correspondence) -> None:
    """Let bob, who has three days for each turn, want entries, and be to move."""
    letters.match("challenge bob quadrature time=3d/move")
    for name, turn in (("alice", "e3f4"), ("bob", "e9f8"), ("alice", "b3b4")):
        letters.reply(letters.last(name), turn)
    letters.say("bob", "set calendar on")


pytestmark = scenes.after(wanted)


def entries(mail: EmailMessage) -> dict[str, Calendar]:
    """Return the calendars that a message brings, by the names of the files."""
    found = {}
    for part in mail.iter_attachments():
        if part.get_content_type() == "text/calendar":
            content = part.get_content()
            found[str(part.get_filename())] = one = Calendar.from_ical(content)
            assert part.get_content_disposition() == "attachment"
            assert part.get_param("method") == one["METHOD"]
            assert "\n" not in content.replace("\r\n", "")
    return found


def entry(mail: EmailMessage, name: str) -> tuple[str, int, datetime, str]:
    """Return UID, sequence, time and status of the only entry in the only calendar, a file of that name."""
    ((file, one),) = entries(mail).items()
    (event,) = one.walk("VEVENT")
    assert file == name
    return str(event["UID"]), int(event["SEQUENCE"]), event.decoded("DTSTART"), str(event["STATUS"])


def test_an_entry_moves_with_the_turn_and_goes_with_the_match(letters: Correspondence) -> None:
    due = letters.clock() + timedelta(days=3)
    (reminder,) = letters.run_for(hours=36)
    uid, first, time, status = entry(reminder, "due.ics")
    assert (time, status) == (due, "CONFIRMED")
    (event,) = entries(reminder)["due.ics"].walk("VEVENT")
    assert str(event["ORGANIZER"]) == "mailto:games@pbem.example"
    assert entries(letters.last("alice")) == {}, "she wants none"

    letters.run_for(hours=1)
    letters.reply(reminder, "b9b8")
    gone, second, _, status = entry(letters.last("bob"), "played.ics")
    assert (gone, status) == (uid, "CANCELLED")
    letters.run_for(hours=1)
    letters.reply(letters.last("alice"), "c3c4")
    back, third, due, _ = entry(letters.last("bob"), "due.ics")

    assert (back, due) == (uid, letters.clock() + timedelta(days=3))
    assert first < second < third
    letters.run_for(hours=1)
    letters.resign("alice")
    assert entry(letters.last("bob"), "played.ics")[3] == "CANCELLED"


def test_no_name_writes_into_an_entry(letters: Correspondence) -> None:
    """Names of players can't have such characters today; nothing depends on it."""
    hostile = "x\r\nATTENDEE:mailto:a@b.example\r\nEND:VEVENT;,\\\x00\u2028\u202e" + "z" * 200
    with Session(letters.server.engine) as session:
        match = session.get_one(Match, 1)
        bob = session.exec(select(Player).where(Player.name == "bob")).one()
        opponent = match.seat0 if match.seat1 == bob.id else match.seat1
        alice = Player(id=opponent, name=hostile, address="alice@mail.example", created=match.created)
        then = facts.MatchFacts({}, match, (alice, bob))
        (file,) = calendar.of([then], bob, letters.server.settings.server, letters.clock())

    (event,) = Calendar.from_ical(file.content).walk("VEVENT")
    names = {line.partition(b":")[0].decode() for line in file.content.splitlines() if line[:1] != b" "}
    assert names == SENT_ONCE
    assert max(map(len, file.content.splitlines())) <= 75
    assert "".join(letter for letter in hostile if letter.isprintable()) in str(event["SUMMARY"])
