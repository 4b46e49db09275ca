"""How much memory a sender, or a server to which we send, can make us use."""

import contextlib
import socket
import threading
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal, Self

import pytest
from structlog.testing import capture_logs

from pbem.config import ListenSettings, SmtpSettings
from pbem.mail.transports.listener import USUAL, MailListener
from pbem.mail.transports.protocols import Arrival, NotAccepted
from pbem.mail.transports.smtp import SmtpOutbox
from pbem.mail.transports.smtp_data import BytesInFlight, MessageData
from tests.servers import GENEROUS, HOST, until
from tests.transports.talk import Talk

LIMIT = 1_000_000
BUFFERS = 10_000_000
"""More bytes than the buffers of two sockets hold."""
EMPTY_LINES = b"Subject: x\r\n\r\n" + b"\r\n" * 490_000


@contextlib.contextmanager
def listening(protocol: Literal["lmtp", "smtp"], **caps: int) -> Iterator[tuple[int, list[Arrival]]]:
    """Run a listener that keeps the messages it receives."""
    kept: list[Arrival] = []
    listener = MailListener(ListenSettings(port=0), protocol, LIMIT, lambda _: True, replace(USUAL, **caps))
    listener.start(kept.extend)
    try:
        yield listener.port, kept
    finally:
        listener.stop()


def test_a_message_of_empty_lines_costs_a_few_times_its_size() -> None:
    with listening("smtp") as (port, kept), Talk(port) as talk:
        talk.begin("a@game.test", hello="EHLO")
        tracemalloc.start()
        try:
            talk.tell(EMPTY_LINES + b".")
            assert talk.hear().startswith("250")
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert kept[0].raw == EMPTY_LINES
    assert peak < 5 * len(EMPTY_LINES)  # with an object for each line, it would be 70 times


@pytest.mark.parametrize("protocol", ["lmtp", "smtp"])
def test_all_that_arrives_at_once_is_bounded(protocol: Literal["lmtp", "smtp"]) -> None:
    """A sender beyond the limit is told to try later, in LMTP once per recipient, and succeeds then."""
    half = b"Subject: x\r\n\r\n" + b"y" * 70 + (b"\r\n" + b"y" * 70) * 9_000
    hello, replies = ("LHLO", 2) if protocol == "lmtp" else ("EHLO", 1)
    with listening(protocol, bytes_in_flight=LIMIT) as (port, kept), Talk(port) as first, Talk(port) as second:
        first.begin("a@game.test", "b@game.test", hello=hello)
        first.tell(half)
        second.begin("a@game.test", "b@game.test", hello=hello)
        with capture_logs() as logs:
            answers: list[str] = []
            while not answers or answers[0].startswith("250"):  # until all of the first half is there
                answers = []
                second.tell(half + b"\r\n.")
                answers = [second.hear() for _ in range(replies)]
                assert second.say("MAIL FROM:<ann@example.org>").startswith("250")
                for to in "ab":
                    assert second.say(f"RCPT TO:<{to}@game.test>").startswith("250")
                assert second.say("DATA").startswith("354")
        assert [answer[:9] for answer in answers] == ["452 4.3.1"] * replies
        assert [entry["event"] for entry in logs] == ["too much mail at once"]
        kept.clear()
        first.tell("\r\n.")
        assert [first.hear()[:3] for _ in range(replies)] == ["250"] * replies
        second.tell(half + b"\r\n.")
        assert [second.hear()[:3] for _ in range(replies)] == ["250"] * replies
        until(lambda: len(kept) == 2, "both are stored")


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1_000])
def test_the_pieces_in_which_data_comes_make_no_difference(size: int) -> None:
    sent = b"\r\n.\r\r\n..\r\n...x\r\n\r\n.\n\r\n..\r\n.\r\nQUIT\r\n"
    flight = BytesInFlight(1_000)
    data = MessageData(most=100, longest_line=50, in_flight=flight)
    come = iter(sent[at : at + size] for at in range(0, len(sent), size))
    rest = next(rest for piece in come if (rest := data.take(piece)) is not None)
    assert rest + b"".join(come) == b"QUIT\r\n"
    assert data.content() == b"\r\n\r\r\n.\r\n..x\r\n\r\n\n\r\n.\r\n"
    data.release()
    assert flight.held == 0


class EndlessReply:
    """A server whose reply to a command never ends until the client hangs up; it counts what it could send."""

    def __init__(self, endless: str, line: bytes) -> None:
        self.sent = 0
        self._endless = endless
        self._line = line
        self._socket = socket.create_server((HOST, 0))
        self.port = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        client, _ = self._socket.accept()
        with client, client.makefile("rb") as lines, contextlib.suppress(OSError):
            client.settimeout(GENEROUS)
            said = "connect"
            while said and said != self._endless:
                replies = {"connect": b"220", "ehlo": b"250", "mail": b"250", "rcpt": b"250", "data": b"354"}
                client.sendall(replies.get(said, b"250") + b" ok\r\n")
                if said == "data":
                    while lines.readline() not in (b".\r\n", b""):
                        pass
                    said = "message"
                else:
                    said = lines.readline().decode().strip().partition(" ")[0].lower()
            while said and self.sent < 2 * BUFFERS:
                client.sendall(self._line)
                self.sent += len(self._line)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join()
        self._socket.close()


@pytest.mark.parametrize("line", [b"250-x" + b"y" * 1_000 + b"\r\n", b"250-" + b"y" * 9_000], ids=["lines", "a line"])
@pytest.mark.parametrize("endless", ["connect", "ehlo", "mail", "rcpt", "data", "message"])
def test_a_reply_without_end_is_read_up_to_a_bound(endless: str, line: bytes) -> None:
    with EndlessReply(endless, line) as server:
        outbox = SmtpOutbox(SmtpSettings(host=HOST, port=server.port, security="none"))
        with pytest.raises(NotAccepted) as caught:
            outbox.send("pbem@game.test", "ann@example.org", b"Subject: x\n\nc4\n")
        outbox.close()
    assert caught.value.later
    assert server.sent < BUFFERS
