"""Strangers' messages wait behind those of players, have a lower size limit, and keep their order."""

from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from pbem.mail.reading.limits import LARGEST_OF_STRANGERS
from pbem.mail.transports.protocols import Arrival
from pbem.server import daemon
from pbem.storage import database
from pbem.storage.models import Incoming, IncomingState, Lane
from pbem.storage.queue import Queue
from pbem.storage.sqlite import WriteTurns
from tests.correspondence import ADDRESS, Correspondence, settings
from tests.operating.people import written
from tests.query_plans import listened, scans
from tests.scenes import after, two_turns

pytestmark = after(two_turns)


LARGE = "help\n" + "x" * 70 + "\n"


def stored(
    letters: Correspondence, author: str, words: str = "help", to: str = ADDRESS, sender: str | None = None
) -> int:
    """Store a message without processing it. Return its id."""
    (number,) = letters.server.take((Arrival(written(author, to, words), "test", sender),))
    return number


def row(letters: Correspondence, number: int) -> Incoming:
    with database.read_only(letters.server.engine) as session:
        found = session.get_one(Incoming, number)
        assert found.content is not None, "which loads it"
        return found


def order(letters: Correspondence, queue: Queue | None = None) -> list[int]:
    """Process the waiting messages of the queue, or of all. Return their ids in the order of processing."""
    server, handled = letters.server, []
    queue = queue or server.desk.queue
    while claimed := queue.claim_next():
        handled += [each.id for each in claimed]
        with database.transaction(server.engine) as session:
            session.get_one(Incoming, handled[-1]).state = IncomingState.DONE
    return handled


def test_players_go_first(letters: Correspondence) -> None:
    strangers = [stored(letters, f"{n}@else.example") for n in range(30)]
    alice = stored(letters, "alice@mail.example")
    personal = letters.last("bob")["Reply-To"].addresses[0].addr_spec
    elsewhere = stored(letters, "bob@at-work.example", to=personal)
    with listened(letters.server.engine) as statements:
        assert order(letters) == [elsewhere, alice, *strangers]
    assert scans(letters.server.engine, statements) == {}


def test_replies_have_a_thread_of_their_own(letters: Correspondence) -> None:
    """None of the messages that anybody can send, forged in a player's name or not, delays a reply."""
    forged = stored(letters, "bob@mail.example", "resign 1")
    stranger = stored(letters, "x@else.example")
    reply = stored(letters, "bob@mail.example", to=letters.last("bob")["Reply-To"].addresses[0].addr_spec)
    for_replies, for_others = letters.server.desks
    assert order(letters, for_replies.queue) == [reply]
    assert order(letters, for_others.queue) == [forged, stranger]


def test_who_waits_too_long_for_the_write_lock_fails_as_with_sqlite() -> None:
    turns = WriteTurns(seconds=0)
    with turns.take(can_wait=False), pytest.raises(OperationalError, match="database is locked"):
        turns.take(can_wait=False).__enter__()
    with turns.take(can_wait=True):
        assert turns.waiting == []


def test_replies_have_a_parser_of_their_own(tmp_path: Path) -> None:
    with daemon.open_server(settings(tmp_path), upgrade=True) as server:
        for_replies, for_others = server.desks
        assert for_replies.services.parser is not for_others.services.parser


@pytest.mark.parametrize("tag", ["a" * 40, "caqaaacaaaaaaioz5qrumsbm6g2ygyuuncvkuy2a", "x"])
def test_a_token_that_is_none_makes_no_player(letters: Correspondence, tag: str) -> None:
    assert row(letters, stored(letters, "x@else.example", to=f"games+{tag}@pbem.example")).lane == Lane.STRANGERS


def test_the_order_of_a_sender_is_kept_when_a_stranger_becomes_a_player(letters: Correspondence) -> None:
    first = stored(letters, "carol@mail.example", "join carol")
    letters.execute("update player set address = 'carol@mail.example' where name = 'bob'")
    second = stored(letters, "Carol <CAROL@mail.example>", "challenge alice quadraphages")
    alice = stored(letters, "alice@mail.example")
    assert row(letters, second).lane == Lane.PLAYERS
    assert order(letters) == [alice, first, second]


def test_a_stranger_s_message_is_smaller(letters: Correspondence) -> None:
    limit = LARGEST_OF_STRANGERS
    words = LARGE * (limit // len(LARGE) + 1)
    big, small, alice, bounce = (
        stored(letters, "x@else.example", words),
        stored(letters, "y@else.example", "help"),
        stored(letters, "alice@mail.example", words),
        stored(letters, "mailer-daemon@else.example", words, sender=""),
    )
    assert row(letters, big).raw.endswith(b"\n\n")
    assert row(letters, big).size > limit > len(row(letters, big).raw)
    for number in (small, alice, bounce):
        assert row(letters, number).size == len(row(letters, number).raw)
    letters.server.handle_waiting()
    assert row(letters, big).verdict == "refused"
    ((told,),) = letters.execute(
        "select payload from outgoingcontent join outgoing on outgoing.id = outgoing where address = 'x@else.example'"
    )
    assert "larger than 250 KB" in str(told)
    assert "done" in (row(letters, small).verdict or "")
