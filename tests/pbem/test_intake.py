"""The key of a stored message is the same by every way in, and different for a different message."""

import pytest

from pbem.server.intake import key
from pbem.tokens import Keyring, Purpose, Token

RAW = b"From: a@b.example\nMessage-ID: <1@b.example>\nSubject: x\n\nc1b1\n"


def test_the_key_ignores_what_transport_adds() -> None:
    relayed = b"Return-Path: <a@b.example>\nReceived: from x\n\tby y\nDelivered-To: z\n" + RAW.replace(b"\n", b"\r\n")

    assert key(RAW, ()) == key(relayed, ())


@pytest.mark.parametrize(
    "other", [RAW.replace(b"c1b1", b"c1c2"), RAW.replace(b"<1@", b"<2@"), RAW.replace(b"a@", b"c@")]
)
def test_the_key_tells_different_mails_apart(other: bytes) -> None:
    assert key(RAW, ()) != key(other, ())


def test_the_key_tells_a_hidden_token_apart_and_only_that() -> None:
    token = "games+" + Keyring("a key").format(Token(Purpose.PLAY, 1, 1), 0) + "@x.example"
    open_to_all = b"To: " + token.encode() + b"\n" + RAW

    assert key(RAW, ("games@x.example",)) == key(RAW, ("games+tag@x.example",)) == key(RAW, ())
    assert key(RAW, (token,)) != key(RAW, ())
    assert key(open_to_all, (token,)) == key(open_to_all, ("games@x.example",))
