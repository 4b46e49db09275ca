"""If the server is killed for any reason, no message suffers that didn't cause it."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from sqlmodel import select

from pbem import failpoints
from pbem.failpoints import Step
from pbem.isolated import Unavailable
from pbem.mail.reading.isolated_parser import IsolatedParser
from pbem.mail.transports.protocols import Arrival
from pbem.server import daemon, incoming_queue, sender
from pbem.server.daemon import Server
from pbem.server.sender import CRASHES_TOLERATED, LEASE
from pbem.server.suspects_handled_alone import Suspects
from pbem.storage import database
from pbem.storage.leases import new_holder
from pbem.storage.models import Incoming, IncomingState, Outgoing, OutgoingState
from tests.correspondence import Correspondence
from tests.operating.people import written
from tests.scenes import after, two_turns

pytestmark = after(two_turns)


def restarted(letters: Correspondence) -> Server:
    """Return the server as in a new process, which knows only the database."""
    server, holder = letters.server, new_holder()
    suspects = incoming_queue.work_queue(server.engine, new_holder(), are_suspect=True)
    daemon.void_leases(server.engine)
    return replace(
        server,
        desk=replace(server.desk, queue=incoming_queue.work_queue(server.engine, holder)),
        suspects=Suspects(replace(server.suspects.desk, queue=suspects), server.clock),
        sender=replace(server.sender, queue=sender.send_queue(server.engine, holder)),
    )


def killed_at_work(letters: Correspondence) -> int | None:
    """Let the server claim the next message, and end. Return the message's id."""
    server = restarted(letters)
    claimed = server.desk.queue.claim_next() or server.suspects.desk.queue.claim_next()
    return claimed[0].id if claimed else None


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


def test_a_message_is_never_put_aside_for_kills_of_the_server(letters: Correspondence) -> None:
    move = stored(letters, turn(letters, "3 f1g1 h7g7"))
    assert [killed_at_work(letters) for _ in range(20)] == [move] * 20
    assert restarted(letters).handle_waiting() == 1
    assert row(letters, move).state == IncomingState.DONE
    assert len(letters.execute("select * from ply")) > 0


def test_others_go_on_though_no_server_lives_as_long_as_a_process_takes_to_work_alone(letters: Correspondence) -> None:
    move = stored(letters, turn(letters, "3 f1g1 h7g7"))
    assert killed_at_work(letters) == move
    for life in range(5):
        other = stored(letters, written("bob@mail.example", "games@pbem.example", f"rules hexaphages {life}"))
        server = restarted(letters)
        assert server.handle_waiting(desk=server.desk) == 1
        assert row(letters, other).state == IncomingState.DONE
        assert (row(letters, move).state, row(letters, move).attempts) == (IncomingState.NEW, 1)
    assert restarted(letters).handle_waiting() == 1
    assert row(letters, move).state == IncomingState.DONE


def test_a_message_that_ends_each_process_that_works_on_it_alone_is_put_aside(
    letters: Correspondence, monkeypatch: pytest.MonkeyPatch
) -> None:
    poison = stored(letters, turn(letters, "say boom"))
    other = stored(letters, written("bob@mail.example", "games@pbem.example", "help"))
    assert killed_at_work(letters) == poison
    monkeypatch.setenv(failpoints.VARIABLE, Step.AUTHORISED)  # this process has looked for it long ago
    assert restarted(letters).handle_waiting() == 2
    aside = row(letters, poison)
    assert (aside.state, aside.verdict, aside.group) == (IncomingState.SHUNTED, "ended the server, 3 times", None)
    assert row(letters, other).state == IncomingState.DONE


FAILING = (
    "import sys; from pbem import isolated; from pbem.server import suspects_handled_alone as suspects;"
    "suspects.worker.handle = None;"
    "isolated.main(*map(int, sys.argv[4:7]), *sys.argv[7:])"
)
FAILS = f"exec {sys.executable} -P -c '{FAILING}' \"$@\""


@pytest.mark.parametrize("ended", ["kill -TERM $$", "exit 75", "kill -KILL $$", FAILS])
def test_a_message_waits_while_no_process_can_work_on_it_alone(
    letters: Correspondence, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ended: str
) -> None:
    """It is asked to end as the whole server is, has no database, or never began: that isn't the message's fault."""
    move = stored(letters, turn(letters, "3 f1g1 h7g7"))
    mine = stored(letters, turn(letters, "help"))
    other = stored(letters, written("bob@mail.example", "games@pbem.example", "help"))
    assert killed_at_work(letters) == move
    with monkeypatch.context() as context:
        python = tmp_path / "python"
        python.write_text(f"#!/bin/sh\n{ended}\n", encoding="ascii")
        python.chmod(0o700)
        context.setattr(sys, "executable", str(python))
        server = restarted(letters)
        assert [server.handle_waiting(), server.handle_waiting()] == [2, 0]
    assert [row(letters, number).state for number in (move, mine, other)] == ["new", "new", "done"]
    letters.execute("update incoming set leased_until = '2026-01-01'")
    assert server.handle_waiting() == 2
    assert [row(letters, number).state for number in (move, mine)] == ["done", "done"]


def test_no_attempt_is_counted_before_messages_can_be_read(
    letters: Correspondence, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Starting the parser takes most of the time after a start, and isn't the message's fault."""
    move = stored(letters, turn(letters, "3 f1g1 h7g7"))
    monkeypatch.setattr(sys, "executable", "/bin/false")
    server = restarted(letters)
    desk = server.desk
    server = replace(server, desk=replace(desk, services=replace(desk.services, parser=IsolatedParser())))
    with pytest.raises(Unavailable):
        server.handle_waiting()
    assert row(letters, move).attempts == 0


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
    sending = replace(restarted(letters).sender, outbox=outbox)
    try:
        while sending.send_next():
            pass
    except Killed:
        return True
    return False


def test_an_owed_message_is_never_given_up_for_kills_alone(letters: Correspondence) -> None:
    for name in ("ann", "bob", "cid"):
        stored(letters, written(f"{name}@else.example", "games@pbem.example", "help"))
    restarted(letters).handle_waiting()
    fatal = FatalFor("ann@else.example")

    assert [sends(letters, fatal) for _ in range(CRASHES_TOLERATED)] == [True] * CRASHES_TOLERATED
    assert not sends(letters, fatal), "it isn't due, and the others go out"
    assert fatal.taken == ["bob@else.example", "cid@else.example"]
    deaths = 0
    for _ in range(10):
        letters.clock.advance(minutes=LEASE.total_seconds() // 60 + 1)
        assert sends(letters, fatal), "a kill from outside costs it no more than a lease"
    for _ in range(7 * 3):
        letters.clock.advance(hours=8)
        deaths += sends(letters, fatal)
    assert deaths == 7 * 3, "it is tried several times a day"
    with database.read_only(letters.server.engine) as session:
        owed = session.exec(select(Outgoing).where(Outgoing.address == "ann@else.example")).one()
        assert (owed.state, owed.troubled is not None) == (OutgoingState.OWED, True)
        assert "ended" in (owed.error or "")

    letters.clock.advance(hours=5)
    assert not sends(letters, hop := FatalFor("nobody"))
    assert "ann@else.example" in hop.taken
    with database.read_only(letters.server.engine) as session:
        sent = session.exec(select(Outgoing).where(Outgoing.address == "ann@else.example")).one()
        assert (sent.state, sent.holder, sent.troubled) == (OutgoingState.SENT, None, None)
