"""Sending over SMTP to smtp-sink and a server with TLS: exact bytes, and whether a retry can help."""

import contextlib
import ssl
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, Envelope, LoginPassword

from pbem.config import ListenSettings, SmtpSettings, Tls
from pbem.mail.transports.listener import MailListener
from pbem.mail.transports.protocols import Arrival, NotAccepted, Patience
from pbem.mail.transports.smtp import SmtpOutbox
from tests.servers import HOST, SmtpSink, certificate, free_port, until

Sinks = Callable[..., SmtpSink]
HOUR = 3600.0
"""Longer than a test may take: what waits for that long fails."""
PATIENT, IMPATIENT = Patience(connect=HOUR, answer=HOUR), Patience(connect=0.3, answer=0.3)
MAIL = b"Subject: x\n\nc4\n"


@contextlib.contextmanager
def outbox(port: int, patience: Patience = PATIENT, **changes: Any) -> Iterator[SmtpOutbox]:
    values: dict[str, Any] = {"host": HOST, "port": port, "security": "none"}
    out = SmtpOutbox(SmtpSettings(**values | changes), patience=patience)
    try:
        yield out
    finally:
        out.close()


def send(out: SmtpOutbox, raw: bytes = MAIL, recipient: str = "ann@example.org") -> None:
    out.send("pbem@game.test", recipient, raw)


def refusal(out: SmtpOutbox, recipient: str = "ann@example.org") -> NotAccepted:
    with pytest.raises(NotAccepted) as caught:
        send(out, recipient=recipient)
    return caught.value


@pytest.fixture
def arrived() -> list[Arrival]:
    return []


@pytest.fixture
def server(arrived: list[Arrival]) -> Iterator[int]:
    """Our own listener, which stores what came over the wire."""
    listener = MailListener(ListenSettings(port=0), "smtp", 1_000_000, lambda _: True)
    listener.start(arrived.extend)
    yield listener.port
    listener.stop()


class Connections:
    """A handler for aiosmtpd that keeps messages and counts connections."""

    def __init__(self) -> None:
        self.mails: list[bytes] = []
        self.opened = 0

    async def handle_EHLO(  # noqa: N802
        self, server: Any, session: Any, envelope: Any, hostname: str, responses: list[str]
    ) -> list[str]:
        self.opened += 1
        session.host_name = hostname
        return responses

    async def handle_DATA(self, server: Any, session: Any, envelope: Envelope) -> str:  # noqa: N802
        self.mails.append(envelope.original_content or b"")
        return "250 Ok"


# What goes over the wire


HARD = (
    b"Subject: x\n\nFrom me\n>From you\n.\n..\n.dot\n-- \nspaces  \n\ttab\n"
    + "┌─┐ ÿ\n".encode()
    + b"\xff\x00\n"
    + b"y" * 998
    + b"\n."
    + b"z" * 997
    + b"\n\n\n"
)


def test_every_byte_arrives(server: int, arrived: list[Arrival]) -> None:
    with outbox(server) as out:
        send(out, HARD)
    assert [mail.raw for mail in arrived] == [HARD.replace(b"\n", b"\r\n")]
    assert [(mail.sender, mail.recipients) for mail in arrived] == [("pbem@game.test", ("ann@example.org",))]


@pytest.mark.parametrize(
    ("sender", "recipient"), [("", "ann@example.org"), ("pbem@game.test", "bøb@exämple.org")], ids=["null", "UTF-8"]
)
def test_unusual_addresses(server: int, arrived: list[Arrival], sender: str, recipient: str) -> None:
    with outbox(server) as out:
        out.send(sender, recipient, MAIL)
        send(out)
    assert [(mail.sender, mail.recipients) for mail in arrived] == [
        (sender, (recipient,)),
        ("pbem@game.test", ("ann@example.org",)),
    ]


@pytest.mark.parametrize(
    "recipient", ["a@b.example\r\nRCPT TO:<c@d.example>", "a@b.example\r\nRSET", "a>@b.example", "a\udcff@b.c"]
)
def test_a_malformed_address_is_not_sent(smtp_sink: Sinks, recipient: str) -> None:
    sink = smtp_sink()
    with outbox(sink.port) as out:
        assert not refusal(out, recipient=recipient).later
        send(out)
    assert len(until(sink.taken, "the other mail")) == 1


# What a server can answer


@pytest.mark.parametrize(
    ("faults", "later"),
    [
        (("-r", "RCPT"), True),
        (("-r", "."), True),
        (("-f", "RCPT"), True),  # 500 5.3.0: something is wrong with the server, not with the address
        (("-B", "550 5.1.1 No such user", "-f", "RCPT"), False),
        (("-B", "550 No", "-f", "RCPT"), False),
        (("-B", "552 5.2.2 Mailbox full", "-f", "RCPT"), True),
        (("-B", "554 5.7.1 Relay access denied", "-f", "RCPT"), True),
        (("-f", "CONNECT"), True),
        (("-f", "MAIL"), True),  # our own address is refused: the settings are wrong, not the message
        (("-B", "552 5.3.4 too big", "-f", "MAIL"), False),
        (("-q", "CONNECT"), True),
        (("-Q", "MAIL"), True),
        (("-q", "."), True),  # RFC 1047: it may have been accepted
    ],
    ids=str,
)
def test_whether_trying_later_can_help(smtp_sink: Sinks, faults: tuple[str, ...], later: bool) -> None:
    with outbox(smtp_sink(*faults).port) as out:
        for _ in range(2):
            assert refusal(out).later is later


@pytest.mark.parametrize("command", ["CONNECT", "EHLO", "MAIL", "RCPT", "DATA", "."])
def test_a_server_that_stalls(smtp_sink: Sinks, command: str) -> None:
    with outbox(smtp_sink("-W", f"{command}:{HOUR:.0f}").port, IMPATIENT) as out:
        assert refusal(out).later


# Several commands at once, where the server allows it


# The connection is kept for a while


@pytest.fixture
def counted() -> Iterator[Controller]:
    controller = Controller(Connections(), hostname=HOST, port=free_port())
    controller.start()
    yield controller
    controller.stop(no_assert=True)


def test_a_connection_that_the_server_closed_is_replaced(arrived: list[Arrival]) -> None:
    listener = MailListener(ListenSettings(port=0), "smtp", 1_000_000, lambda _: True)
    listener.start(arrived.extend)
    with outbox(listener.port) as out:
        send(out)
        listener.stop()
        listener.start(arrived.extend)
        send(out)
    listener.stop()
    assert len(arrived) == 2


def test_nothing_is_sent_twice_when_the_end_is_unclear(smtp_sink: Sinks) -> None:
    sink = smtp_sink("-q", ".")
    with outbox(sink.port) as out:
        assert refusal(out).later
    assert len(until(sink.taken, "smtp-sink writes the mail")) == 1


# TLS and login


def logged_in(server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
    good = isinstance(data, LoginPassword) and (data.login, data.password) == (b"pbem", b"secret")
    return AuthResult(success=good, handled=False)


@pytest.fixture(scope="module")
def cert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return certificate(tmp_path_factory.mktemp("cert"))[0]


@pytest.fixture(params=["tls", "starttls"])
def submission(request: pytest.FixtureRequest, cert: Path) -> Iterator[tuple[str, Controller]]:
    """A server that requires TLS, of either kind, and a login."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(cert, cert.with_name("key.pem"))
    ways: dict[str, Any] = {
        "tls": {"ssl_context": context, "auth_require_tls": False},
        "starttls": {"tls_context": context, "require_starttls": True},
    }
    controller = Controller(
        Connections(),
        hostname=HOST,
        port=free_port(),
        auth_required=True,
        authenticator=logged_in,
        **ways[request.param],
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Requiring AUTH")  # aiosmtpd doesn't recognise implicit TLS
        controller.start()
        yield request.param, controller
        controller.stop(no_assert=True)


def login(submission: tuple[str, Controller], cert: Path, **changes: Any) -> dict[str, Any]:
    account = {"username": "pbem", "password": {"value": "secret"}, "tls": Tls(ca_file=cert)}
    return {"security": submission[0], **account, **changes}


def test_tls_and_login(submission: tuple[str, Controller], cert: Path) -> None:
    with outbox(submission[1].port, **login(submission, cert)) as out:
        send(out)
        send(out)
    assert len(submission[1].handler.mails) == 2


@pytest.mark.parametrize(
    ("changes", "words"), [({"password": {"value": "hunter2"}}, "535"), ({"tls": Tls()}, "certificate")]
)
def test_a_failed_login_is_waited_out_and_reveals_nothing(
    submission: tuple[str, Controller], cert: Path, changes: dict[str, Any], words: str
) -> None:
    with outbox(submission[1].port, **login(submission, cert, **changes)) as out:
        error = refusal(out)
    assert error.later
    assert words in str(error)
    assert "hunter2" not in str(error)
    assert submission[1].handler.mails == []


def test_a_server_without_starttls_gets_no_password(counted: Controller) -> None:
    account = {"username": "pbem", "password": {"value": "secret"}}
    with outbox(counted.port, security="starttls", **account) as out:
        error = refusal(out)
    assert error.later
    assert "STARTTLS" in str(error)
