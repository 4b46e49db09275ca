"""Calendar entries: when a turn is due, as calendars read it, and that nothing else gets into them."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from icalendar import Calendar
from sqlmodel import Session, select

from pbem.features.time import calendar
from pbem.storage import facts
from pbem.storage.models import Match, Player
from tests.correspondence import Correspondence, correspondence
from tests.pbem.test_timeouts import begin, two_turns

ALICE, BOB = "alice@mail.example", "bob@mail.example"
SENT_ONCE = ("BEGIN", "VERSION", "PRODID", "METHOD", "SUMMARY", "DTSTART", "DTSTAMP", "UID", "SEQUENCE", "STATUS")


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    """Let bob, who has three days for each turn, want entries."""
    with correspondence(tmp_path) as letters:
        begin(letters, "3d/move")
        letters.play(two_turns)
        letters.reply(letters.received[BOB][1], "set calendar on")
        yield letters


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


def test_an_entry_says_when_the_turn_is_due_and_moves_with_it(letters: Correspondence) -> None:
    due = letters.clock() + timedelta(days=3)
    (reminder,) = letters.run_for(hours=36)
    uid, first, time, status = entry(reminder, "due.ics")
    assert (time, status) == (due, "CONFIRMED")
    (event,) = entries(reminder)["due.ics"].walk("VEVENT")
    assert str(event["SUMMARY"]) == "Quadrature #1: your turn against alice"
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


@pytest.mark.slow
def test_a_match_that_is_over_has_none(letters: Correspondence) -> None:
    letters.run_for(hours=1)
    letters.resign("alice")

    assert entry(letters.last("bob"), "played.ics")[3] == "CANCELLED"


@pytest.mark.slow
def test_a_message_about_several_matches_has_an_entry_for_each(letters: Correspondence) -> None:
    personal = letters.received[BOB][1]["Reply-To"].addresses[0].addr_spec
    letters.write(BOB, "set mail daily\nchallenge alice quadrature time=7d/move begin=me", to=personal)
    letters.reply(letters.last("alice"), "accept")
    (digest,) = (mail for mail in letters.run_for(hours=36) if str(mail["To"]) == BOB)

    events = entries(digest)["due.ics"].walk("VEVENT")
    assert [str(event["UID"]) for event in events] == ["match-1-1@pbem.example", "match-2-0@pbem.example"]


@pytest.mark.slow
def test_a_match_without_a_limit_has_no_entry(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        letters.match("challenge bob quadrature time=none")
        letters.reply(letters.received[BOB][1], "set calendar on")
        letters.reply(letters.last("alice"), "e3f4")

        assert entries(letters.last("bob")) == {}


def test_no_name_writes_into_an_entry(letters: Correspondence) -> None:
    """Names of players can't have such characters today; nothing depends on it."""
    hostile = "x\r\nATTENDEE:mailto:a@b.example\r\nEND:VEVENT;,\\\x00\u2028\u202e" + "z" * 200
    with Session(letters.server.engine) as session:
        match = session.get_one(Match, 1)
        bob = session.exec(select(Player).where(Player.name == "bob")).one()
        alice = Player(
            id=match.seat0 if match.seat1 == bob.id else match.seat1, name=hostile, address=ALICE, created=match.created
        )
        then = facts.MatchFacts({}, match, (alice, bob))
        (file,) = calendar.of([then], bob, letters.server.settings.server, letters.clock())

    (event,) = Calendar.from_ical(file.content).walk("VEVENT")
    assert {line.partition(b":")[0].decode() for line in file.content.splitlines() if line[:1] != b" "} == {
        *SENT_ONCE,
        "ORGANIZER",
        "TRANSP",
        "END",
    }
    assert max(map(len, file.content.splitlines())) <= 75
    assert "".join(letter for letter in hostile if letter.isprintable()) in str(event["SUMMARY"])
