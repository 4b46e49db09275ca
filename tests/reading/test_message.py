"""Raw messages as mail programs send them -> the lines that a person wrote."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notation.games import GAMES
from notation.phages import QUADRAPHAGES
from pbem.conversation.syntax.mail import Reader
from pbem.features.all import FEATURES
from pbem.mail.reading.limits import Unreadable
from pbem.mail.reading.message import Message, read
from pbem.mail.reading.text.normalize import to_ascii
from tests.corpora import bare

MAILS = Path(__file__).parent.parent / "mails"
MOVE = "c1b1 g9h9 3"
SENDER = "bob@mail.example"
NAMES = sorted(path.stem for path in MAILS.glob("*.eml"))


@pytest.fixture(scope="module")
def messages() -> dict[str, Message]:
    return {name: read((MAILS / f"{name}.eml").read_bytes(), SENDER, ("Games@pbem.example",)) for name in NAMES}


def test_what_a_person_wrote_is_read_and_nothing_else(messages: dict[str, Message]) -> None:
    for name, message in messages.items():
        assert (MAILS / f"{name}.txt").read_text(encoding="utf-8").splitlines() == list(message.lines), name


def test_no_reply_token_is_taken_for_a_person_s_words(messages: dict[str, Message]) -> None:
    """Not in any form of attribution; pieces of a token that was broken over two lines count too."""
    for name, message in messages.items():
        token = message.recipients[1].partition("@")[0].removeprefix("games+")
        words = "".join("".join(message.lines).split()).lower()

        assert len(token) >= 39, name
        assert not [piece for at in range(len(token) - 8) if (piece := token[at : at + 9]) in words], name


OTHERWISE = {
    "forwarded": [],
    "quote-only": [],
    "says-and-quotes": [("say", "I will write:")],
}
"""The mails that don't hold the turn, and the commands that they do."""


@pytest.mark.parametrize("name", NAMES)
def test_the_turn_is_found_and_nothing_else(name: str, messages: dict[str, Message]) -> None:
    message = messages[name]
    reading = Reader(FEATURES.commands, lambda number: GAMES["quadraphages"], 1).read(message.subject, message.lines)
    found = [(line.command.name, line.words) for line in reading.commands]

    assert not any(line.malformed for line in reading.commands)
    if name in OTHERWISE:
        assert found == OTHERWISE[name]
    else:
        turn = " ".join(words for _, words in found)
        assert {verb for verb, _ in found} == {"move"}
        assert QUADRAPHAGES.parse(turn) == QUADRAPHAGES.parse("b1e1 h9e9 3 e9b9 e1e4")
        turns = {words for _, words in found}
        assert bare(reading.prose) == tuple(line for line in bare(message.lines) if to_ascii(line) not in turns)


def test_sender_recipients_and_ids_are_read(messages: dict[str, Message]) -> None:
    for name, message in messages.items():
        assert message.sender == SENDER
        assert message.recipients[0] == "games@pbem.example"
        assert message.recipients[1].startswith("games+caqaaac"), name
        assert message.message_id == f"<{name}@mail.example>"
        assert message.answers[0] == "<0ecd47fd880d1df9cdf6e0b1b8bde913@pbem.example>", name
        assert message.answers[1] == "<e32c15dd34041f6df72e68cc779fc30a@pbem.example>", name
        assert message.automatic is None, name


@given(st.binary(max_size=2_000))
def test_any_bytes_give_a_message_or_unreadable(raw: bytes) -> None:
    try:
        message = read(raw, None, ())
    except Unreadable:
        return
    assert message.sender is None or "@" in message.sender


@pytest.mark.parametrize(
    ("header", "sender"),
    [
        (b"From: alice@mail.example", "alice@mail.example"),
        (b"From: =?utf-8?q?J=C3=B6rg?= <Joerg@Mail.Example>", "joerg@mail.example"),
        (b'From: "bob@mail.example" <eve@mail.example>', "eve@mail.example"),
        (b"From: alice@mail.example, bob@mail.example", None),
        (b"From: alice@mail.example\nFrom: bob@mail.example", None),
        (b"From: undisclosed:;", None),
        (b"From: ", None),
        (b"From: a@b.example\xff\xfe", None),
        (b"X: y", None),
    ],
)
def test_the_sender_is_one_plain_address_or_none(header: bytes, sender: str | None) -> None:
    assert sender == read(header + b"\n\nhelp\n", None, ()).sender


@pytest.mark.parametrize(
    ("header", "ids"),
    [
        (b"Message-ID: <a@b>", ("<a@b>",)),
        (b"Message-ID: <[x]@y>", ("<[x]@y>",)),
        (b"Message-ID: <a@[", ()),
        (b"Message-ID: <a b@c>", ()),
        (b"Message-ID: no brackets", ()),
        (b"Message-ID: <" + b"x" * 5000 + b"@y>", ()),
    ],
)
def test_only_a_well_formed_message_id_is_read(header: bytes, ids: tuple[str, ...]) -> None:
    assert read(header + b"\n\nhelp\n", None, ()).message_id == (ids[0] if ids else None)


# Machines, and headers that hide the sender ------------------------------------------------------

MACHINES = {
    "replying by itself": b"From: a@b.example\nAuto-Submitted: auto-replied\n",
    "no-reply": b"From: Shop <no-reply@shop.example>\n",
    "newsletter": b"From: <weekly-newsletter@shop.example>\n",
    "mailer-daemon": b"From: MAILER-DAEMON-2@shop.example\n",
    "postmaster": b"From: postmaster.eu@shop.example\n",
    "nobody with a name": b"From: MAILER-DAEMON <>\nSubject: Mail delivery failed\n",
    "no domain": b"From: Mail Delivery Subsystem <MAILER-DAEMON>\n",
    "away for some days": b"From: a@b.example\nSubject: Re: [pbem #1] Bob/Firm is out of the office (until 3 May)\n",
    "away, and brief": b"From: a@b.example\nSubject: Bob is out of office\n",
    "handed on too often": b"From: a@b.example\n" + b"Received: from c.example by d.example\n" * 101,
    "auto generated": b"From: a@b.example\nSubject: [AUTO GENERATED] Re: [pbem #1]\n",
    "auto-reply": b"From: a@b.example\nSubject: [Auto-Reply] Re: [pbem #1]\n",
    "loop alert": b"From: list-admin@b.example\nSubject: Loop Alert: dup message-id\n",
    "mail loop": b"From: a@b.example\nSubject: Possible mail loop\n",
    "its own loop mark": b"From: Desk <a@b.example>\nX-Loop: a@b.example\n",
    "an old list": b"From: a@b.example\nX-MLServer: fml [fml 4.0]\n",
    "complaint": b"From: a@b.example\nSubject: complaint about message from 192.0.2.1\n",
    "complaint, from Hotmail": b"From: a@b.example\nX-HmXmrOriginalRecipient: <bob@mail.example>\n",
    "feedback report": (
        b"From: a@b.example\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nresign\n"
        b"--b\nContent-Type: message/feedback-report\n\nFeedback-Type: abuse\n--b--\n"
    ),
    "delivery report": (
        b"From: a@b.example\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nresign\n"
        b"--b\nContent-Type: message/delivery-status\n\nAction: delayed\n\n--b--\n"
    ),
}
DELIVERY_REPORT = (
    b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nDid my turn reach her?\n"
    b"--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; b.example\n\nAction: failed\n"
    b"--b\nContent-Type: message/rfc822\n\nFrom: a@b.example\n\n1 a7b7 i3i2\n--b--\n"
)
MACHINES["delivery report, and a subject of its own"] = (
    b"From: a@b.example\nSubject: Failure: Re: x\n" + DELIVERY_REPORT
)
PERSONS = {
    "forwarding a delivery report": b"From: a@b.example\nSubject: Fwd: Undelivered Mail\n" + DELIVERY_REPORT,
    "replying with a delivery report": b"From: a@b.example\nSubject: Re: [pbem #1]\n" + DELIVERY_REPORT,
    "behind many hosts": b"From: a@b.example\n" + b"Received: from c.example by d.example\n" * 93,
    "an office": b"From: a@b.example\nSubject: My boss is out of the office; let's play\n".replace(b";", b" so"),
    "a name": b"From: bob.newman@mail.example\n",
    "replying": b"From: reply@mail.example\n",
    "a tag": b"From: a@b.example\nSubject: [Automatic] transmission\n",
    "a word": b"From: a@b.example\nSubject: Mail looping is what I fear\n",
    "a forwarder's loop mark": b"From: a@b.example\nX-Loop: games@pbem.example\n",
    "no feedback": b"From: a@b.example\nSubject: Complaint about my last move\n",
    "a forwarded bounce": (
        b"From: a@b.example\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nSee below\n"
        b"--b\nContent-Type: message/rfc822\n\nFrom: <>\nContent-Type: multipart/report; boundary=c\n\n--c\n"
        b"Content-Type: message/delivery-status\n\nAction: failed\n\n--c--\n--b--\n"
    ),
}


def parsed(raw: bytes) -> Message:
    return read(raw, None, ())


@pytest.mark.parametrize("kind", MACHINES)
def test_a_machine_is_recognised(kind: str) -> None:
    assert parsed(MACHINES[kind] + b"To: games@pbem.example\n\nresign\n" * (b"\n\n" not in MACHINES[kind])).automatic


@pytest.mark.parametrize("kind", PERSONS)
def test_a_person_is_no_machine(kind: str) -> None:
    message = parsed(PERSONS[kind] + b"To: games@pbem.example\n\nresign\n" * (b"\n\n" not in PERSONS[kind]))

    assert message.automatic is None
    assert message.sender is not None


@pytest.mark.parametrize(
    "raw",
    [
        b"\xef\xbb\xbfFrom: a@b.example\nTo: games@pbem.example\n\nresign\n",
        b"\nFrom: a@b.example\nTo: games@pbem.example\n\nresign\n",
        b"\r\n\r\nFrom: a@b.example\r\nTo: games@pbem.example\r\n\r\nresign\r\n",
        b"\xef\xbb\xbf\r\nFrom: a@b.example\r\nTo: games@pbem.example\r\n\r\nresign\r\n",
        b"Subject: a subject that was\nwrapped\nFrom: a@b.example\nTo: games@pbem.example\n\nresign\n",
        b"X-Filter: a very long verdict,\nwrapped; score=1\nFrom: a@b.example\nTo: games@pbem.example\n\nresign\n",
        b"From: a@b.example\nTo: games@pbem.example\nSubject: no blank line\nresign\n",
        b"From: a@b.example\nTo: games@pbem.example\nresign\n\nBye, and note: nothing\n",
    ],
)
def test_no_slip_in_the_headers_hides_the_sender_or_the_words(raw: bytes) -> None:
    message = parsed(raw)

    assert (message.sender, message.lines[0]) == ("a@b.example", "resign")


def test_a_second_sender_behind_a_broken_header_is_no_sender() -> None:
    assert parsed(b"From: a@b.example\nbroken\nFrom: c@d.example\n\nresign\n").sender is None


@pytest.mark.parametrize("name", ["Subject", "From", "Message-ID", "In-Reply-To", "Auto-Submitted"])
@pytest.mark.parametrize("word", ["=?utf-8?b?UmFmY?=", "=?utf-8?b?=C3?=", "=?utf-8?q?=?=", "=?x?b?UmFmYQ=?="])
def test_a_broken_encoded_word_hides_nothing(name: str, word: str) -> None:
    fields = {"From": "<bob@mail.example>", name: f"{word} <bob@mail.example>"}
    head = "".join(f"{field}: {value}\n" for field, value in fields.items())

    message = read(f"{head}\n{MOVE}\n".encode(), None, ())

    assert (message.sender, message.lines, message.error) == ("bob@mail.example", (MOVE,), None)


@pytest.mark.parametrize(
    "head",
    [
        f'Content-Type: application/pdf;\n name="{"a" * 9_000}"',
        f'Content-Type: application/pdf\nContent-Disposition: attachment; filename="{"a" * 9_000}"',
        f"Content-Type: text/plain\nContent-Description: {'a' * 9_000}",
        "Content-Type: image/png" + ";\n a=b" * 200,
    ],
)
def test_a_part_with_a_header_that_is_too_long_is_skipped_alone(head: str) -> None:
    raw = (
        "From: bob@mail.example\nContent-Type: multipart/mixed; boundary=b\n\n"
        f"--b\nContent-Type: text/plain\n\n{MOVE}\n--b\n{head}\n\nresign\n--b--\n"
    )

    message = read(raw.encode(), None, ())

    assert (message.lines, message.error) == ((MOVE,), None)
