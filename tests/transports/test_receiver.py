"""The loop between a mailbox and the store loses nothing, even after failures."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from structlog.testing import capture_logs

import pbem.mail.transports.receive_loop
from pbem.config import MaildirSettings
from pbem.mail.transports.imap import ImapInbox
from pbem.mail.transports.maildir import MaildirInbox
from pbem.mail.transports.protocols import Arrival, NotStored, ServerUnreachable
from pbem.mail.transports.receive_loop import receive, receive_once
from tests.servers import GENEROUS, until

LIMIT = 10_000


class Shelf:
    """A store that can be made to refuse messages."""

    def __init__(self) -> None:
        self.mails: list[bytes] = []
        self.calls = 0
        self.refuses: Callable[[bytes], bool] = lambda _: False

    def __call__(self, batch: tuple[Arrival, ...]) -> None:
        self.calls += 1
        if any(self.refuses(mail.raw) for mail in batch):
            raise RuntimeError("the database is down")
        self.mails += [mail.raw for mail in batch]


class Daemon:
    """The loop in a thread, as the daemon runs it, but pauses are only recorded."""

    def __init__(self, inbox: MaildirInbox | ImapInbox, shelf: Shelf, most: int | None = None) -> None:
        self.pauses: list[float] = []
        self._stop = threading.Event()
        self._most = most
        self._thread = threading.Thread(
            target=receive, args=(inbox, shelf, self._stop.is_set, self._pause), daemon=True
        )
        self._thread.start()

    def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        if len(self.pauses) == self._most:
            self._stop.set()
        self._stop.wait(0.01)

    def stop(self) -> None:
        self._stop.set()
        self.ended()

    def ended(self) -> None:
        self._thread.join(GENEROUS)
        assert not self._thread.is_alive()


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def new(tmp_path: Path) -> Path:
    folder = tmp_path / "new"
    folder.mkdir()
    return folder


@pytest.fixture
def inbox(tmp_path: Path) -> MaildirInbox:
    return MaildirInbox(MaildirSettings(path=tmp_path), LIMIT)


def test_mail_is_stored_and_moved_until_stopped(inbox: MaildirInbox, new: Path, shelf: Shelf) -> None:
    (new / "1").write_bytes(b"one")
    daemon = Daemon(inbox, shelf)
    until(lambda: shelf.mails == [b"one"], "the first mail")
    (new / "2").write_bytes(b"two")
    until(lambda: shelf.mails == [b"one", b"two"], "the second mail")
    until(lambda: list(new.iterdir()) == [], "both are put away")
    daemon.stop()
    assert daemon.pauses == []


def test_while_the_store_fails_mail_stays_and_is_tried_again(
    inbox: MaildirInbox, new: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pbem.mail.transports.receive_loop, "FIRST_PAUSE", 0.01)
    for number in range(5):
        (new / str(number)).write_bytes(b"%d" % number)
    shelf.refuses = lambda _: shelf.calls < 20
    with capture_logs() as logs:
        daemon = Daemon(inbox, shelf)
        until(lambda: len(shelf.mails) == 5, "the store works again")
        until(lambda: list(new.iterdir()) == [], "all are put away")
        until(lambda: [log for log in logs if log["event"] == "receiving again"], "it is told")
        daemon.stop()
    assert sorted(shelf.mails) == [b"0", b"1", b"2", b"3", b"4"]
    assert daemon.pauses == [0.01]
    assert next(log for log in logs if log["event"] == "receiving interrupted")["lost"] == "store"
    assert len([log for log in logs if log["event"] == "receiving interrupted"]) == 1


def test_one_message_that_cannot_be_stored_holds_up_no_other(inbox: MaildirInbox, new: Path, shelf: Shelf) -> None:
    shelf.refuses = lambda raw: raw == b"poison"
    (new / "1").write_bytes(b"poison")
    for number in range(2, 5):
        (new / str(number)).write_bytes(b"good")
    daemon = Daemon(inbox, shelf)
    until(lambda: len(shelf.mails) == 3, "the others are stored")
    (new / "5").write_bytes(b"newcomer")
    until(lambda: b"newcomer" in shelf.mails, "and what comes later is, too")
    daemon.stop()
    assert [path.read_bytes() for path in new.iterdir()] == [b"poison"]


def test_an_unreachable_mailbox_is_retried_with_growing_pauses(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    inbox = MaildirInbox(MaildirSettings(path=tmp_path / "file"), LIMIT)
    with capture_logs() as logs:
        Daemon(inbox, shelf, most=12).ended()
        daemon = Daemon(inbox, shelf, most=12)
        daemon.ended()
    assert daemon.pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]
    assert len([log for log in logs if log["event"] == "receiving interrupted"]) == 2


def test_receive_once_carries_what_is_there_and_raises_what_goes_wrong(
    inbox: MaildirInbox, new: Path, shelf: Shelf, tmp_path: Path
) -> None:
    (new / "1").write_bytes(b"x")
    shelf.refuses = lambda _: True
    with pytest.raises(NotStored, match="database is down"):
        receive_once(inbox, shelf)
    assert len(list(new.iterdir())) == 1
    shelf.refuses = lambda _: False
    assert [receive_once(inbox, shelf), receive_once(inbox, shelf)] == [1, 0]
    (new / "1").write_bytes(b"x")
    with pytest.raises(ServerUnreachable):
        receive_once(MaildirInbox(MaildirSettings(path=tmp_path / "new" / "1"), LIMIT), shelf)
