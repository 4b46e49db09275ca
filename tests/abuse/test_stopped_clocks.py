"""Nobody gains time by having our messages refused, returned or collected."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import Session

from pbem.mail.transports.protocols import NotAccepted, Outbox
from pbem.matches.clock import timekeeping
from pbem.matches.clock.clock import Clock
from pbem.server.daemon import Server
from pbem.storage.models import Match
from tests.bounces import dsn
from tests.correspondence import Correspondence, correspondence

BOB = "bob@mail.example"
CONTROL = "challenge bob quadrature time=3d/move begin=me"
DAY = timedelta(days=1)


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    """Begin a match with three days for each turn, in which it's alice's turn."""
    with correspondence(tmp_path) as letters:
        letters.match(CONTROL)
        yield letters


def clock(letters: Correspondence) -> Clock:
    with Session(letters.server.engine) as session:
        found = timekeeping.clock_of(session.get_one(Match, 1))
    assert found is not None
    return found


def bounced(letters: Correspondence, name: str, raw: bytes, hours: int = 24) -> list[tuple[object, ...]]:
    """Let a report come three times, so far apart. Return what is known of the player then."""
    for number in range(3):
        letters.deliver(b"Message-ID: <%d@mail.example>\n" % number + raw)
        letters.run_for(hours=hours)
    return letters.execute(f"select bounces, unreachable is not null from player where name = '{name}'")


class Refusing:
    """A next hop that refuses what is for bob once he has begun to play."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self.refuses = False

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        if self.refuses and recipient == BOB:
            raise NotAccepted("no", later=False)
        self._outbox.send(sender, recipient, raw)

    def close(self) -> None:
        self._outbox.close()


def refusing(server: Server) -> Server:
    return replace(server, sender=replace(server.sender, outbox=Refusing(server.outbox)))


def test_reports_that_quote_a_message_stop_no_clock(letters: Correspondence) -> None:
    """Anybody in Cc has seen the Message-ID, and its reader has."""
    begun = clock(letters)

    assert bounced(letters, "alice", dsn(letters.last("alice")), hours=13) == [(0, False)]
    assert clock(letters).due == begun.due


def test_who_plays_on_without_our_messages_has_no_more_time_for_it(tmp_path: Path) -> None:
    """Bob follows the match elsewhere."""
    with correspondence(tmp_path, altered=refusing) as letters:
        letters.match(CONTROL)
        to = letters.received[BOB][1]["Reply-To"].addresses[0].addr_spec
        (question,) = letters.write("bob@elsewhere.example", "mute 1", to=to)
        letters.reply(question, "yes")
        hop = letters.server.outbox
        assert isinstance(hop, Refusing)
        hop.refuses = True
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


def test_who_plays_is_never_unreachable_and_gains_time_by_it_only_once(letters: Correspondence) -> None:
    to = letters.received[BOB][1]["Reply-To"].addresses[0].addr_spec
    letters.reply(letters.last("alice"), "e3f4")
    letters.write(BOB, "#1 e9f8", to=to)
    letters.reply(letters.last("alice"), "b3a3")
    assert bounced(letters, "bob", dsn(letters.carried(letters.last("bob")))) == [(3, True)]
    assert clock(letters).seat is None
    letters.write(BOB, "#1 b9a9", to=to)
    assert letters.execute("select bounces, unreachable from player where name = 'bob'") == [(0, None)]

    letters.reply(letters.last("alice"), "c3b4")
    bounced(letters, "bob", dsn(letters.carried(letters.last("bob"))))
    letters.reply(letters.last("alice"), "claim")

    assert letters.execute("select termination from match") == [("timeout",)]


@pytest.mark.parametrize("mail", ["daily", "batch"])
def test_the_time_of_a_turn_begins_when_it_is_collected(letters: Correspondence, mail: str) -> None:
    """The hour of bob's daily message has just passed."""
    letters.reply(letters.received[BOB][1], f"set mail {mail}\nset hour {letters.clock().hour}")
    letters.clock.advance(minutes=5)
    played = letters.clock()
    letters.reply(letters.last("alice"), "e3f4")
    assert clock(letters).due == played + 3 * DAY

    (news,) = letters.run_for(days=1)
    assert news["To"] == BOB
    assert clock(letters).due == played + 3 * DAY, "as alice was told"
