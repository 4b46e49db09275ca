"""The key of a stored message is the same by every way in, and different for a different message."""

import pytest

from pbem.server.intake import key
from pbem.tokens import Keyring, Purpose, Token

RAW = b"From: a@b.example\nTo: games@pbem.example\nMessage-ID: <1@b.example>\nSubject: x\n\nsay hello\n"


SAME = [
    b"Return-Path: <a@b.example>\nReceived: from x\n\tby y\nDelivered-To: z\n" + RAW,
    b"X-Spam-Score: 1.7\nX-Spam-Flag: NO\n" + RAW,
    b"X-Virus-Scanned: by a\nReceived: from x\n\tby y\nARC-Seal: i=1\n" + RAW,
    RAW.replace(b"\nSubject: x\n", b"\nX-MS-Exchange-Organization-SCL: -1\nsubject:\n x\nX-Later: 1\n"),
    RAW.replace(
        b"To: games@pbem.example\nMessage-ID: <1@b.example>", b"Message-ID: <1@b.example>\nTo: games@pbem.example"
    ),
]


@pytest.mark.parametrize("other", SAME)
def test_what_transport_and_filters_add_makes_no_other_message(other: bytes) -> None:
    assert key(other, ()) == key(other.replace(b"\n", b"\r\n"), ()) == key(RAW, ())


@pytest.mark.parametrize(
    "other",
    [
        RAW.replace(b"hello", b"goodbye"),
        RAW.replace(b"a@b", b"c@b"),
        RAW.replace(b"<1@", b"<2@"),
        RAW.replace(b"Subject: x", b"Subject: [pbem #7] y"),
        RAW.replace(b"To: games@", b"To: games+token@"),
        *(
            sign + b"\n" + RAW
            for sign in (b"Auto-Submitted: auto-replied", b"Precedence: bulk", b"List-Id: x", b"X-Autoreply: yes")
        ),
    ],
)
def test_nobody_shuts_a_message_out_by_sending_it_first_with_another_meaning(other: bytes) -> None:
    assert key(other, ()) != key(RAW, ())


@pytest.mark.parametrize("raw", [b"a\n" * 490_000, b"\n" * 980_000, b"x: y\n" * 200_000 + b"\nhelp\n"])
def test_the_key_of_a_huge_header_block_is_made_without_taking_it_apart(raw: bytes) -> None:
    assert key(raw, ()) == key(raw, ()) != key(raw + b"x", ())


def test_the_key_tells_a_hidden_token_apart_and_only_that() -> None:
    token = "games+" + Keyring("a key").format(Token(Purpose.PLAY, 1, 1), 0) + "@x.example"
    open_to_all = RAW.replace(b"games@pbem.example", token.encode())

    assert key(RAW, ("games@x.example",)) == key(RAW, ("games+tag@x.example",)) == key(RAW, ())
    assert key(RAW, (token,)) != key(RAW, ())
    assert key(open_to_all, (token,)) == key(open_to_all, ("games@x.example",))
