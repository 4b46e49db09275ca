"""Raw messages as mail programs send them -> the lines that a person wrote."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notation.phages import QUADRAPHAGES
from pbem.commands import COMMANDS
from pbem.commands.syntax.mail import Reader
from pbem.reading.limits import Unreadable
from pbem.reading.message import read
from pbem.reading.text.normalize import to_ascii
from tests.corpora import CORPORA, bare

MAILS = Path(__file__).parent.parent / "mails"
NAMES = sorted(path.stem for path in MAILS.glob("*.eml"))


@pytest.mark.parametrize("name", NAMES)
def test_what_a_person_wrote_is_read_and_nothing_else(name: str) -> None:
    message = read((MAILS / f"{name}.eml").read_bytes(), None, ())

    assert (MAILS / f"{name}.txt").read_text(encoding="utf-8").splitlines() == list(message.lines)


@pytest.mark.parametrize("name", NAMES)
def test_no_reply_token_is_taken_for_a_person_s_words(name: str) -> None:
    """Not in any form of attribution; pieces of a token that was broken over two lines count too."""
    message = read((MAILS / f"{name}.eml").read_bytes(), None, ())
    token = message.recipients[0].partition("@")[0].removeprefix("games+")
    words = "".join("".join(message.lines).split()).lower()

    assert len(token) >= 39
    assert not [piece for at in range(len(token) - 8) if (piece := token[at : at + 9]) in words]


OTHERWISE = {
    "forwarded": [],
    "quote-only": [],
    "says-and-quotes": [("say", "I will write:")],
}
"""The mails that don't hold the turn, and the commands that they do."""


@pytest.mark.parametrize("name", NAMES)
def test_the_turn_is_found_and_nothing_else(name: str) -> None:
    message = read((MAILS / f"{name}.eml").read_bytes(), None, ())
    reading = Reader(COMMANDS, lambda number: "quadraphages", 1).read(message.subject, message.lines)
    found = [(line.command.name, line.words) for line in reading.commands]
    expected = (MAILS / f"{name}.txt").read_text(encoding="utf-8").splitlines()

    assert not any(line.malformed for line in reading.commands)
    if name in OTHERWISE:
        assert found == OTHERWISE[name]
    else:
        turn = " ".join(words for _, words in found)
        assert {verb for verb, _ in found} == {"move"}
        assert QUADRAPHAGES.parse(turn) == QUADRAPHAGES.parse("b1e1 h9e9 3 e9b9 e1e4")
        turns = {words for _, words in found}
        assert bare(reading.prose) == tuple(line for line in bare(expected) if to_ascii(line) not in turns)


@pytest.mark.parametrize("name", NAMES)
def test_sender_recipients_and_ids_are_read(name: str) -> None:
    message = read((MAILS / f"{name}.eml").read_bytes(), "bob@mail.example", ("Games@pbem.example",))

    assert message.sender == "bob@mail.example"
    assert message.recipients[0] == "games@pbem.example"
    assert message.recipients[1].startswith("games+caqaaac")
    assert message.message_id == f"<{name}@mail.example>"
    assert message.answers[0] == "<0ecd47fd880d1df9cdf6e0b1b8bde913@pbem.example>"
    assert message.answers[1] == "<e32c15dd34041f6df72e68cc779fc30a@pbem.example>"
    assert message.automatic is None


def test_every_mail_has_its_expected_lines() -> None:
    assert sorted(path.stem for path in MAILS.glob("*.txt")) == NAMES


@given(st.binary(max_size=2_000))
def test_any_bytes_give_a_message_or_unreadable(raw: bytes) -> None:
    try:
        message = read(raw, None, ())
    except Unreadable:
        return
    assert message.sender is None or "@" in message.sender


@pytest.mark.skipif(not CORPORA.is_dir(), reason="the third-party mails are not beside the project")
def test_third_party_mails_are_read_or_unreadable() -> None:
    readable = 0
    mails = [path for path in CORPORA.rglob("*") if path.suffix in (".eml", ".txt")]
    for path in mails:
        try:
            read(path.read_bytes(), None, ())
            readable += 1
        except Unreadable:
            continue

    assert readable > 0.9 * len(mails)


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
