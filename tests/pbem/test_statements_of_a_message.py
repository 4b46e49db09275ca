"""Every statement and every commit that a message costs, with the reason for each: a list to be read.

The threads rest when the message arrives, as they mostly do, so it is handed from one to the next. Whoever adds a
statement adds it here with its reason, or finds one that already has those rows.
"""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from pbem.mail.transports.protocols import Arrival
from pbem.matches.snapshot import snapshot_of
from pbem.storage.database import read_only
from pbem.storage.facts import FIRST_TURNS
from pbem.storage.models import Match
from pbem.storage.queue import Queue
from tests import databases
from tests.correspondence import Correspondence, correspondence
from tests.servers import GENEROUS

pytestmark = pytest.mark.skipif(databases.kind() != "sqlite", reason="PostgreSQL locks rows by statements of their own")

Cost = tuple[str, str]
"""A statement, by what it does to which table, or COMMIT; and why it is there."""

CLAIM = re.compile(r"^WITH found AS .*^ UPDATE", re.DOTALL | re.MULTILINE)
"""How a claim begins: it looks for what is free."""
RECEIVED: list[Cost] = [
    ("SELECT player", "whose token it shows decides in which queue it waits"),
    ("INSERT incoming", "the message, unless it is known"),
    ("INSERT rawmessage", "its content, which is removed before its row"),
    ("UPDATE incoming found rawmessage", "the thread that rests gets it, with its content, and the attempt is counted"),
    ("COMMIT", "it isn't lost any more, so its carrier is told"),
]
BEGUN: list[Cost] = [
    ("SELECT incoming match player presence", "the message, if it is still this thread's, with the rows that it names"),
    ("SELECT incoming", "how much its author has sent within the hour"),
]
READ: list[Cost] = [
    ("SAVEPOINT", "a line that is refused leaves nothing behind"),
    ("SELECT ply", "the turns so far: the record is the truth"),
    ("INSERT ply", "the turn"),
]
STOPPED: list[Cost] = [
    ("SELECT outage clock", "outages take nobody's time"),
    ("INSERT clockevent", "when the turn was received, so that the clock can be replayed"),
    ("UPDATE match", "whose turn it is, and the clock"),
]
PREPARED: list[Cost] = [("SELECT prepared", "whether a turn of the opponent's follows by itself")]
QUEUED: list[Cost] = [
    ("SELECT outgoing", "the thread in which the reader's mail program shows it"),
    ("INSERT outgoing", "the message that is owed"),
    ("INSERT outgoingcontent", "what it says, which is removed before its row"),
]
QUEUED_AT_FIRST: list[Cost] = [
    QUEUED[0],
    ("SELECT match", "in the first six turns: whether the reader plays the game for the first time, and is told more"),
    *QUEUED[1:],
]
HANDLED: list[Cost] = [
    ("UPDATE incoming", "what became of the message"),
    ("UPDATE outgoing found", "the sender, which rests, gets what is due"),
    ("COMMIT", "the turn is played and its messages are owed, or neither"),
]
SENT: list[Cost] = [
    ("SELECT outgoing outgoingcontent", "what to send, if it is still this thread's"),
    ("SELECT ply takenback", "the turns that the boards show, once for both readers"),
    ("UPDATE outgoing", "they aren't sent again"),
]
HANDED_OVER: list[Cost] = [
    ("SAVEPOINT", "what was sent is marked as sent, even if no clock could begin"),
    ("SELECT match player", "the opponent was told, so their time begins, unless it runs"),
]
BEGAN: list[Cost] = [
    ("INSERT clockevent", "when that was"),
    ("UPDATE match", "when it is up, and when they are reminded"),
]
ENDED: list[Cost] = [("RELEASE", "all went well")]
MARKED: list[Cost] = [
    ("COMMIT", "after a crash before this, the same messages would go out again, under the same Message-IDs")
]


def test_a_turn_without_a_clock(tmp_path: Path) -> None:
    turn: list[Cost] = [*READ, *PREPARED, *QUEUED, ("UPDATE match", "whose turn it is"), *ENDED]
    costs = [*RECEIVED, *BEGUN, *turn, *QUEUED, *HANDLED, *SENT, *MARKED]
    with correspondence(tmp_path) as letters:
        letters.match("challenge bob quadraphages time=none")
        past_the_first_turns(letters)
        assert cost_of(letters, to_move(letters), turn_of(letters)) == [what for what, _ in costs]


def test_a_turn_on_the_clock_of_a_new_match(tmp_path: Path) -> None:
    turn = [*READ, *STOPPED, *PREPARED, *QUEUED_AT_FIRST, *ENDED]
    handed_over = [*HANDED_OVER, *BEGAN, *ENDED]
    costs = [*RECEIVED, *BEGUN, *turn, *QUEUED_AT_FIRST, *HANDLED, *SENT, *handed_over, *MARKED]
    with correspondence(tmp_path) as letters:
        letters.match()
        assert cost_of(letters, to_move(letters), turn_of(letters)) == [what for what, _ in costs]


def test_help_in_reply_to_a_turn(tmp_path: Path) -> None:
    asked: list[Cost] = [
        ("SELECT incoming", "what its author's other messages cost within the hour"),
        ("SELECT outgoing", "when they were answered the same: machines reply to every reply"),
    ]
    costs = [*RECEIVED, *BEGUN, *asked, *QUEUED_AT_FIRST, *HANDLED, *SENT, *HANDED_OVER, *ENDED, *MARKED]
    with correspondence(tmp_path) as letters:
        letters.match()
        assert cost_of(letters, to_move(letters), "help") == [what for what, _ in costs]


def past_the_first_turns(letters: Correspondence) -> None:
    """Play the turns in which the readers are told more."""
    for _ in range(FIRST_TURNS):
        letters.reply(to_move(letters), turn_of(letters))


def turn_of(letters: Correspondence) -> str:
    """Return a turn that is legal in the match now."""
    with read_only(letters.server.engine) as session:
        snapshot = snapshot_of(session, session.get_one(Match, 1))
        return snapshot.notation.format(next(snapshot.position.moves()), snapshot.position)


def to_move(letters: Correspondence) -> EmailMessage:
    """Return the message that tells one of the two that it is their turn."""
    return next(mail for name in ("alice", "bob") if "your turn" in (mail := letters.last(name))["Subject"])


def cost_of(letters: Correspondence, mail: EmailMessage, words: str) -> list[str]:
    """Reply to a message while all threads rest. Return the statements and commits until the answers are sent."""
    server, to = letters.server, mail["Reply-To"].addresses[0].addr_spec
    desk = server.desks[0]
    raw = f"From: {mail['To']}\nTo: {to}\nMessage-ID: <1@mail.example>\nSubject: Re: {mail['Subject']}\n\n{words}\n"
    with noted(server.engine) as found:
        with resting(desk.queue, server.sender.queue) as (worker, sender):
            server.take((Arrival(raw.encode(), "test", sender=str(mail["To"]), recipients=(to,)),))
            worker.join()
            server.handle_waiting(desk=desk)
            sender.join()
        assert server.sender.send_given() > 0
    return found


@contextmanager
def resting(*queues: Queue) -> Iterator[list[threading.Thread]]:
    """Have a thread rest at each queue, as those of a daemon do that have nothing to do."""
    for queue in queues:
        queue.is_ready = True
        queue.bell.clear()
    threads = [threading.Thread(target=queue.rest, args=(GENEROUS,)) for queue in queues]
    for thread in threads:
        thread.start()
    yield threads
    for queue, thread in zip(queues, threads, strict=True):
        queue.bell.set()
        thread.join()


@contextmanager
def noted(engine: Engine) -> Iterator[list[str]]:
    """Note each statement, by its tables, and each commit."""
    found: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        compared = statement.partition("WHERE")[2]
        assert "state = ?" not in compared, f"prepared anew each time, as an index names a state: {statement}"
        change = CLAIM.sub("UPDATE", statement)
        verb, *_rest = change.split(None, 1)
        tables = re.findall(r'\b(?:FROM|INTO|JOIN|UPDATE) "?([a-z]+)', change) if verb != "RELEASE" else ()
        found.append(" ".join([verb, *dict.fromkeys(tables)]))

    def commit(_connection: Any) -> None:
        found.append("COMMIT")

    event.listen(engine, "before_cursor_execute", note)
    event.listen(engine, "commit", commit)
    yield found
    event.remove(engine, "before_cursor_execute", note)
    event.remove(engine, "commit", commit)
