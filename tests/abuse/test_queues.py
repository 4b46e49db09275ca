"""Strangers' messages wait behind those of players, have a lower size limit, and keep their order."""

import threading
from contextlib import AbstractContextManager
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
from tests import databases
from tests.correspondence import ADDRESS, Correspondence, settings
from tests.operating.people import written
from tests.query_plans import listened, scans
from tests.scenes import after, two_turns
from tests.servers import until

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


def test_replies_have_a_parser_of_their_own(tmp_path: Path) -> None:
    with daemon.open_server(settings(tmp_path), upgrade=True) as server:
        for_replies, for_others = server.desks
        assert for_replies.services.parser is not for_others.services.parser


@pytest.mark.skipif(databases.kind() != "sqlite", reason="only SQLite stores a message within its row")
def test_the_next_message_is_found_without_reading_past_those_that_wait(letters: Correspondence) -> None:
    with listened(letters.server.engine) as statements:
        letters.server.desk.queue.has_any()
        letters.server.desk.queue.claim_next()
    with database.read_only(letters.server.engine) as session:
        claims = [statement for statement in statements if "ix" not in statement and "FROM incoming" in statement]
        for statement in claims:
            plan = session.connection().exec_driver_sql(f"explain query plan {statement}", statements[statement])
            steps = " ".join(row[3] for row in plan)
            assert "INDEX ix_incoming_waiting (lane>? AND lane<?)" in steps
            assert "INDEX ix_incoming_group (group=? AND id<?)" in steps
            assert "TEMP B-TREE" not in steps
    assert len(claims) == 2


class Waiters:
    """Threads that want to write one after the other, and the order in which they could."""

    def __init__(self, turns: WriteTurns) -> None:
        self.order: list[str] = []
        self._turns = turns
        self._threads: list[threading.Thread] = []

    def add(self, name: str, *, can_wait: bool) -> None:
        """Start a thread, and return when it waits."""
        self._threads.append(threading.Thread(target=self._write, args=(name, can_wait)))
        self._threads[-1].start()
        until(lambda: len(self._turns.waiting) == len(self._threads), "it waits")

    def join(self) -> None:
        for thread in self._threads:
            thread.join()

    def _write(self, name: str, can_wait: bool) -> None:
        with self._turns.take(can_wait=can_wait):
            self.order.append(name)


def test_who_stores_mail_lets_all_others_write_first() -> None:
    """However much mail arrives at once, a reply and its answer wait for one transaction at most."""
    turns = WriteTurns()
    waiters = Waiters(turns)
    with turns.take(can_wait=False):
        for name, can_wait in (("mail 1", True), ("mail 2", True), ("a turn", False), ("its answer", False)):
            waiters.add(name, can_wait=can_wait)
    waiters.join()
    assert waiters.order == ["a turn", "its answer", "mail 1", "mail 2"]


def test_who_waits_too_long_for_the_write_lock_fails_as_with_sqlite() -> None:
    turns = WriteTurns(seconds=0)
    with turns.take(can_wait=False), pytest.raises(OperationalError, match="database is locked"):
        turns.take(can_wait=False).__enter__()
    with turns.take(can_wait=True):
        assert turns.waiting == []


@pytest.mark.skipif(databases.kind() != "sqlite", reason="PostgreSQL has no single write lock")
def test_mail_is_stored_when_nobody_else_wants_to_write(
    letters: Correspondence, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    take = WriteTurns.take

    def noted(turns: WriteTurns, *, can_wait: bool) -> AbstractContextManager[None]:
        asked.append(can_wait)
        return take(turns, can_wait=can_wait)

    monkeypatch.setattr(WriteTurns, "take", noted)
    stored(letters, "x@else.example")
    assert asked == [True]
    letters.server.handle_waiting()
    assert asked[1:]
    assert not any(asked[1:])


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


def test_the_author_of_a_message_is_forgotten_when_it_is_handled(letters: Correspondence) -> None:
    number = stored(letters, "x@else.example")
    assert row(letters, number).group == "x@else.example"
    letters.server.handle_waiting()
    assert row(letters, number).group is None


def test_a_message_wakes_only_the_thread_that_works_on_it(letters: Correspondence) -> None:
    """A thread that is woken for nothing looks for a message all the same."""
    author, personal = "bob@mail.example", letters.last("bob")["Reply-To"].addresses[0].addr_spec
    reply = Arrival(written(author, personal, "help"), "test")
    other = Arrival(written(author, ADDRESS, "help"), "test")
    stranger = Arrival(written("x@else.example", ADDRESS, "help"), "test")
    assert [woken(letters, *arrivals) for arrivals in ((reply,), (reply,), (other,), (stranger,))] == [
        [True, False],
        [False, False],  # it is here already
        [False, True],
        [False, True],
    ]
    again = Arrival(written(author, personal, "games"), "test"), Arrival(written(author, ADDRESS, "games"), "test")
    assert woken(letters, *again) == [True, True]


def woken(letters: Correspondence, *arrivals: Arrival) -> list[bool]:
    """Store messages. Return which of the two threads that work are woken."""
    bells = [desk.queue.bell for desk in letters.server.desks]
    for bell in bells:
        bell.clear()
    letters.server.take(arrivals)
    return [bell.is_set() for bell in bells]
