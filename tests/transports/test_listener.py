"""The listeners for LMTP and SMTP, over real sockets."""

import contextlib
import logging
import smtplib
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

import pytest

import pbem.mail.transports.listener
from pbem.config import ListenSettings
from pbem.mail.transports.listener import USUAL, MailListener
from pbem.mail.transports.protocols import Arrival
from tests.servers import GENEROUS, HOST, until
from tests.transports.talk import Talk

LIMIT = 10_000
WORDS = b"Subject: x\r\n\r\nx\r\n"
END = "Subject: x\r\n\r\nx\r\n."


class Kept:
    """A store that can be made to fail or to wait."""

    def __init__(self) -> None:
        self.mails: list[Arrival] = []
        self.fails = False
        self.entered = threading.Event()
        self.go_on = threading.Event()
        self.go_on.set()

    def __call__(self, batch: tuple[Arrival, ...]) -> None:
        self.entered.set()
        self.go_on.wait(GENEROUS)
        if self.fails:
            raise RuntimeError(f"the database is down\n[parameters: {batch}]")
        self.mails += batch


@pytest.fixture
def kept() -> Kept:
    return Kept()


@contextlib.contextmanager
def listening(kept: Kept, protocol: Literal["lmtp", "smtp"], limit: int = LIMIT, **caps: Any) -> Iterator[MailListener]:
    accepts = lambda to: to.endswith("@game.test")  # noqa: E731
    listener = MailListener(ListenSettings(port=0), protocol, limit, accepts, replace(USUAL, **caps))
    listener.start(kept)
    try:
        yield listener
    finally:
        kept.go_on.set()
        listener.stop()


@pytest.fixture
def lmtp(kept: Kept) -> Iterator[int]:
    with listening(kept, "lmtp") as listener:
        yield listener.port


@pytest.fixture
def smtp(kept: Kept) -> Iterator[int]:
    with listening(kept, "smtp") as listener:
        yield listener.port


def deliver(port: int, raw: bytes = WORDS, to: str = "a@game.test", sender: str = "ann@example.org") -> None:
    """Deliver a message by LMTP."""
    with smtplib.LMTP(HOST, port, timeout=GENEROUS) as client:
        client.sendmail(sender, [to], raw)


def test_a_message_arrives_byte_for_byte_with_its_envelope(lmtp: int, kept: Kept) -> None:
    raw = b"Subject: x\r\n\r\n.dot\r\nFrom me\r\nspaces  \r\n\xe2\x94\x80 and \xff\r\n" + b"y" * 2000 + b"\r\n"
    deliver(lmtp, raw, "pbem+t0k@game.test")
    assert kept.mails == [Arrival(raw=raw, source="lmtp", sender="ann@example.org", recipients=("pbem+t0k@game.test",))]


MANY = tuple(f"{number}@game.test" for number in range(51))


@pytest.mark.parametrize(
    ("to", "replies", "recipients"),
    [
        (("a@game.test", "a@elsewhere.test", "b@game.test"), ("250", "550", "250"), ("a@game.test", "b@game.test")),
        (("a@game.test", "a@game.test"), ("250", "250"), ("a@game.test",)),
        (MANY, ("250",) * 50 + ("452",), MANY[:50]),
    ],
    ids=["accepted", "repeated", "at most fifty"],
)
def test_lmtp_answers_once_for_each_accepted_recipient(
    lmtp: int, kept: Kept, to: tuple[str, ...], replies: tuple[str, ...], recipients: tuple[str, ...]
) -> None:
    with Talk(lmtp) as talk:
        *answers, data = talk.begin(*to)
        assert tuple(answer[:3] for answer in answers) == replies
        assert data.startswith("354")
        talk.tell(END)
        assert {talk.hear()[:9] for _ in range(replies.count("250"))} == {"250 2.0.0"}
        assert talk.say("NOOP") == "250 OK"
    assert [mail.recipients for mail in kept.mails] == [recipients]


@pytest.mark.parametrize(("protocol", "hello", "answers"), [("lmtp", "LHLO", 2), ("smtp", "EHLO", 1)])
def test_a_failing_store_is_answered_with_try_later(
    kept: Kept, protocol: Literal["lmtp", "smtp"], hello: str, answers: int
) -> None:
    with listening(kept, protocol) as listener, Talk(listener.port) as talk:
        assert talk.hear().startswith("220")
        assert talk.say(f"{hello} tester").startswith("250")
        for kept.fails, code in ((True, "451 4.3.0"), (False, "250 2.0.0")):
            assert talk.mail("a@game.test", "b@game.test")[-1].startswith("354")
            talk.tell(END)
            assert [talk.hear()[:9] for _ in range(answers)] == [code] * answers
    assert len(kept.mails) == 1


def test_a_slow_store_holds_up_its_acknowledgement_and_no_other_connection(lmtp: int, kept: Kept) -> None:
    kept.go_on.clear()
    with Talk(lmtp) as slow, Talk(lmtp) as other:
        slow.begin("a@game.test")
        slow.tell(END)
        assert kept.entered.wait(GENEROUS)
        assert other.begin("a@game.test")[-1].startswith("354")
        assert not slow.has_heard()
        kept.go_on.set()
        assert slow.hear().startswith("250")


def test_a_client_that_hangs_up_does_not_undo_the_storing(kept: Kept) -> None:
    """And stopping waits for it."""
    kept.go_on.clear()
    with listening(kept, "lmtp") as listener, Talk(listener.port) as idle:
        assert idle.hear().startswith("220")
        with Talk(listener.port) as talk:
            talk.begin("a@game.test")
            talk.tell(END)
            assert kept.entered.wait(GENEROUS)
        until(lambda: len(listener.sessions) == 1, "the listener notices")
        stopping = threading.Thread(target=listener.stop)
        stopping.start()
        assert idle.hear().startswith("421 4.3.2")
        assert stopping.is_alive()
        kept.go_on.set()
        stopping.join(GENEROUS)
    assert len(kept.mails) == 1


def test_half_a_message_is_not_stored(lmtp: int, kept: Kept) -> None:
    with Talk(lmtp) as talk:
        talk.begin("a@game.test")
        talk.tell("Subject: x\r\n\r\nhalf a ma")
        talk.half_close()
        assert talk.hear() == ""
    assert kept.mails == []


@pytest.mark.parametrize("recipients", [1, 3])
@pytest.mark.parametrize(
    ("raw", "reply"),
    [
        (b"Subject: x\r\n\r\n" + (b"y" * 70 + b"\r\n") * 4200, "552 5.3.4 This server takes mails up to 292 KB"),
        (b"y" * 200_000 + b"\r\n", "500 5.6.0"),
    ],
    ids=["a large message", "a long line"],
)
def test_what_is_over_a_limit_is_refused_once_for_each_recipient(
    kept: Kept, raw: bytes, reply: str, recipients: int
) -> None:
    with listening(kept, "lmtp", limit=300_000) as listener, Talk(listener.port) as talk:
        talk.begin(*(f"{n}@game.test" for n in range(recipients)))
        talk.tell(raw + b".")
        for _ in range(recipients):
            assert reply in talk.hear()
        assert talk.say("NOOP") == "250 OK"
    assert kept.mails == []


@pytest.mark.parametrize("end", [b"\n.\n", b"\n.\r\n", b"\r.\r", b"\r\n.\r", b"\r\n.\n", b"\r.\r\n"])
def test_no_message_is_smuggled_in_after_a_false_end(smtp: int, kept: Kept, end: bytes) -> None:
    """If two servers disagree about where a message ends, one sender can write in another's name."""
    smuggled = b"MAIL FROM:<victim@example.org>\r\nRCPT TO:<a@game.test>\r\nDATA\r\nresign"
    with Talk(smtp) as talk:
        assert talk.begin("a@game.test", hello="EHLO")[-1].startswith("354")
        answer = talk.say(b"Subject: x\r\n\r\nhello" + end + smuggled + b"\r\n.")
    assert answer[:1] in ("2", "4", "5")
    assert len(kept.mails) <= 1
    assert [arrival.sender for arrival in kept.mails] in ([], ["ann@example.org"])


def test_the_replies_of_a_session_do_not_tell_who_is_known(smtp: int) -> None:
    said = []
    for sender in ("player@mail.example", "nobody@elsewhere.example", ""):
        with Talk(smtp) as talk:
            said.append([*talk.begin("a@game.test", "a+x@game.test", "a@other.test", hello="EHLO", sender=sender)])
    assert said[0] == said[1] == said[2]


@pytest.mark.parametrize("address", [b"a\xff@b.example", b"a\x00b@b.example", b"a\x1b@b.example"])
def test_addresses_that_no_database_can_store_are_refused(smtp: int, address: bytes) -> None:
    with Talk(smtp) as talk:
        talk.hear()
        talk.say("EHLO tester")
        assert talk.say(b"MAIL FROM:<" + address + b">").startswith(("553", "501"))
        assert talk.say("MAIL FROM:<ann@example.org>").startswith("250")
        local = address.partition(b"@")[0]
        assert talk.say(b"RCPT TO:<" + local + b"@game.test>").startswith(("550", "553", "501"))


def test_a_failing_check_of_recipients_is_answered_with_try_later(kept: Kept) -> None:
    def broken(recipient: str) -> bool:
        raise RuntimeError(recipient)

    listener = MailListener(ListenSettings(port=0), "lmtp", LIMIT, broken)
    listener.start(kept)
    try:
        with Talk(listener.port) as talk:
            assert talk.begin("a@game.test")[0].startswith("451 4.3.0")
    finally:
        listener.stop()


def let_in(port: int, number: int, address: str = HOST) -> tuple[int, contextlib.ExitStack]:
    """Return how many of the connections from that address are admitted; the others are told to try later."""
    talks = contextlib.ExitStack()
    heard = [talks.enter_context(Talk(port, address)).hear() for _ in range(number)]
    assert all(answer.startswith(("220", "421 4.3.2")) for answer in heard)
    return sum(answer.startswith("220") for answer in heard), talks


def is_let_in(port: int, address: str = HOST) -> bool:
    with Talk(port, address) as talk:
        return talk.hear().startswith("220")


def test_connections_are_limited_in_total(kept: Kept) -> None:
    with (
        listening(kept, "lmtp", connections=100, per_address=30) as listener,
        contextlib.ExitStack() as all_,
    ):
        numbers = []
        for last in range(2, 9):
            number, talks = let_in(listener.port, 40, f"127.0.0.{last}")
            all_.enter_context(talks)
            numbers.append(number)
        assert numbers == [30, 30, 30, 10, 0, 0, 0]


def test_connections_are_limited_per_address_and_minute(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    with listening(kept, "smtp", per_minute=200) as listener:
        for number in range(210):
            assert is_let_in(listener.port) == (number < 200), number
        assert is_let_in(listener.port, "127.0.0.2")
        monkeypatch.setattr(pbem.mail.transports.listener, "MINUTE", 0.0)
        until(lambda: is_let_in(listener.port), "the next minute has begun")


@pytest.mark.parametrize("protocol", ["lmtp", "smtp"])
@pytest.mark.parametrize(
    "recipient",
    [
        "victim@elsewhere.test",
        "victim%elsewhere.test@relay.test",
        "victim@elsewhere.test@elsewhere.test",
        "@game.test:victim@elsewhere.test",
        '"victim@elsewhere.test"@elsewhere.test',
        "victim@[127.0.0.1]",
        "elsewhere.test!victim",
    ],
)
def test_nothing_is_relayed(kept: Kept, protocol: Literal["lmtp", "smtp"], recipient: str) -> None:
    with listening(kept, protocol) as listener, Talk(listener.port) as talk:
        answer, data = talk.begin(recipient, hello="LHLO" if protocol == "lmtp" else "EHLO")
        assert answer[0] == "5"
        assert data.startswith("503")
    assert kept.mails == []


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "mx.example.org"])
def test_other_machines_are_admitted_only_on_purpose(host: str) -> None:
    assert ListenSettings(port=0).host == "127.0.0.1"
    with pytest.raises(ValueError, match="host"):
        ListenSettings.model_validate({"port": 0, "host": host})
    assert ListenSettings(port=0, exposed_on=host).host == host


def test_commands_are_limited(smtp: int) -> None:
    with Talk(smtp) as talk:
        talk.hear()
        answers = [talk.say("VRFY ann") for _ in range(21)]
    assert answers[-1].startswith("421")
    assert not any(answer.startswith("421") for answer in answers[:-1])


def test_a_silent_client_is_cut_off(kept: Kept) -> None:
    with listening(kept, "lmtp", idle_seconds=0.2) as listener, Talk(listener.port) as talk:
        assert talk.hear().startswith("220")
        assert talk.hear() == ""


def test_what_aiosmtpd_hears_is_not_logged(lmtp: int, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        deliver(lmtp, b"Subject: x\r\n\r\nprivate\r\n", "pbem+s3cret@game.test")
    assert "s3cret" not in caplog.text
    assert "private" not in caplog.text


# Starting and stopping


def test_stopping_finishes_the_current_message_and_no_other(kept: Kept) -> None:
    kept.go_on.clear()
    with listening(kept, "lmtp") as listener, Talk(listener.port) as talk, Talk(listener.port) as idle:
        assert idle.hear().startswith("220")
        talk.begin("a@game.test")
        talk.tell(END)
        assert kept.entered.wait(GENEROUS)
        stopping = threading.Thread(target=listener.stop)
        stopping.start()
        assert idle.hear().startswith("421 4.3.2")
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((HOST, listener.port), timeout=GENEROUS)
        kept.go_on.set()
        assert talk.hear().startswith("250")
        assert talk.hear().startswith("421 4.3.2")
        assert talk.hear() == ""
        stopping.join(GENEROUS)
        assert not stopping.is_alive()
    assert len(kept.mails) == 1
