"""Forged messages of every kind, through the whole server: the effect of each proof under each policy."""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path

import pytest

from pbem.secret_setting import BadConfig
from tests.correspondence import ADDRESS, MORNING, Correspondence, correspondence, text

ALICE, BOB = "alice@mail.example", "bob@mail.example"
BORDER = "mx.pbem.example"
PASS = f"{BORDER}; dkim=pass header.d=mail.example; dmarc=pass header.from=mail.example"
FAIL = PASS.replace("pass", "fail")
TURN = "#1 1 a7b7 i3i2"

Server = Callable[..., AbstractContextManager[Correspondence]]


@pytest.fixture
def server(tmp_path: Path) -> Server:
    """Return a function that begins a match of alice, to move, and bob on a server with those lines under [checks]."""

    @contextmanager
    def begun(checks: str = f'authserv_id = "{BORDER}"', limits: str = "") -> Iterator[Correspondence]:
        with correspondence(tmp_path, more=f"[checks]\n{checks}\n[limits]\n{limits}") as letters:
            with letters.trusting(PASS):
                letters.match()
            yield letters

    return begun


def raw(body: str = TURN, *above: tuple[str, str], **headers: str) -> bytes:
    """Return a new message from alice; `above` are the headers that the mail server added, top first."""
    plain = {
        "From": ALICE,
        "To": ADDRESS,
        "Subject": "",
        "Date": format_datetime(MORNING),
        "Message-ID": f"<{abs(hash((body, above, tuple(headers.items()))))}@mail.example>",
    } | {name.replace("_", "-"): value for name, value in headers.items()}
    head = [*above, *plain.items()]
    return ("".join(f"{name}: {value}\n" for name, value in head) + f"\n{body}\n").encode()


def border(value: str) -> tuple[str, str]:
    return "Authentication-Results", value


def happened(letters: Correspondence, mails: list[EmailMessage]) -> str:
    """Return the effect of a message that plays a turn: acted, asked (at alice's address), or nothing."""
    if letters.played:
        return "acted"
    if not mails:
        return "nothing"
    assert [str(mail["To"]) for mail in mails] == [ALICE]
    assert 'eply "yes" to this message' in text(mails[0])
    return "asked"


CHECKED = f'authserv_id = "{BORDER}"'
TOKEN_OR_DOMAIN = f'{CHECKED}\nproof = "token or domain"'
TOKEN_AND_DOMAIN = f'{CHECKED}\nproof = "token and domain"'
ELSEWHERE = PASS.replace("mail.example", "evil.example")

WORTH = [
    # policy, shown, the border's word, what happens
    ("", "nothing", PASS, "asked"),
    ("", "nothing", FAIL, "asked"),
    ("", "token", None, "acted"),
    ("", "token", FAIL, "acted"),
    ("", "thread", None, "asked"),
    (CHECKED, "nothing", None, "asked"),
    (CHECKED, "nothing", PASS, "asked"),
    (CHECKED, "nothing", FAIL, "nothing"),
    (CHECKED, "token", None, "acted"),
    (CHECKED, "token", PASS, "acted"),
    (CHECKED, "token", FAIL, "asked"),
    (CHECKED, "thread", None, "asked"),
    (CHECKED, "thread", FAIL, "asked"),
    (CHECKED, "thread", ELSEWHERE, "asked"),
    (CHECKED, "thread", PASS, "acted"),
    (TOKEN_OR_DOMAIN, "nothing", None, "asked"),
    (TOKEN_OR_DOMAIN, "nothing", PASS, "acted"),
    (TOKEN_OR_DOMAIN, "nothing", FAIL, "nothing"),
    (TOKEN_OR_DOMAIN, "token", None, "acted"),
    (TOKEN_OR_DOMAIN, "token", FAIL, "asked"),
    (TOKEN_OR_DOMAIN, "thread", None, "asked"),
    (TOKEN_OR_DOMAIN, "thread", PASS, "acted"),
    (TOKEN_AND_DOMAIN, "nothing", PASS, "asked"),
    (TOKEN_AND_DOMAIN, "nothing", FAIL, "nothing"),
    (TOKEN_AND_DOMAIN, "token", None, "asked"),
    (TOKEN_AND_DOMAIN, "token", PASS, "acted"),
    (TOKEN_AND_DOMAIN, "token", FAIL, "asked"),
    (TOKEN_AND_DOMAIN, "thread", None, "asked"),
    (TOKEN_AND_DOMAIN, "thread", PASS, "asked"),
]


@pytest.mark.parametrize(("checks", "shown", "word", "expected"), WORTH)
def test_each_proof_is_worth_what_the_policy_says(
    server: Server, checks: str, shown: str, word: str | None, expected: str
) -> None:
    with server(checks) as letters:
        mail = letters.last("alice")
        to = mail["Reply-To"].addresses[0].addr_spec if shown == "token" else ADDRESS
        thread = {"In_Reply_To": str(mail["Message-ID"])} if shown == "thread" else {}

        mails = letters.deliver(
            raw("1 a7b7 i3i2" if thread else TURN, *([border(word)] if word else []), To=to, **thread)
        )

        assert happened(letters, mails) == expected


def test_a_thread_whose_domain_is_proven_acts_once(server: Server) -> None:
    """Someone who has a copy and sends it again, slightly changed, gains nothing."""
    with server() as letters:
        words = raw("say hello", border(PASS), In_Reply_To=str(letters.last("alice")["Message-ID"]))
        assert [str(mail["To"]) for mail in letters.deliver(words)] == [BOB, ALICE]

        (question,) = letters.deliver(words.replace(b"\nTo:", b"\nCc: carol@mail.example\nTo:", 1))
        assert str(question["To"]) == ALICE
        assert 'eply "yes" to this message' in text(question)


def test_what_was_asked_about_acts_after_a_yes_whatever_the_border_says_of_the_yes(server: Server) -> None:
    with server() as letters, letters.trusting(FAIL):
        (question,) = letters.reply(letters.last("alice"), TURN)
        letters.reply(question, "yes")
        assert len(letters.played) == 1


SIGNATURE = "DKIM-Signature", "v=1; a=rsa-sha256; d=mail.example; s=s; h=from:to:subject:date:message-id; bh=x; b=y"

FORGED: dict[str, bytes] = {
    "no word of the border": raw(),
    "a pass for another domain": raw(TURN, border(f"{BORDER}; dmarc=pass header.from=evil.example")),
    "a pass by another server": raw(TURN, border("mx.evil.example; dmarc=pass header.from=mail.example")),
    "a pass below the border's silence": raw(TURN, border(f"{BORDER}; spf=none"), border(PASS)),
    "a pass below the border's other pass": raw(
        TURN, border(f"{BORDER}; dkim=pass header.d=evil.example"), border(PASS)
    ),
    "a pass below another server's": raw(TURN, border("mx.evil.example; none"), border(PASS)),
    "a pass in an ARC header": raw(TURN, ("ARC-Authentication-Results", f"i=1; {PASS}")),
    "a pass in an X- header": raw(TURN, ("X-Authentication-Results", PASS)),
    "a pass in the body": raw(f"Authentication-Results: {PASS}\n\n{TURN}"),
    "a pass in the subject": raw(Subject=f"x {PASS}"),
    "the border's name in a quote": raw(TURN, border(PASS.replace(BORDER, f'"{BORDER}"'))),
    "a second From": raw(TURN, border(PASS), ("From", "mallory@evil.example")),
    "a look-alike domain": raw(TURN, border(PASS.replace("mail.example", "rnail.example")), From="alice@rnail.example"),
    "a look-alike letter": raw(TURN, border(PASS), From="alice@m\u0430il.example"),
    "a domain below": raw(TURN, border(PASS.replace("mail.", "x.mail.")), From="alice@x.mail.example"),
    "Sender": raw(TURN, border(PASS), From="mallory@mail.example", Sender=ALICE),
    "Reply-To": raw(TURN, border(PASS), From="mallory@mail.example", Reply_To=ALICE),
    "to somebody else": raw(TURN, border(PASS), To="mallory@evil.example"),
    "of last year": raw(TURN, border(PASS), Date="Mon, 1 Jan 2007 10:00:00 +0000"),
    "without a date": raw(TURN, border(PASS), Date=""),
    "without an id": raw(TURN, border(PASS), Message_ID=""),
    "a pass in a folded header": raw(TURN, ("X-Note", f"see\n Authentication-Results: {PASS}")),
    "a pass behind a lone CR": raw(TURN, ("X-Note", f"see\rAuthentication-Results: {PASS}")),
    "a pass behind a separator": raw(TURN, ("X-Note", f"see\x1c\x1d\x1e\x85\u2028Authentication-Results: {PASS}")),
    "a pass behind a NUL": raw(TURN, ("X-Note", f"see\0Authentication-Results: {PASS}")),
    "a pass under a name with a blank": raw(TURN, ("Authentication-Results ", PASS)),
    "a pass under a name with a letter like another": raw(TURN, ("Authentic\u0430tion-Results", PASS)),
    "a pass below ARC and Received": raw(TURN, border(f"{BORDER}; none"), ("Received", "from x by y"), border(PASS)),
    "a pass for the domain with a dot": raw(TURN, border(PASS), From="alice@mail.example."),
    "an international domain that looks the same": raw(
        TURN, border(PASS.replace("mail.example", "xn--mil-6cd.example")), From="alice@xn--mil-6cd.example"
    ),
    "a letter with an accent put on": raw(TURN, border(PASS), From="a\u0301lice@mail.example"),
    "an invisible letter": raw(TURN, border(PASS), From="al\u200bice@mail.example"),
    "an envelope line": b"From alice@mail.example Mon Jan  1 10:00:00 2007\n"
    + raw(TURN, border(PASS), From="mallory@mail.example"),
    "From behind a lone CR": raw(TURN, border(PASS), From=f"mallory@mail.example\rFrom: {ALICE}"),
    "From below a line that is no header": raw(
        TURN, border(PASS), Date=f"x\nno header\nFrom: {ALICE}", From="m@x.example"
    ),
    "X-From, and no From": raw(TURN, border(PASS)).replace(b"From: alice", b"X-From: alice"),
    "a second Date": raw(TURN, border(PASS), ("Date", "Mon, 1 Jan 2007 10:00:00 +0000"), SIGNATURE),
    "a second Message-ID": raw(TURN, border(PASS), ("Message-ID", "<other@mail.example>"), SIGNATURE),
    "a second Content-Type": raw(
        TURN, border(PASS), ("Content-Type", "text/plain"), ("Content-Type", "text/html"), SIGNATURE
    ),
    "with a signature without Subject": raw(TURN, border(PASS), (SIGNATURE[0], SIGNATURE[1].replace("subject:", ""))),
    "with a signature that has expired": raw(TURN, border(PASS), (SIGNATURE[0], f"{SIGNATURE[1]}; x=1")),
    "with a signature by an old method": raw(
        TURN, border(PASS), (SIGNATURE[0], SIGNATURE[1].replace("sha256", "sha1"))
    ),
    "with a signature over From alone": raw(
        TURN, border(PASS), ("DKIM-Signature", "v=1; a=rsa-sha256; d=mail.example; s=s; h=from; bh=x; b=y")
    ),
    "with a signature and a second Subject": raw(
        TURN,
        border(PASS),
        ("Subject", "another"),
        SIGNATURE,
    ),
}


def test_a_forged_mail_moves_nothing_where_a_domain_s_word_is_enough(server: Server) -> None:
    with server(TOKEN_OR_DOMAIN, "answers_per_hour = 1000") as letters:
        for name, forged in FORGED.items():
            mails = letters.deliver(forged)
            assert letters.played == [], name
            for mail in mails:  # who has another address is told what this is, and then what can be written
                asked = 'reply "yes" to this message' if mail["To"] == ALICE else '"?play quadrupel'
                assert re.search(asked, text(mail)), name
        assert happened(letters, letters.deliver(raw(TURN, border(PASS), Message_ID="<1@mail.example>"))) == "acted"


@pytest.mark.parametrize("above", [(), (SIGNATURE,), (("X-Note", "folded\n twice\n\tover"),)], ids=range(3))
def test_the_genuine_mail_beside_the_forged_ones_acts(server: Server, above: tuple[tuple[str, str], ...]) -> None:
    with server(TOKEN_OR_DOMAIN) as letters:
        mails = letters.deliver(raw(TURN, border(PASS), *above))

        assert happened(letters, mails) == "acted"


def test_a_stranger_who_failed_gets_no_answer_and_becomes_nobody(server: Server) -> None:
    with server() as letters:
        for words in ("help", "join zoe", "rules quadraphages"):
            assert letters.deliver(raw(words, border(FAIL), From="zoe@mail.example")) == []
            assert letters.deliver(raw(words, From="yan@mail.example")) != []
        assert "zoe@mail.example" not in letters.rows("select address from player")


@pytest.mark.parametrize("proof", ["token or domain", "token and domain"])
def test_a_policy_that_nothing_can_fulfil_is_refused(server: Server, proof: str) -> None:
    with pytest.raises(BadConfig, match="authserv_id"), server(f'proof = "{proof}"'):
        pass
