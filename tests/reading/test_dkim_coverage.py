"""A signature that our border server found valid isn't always enough to play a turn."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from pbem.config import ChecksSettings
from pbem.mail.reading.authentication import Authenticity, DomainCheck, aligned, check
from tests.correspondence import MORNING
from tests.effort import calls

OURS, HOME = "games@pbem.example", "mail.example"
NOW = MORNING
SETTINGS = ChecksSettings(authserv_id="mx.pbem.example")
PASSED = f"Authentication-Results: mx.pbem.example; dkim=pass header.d={HOME}\r\n"
SIGNATURE = (
    "DKIM-Signature: v=1; a=rsa-sha256; d=mail.example; s=games; h=from:to:subject:date:message-id; bh=x; b=y\r\n"
)


def letter(signature: str = SIGNATURE, **headers: str) -> bytes:
    """Return a message from alice whose signature the border found valid."""
    plain = {
        "From": f"Alice <alice@{HOME}>",
        "To": OURS,
        "Subject": "a turn",
        "Date": format_datetime(NOW),
        "Message-ID": f"<1@{HOME}>",
    }
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in (plain | headers).items())
    return f"{PASSED}{signature}{head}\r\n#1 b7d7 i2g2 3 d7d4 g2d2\r\n".encode()


def found(raw: bytes, now: datetime = NOW) -> DomainCheck:
    return check(raw, OURS, SETTINGS, now)


def test_a_signature_over_the_whole_message_proves_it() -> None:
    checked = found(letter())

    assert checked.finding is Authenticity.PASSED
    assert checked.proof is not None


def test_a_signer_vouches_for_its_own_domain_and_those_below_it() -> None:
    assert aligned(HOME, HOME)
    assert aligned(HOME, f"sub.{HOME}")
    for signer in ("ail.example", "", f"sub.{HOME}", "rnail.example", "evil.example", "example"):
        assert not aligned(signer, HOME), signer


def test_a_valid_signature_over_part_of_the_body_does_not_count() -> None:
    assert found(letter(SIGNATURE.replace("v=1;", "v=1; l=0;"))).proof is None


WEAK = {
    "an old algorithm": letter(SIGNATURE.replace("rsa-sha256", "rsa-sha1")),
    "a tag twice": letter(SIGNATURE.replace("v=1;", "v=1; d=evil.example;")),
    "a second type": letter(Content_Type="text/plain", content_type="text/html"),
    "a second one that covers less": letter(SIGNATURE + SIGNATURE.replace("subject:", "")),
    **{f"no {name}": letter(SIGNATURE.replace(f":{name}", "")) for name in ("to", "subject", "date", "message-id")},
}


def test_a_signature_that_does_not_cover_the_whole_does_not_count() -> None:
    assert {name: found(raw).proof for name, raw in WEAK.items()} == dict.fromkeys(WEAK)


def test_what_stands_behind_a_lone_cr_takes_the_pass_away() -> None:
    assert found(b"X-A: b\rSubject: #1 resign\r\n" + letter()).finding is Authenticity.UNKNOWN


def test_the_server_s_clock_decides_whether_a_signature_has_expired() -> None:
    end = datetime(2101, 1, 1, tzinfo=UTC)
    before, after = (end + timedelta(minutes=minutes) for minutes in (-1, 1))
    signature = SIGNATURE.replace("v=1;", f"v=1; x={int(end.timestamp())};")

    assert found(letter(signature, Date=format_datetime(end)), before).proof is not None
    assert found(letter(signature, Date=format_datetime(end)), after).proof is None


def test_a_message_to_somebody_else_or_from_last_week_proves_nothing() -> None:
    for mail in (
        letter(To="mallory@evil.example"),
        letter(Date=format_datetime(NOW - timedelta(days=3))),
        letter(Date=format_datetime(NOW + timedelta(days=3))),
        letter(Date="once upon a time"),
        letter(Date="Mon, 99 Jan 99999 99:99:99 +9999"),
    ):
        checked = found(mail)
        assert (checked.finding, checked.proof) == (Authenticity.PASSED, None)


def test_a_message_to_us_and_others_proves_and_its_replay_is_recognised() -> None:
    sent = letter(To=f"bob@{HOME}", Cc=f"PBeM <{OURS}>")
    again = sent.replace(b"From:", b"X-Coloured: differently\r\nFrom:", 1)

    assert found(sent).proof == found(again).proof
    assert found(sent).proof not in (None, found(letter(Message_ID=f"<2@{HOME}>")).proof)


HOSTILE = [
    b"",
    b"From: alice@mail.example",
    PASSED.encode() + b" \r\nFrom: alice@mail.example\r\nDKIM-Signature: a=b\r\n\r\n",
    letter(SIGNATURE.replace("b=y", "b=" + " \r\n " * 1_000 + "!")),
    letter("DKIM-Signature: ;\r\n" * 2_000),
]


@pytest.mark.parametrize("raw", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_messages_take_little_time(raw: bytes) -> None:
    assert calls(lambda: found(raw)) < 100_000
