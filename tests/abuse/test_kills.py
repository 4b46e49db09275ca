"""If the server is killed for any reason, no message suffers that didn't cause it."""

import sys
from dataclasses import replace

import pytest
from sqlmodel import select

from pbem.reading.protocol import Unavailable
from pbem.reading.sandbox import Sandbox
from pbem.server.attempts import Attempts
from pbem.server.daemon import Server
from pbem.server.sender import MOST, DeliveryResults, send_due
from pbem.storage import database
from pbem.storage.locks import Locks
from pbem.storage.models import Incoming, IncomingState, Outgoing, OutgoingState
from pbem.transports.protocols import Arrival
from tests.correspondence import Correspondence
from tests.operating.people import written


def restarted(letters: Correspondence) -> Server:
    """Return the server as in a new process, which knows only the database."""
    server = letters.server
    server.queue.release()
    return replace(
        server,
        services=replace(server.services, attempts=Attempts()),
        results=DeliveryResults(Locks(server.engine)),
    )


def killed_at_work(letters: Correspondence) -> int | None:
    """Let the server claim the next message, begin an attempt, and end. Return the message's id."""
    server = restarted(letters)
    number = server.queue.claim_next()
    if number is not None:
        server.services.attempts.begin(server.engine, number, letters.clock())
    server.queue.release()
    return number


def turn(letters: Correspondence, words: str) -> bytes:
    """Return alice's reply to her newest message."""
    return written("alice@mail.example", letters.last("alice")["Reply-To"].addresses[0].addr_spec, words)


def stored(letters: Correspondence, raw: bytes) -> int:
    """Store a message without processing it. Return its id."""
    (number,) = letters.server.take((Arrival(raw, "test"),))
    return number


def row(letters: Correspondence, number: int) -> Incoming:
    with database.read_only(letters.server.engine) as session:
        return session.get_one(Incoming, number)


def test_a_good_turn_survives_kills_soon_after_the_start(letters: Correspondence) -> None:
    move = stored(letters, turn(letters, "3 f1g1 h7g7"))
    assert [killed_at_work(letters) for _ in range(2)] == [move, move]
    for _ in range(20):
        letters.clock.advance(seconds=2)
        assert killed_at_work(letters) is None
    letters.clock.advance(seconds=30)
    assert restarted(letters).handle_waiting() == 1
    assert row(letters, move).state == IncomingState.DONE


def test_while_a_message_is_paused_others_go_first_but_not_those_of_its_author(letters: Correspondence) -> None:
    first = stored(letters, turn(letters, "3 f1g1 h7g7"))
    assert [killed_at_work(letters) for _ in range(2)] == [first, first]
    second = stored(letters, written("alice@mail.example", "games@pbem.example", "help"))
    other = stored(letters, written("bob@mail.example", "games@pbem.example", "help"))
    assert restarted(letters).handle_waiting() == 1
    assert [row(letters, number).state for number in (first, second, other)] == ["new", "new", "done"]
    letters.clock.advance(minutes=1)
    assert restarted(letters).handle_waiting() == 2
    assert [row(letters, number).state for number in (first, second)] == ["done", "done"]


def test_a_message_that_ends_the_server_whenever_it_is_tried_is_put_aside(letters: Correspondence) -> None:
    poison = stored(letters, turn(letters, "say boom"))
    for pause in (0, 0, 60):
        letters.clock.advance(seconds=pause)
        assert killed_at_work(letters) == poison
    assert restarted(letters).handle_waiting() == 1
    assert (row(letters, poison).state, row(letters, poison).author) == (IncomingState.SHUNTED, None)


def test_a_clock_that_is_set_back_prolongs_no_pause(letters: Correspondence) -> None:
    move = stored(letters, turn(letters, "3 f1g1 h7g7"))
    assert [killed_at_work(letters) for _ in range(2)] == [move, move]
    letters.clock.advance(days=-300)
    assert restarted(letters).handle_waiting() == 1


def test_no_attempt_is_counted_before_messages_can_be_read(
    letters: Correspondence, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Starting the parser takes most of the time after a start, and isn't the message's fault."""
    move = stored(letters, turn(letters, "3 f1g1 h7g7"))
    monkeypatch.setattr(sys, "executable", "/bin/false")
    server = restarted(letters)
    server = replace(server, services=replace(server.services, parser=Sandbox()))
    with pytest.raises(Unavailable):
        server.handle_waiting()
    assert (row(letters, move).attempts, row(letters, move).last_attempt) == (0, None)


class Killed(BaseException):
    """Raised where the process would end."""


class FatalFor:
    """A next hop that makes the server end when it sends to that address."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.taken: list[str] = []

    def send(self, _sender: str, recipient: str, _raw: bytes) -> None:
        if recipient == self.address:
            raise Killed
        self.taken.append(recipient)

    def close(self) -> None:
        """Do nothing: there is no connection."""


def sends(letters: Correspondence, outbox: FatalFor) -> bool:
    """Let the server send what is due until it ends. Return whether something ended it."""
    server = restarted(letters)
    parts = (server.engine, server.settings.server, server.renderer, outbox, server.results, letters.clock)
    try:
        while not send_due(*parts).is_last:
            pass
    except Killed:
        return True
    finally:
        server.results.locks.close()
    return False


@pytest.mark.slow
def test_an_owed_message_is_never_given_up_for_kills_alone(letters: Correspondence) -> None:
    for name in ("ann", "bob", "cid"):
        stored(letters, written(f"{name}@else.example", "games@pbem.example", "help"))
    restarted(letters).handle_waiting()
    fatal = FatalFor("ann@else.example")

    assert [sends(letters, fatal) for _ in range(MOST)] == [True] * MOST
    assert not sends(letters, fatal), "it isn't due, and the others go out"
    assert fatal.taken == ["bob@else.example", "cid@else.example"]
    deaths = 0
    for _ in range(7 * 3):
        letters.clock.advance(hours=8)
        deaths += sends(letters, fatal)
    assert deaths == 7 * 3, "it is tried several times a day"
    with database.read_only(letters.server.engine) as session:
        owed = session.exec(select(Outgoing).where(Outgoing.address == "ann@else.example")).one()
        assert (owed.state, owed.attempts, owed.troubled is not None) == (OutgoingState.OWED, 0, True)
        assert "ended" in (owed.error or "")

    letters.clock.advance(hours=5)
    assert not sends(letters, hop := FatalFor("nobody"))
    assert "ann@else.example" in hop.taken
    with database.read_only(letters.server.engine) as session:
        sent = session.exec(select(Outgoing).where(Outgoing.address == "ann@else.example")).one()
        assert (sent.state, sent.delivery_starts, sent.troubled) == (OutgoingState.SENT, 0, None)
