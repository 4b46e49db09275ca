"""DKIM signing: signatures verify, unless a word or a header is changed."""

import base64
import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.config import SmtpSettings
from pbem.conformance.server_harness import parsed
from pbem.mail.transports.smtp import SmtpOutbox
from pbem.secret_setting import BadConfig
from tests.correspondence import ADDRESS, correspondence, text
from tests.servers import HOST, SmtpSink

dkim = pytest.importorskip("dkim")

Dns = Callable[..., bytes]


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A private key, generated as deploy/dkim.md says."""
    path = tmp_path_factory.mktemp("dkim") / "dkim.pem"
    subprocess.run(["openssl", "genrsa", "-out", str(path), "2048"], check=True, capture_output=True)
    return path


@pytest.fixture(scope="module")
def dns(key: Path) -> Dns:
    """A DNS in which only our key is published."""
    command = ["openssl", "rsa", "-in", str(key), "-pubout", "-outform", "DER"]
    public = base64.b64encode(subprocess.run(command, check=True, capture_output=True).stdout)

    def answer(name: bytes, timeout: int = 5) -> bytes:
        return b"v=DKIM1; k=rsa; p=" + public if name == b"games1._domainkey.pbem.example." else b""

    return answer


def signing(key: object) -> str:
    return f'[outbox.dkim]\nselector = "games1"\nkey = {{ file = "{key}" }}'


def sent(folder: Path) -> bytes:
    """Return the last message, byte for byte."""
    return max((folder / "out" / "new").iterdir(), key=lambda path: (path.stat().st_mtime_ns, path.name)).read_bytes()


@pytest.fixture(scope="module")
def raw(key: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return a signed message about a turn."""
    folder = tmp_path_factory.mktemp("signed")
    with correspondence(folder, more=signing(key)) as letters:
        letters.match()
        letters.write("bob@mail.example", "games")
        letters.reply(letters.last("alice"), "1 a7b7 i3i2\n\nGrüße!")
        return next(
            path.read_bytes()
            for path in (folder / "out" / "new").iterdir()
            if b"alice played" in path.read_bytes() and b"List-Unsubscribe" in path.read_bytes()
        )


def test_outgoing_mail_verifies_also_after_what_mail_servers_do(raw: bytes, dns: Dns) -> None:
    """Relaxed canonicalisation: different white space and case of header names, and a Received header."""
    assert raw.startswith(b"DKIM-Signature:")
    assert dkim.verify(raw, dnsfunc=dns)
    signature = re.sub(rb"\s+", b"", raw[: raw.index(b"\r\nFrom:")])
    assert b";c=relaxed/relaxed;" in signature
    assert b";d=pbem.example;" in signature
    assert b";s=games1;" in signature
    assert b";l=" not in signature
    assert dkim.verify(b"Received: by mx.example\r\n" + raw.replace(b"\r\nSubject: ", b"\r\nsubject:   "), dnsfunc=dns)
    assert not dkim.verify(raw + b"resign\r\n", dnsfunc=dns), "nothing can be appended"


def test_any_message_is_signed_as_it_is_sent(key: Path, dns: Dns, tmp_path: Path) -> None:
    (tmp_path / "dos.pem").write_bytes(key.read_bytes().replace(b"\n", b"\r\n"))
    with correspondence(tmp_path, more=signing("dos.pem"), server='name = "Zoë"') as letters:
        letters.deliver(f"From: jörg@mail.example\nTo: {ADDRESS}\nMessage-ID: <1@x>\n\nhelp\n".encode())

    assert "jörg@mail.example".encode() in sent(tmp_path)
    assert dkim.verify(sent(tmp_path), dnsfunc=dns)


@pytest.mark.parametrize(
    ("there", "instead"),
    [
        (b"Your turn against", b"Not your turn against"),
        (b"\r\nFrom: ", b"\r\nFrom: Eve <eve@pbem.example>\r\nFrom: "),
        (b"\r\nSubject: ", b"\r\nSubject: resign\r\nSubject: "),
        (b"\r\nReply-To: PBeM <games+", b"\r\nReply-To: PBeM <eve+"),
        (b"\r\nTo: bob@", b"\r\nTo: eve@"),
        (b"\r\nList-Unsubscribe: <mailto:games", b"\r\nList-Unsubscribe: <mailto:eve"),
        (b"\r\nContent-Type: ", b"\r\nContent-Type: text/html\r\nContent-Type: "),
    ],
)
def test_modified_mail_does_not_verify(raw: bytes, dns: Dns, there: bytes, instead: bytes) -> None:
    assert there in raw
    assert not dkim.verify(raw.replace(there, instead, 1), dnsfunc=dns)


RSA = "-----BEGIN RSA PRIVATE KEY-----\n%s\n-----END RSA PRIVATE KEY-----\n"


@pytest.mark.parametrize(
    ("pem", "more", "words"),
    [
        ("no key at all", signing("bad.pem"), r"outbox\.dkim.* RSA"),
        (RSA % "AAAA", signing("bad.pem"), r"outbox\.dkim.* RSA"),
        ("", signing("nowhere.pem"), r"nowhere\.pem"),
        ("", signing("bad.pem").replace("games1", "a\\r\\nX: y"), r"outbox\.dkim\.selector"),
    ],
)
def test_what_can_not_sign_is_refused_at_the_start(pem: str, more: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.pem"
    path.write_text(pem, encoding="ascii")
    with pytest.raises(BadConfig, match=words), correspondence(tmp_path, more=more):
        pass


def test_a_signature_that_fails_costs_no_mail(tmp_path: Path) -> None:
    """The message stays owed, and the others are sent."""
    attempts: list[bytes] = []

    def sign(raw: bytes) -> bytes:
        attempts.append(raw)
        if len(attempts) == 1:
            raise ValueError("a bug")
        return raw

    with correspondence(tmp_path) as letters:
        letters.server = replace(letters.server, sender=replace(letters.server.sender, sign=sign))
        (tmp_path / "out" / "new").mkdir(parents=True)
        assert letters.write("alice@mail.example", "help") == []
        assert len(letters.write("bob@mail.example", "help")) == 1
        (late,) = letters.wait(minutes=1)

    assert late["To"] == "alice@mail.example"


@pytest.mark.parametrize("board", ["ascii", "unicode"])
def test_a_signature_outlives_a_server_that_takes_seven_bits_only(
    board: str, key: Path, dns: Dns, tmp_path: Path, smtp_sink: Callable[..., SmtpSink]
) -> None:
    """A server that had to convert eight bits would break it (RFC 6376, 5.3)."""
    sink = smtp_sink("-8", "-p", "-N", "-E")
    with correspondence(tmp_path, more=signing(key), server='name = "Zoë"') as letters:
        letters.match()
        letters.say("bob", f"set board {board}")
        letters.reply(letters.last("alice"), "1 a7b7 i3i2\n\nGrüße, Ørjan!")
        raw = sent(tmp_path)
        out = SmtpOutbox(SmtpSettings(host=HOST, port=sink.port, security="none"))
        out.send(ADDRESS, "bob@mail.example", raw)
        out.close()

    assert raw.isascii()
    (taken,) = sink.taken()
    assert "Grüße, Ørjan!" in text(parsed(raw))
    signed = taken[taken.index(b"DKIM-Signature:") :].replace(b"\r\n", b"\n")
    assert dkim.verify(signed.replace(b"\n", b"\r\n"), dnsfunc=dns)
