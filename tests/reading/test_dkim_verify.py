"""DKIM signatures, verified by ourselves: a signature that is valid for the RFC isn't always enough to play a turn."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from pbem.config import ChecksSettings
from pbem.mail.reading.authentication import Authenticity, Checked, check
from pbem.mail.reading.dkim_verify import aligned
from tests.correspondence import MORNING
from tests.effort import calls
from tests.signing import SIGNED, name_server, sign, zone

OURS = "games@pbem.example"
NOW = MORNING
SETTINGS = ChecksSettings(dkim=True)
HOME, EVIL = "mail.example", "evil.example"


@pytest.fixture(autouse=True, scope="module")
def names() -> Iterator[list[str]]:
    with name_server(zone(HOME, EVIL, "example", f"sub.{HOME}", "rnail.example")) as asked:
        yield asked


def letter(**headers: str) -> bytes:
    """Return an unsigned message from alice."""
    plain = {
        "From": f"Alice <alice@{HOME}>",
        "To": OURS,
        "Subject": "a turn",
        "Date": format_datetime(NOW),
        "Message-ID": f"<1@{HOME}>",
    }
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in (plain | headers).items())
    return f"{head}\r\n#1 b7d7 i2g2 3 d7d4 g2d2\r\n".encode()


def found(raw: bytes, now: datetime = NOW) -> Checked:
    return check(raw, OURS, SETTINGS, now)


@pytest.mark.slow
def test_a_signature_by_the_author_s_domain_passes_and_proves() -> None:
    checked = found(sign(letter(), HOME))

    assert checked.finding is Authenticity.PASSED
    assert checked.proof is not None


@pytest.mark.slow
def test_a_message_without_signature_is_unknown_and_needs_no_dns_query(names: list[str]) -> None:
    asked = len(names)

    assert found(letter()).finding is Authenticity.UNKNOWN
    assert found(sign(letter(), EVIL)).finding is Authenticity.UNKNOWN
    assert len(names) == asked


@pytest.mark.parametrize("line_end", [b"\r\n", b"\n"])
def test_a_top_level_domain_subdomain_or_sibling_may_not_sign(line_end: bytes) -> None:
    for domain in ("example", f"sub.{HOME}", "rnail.example", EVIL):
        assert found(sign(letter(), domain).replace(b"\r\n", line_end)).finding is Authenticity.UNKNOWN


def test_alignment_ends_at_a_dot() -> None:
    assert aligned(HOME, HOME)
    assert aligned(HOME, f"sub.{HOME}")
    assert not aligned("ail.example", HOME)
    assert not aligned("", HOME)


CHANGES = {
    "another turn": lambda raw: raw.replace(b"i2g2 3", b"i2g2 1"),
    "another subject": lambda raw: raw.replace(b"Subject: a turn", b"Subject: #1 resign"),
    "another author at the domain": lambda raw: raw.replace(b"alice@", b"bob@"),
    "another recipient": lambda raw: raw.replace(b"To: games@", b"To: other@"),
    "words below": lambda raw: raw + b"resign\r\n",
    "a from above": lambda raw: b"From: bob@mail.example\r\n" + raw,
    "a from below": lambda raw: raw.replace(b"\r\n\r\n", b"\r\nFrom: bob@mail.example\r\n\r\n", 1),
    "a second type": lambda raw: b"Content-Type: text/plain\r\nContent-Type: text/html\r\n" + raw,
    "a signature of nobody": lambda raw: raw.replace(b"d=mail.example", b"d=none.example"),
    "a header hidden behind a lone CR": lambda raw: b"X-A: b\rSubject: #1 resign\r\n" + raw,
    "an endless line": lambda raw: raw + b" " * 3_000 + b"\r\n",
    "a tag twice": lambda raw: raw.replace(b"DKIM-Signature: v=1;", b"DKIM-Signature: v=1; d=evil.example;"),
    "a part of the body": lambda raw: raw.replace(b"DKIM-Signature: v=1;", b"DKIM-Signature: v=1; l=0;"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_modified_message_does_not_pass(name: str) -> None:
    whole = sign(letter(), HOME)
    changed = CHANGES[name](whole)

    assert changed != whole
    assert found(whole).finding is Authenticity.PASSED
    assert found(changed).finding is Authenticity.UNKNOWN


def test_a_valid_signature_over_part_of_the_body_does_not_count() -> None:
    signed = sign(letter(), HOME, length=True)

    assert b"l=" in signed
    assert found(signed).finding is Authenticity.UNKNOWN
    assert found(signed + b"resign\r\n").finding is Authenticity.UNKNOWN


@pytest.mark.parametrize("left_out", [name for name in SIGNED if name != "from"])
def test_a_signature_without_an_important_header_does_not_count(left_out: str) -> None:
    assert found(sign(letter(), HOME, [name for name in SIGNED if name != left_out])).finding is Authenticity.UNKNOWN


def test_weak_keys_and_old_algorithms_do_not_count() -> None:
    with name_server(zone("weak.example", bits=512)):
        mail = letter(From="alice@weak.example")
        assert found(sign(mail, "weak.example", bits=512)).finding is Authenticity.UNKNOWN
    assert found(sign(letter(), HOME).replace(b"rsa-sha256", b"rsa-sha1")).finding is Authenticity.UNKNOWN


def test_a_good_signature_counts_below_a_few_bad_ones() -> None:
    signed = sign(letter(), HOME)
    bad = sign(letter(Subject="another"), HOME).partition(b"From:")[0]

    assert found(bad * 2 + signed).finding is Authenticity.PASSED
    assert found(bad * 3 + signed).finding is Authenticity.UNKNOWN


def test_the_server_s_clock_decides_whether_a_signature_has_expired() -> None:
    end = datetime(2101, 1, 1, tzinfo=UTC)
    signed = sign(letter(), HOME, expires=int(end.timestamp()))

    assert found(signed, end - timedelta(minutes=1)).finding is Authenticity.PASSED
    assert found(signed, end + timedelta(minutes=1)).finding is Authenticity.UNKNOWN


def test_a_message_to_somebody_else_or_from_last_week_proves_nothing() -> None:
    for mail in (
        letter(To="mallory@evil.example"),
        letter(Date=format_datetime(NOW - timedelta(days=3))),
        letter(Date=format_datetime(NOW + timedelta(days=3))),
        letter(Date="once upon a time"),
        letter(Date="Mon, 99 Jan 99999 99:99:99 +9999"),
    ):
        checked = found(sign(mail, HOME))
        assert (checked.finding, checked.proof) == (Authenticity.PASSED, None)


def test_a_message_to_us_and_others_proves_and_its_replay_is_recognised() -> None:
    signed = sign(letter(To=f"bob@{HOME}", Cc=f"PBeM <{OURS}>"), HOME, [*SIGNED, "cc"])
    again = b"X-Coloured: differently\r\n" + signed

    assert found(signed).proof == found(again).proof
    assert found(signed).proof not in (None, found(sign(letter(Message_ID=f"<2@{HOME}>"), HOME)).proof)


@pytest.mark.parametrize("public", ["", "v=DKIM1; p=", "v=DKIM1; k=rsa; p=!!!", "p=" + "A" * 5_000, "=;=;=", "\\000"])
def test_a_malformed_key_verifies_no_signature(public: str) -> None:
    with name_server({f"games._domainkey.{HOME}.": public}):
        assert found(sign(letter(), HOME)).finding is Authenticity.UNKNOWN


HOSTILE = [
    b"",
    b"From: alice@mail.example",
    b" \r\nFrom: alice@mail.example\r\nDKIM-Signature: a=b\r\n\r\n",
    b"From: alice@mail.example\r\nDKIM-Signature: v=1; a=rsa-sha256; d=mail.example; s=games;"
    b" h=from:to:subject:date:message-id; bh=x; b=" + b" \r\n " * 1_000 + b"!\r\n\r\n",
    b"From: alice@mail.example\r\nDKIM-Signature: v=1; a=rsa-sha256; d=mail.example; s=games;"
    b" h=from:to:subject:date:message-id; bh=; b=" + b"A " * 1_800 + b"!\r\n\r\n" + (b" " * 1_900 + b"x\r\n") * 500,
    b"From: alice@mail.example\r\n" + b"DKIM-Signature: ;\r\n" * 2_000 + b"\r\n",
]


@pytest.mark.parametrize("raw", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_messages_take_little_time_and_pass_nothing(raw: bytes) -> None:
    assert found(raw).finding is Authenticity.UNKNOWN
    assert calls(lambda: found(raw)) < 100_000
