"""Forged messages of every kind, through the whole server: the effect of each proof under each policy."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path

import pytest
from sqlalchemy import text as sql

from pbem.secret import BadConfig
from tests.correspondence import ADDRESS, MORNING, Correspondence, correspondence, text
from tests.signing import SIGNED, name_server, sign, zone

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


def plies(letters: Correspondence) -> int:
    with letters.server.engine.connect() as connection:
        return int(connection.execute(sql("select count(*) from ply")).scalar_one())


def happened(letters: Correspondence, mails: list[EmailMessage]) -> str:
    """Return the effect of a message that plays a turn: acted, asked (at alice's address), or nothing."""
    if plies(letters):
        return "acted"
    if not mails:
        return "nothing"
    assert [str(mail["To"]) for mail in mails] == [ALICE]
    assert 'eply "yes" to this message' in text(mails[0])
    return "asked"


TOKEN_OR_DOMAIN = f'authserv_id = "{BORDER}"\nproof = "token or domain"'
TOKEN_AND_DOMAIN = f'authserv_id = "{BORDER}"\nproof = "token and domain"'

WORTH = [
    ("", False, None, "asked"),
    ("", False, PASS, "asked"),
    ("", False, FAIL, "asked"),
    ("", True, None, "acted"),
    ("", True, FAIL, "acted"),
    (f'authserv_id = "{BORDER}"', False, None, "asked"),
    (f'authserv_id = "{BORDER}"', False, PASS, "asked"),
    (f'authserv_id = "{BORDER}"', False, FAIL, "nothing"),
    (f'authserv_id = "{BORDER}"', True, None, "acted"),
    (f'authserv_id = "{BORDER}"', True, PASS, "acted"),
    (f'authserv_id = "{BORDER}"', True, FAIL, "asked"),
    (TOKEN_OR_DOMAIN, False, None, "asked"),
    (TOKEN_OR_DOMAIN, False, PASS, "acted"),
    (TOKEN_OR_DOMAIN, False, FAIL, "nothing"),
    (TOKEN_OR_DOMAIN, True, None, "acted"),
    (TOKEN_OR_DOMAIN, True, FAIL, "asked"),
    (TOKEN_AND_DOMAIN, False, PASS, "asked"),
    (TOKEN_AND_DOMAIN, False, FAIL, "nothing"),
    (TOKEN_AND_DOMAIN, True, None, "asked"),
    (TOKEN_AND_DOMAIN, True, PASS, "acted"),
    (TOKEN_AND_DOMAIN, True, FAIL, "asked"),
]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("checks", "token", "said", "expected"), WORTH)
def test_each_proof_is_worth_what_the_policy_says(
    server: Server, checks: str, token: bool, said: str | None, expected: str
) -> None:
    with server(checks) as letters:
        to = letters.last("alice")["Reply-To"].addresses[0].addr_spec if token else ADDRESS

        mails = letters.deliver(raw(TURN, *([border(said)] if said else []), To=to))

        assert happened(letters, mails) == expected


BY_THREAD = [
    ("", None, "asked"),
    (f'authserv_id = "{BORDER}"', None, "asked"),
    (f'authserv_id = "{BORDER}"', FAIL, "asked"),
    (f'authserv_id = "{BORDER}"', PASS.replace("mail.example", "evil.example"), "asked"),
    (f'authserv_id = "{BORDER}"', PASS, "acted"),
    (TOKEN_OR_DOMAIN, None, "asked"),
    (TOKEN_OR_DOMAIN, PASS, "acted"),
    (TOKEN_AND_DOMAIN, None, "asked"),
    (TOKEN_AND_DOMAIN, PASS, "asked"),
]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("checks", "said", "expected"), BY_THREAD)
def test_a_thread_acts_with_its_sender_s_domain_alone(
    server: Server, checks: str, said: str | None, expected: str
) -> None:
    with server(checks) as letters:
        answered = str(letters.last("alice")["Message-ID"])
        above = [border(said)] if said else []

        mails = letters.deliver(raw("1 a7b7 i3i2", *above, In_Reply_To=answered))

        assert happened(letters, mails) == expected


@pytest.mark.slow
def test_a_thread_whose_domain_is_proven_acts_once(server: Server) -> None:
    """Someone who has a copy and sends it again, slightly changed, gains nothing."""
    with server() as letters:
        words = raw("say hello", border(PASS), In_Reply_To=str(letters.last("alice")["Message-ID"]))
        assert [str(mail["To"]) for mail in letters.deliver(words)] == [BOB, ALICE]

        (question,) = letters.deliver(words.replace(b"\nTo:", b"\nCc: carol@mail.example\nTo:", 1))
        assert str(question["To"]) == ALICE
        assert 'eply "yes" to this message' in text(question)


@pytest.mark.slow
def test_a_question_whose_thread_is_answered_from_a_proven_domain_is_answered(server: Server) -> None:
    with server() as letters:
        (question,) = letters.deliver(raw())
        letters.deliver(raw("yes", border(PASS), In_Reply_To=str(question["Message-ID"])))
        assert plies(letters) == 1


@pytest.mark.slow
def test_what_was_asked_about_acts_after_a_yes_whatever_the_border_says_of_the_yes(server: Server) -> None:
    with server() as letters, letters.trusting(FAIL):
        (question,) = letters.reply(letters.last("alice"), TURN)
        letters.reply(question, "yes")
        assert plies(letters) == 1


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
    "a pass in a misspelt header": raw(TURN, ("Authentication-Result", PASS)),
    "a pass in an X- header": raw(TURN, ("X-Authentication-Results", PASS)),
    "a pass in a comment": raw(TURN, border(f"{BORDER}; dmarc=none ({PASS})")),
    "a pass in a local part": raw(
        TURN, border(f'{BORDER}; spf=pass smtp.mailfrom="x; dmarc=pass header.from=mail.example"@evil.example')
    ),
    "a pass in the body": raw(f"Authentication-Results: {PASS}\n\n{TURN}"),
    "a pass in the subject": raw(Subject=f"x {PASS}"),
    "a pass as an encoded word": raw(TURN, border(f"=?utf-8?q?{PASS.replace(' ', '_')}?=")),
    "the border's name with a point": raw(TURN, border(PASS.replace(BORDER, BORDER + "."))),
    "the border's name in a quote": raw(TURN, border(PASS.replace(BORDER, f'"{BORDER}"'))),
    "a contradiction": raw(TURN, border(f"{PASS}; dmarc=pass header.from=evil.example")),
    "a second From": raw(TURN, border(PASS), ("From", "mallory@evil.example")),
    "the same From twice": raw(TURN, border(PASS), ("From", ALICE)),
    "two addresses": raw(TURN, border(PASS), From=f"{ALICE}, mallory@mail.example"),
    "a group": raw(TURN, border(PASS), From=f"players: {ALICE};"),
    "an address as a name": raw(TURN, border(PASS), From=f'"{ALICE}" <mallory@mail.example>'),
    "an address as a bare name": raw(TURN, border(PASS), From=f"{ALICE} <mallory@mail.example>"),
    "an address as an encoded name": raw(
        TURN, border(PASS), From="=?utf-8?q?alice=40mail=2Eexample?= <mallory@mail.example>"
    ),
    "an address in a comment": raw(TURN, border(PASS), From=f"mallory@mail.example ({ALICE})"),
    "an address before a comment": raw(TURN, border(PASS), From="alice@mail.example(.evil.example), m@mail.example"),
    "a quoted local part": raw(TURN, border(PASS), From='"alice"@mail.example'),
    "a look-alike domain": raw(TURN, border(PASS.replace("mail.example", "rnail.example")), From="alice@rnail.example"),
    "a look-alike letter": raw(TURN, border(PASS), From="alice@m\u0430il.example"),
    "a domain below": raw(TURN, border(PASS.replace("mail.", "x.mail.")), From="alice@x.mail.example"),
    "a name with a dot": raw(TURN, border(PASS), From="a.lice@mail.example"),
    "Sender": raw(TURN, border(PASS), From="mallory@mail.example", Sender=ALICE),
    "Reply-To": raw(TURN, border(PASS), From="mallory@mail.example", Reply_To=ALICE),
    "to somebody else": raw(TURN, border(PASS), To="mallory@evil.example"),
    "of last year": raw(TURN, border(PASS), Date="Mon, 1 Jan 2007 10:00:00 +0000"),
    "without a date": raw(TURN, border(PASS), Date=""),
    "without an id": raw(TURN, border(PASS), Message_ID=""),
    "a pass in a folded header": raw(TURN, ("X-Note", f"see\n Authentication-Results: {PASS}")),
    "a pass behind a lone CR": raw(TURN, ("X-Note", f"see\rAuthentication-Results: {PASS}")),
    "a pass behind a form feed": raw(TURN, ("X-Note", f"see\x0cAuthentication-Results: {PASS}")),
    "a pass behind a separator": raw(TURN, ("X-Note", f"see\x1c\x1d\x1e\x85\u2028Authentication-Results: {PASS}")),
    "a pass behind a NUL": raw(TURN, ("X-Note", f"see\0Authentication-Results: {PASS}")),
    "a pass under a name with a blank": raw(TURN, ("Authentication-Results ", PASS)),
    "a pass under a name with a letter like another": raw(TURN, ("Authentic\u0430tion-Results", PASS)),
    "a pass below ARC and Received": raw(TURN, border(f"{BORDER}; none"), ("Received", "from x by y"), border(PASS)),
    "a pass of a later version": raw(TURN, border(PASS.replace(BORDER, f"{BORDER} 2"))),
    "a pass that was taken back": raw(TURN, border(f"{PASS}; dmarc=fail header.from=mail.example")),
    "a pass with two domains": raw(
        TURN, border(f"{BORDER}; dmarc=pass header.from=mail.example header.from=evil.example")
    ),
    "a pass for the domain with a dot": raw(TURN, border(PASS), From="alice@mail.example."),
    "a pass by SPF alone for another domain": raw(TURN, border(f"{BORDER}; spf=pass smtp.mailfrom=m@evil.example")),
    "a pass by SPF alone for a domain below": raw(TURN, border(f"{BORDER}; spf=pass smtp.mailfrom=a@x.mail.example")),
    "a pass by SPF alone for the host": raw(TURN, border(f"{BORDER}; spf=pass smtp.helo=mail.example")),
    "a pass by SPF alone for nobody": raw(TURN, border(f"{BORDER}; spf=pass smtp.mailfrom=")),
    "a pass by SPF alone, quoted": raw(TURN, border(f'{BORDER}; spf=pass smtp.mailfrom="a@mail.example"@evil.example')),
    "a pass by DKIM alone for another domain": raw(
        TURN, border(f"{BORDER}; dkim=pass header.i=alice@mail.example header.d=evil.example")
    ),
    "a pass by ARC": raw(TURN, border(f"{BORDER}; arc=pass header.d=mail.example header.from=mail.example")),
    "a pass by login": raw(TURN, border(f"{BORDER}; auth=pass smtp.auth=alice@mail.example")),
    "a pass by address": raw(TURN, border(f"{BORDER}; iprev=pass policy.iprev=192.0.2.1 header.from=mail.example")),
    "a pass by a method of their own": raw(TURN, border(f"{BORDER}; x-dmarc=pass header.from=mail.example")),
    "an international domain that looks the same": raw(
        TURN, border(PASS.replace("mail.example", "xn--mil-6cd.example")), From="alice@xn--mil-6cd.example"
    ),
    "wide letters": raw(TURN, border(PASS), From="\uff41lice@mail.example"),
    "a letter with an accent put on": raw(TURN, border(PASS), From="a\u0301lice@mail.example"),
    "an invisible letter": raw(TURN, border(PASS), From="al\u200bice@mail.example"),
    "an envelope line": b"From alice@mail.example Mon Jan  1 10:00:00 2007\n"
    + raw(TURN, border(PASS), From="mallory@mail.example"),
    "a mark before the first header": b"\xef\xbb\xbf" + raw(TURN, border(PASS)),
    "a blank before the first header": b" " + raw(TURN, border(PASS)),
    "an empty line before the first header": b"\n" + raw(TURN, border(PASS)),
    "Resent-From": raw(TURN, border(PASS), From="mallory@mail.example", Resent_From=ALICE, Resent_Sender=ALICE),
    "From behind a lone CR": raw(TURN, border(PASS), From=f"mallory@mail.example\rFrom: {ALICE}"),
    "From below a line that is no header": raw(
        TURN, border(PASS), Date=f"x\nno header\nFrom: {ALICE}", From="m@x.example"
    ),
    "X-From, and no From": raw(TURN, border(PASS)).replace(b"From: alice", b"X-From: alice"),
    "a second Date": raw(TURN, border(PASS), ("Date", "Mon, 1 Jan 2007 10:00:00 +0000"), SIGNATURE),
    "a second To": raw(TURN, border(PASS), ("To", "mallory@evil.example"), SIGNATURE),
    "a second Message-ID": raw(TURN, border(PASS), ("Message-ID", "<other@mail.example>"), SIGNATURE),
    "a second Content-Type": raw(
        TURN, border(PASS), ("Content-Type", "text/plain"), ("Content-Type", "text/html"), SIGNATURE
    ),
    "with a signature without Subject": raw(TURN, border(PASS), (SIGNATURE[0], SIGNATURE[1].replace("subject:", ""))),
    "with a signature that has expired": raw(TURN, border(PASS), (SIGNATURE[0], f"{SIGNATURE[1]}; x=1")),
    "with a signature by an old method": raw(
        TURN, border(PASS), (SIGNATURE[0], SIGNATURE[1].replace("sha256", "sha1"))
    ),
    "with a signature over a part": raw(
        TURN,
        border(PASS),
        ("DKIM-Signature", "v=1; a=rsa-sha256; d=mail.example; s=s; l=5; h=from:to:subject:date:message-id; bh=x; b=y"),
    ),
    "with a signature over From alone": raw(
        TURN, border(PASS), ("DKIM-Signature", "v=1; a=rsa-sha256; d=mail.example; s=s; h=from; bh=x; b=y")
    ),
    "with a signature and a second Subject": raw(
        TURN,
        border(PASS),
        ("Subject", "another"),
        ("DKIM-Signature", "v=1; a=rsa-sha256; d=mail.example; s=s; h=from:to:subject:date:message-id; bh=x; b=y"),
    ),
}


@pytest.mark.slow
def test_a_forged_mail_moves_nothing_where_a_domain_s_word_is_enough(server: Server) -> None:
    with server(TOKEN_OR_DOMAIN, "answers_per_hour = 1000") as letters:
        for name, forged in FORGED.items():
            mails = letters.deliver(forged)
            assert plies(letters) == 0, name
            for mail in mails:  # who has another address is told what this is
                asked = 'reply "yes" to this message' if mail["To"] == ALICE else "Here you can play board games"
                assert asked in text(mail), name
        assert happened(letters, letters.deliver(raw(TURN, border(PASS), Message_ID="<1@mail.example>"))) == "acted"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("above", [(), (SIGNATURE,), (("X-Note", "folded\n twice\n\tover"),)], ids=range(3))
def test_the_genuine_mail_beside_the_forged_ones_acts(server: Server, above: tuple[tuple[str, str], ...]) -> None:
    with server(TOKEN_OR_DOMAIN) as letters:
        mails = letters.deliver(raw(TURN, border(PASS), *above))

        assert happened(letters, mails) == "acted"


def test_a_mail_that_acted_by_its_domain_acts_once_however_it_is_coloured(server: Server) -> None:
    words = raw("#1 say hello", border(PASS))
    with server(TOKEN_OR_DOMAIN) as letters:
        assert [str(mail["To"]) for mail in letters.deliver(words)] == [BOB, ALICE]

        (question,) = letters.deliver(words.replace(b"\nTo:", b"\nCc: carol@mail.example\nTo:", 1))

        assert str(question["To"]) == ALICE
        assert "Was this you?" in str(question["Subject"])


def test_what_is_final_is_asked_about_whatever_the_domain_says(server: Server) -> None:
    with server(TOKEN_OR_DOMAIN) as letters:
        for words in ("revoke", "change address alice@new.example"):
            mails = letters.deliver(raw(words, border(PASS)))
            assert happened(letters, mails) == "asked"


@pytest.mark.slow
def test_a_stranger_who_failed_gets_no_answer_and_becomes_nobody(server: Server) -> None:
    with server() as letters:
        for words in ("help", "join zoe", "rules quadraphages"):
            assert letters.deliver(raw(words, border(FAIL), From="zoe@mail.example")) == []
            assert letters.deliver(raw(words, From="yan@mail.example")) != []
        with letters.server.engine.connect() as connection:
            known = connection.execute(sql("select address from player")).scalars().all()
        assert "zoe@mail.example" not in known


@pytest.mark.slow
def test_our_own_verification_speaks_where_the_border_does_not(server: Server) -> None:
    with name_server(zone("mail.example", "evil.example")), server('dkim = true\nproof = "token or domain"') as letters:
        for domain, headers in (("evil.example", SIGNED), ("mail.example", SIGNED[:3])):
            mails = letters.deliver(sign(raw(Subject=domain), domain, headers))
            assert happened(letters, mails) == "asked"
            letters.clock.advance(hours=1, minutes=1)  # the same question isn't repeated before
        mails = letters.deliver(sign(raw(), "mail.example"))
        assert happened(letters, mails) == "acted"


@pytest.mark.parametrize("package", ["dkim", "dns.resolver"])
def test_a_check_that_cannot_be_made_is_told_at_the_start(
    server: Server, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(BadConfig, match=r"checks.dkim needs .* pbem\[dkim\]"), server("dkim = true"):
        pass


@pytest.mark.parametrize("proof", ["token or domain", "token and domain"])
def test_a_policy_that_nothing_can_fulfil_is_refused(server: Server, proof: str) -> None:
    with pytest.raises(BadConfig, match="authserv_id"), server(f'proof = "{proof}"'):
        pass


@pytest.mark.slow
def test_the_border_s_fail_is_not_mended_by_a_signature(server: Server) -> None:
    checks = f"{TOKEN_OR_DOMAIN}\ndkim = true"
    with name_server(zone("mail.example")), server(checks) as letters:
        assert letters.deliver(sign(raw(TURN, border(FAIL)), "mail.example")) == []
        assert plies(letters) == 0
