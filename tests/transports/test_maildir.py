"""Mail through Maildir folders."""

import mailbox
import os
from itertools import count
from pathlib import Path

import pytest

from pbem.config import MaildirSettings
from pbem.mail.transports.maildir import MaildirInbox, MaildirOutbox
from pbem.mail.transports.protocols import Arrival, NotAccepted

LIMIT = 10_000
HOUR = 3600.0


@pytest.fixture
def inbox(tmp_path: Path) -> MaildirInbox:
    return MaildirInbox(MaildirSettings(path=tmp_path / "in"), LIMIT)


@pytest.fixture
def new(tmp_path: Path) -> Path:
    folder = tmp_path / "in" / "new"
    folder.mkdir(parents=True)
    return folder


def take(inbox: MaildirInbox) -> list[Arrival]:
    mails = []
    for batch in inbox.fetch():
        mails += batch
        inbox.done(batch)
    return mails


def test_mail_is_read_byte_for_byte_and_moved_to_cur(inbox: MaildirInbox, new: Path) -> None:
    raw = b"Subject: x\n\nspaces  \r\n\xff\rno end"
    (new / "1.a").write_bytes(raw)
    assert list(inbox.fetch()) == [(Arrival(raw=raw, source="maildir 1.a"),)], "it comes again until it is done"
    assert take(inbox) == [Arrival(raw=raw, source="maildir 1.a")]
    assert (new.parent / "cur" / "1.a:2,S").read_bytes() == raw
    assert take(inbox) == []


def test_oldest_first_in_batches(inbox: MaildirInbox, new: Path) -> None:
    for number in range(120):
        (new / f"{number}.a").write_bytes(b"%d" % number)
        os.utime(new / f"{number}.a", (number, number))
    batches = list(inbox.fetch())
    assert [len(batch) for batch in batches] == [50, 50, 20]
    assert [mail.raw for batch in batches for mail in batch] == [b"%d" % number for number in range(120)]


def test_only_the_headers_are_kept_of_a_message_over_the_limit(inbox: MaildirInbox, new: Path) -> None:
    (new / "1.a").write_bytes(b"Subject: x\n\n" + b"y" * LIMIT)
    (mail,) = take(inbox)
    assert (mail.raw, mail.size) == (b"Subject: x\n\n", LIMIT + 12)


def test_new_mail_ends_a_wait(inbox: MaildirInbox, new: Path) -> None:
    (new / "old").write_bytes(b"x")
    list(inbox.fetch())
    looks = count(1)

    def stopped() -> bool:
        if next(looks) == 3:
            (new / "new").write_bytes(b"x")
        return False

    inbox.wait(HOUR, stopped)
    assert next(looks) == 4, "what the fetch has seen is not new"


def test_outgoing_mail_is_written_byte_for_byte(tmp_path: Path) -> None:
    out = MaildirOutbox(MaildirSettings(path=tmp_path / "out"))
    raws = [b"Subject: %d\n\nFrom me\n.\nspaces  \n\xff" % number for number in range(3)]
    for raw in raws:
        out.send("pbem@game.test", "ann@example.org", raw)
    out.close()
    files = sorted((tmp_path / "out" / "new").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    assert sorted(path.read_bytes() for path in files) == raws
    assert list((tmp_path / "out" / "tmp").iterdir()) == []
    assert len(mailbox.Maildir(tmp_path / "out", create=False)) == 3


def test_a_full_disk_is_not_sent_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    out = MaildirOutbox(MaildirSettings(path=tmp_path / "out"))
    with pytest.raises(NotAccepted, match="No space") as caught:
        out.send("a@b.example", "c@d.example", b"x")
    assert caught.value.later
    assert list((tmp_path / "out" / "tmp").iterdir()) == list((tmp_path / "out" / "new").iterdir()) == []
