"""Nobody gains time by having our messages refused, returned or collected."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from unittest.mock import patch

import pytest
from sqlmodel import Session

from pbem.mail.transports.protocols import NotAccepted
from pbem.matches.clock import timekeeping
from pbem.matches.clock.clock import Clock
from pbem.storage.models import Match
from tests.bounces import dsn
from tests.correspondence import Correspondence, correspondence, text

pytestmark = pytest.mark.sql

ALICE, BOB = "alice@mail.example", "bob@mail.example"
DAY = timedelta(days=1)


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    """Begin a match with three days for each turn, in which it's alice's turn."""
    with correspondence(tmp_path) as letters:
        letters.match("challenge bob quadrature time=3d/move begin=me")
        yield letters


def clock(letters: Correspondence) -> Clock:
    with Session(letters.server.engine) as session:
        found = timekeeping.clock_of(session.get_one(Match, 1))
    assert found is not None
    return found


def personal(letters: Correspondence, address: str) -> str:
    return str(letters.received[address][1]["Reply-To"].addresses[0].addr_spec)


def bounce_for_good(letters: Correspondence) -> None:
    for number in range(3):
        letters.deliver(b"Message-ID: <%d@mail.example>\n" % number + dsn(letters.carried(letters.last("bob"))))
        letters.run_for(days=1)
    assert letters.execute("select 1 from player where name = 'bob' and unreachable is not null")


@contextmanager
def refusing(letters: Correspondence, refused: str, *, later: bool) -> Iterator[None]:
    """Let the next hop refuse whatever is for that address."""
    deliver = letters.server.outbox.send

    def send(sender: str, address: str, raw: bytes) -> None:
        if address == refused:
            raise NotAccepted("no", later=later)
        deliver(sender, address, raw)

    with patch.object(letters.server.outbox, "send", side_effect=send):
        yield


def test_reports_that_quote_a_message_stop_no_clock(letters: Correspondence) -> None:
    """Anybody in Cc has seen the Message-ID, and its reader has."""
    begun = clock(letters)
    for number in range(3):
        letters.deliver(b"Message-ID: <%d@mail.example>\n" % number + dsn(letters.last("alice")))
        letters.run_for(hours=13)

    assert clock(letters).due == begun.due
    assert letters.execute("select bounces, unreachable from player where name = 'alice'") == [(0, None)]


@pytest.mark.parametrize("later", [True, False])
def test_who_plays_on_without_our_messages_has_no_more_time_for_it(letters: Correspondence, later: bool) -> None:
    """The next hop answers 451 or 550 for bob, who follows the match elsewhere."""
    to = personal(letters, BOB)
    with refusing(letters, BOB, later=later):
        for turn, answer in (("e3f4", "e9f8"), ("b3a3", "b9a9")):
            letters.reply(letters.last("alice"), turn)
            assert clock(letters).seat is None
            letters.write("bob@elsewhere.example", f"#1 {answer}", to=to)
        letters.reply(letters.last("alice"), "c3b4")

        assert clock(letters).due == letters.clock() + 3 * DAY
        letters.run_for(days=4)
        letters.reply(letters.last("alice"), "claim")
    assert letters.execute("select termination from match") == [("timeout",)]
    assert "differs" not in letters.operate("check").output


@pytest.mark.parametrize("address", [BOB, "bob@elsewhere.example"])
def test_who_plays_is_never_unreachable_and_gains_time_by_it_only_once(letters: Correspondence, address: str) -> None:
    to = personal(letters, BOB)
    for turn, answer in (("e3f4", "e9f8"), ("b3a3", "b9a9")):
        letters.reply(letters.last("alice"), turn)
        if turn == "b3a3":
            bounce_for_good(letters)
            assert clock(letters).seat is None
        letters.write(address, f"#1 {answer}", to=to)
        assert letters.execute("select bounces, unreachable from player where name = 'bob'") == [(0, None)]

    letters.reply(letters.last("alice"), "c3b4")
    bounce_for_good(letters)
    letters.reply(letters.last("alice"), "claim")

    assert letters.execute("select termination from match") == [("timeout",)]


@pytest.mark.parametrize("mail", ["daily", "batch"])
def test_the_time_of_a_turn_begins_when_it_is_collected(letters: Correspondence, mail: str) -> None:
    """The hour of bob's daily message has just passed."""
    letters.write(BOB, f"set mail {mail}\nset hour {letters.clock().hour}", to=personal(letters, BOB))
    letters.clock.advance(minutes=5)
    played = letters.clock()
    (told,) = letters.reply(letters.last("alice"), "e3f4")

    assert clock(letters).due == played + 3 * DAY
    assert f"bob's turn is due by {played + 3 * DAY:%a %-d %b, %H:%M} UTC." in " ".join(text(told).split())
    (news,) = letters.run_for(days=1)
    assert news["To"] == BOB
    assert clock(letters).due == played + 3 * DAY, "as alice was told"
    letters.run_for(days=2)
    letters.reply(letters.last("alice"), "claim")
    assert letters.execute("select state from match") == [("over",)]
