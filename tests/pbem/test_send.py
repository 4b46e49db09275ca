"""Sending what is due: pauses stored in the database, and the same Message-ID each time."""

from dataclasses import replace
from datetime import datetime, timedelta

from sqlmodel import select

from pbem.mail.transports.protocols import NotAccepted, Outbox
from pbem.players import addresses_and_revocation
from pbem.process_vitals import Vitals
from pbem.server import sender as send
from pbem.storage import database, utc
from pbem.storage.models import Outgoing, OutgoingLane, OutgoingState, Player
from tests import scenes
from tests.correspondence import MORNING, Correspondence

OWED, SENT, FAILED = OutgoingState.OWED, OutgoingState.SENT, OutgoingState.FAILED


class Grudging:
    """A next hop that accepts messages only after a number of attempts."""

    def __init__(self, refusals: int) -> None:
        self.refusals = refusals
        self.offered: list[bytes] = []

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        """Refuse or accept the message."""
        self.offered.append(raw)
        if len(self.offered) <= self.refusals:
            raise NotAccepted("450 not now", later=True)

    def close(self) -> None:
        """Do nothing: there is no connection."""


def owe(letters: Correspondence, *names: str) -> None:
    """Queue one message to each, without attempts so far."""
    for name in names:
        letters.write(f"{name}@mail.example", "help")
    with database.transaction(letters.server.engine) as session:
        for row in session.exec(select(Outgoing)):
            row.state, row.attempts, row.due, row.created, row.sent = OWED, 0, MORNING, MORNING, None
            session.add(row)


def send_next(letters: Correspondence, outbox: Outbox, now: datetime) -> int:
    """Send what is due at that time to that next hop. Return the number of attempts."""
    return replace(letters.server.sender, outbox=outbox, clock=lambda: now).send_next()


def attempt(letters: Correspondence, outbox: Outbox, now: datetime) -> Outgoing:
    send_next(letters, outbox, now)
    with database.transaction(letters.server.engine) as session:
        return session.exec(select(Outgoing)).one()


def test_a_message_not_taken_is_due_again_later_and_later(letters: Correspondence) -> None:
    owe(letters, "alice")
    outbox, now, pauses = Grudging(4), MORNING, []
    for _ in range(4):
        row = attempt(letters, outbox, now)
        assert (row.state, row.error) == (OWED, "450 not now")
        pauses.append(row.due - now)
        attempt(letters, outbox, row.due - timedelta(seconds=1))
        now = row.due
    row = attempt(letters, outbox, now)

    assert pauses == sorted(set(pauses))
    assert (row.state, row.attempts, row.error, row.sent) == (SENT, 5, None, now)
    assert len(outbox.offered) == 5
    assert len(set(outbox.offered)) == 1  # the same bytes, including the Message-ID


@scenes.after(scenes.two_turns)
def test_a_message_tried_again_says_what_it_said(letters: Correspondence) -> None:
    """Even after a change of preferences, the end of the match, and an operator's retry, which is now."""
    outbox, now = Grudging(1), letters.clock()
    letters.execute("update outgoing set state = 'owed', sent = null where id = (select max(id) from outgoing)")
    send_next(letters, outbox, now)
    letters.execute("update player set name = 'zoe', settings = '{\"html\": \"off\"}', stopped = created where id = 2")
    letters.execute("update \"match\" set state = 'over', winner = 0, reason = 'zoe resigned'")
    (number,) = letters.rows("select id from outgoing where state = 'owed'")
    letters.execute("update outgoing set state = 'failed' where state = 'owed'")
    assert letters.operate("mail", "retry", "out", str(number)).exit_code == 0
    send_next(letters, outbox, utc.now())

    first, second = outbox.offered
    assert first == second
    assert b"X-PBeM-To-Move: " in first


@scenes.after(scenes.two_turns)
def test_a_message_that_changes_is_another_message(letters: Correspondence) -> None:
    """After `revoke`, a queued message gets new reply addresses, and a new Message-ID in case the old one arrived."""
    outbox, now = Grudging(1), letters.clock()
    letters.execute("update outgoing set state = 'owed', sent = null where id = (select max(id) from outgoing)")
    send_next(letters, outbox, now)
    with database.transaction(letters.server.engine) as session:
        (row,) = session.exec(select(Outgoing).where(Outgoing.state == OWED))
        addresses_and_revocation.revoke(session, session.get_one(Player, row.player))
    send_next(letters, outbox, now + timedelta(hours=1))

    ids = {raw.partition(b"\nMessage-ID: ")[2].partition(b"\r")[0] for raw in outbox.offered}
    assert len(ids) == len(set(outbox.offered)) == 2


def test_a_message_is_given_up_after_days_and_many_attempts(letters: Correspondence) -> None:
    owe(letters, "alice")
    outbox, now = Grudging(1000), MORNING
    while (row := attempt(letters, outbox, now)).state == OWED:
        now = row.due

    assert row.state == FAILED
    assert now - MORNING >= send.GIVE_UP_AFTER
    assert row.attempts > send.LEAST_ATTEMPTS


def test_a_message_is_not_given_up_after_days_in_which_no_server_ran(letters: Correspondence) -> None:
    owe(letters, "alice")
    outbox = Grudging(2)
    row = attempt(letters, outbox, MORNING)
    row = attempt(letters, outbox, MORNING + timedelta(days=30))
    assert (row.state, row.attempts) == (OWED, 2)
    row = attempt(letters, outbox, row.due)
    assert (row.state, row.attempts) == (SENT, 3)


class Slow:
    """A next hop that takes more than a minute for each message, while another daemon claims the last one."""

    def __init__(self, letters: Correspondence) -> None:
        self.letters = letters
        self.recipients: list[str] = []

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        """Accept the message."""
        self.recipients.append(recipient)
        self.letters.execute("update outgoing set holder = 'another' where address = 'carol@mail.example'")
        self.letters.clock.advance(seconds=send.RENEW_AFTER + 1)

    def close(self) -> None:
        """Do nothing: there is no connection."""


def test_what_another_daemon_has_claimed_meanwhile_is_not_sent_too(letters: Correspondence) -> None:
    """A claim is renewed before a message that goes out more than a minute after the last time."""
    owe(letters, "alice", "bob", "carol")
    letters.execute(f"update outgoing set lane = {OutgoingLane.SHORT.value}")
    outbox, vitals = Slow(letters), Vitals(lambda: letters.clock().timestamp())
    replace(letters.server.sender, outbox=outbox, clock=lambda: MORNING, vitals=vitals).send_next()

    assert outbox.recipients == ["alice@mail.example", "bob@mail.example"]
