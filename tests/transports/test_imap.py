"""The IMAP inbox with a real Dovecot, and each way in which mailboxes are known to lose or repeat messages."""

import contextlib
import logging
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from imapclient import IMAPClient

import pbem.mail.transports.imap
from pbem.config import Tls
from pbem.mail.transports.imap import ImapInbox
from pbem.mail.transports.protocols import Arrival, Patience, ServerUnreachable
from tests.servers import FOREIGN_PASSWORD, GENEROUS, HOST, PASSWORD, Dovecot, Mailbox, until
from tests.transports.eavesdrop import Wire

pytestmark = pytest.mark.dovecot

LIMIT = 10_000
HOUR = 3600.0
"""Longer than a test may take: what waits for that long fails."""
PATIENT, IMPATIENT = Patience(connect=HOUR, answer=HOUR), Patience(connect=0.5, answer=0.5)
NEVER: Callable[[], bool] = lambda: False  # noqa: E731


def letter(name: str, body: str = "c4\r\n") -> bytes:
    return f"From: ann@example.org\r\nSubject: {name}\r\n\r\n{body}".encode()


@contextlib.contextmanager
def inbox(
    mailbox: Mailbox,
    wire: Wire | None = None,
    *,
    patience: Patience = PATIENT,
    idle_seconds: float = HOUR,
    poll_seconds: float = HOUR,
    **changes: Any,
) -> Iterator[ImapInbox]:
    settings = mailbox.settings(**({"port": wire.port, "security": "none"} if wire else {}) | changes)
    box = ImapInbox(settings, LIMIT, patience=patience, idle_seconds=idle_seconds, poll_seconds=poll_seconds)
    try:
        yield box
    finally:
        box.close()


def take(box: ImapInbox) -> list[Arrival]:
    """Fetch everything, and move it to the processed folder."""
    mails = []
    for batch in box.fetch():
        mails += batch
        box.done(batch)
    return mails


def subjects(mails: list[Arrival]) -> list[str]:
    return [name.decode() for mail in mails for name in re.findall(rb"(?m)^Subject: (.*)\r$", mail.raw)]


@contextlib.contextmanager
def other_client(mailbox: Mailbox) -> Iterator[Any]:
    with IMAPClient(HOST, mailbox.server.imap, ssl=False, timeout=GENEROUS) as client:
        client.login(mailbox.user, PASSWORD)
        client.select_folder("INBOX")
        yield client


class Waiting:
    """A wait in another thread."""

    def __init__(self, box: ImapInbox, seconds: float = HOUR) -> None:
        self.stop = threading.Event()
        self._wait = ThreadPoolExecutor(1).submit(box.wait, seconds, self.stop.is_set)

    def over(self) -> BaseException | None:
        """Return what the wait raised, once it is over."""
        try:
            return self._wait.exception(GENEROUS)
        finally:
            self.stop.set()


# Fetching and putting away


def test_a_message_is_read_byte_for_byte_and_moved(mailbox: Mailbox) -> None:
    raw = b"Subject: x\r\n\r\n.dot\r\nFrom me\r\nspaces  \r\n\xe2\x94\x80 and \xff\r\n" + b"y" * 998 + b"\r\n"
    mailbox.drop(raw, "1.a")
    with inbox(mailbox) as box:
        (mail,) = take(box)
    assert mail.raw == raw
    assert mail.size is None
    assert mail.source.startswith("imap INBOX ")
    assert mailbox.files() == []
    assert mailbox.raws("Processed") == [raw]


def test_batches_keep_the_order_of_arrival(mailbox: Mailbox) -> None:
    for number in range(120):
        mailbox.drop(letter(str(number)), f"{number + 1}.a")
    with inbox(mailbox) as box:
        batches = []
        for batch in box.fetch():
            batches.append(batch)
            box.done(batch)
    assert [len(batch) for batch in batches] == [50, 50, 20]
    assert subjects([mail for batch in batches for mail in batch]) == [str(n) for n in range(120)]
    assert mailbox.files() == []


def test_only_the_headers_are_read_of_a_message_over_the_limit(mailbox: Mailbox) -> None:
    big, small = letter("big", "y" * LIMIT), letter("small")
    mailbox.drop(big, "1.a")
    mailbox.drop(small, "2.a")
    with Wire(mailbox.server.imap) as wire, inbox(mailbox, wire) as box:
        first, second = take(box)
        assert b"FETCH 2 (BODY.PEEK[])" in wire.said
    assert (first.raw, first.size) == (letter("big", ""), len(big))
    assert (second.raw, second.size) == (small, None)
    assert len(mailbox.files("Processed")) == 2


def test_a_message_that_was_not_done_comes_again(mailbox: Mailbox) -> None:
    """The crash between store and done."""
    mailbox.deliver(letter("x"))
    with inbox(mailbox) as box:
        first = next(box.fetch())
    with inbox(mailbox) as box:
        assert take(box) == list(first)
        assert take(box) == []


def test_a_mail_expunged_by_another_client_is_skipped(mailbox: Mailbox) -> None:
    for number in range(60):
        mailbox.drop(letter(str(number)), f"{number + 1:02}.a")
    with inbox(mailbox) as box:
        fetching = box.fetch()
        first = next(fetching)
        with other_client(mailbox) as client:
            client.delete_messages([3, 55])
            client.uid_expunge([3, 55])
        box.done(first)
        (second,) = fetching
        box.done(second)
    assert subjects(list(second)) == [str(n) for n in range(50, 60) if n != 54]
    assert mailbox.files() == []


@pytest.mark.parametrize("is_readable", [False, True], ids=["it can't be read", "its size is wrong"])
def test_a_message_that_the_server_cannot_send_hides_no_other(mailbox: Mailbox, is_readable: bool) -> None:
    """Dovecot hangs up when such a message is fetched."""
    mailbox.drop(letter("0"), "0.a")
    if is_readable:
        mailbox.drop(letter("1", "y" * 2000), "1.a,S=10,W=10")
    else:
        mailbox.drop(letter("1"), "1.a").chmod(0)
    mailbox.drop(letter("2"), "2.a")
    seen: list[str] = []
    with inbox(mailbox) as box:
        for _ in range(4):
            with contextlib.suppress(ServerUnreachable):
                seen += subjects(take(box))
    assert [name for name in seen if name != "1"] == ["0", "2"]
    assert is_readable or len(mailbox.files()) == 1


# Where mail can't be moved as usual


def test_the_processed_folder_is_made_again_when_someone_deletes_it(mailbox: Mailbox) -> None:
    mailbox.deliver(letter("first"))
    with inbox(mailbox) as box:
        take(box)
        mailbox.remove_folder("Processed")
        mailbox.deliver(letter("second"))
        take(box)
    assert mailbox.files() == []
    assert len(mailbox.files("Processed")) == 1


def test_without_move_mail_is_copied_and_only_that_is_expunged(old_dovecot: Dovecot) -> None:
    mailbox = old_dovecot.mailbox()
    mailbox.deliver(letter("ours"))
    with Wire(old_dovecot.imap) as wire, inbox(mailbox, wire) as box:
        fetching = box.fetch()
        batch = next(fetching)
        mailbox.deliver(letter("marked by another client"))
        with other_client(mailbox) as client:
            client.delete_messages([2])
            box.done(batch)
            assert client.search("DELETED") == [2]
        assert b"MOVE" not in wire.said
    assert len(mailbox.files()) == 1
    assert len(mailbox.raws("Processed")) == 1, "the folder's name is made to fit the namespace"


def test_a_server_that_can_neither_move_nor_expunge_keeps_a_keyword(bare_dovecot: Dovecot) -> None:
    mailbox = bare_dovecot.mailbox()
    mailbox.deliver(letter("first"))
    with Wire(bare_dovecot.imap) as wire, inbox(mailbox, wire) as box:
        assert subjects(take(box)) == ["first"]
        mailbox.deliver(letter("second"))
        assert subjects(take(box)) == ["second"]
        assert b"EXPUNGE" not in wire.said
    with inbox(mailbox) as box:
        assert take(box) == []
    assert len(mailbox.files()) == 2


def test_mail_that_cannot_be_moved_now_is_marked_and_moved_later(mailbox: Mailbox) -> None:
    mailbox.deliver(letter("x"))
    with inbox(mailbox) as box:
        batch = next(box.fetch())
        processed = mailbox.files()[0].parents[1] / ".Processed"
        processed.chmod(0)
        box.done(batch)
        assert take(box) == []
        assert len(mailbox.files()) == 1
        processed.chmod(0o700)
    with inbox(mailbox) as box:
        assert take(box) == []
    assert mailbox.files() == []


def test_a_flood_is_read_in_windows(mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pbem.mail.transports.imap, "WINDOW", 3)
    for number in range(5):
        mailbox.drop(letter(str(number)), f"{number}.a")
    with inbox(mailbox) as box:
        assert subjects(take(box)) == ["0", "1", "2"]
        assert Waiting(box).over() is None
        assert subjects(take(box)) == ["3", "4"]
        assert Waiting(box, seconds=0.1).over() is None, "nothing more is there"


# UIDs that mean something else


def test_uids_from_before_a_change_of_uidvalidity_are_not_used(mailbox: Mailbox) -> None:
    mailbox.deliver(letter("first"))
    with inbox(mailbox) as box:
        take(box)
        mailbox.deliver(letter("second"))
        mailbox.deliver(letter("third"))
        old = next(box.fetch())
        box.close()
        mailbox.bump_uidvalidity()
        new = next(box.fetch())
        assert [mail.raw for mail in new] == [mail.raw for mail in old]
        assert [mail.source for mail in new] != [mail.source for mail in old]
        with pytest.raises(ServerUnreachable):
            box.done(old)
        assert len(mailbox.files()) == 2
        box.done(new)
    assert mailbox.files() == []


def test_a_change_of_uidvalidity_in_the_middle_loses_nothing(mailbox: Mailbox) -> None:
    stored: list[str] = []
    for number in range(3):
        mailbox.deliver(letter(str(number)))
    with inbox(mailbox) as box:
        batch = next(box.fetch())
        stored += subjects(list(batch))
        mailbox.bump_uidvalidity()
        mailbox.deliver(letter("3"))
        with contextlib.suppress(ServerUnreachable):
            box.done(batch)
        for _ in range(3):
            with contextlib.suppress(ServerUnreachable):
                stored += subjects(take(box))
    assert set(stored) == {"0", "1", "2", "3"}
    assert mailbox.files() == []
    processed = {raw.partition(b"Subject: ")[2] for raw in mailbox.raws("Processed")}
    assert processed == {f"{n}\n\nc4\n".encode() for n in range(4)}


# Waiting


def idling(wire: Wire, times: int = 1) -> None:
    until(lambda: wire.said.count(b"IDLE\r\n") >= times, "the client says IDLE")


@pytest.mark.parametrize("when", ["during an idle", "before it", "over TLS"])
def test_new_mail_ends_a_wait(mailbox: Mailbox, when: str) -> None:
    with Wire(mailbox.server.imap) as wire, inbox(mailbox, None if when == "over TLS" else wire) as box:
        take(box)
        if when == "before it":
            mailbox.deliver(letter("x"))
        waiting = Waiting(box)
        if when == "during an idle":
            idling(wire)
        if when != "before it":
            mailbox.deliver(letter("x"))
        assert waiting.over() is None
        assert subjects(take(box)) == ["x"]


@pytest.mark.parametrize("server", ["dovecot", "old_dovecot"])
def test_mail_announced_while_another_is_moved_is_noticed(request: pytest.FixtureRequest, server: str) -> None:
    """IDLE doesn't announce such a count again, and without IDLE the next poll would be in an hour."""
    mailbox = request.getfixturevalue(server).mailbox()
    mailbox.deliver(letter("first"))
    with Wire(mailbox.server.imap) as wire, inbox(mailbox, wire) as box:
        batch = next(box.fetch())
        mailbox.deliver(letter("second"))
        box.done(batch)
        assert Waiting(box).over() is None
        assert b" IDLE" not in wire.said  # a tag can be IDLE0
        assert subjects(take(box)) == ["second"]


def test_a_server_that_hangs_up_ends_the_wait(mailbox: Mailbox) -> None:
    """Here imapclient's idle_check() would return [] at once, forever."""
    with Wire(mailbox.server.imap) as wire, inbox(mailbox, wire) as box:
        take(box)
        waiting = Waiting(box)
        idling(wire)
        mailbox.kick()
        assert isinstance(waiting.over(), ServerUnreachable)
        with pytest.raises(ServerUnreachable):
            box.wait(HOUR, NEVER)
        mailbox.deliver(letter("x"))
        assert subjects(take(box)) == ["x"]


def test_a_frozen_server_ends_a_wait_a_fetch_and_a_connect(mailbox: Mailbox) -> None:
    acts: tuple[Callable[[ImapInbox], object], ...] = (lambda box: box.wait(HOUR, NEVER), take, take)
    with inbox(mailbox, patience=IMPATIENT, idle_seconds=0.3) as box:
        take(box)
        with mailbox.server.frozen():
            for act in acts:
                with pytest.raises(ServerUnreachable):
                    act(box)


@pytest.mark.parametrize("is_frozen", [False, True])
def test_stopping_ends_an_idle_also_with_a_frozen_server_and_closing_does_not_hang(
    mailbox: Mailbox, is_frozen: bool
) -> None:
    with Wire(mailbox.server.imap) as wire, inbox(mailbox, wire) as box:
        take(box)
        waiting = Waiting(box)
        idling(wire)
        with mailbox.server.frozen() if is_frozen else contextlib.nullcontext():
            waiting.stop.set()
            assert waiting.over() is None or is_frozen
            box.close()


def test_without_idle_the_folder_is_polled_until_stopped(old_dovecot: Dovecot) -> None:
    mailbox = old_dovecot.mailbox()
    with Wire(old_dovecot.imap) as wire, inbox(mailbox, wire, poll_seconds=0.2) as box:
        take(box)
        mailbox.deliver(letter("x"))
        assert Waiting(box).over() is None
        assert subjects(take(box)) == ["x"]
        assert b" IDLE" not in wire.said  # a tag can be IDLE0
        waiting = Waiting(box)
        waiting.stop.set()
        assert waiting.over() is None


# What reaches the server


def test_no_text_from_a_message_reaches_the_server(mailbox: Mailbox) -> None:
    """As a search word it would end the line, and begin a command that deletes a folder."""
    evil = b'Message-ID: <evil"\r\nX1 DELETE Processed\r\nX2 NOOP>\r\nSubject: evil\r\n\r\nevil\r\n'
    mailbox.drop(evil, "1.evil")
    mailbox.drop(b"Message-ID: <evil\nX1 DELETE Processed>\nSubject: evil\n\nevil\n" * 500, "2.evil")
    with Wire(mailbox.server.imap) as wire, inbox(mailbox, wire) as box:
        assert len(take(box)) == 2
        assert b"evil" not in wire.said
        assert b"DELETE" not in wire.said
    assert len(mailbox.files("Processed")) == 2


def test_only_uids_are_acted_upon_and_flags_are_left_alone(mailbox: Mailbox) -> None:
    mailbox.deliver(letter("x"))
    with Wire(mailbox.server.imap) as wire, inbox(mailbox, wire) as box:
        take(box)
    words = [line.split(b" ", 1)[1] for line in wire.said.split(b"\r\n") if b" " in line]
    assert any(line.startswith(b"UID MOVE") for line in words)
    for line in words:
        assert not line.startswith((b"FETCH", b"MOVE", b"COPY", b"STORE", b"SEARCH", b"EXPUNGE"))
        assert b"SEEN" not in line.upper()
        assert b"STORE" not in line


def test_what_imapclient_hears_is_not_logged(mailbox: Mailbox, caplog: pytest.LogCaptureFixture) -> None:
    mailbox.deliver(letter("private"))
    with caplog.at_level(logging.DEBUG), inbox(mailbox) as box:
        take(box)
    assert "private" not in caplog.text


# Connecting


def test_starttls_and_a_password_beyond_ascii(mailbox: Mailbox) -> None:
    mailbox.deliver(letter("x"))
    with Wire(mailbox.server.imap) as wire:
        with inbox(mailbox, wire, security="starttls", password={"value": FOREIGN_PASSWORD}) as box:
            assert subjects(take(box)) == ["x"]
        assert b"STARTTLS" in wire.said
        assert b"LOGIN" not in wire.said


def test_a_certificate_that_ends_soon_is_asked_for_again(mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server may have a new one long since, on a connection that lasts for weeks."""
    monkeypatch.setattr(pbem.mail.transports.imap, "ENDS_SOON", 30 * 86400.0)
    with Wire(mailbox.server.imap) as wire, inbox(mailbox, wire, security="starttls", idle_seconds=0.1) as box:
        take(box)
        assert box.certificate_ends is not None
        assert box.certificate_ends > time.time()
        box.wait(0.1, NEVER)
        take(box)
        assert wire.said.count(b"STARTTLS") == 2


@pytest.mark.parametrize(
    ("secure", "changes", "words"),
    [
        (True, {"tls": Tls()}, "certificate verify failed"),
        (False, {"tls": Tls(), "security": "starttls"}, "certificate verify failed"),
        (True, {"password": {"value": "hunter2"}}, "AUTHENTICATIONFAILED"),
        (True, {"password": {"file": "/nowhere/secret"}}, "/nowhere/secret"),
        (True, {"port": 1}, "refused"),
    ],
)
def test_why_a_login_fails_is_told_without_the_password(
    mailbox: Mailbox, secure: bool, changes: dict[str, Any], words: str
) -> None:
    port = mailbox.server.imaps if secure else mailbox.server.imap
    with inbox(mailbox, **{"port": port} | changes) as box, pytest.raises(ServerUnreachable, match=words) as caught:
        take(box)
    assert "hunter2" not in str(caught.value)
