"""Bounces: what mail servers' words and codes say about an address."""

from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.mail.reading import bounce_reasons, bounce_report
from tests import bounces


def table(name: str) -> list[tuple[str, str]]:
    lines = (Path(__file__).parent.parent / "phrases" / name).read_text(encoding="utf-8").splitlines()
    parts = (line.partition(": ") for line in lines if line and not line.startswith("#"))
    return [(label, text) for label, _, text in parts]


LABELLED = table("bounces.txt")
OPENINGS = {name: text for name, text in table("returned.txt") if name.startswith("@")}
RETURNED = [(name, text) for name, text in table("returned.txt") if not name.startswith("@")]
DEAD = ("userunknown", "hostunknown", "hasmoved", "notaccept")
"""The reasons in Sisimai's collection that mean that an address is gone."""


def ours() -> EmailMessage:
    mail = EmailMessage()
    mail["To"], mail["Subject"], mail["Message-ID"] = "bob@mail.example", "Your turn", "<1@pbem.example>"
    mail.set_content("No such user: the mailbox is full. 5.1.1 5.2.2")
    return mail


def test_what_servers_answer_is_understood() -> None:
    for label, reply in LABELLED:
        assert bounce_reasons.of_reply(reply).value == label, reply


def test_what_mail_servers_send_back_is_understood() -> None:
    for label, text in RETURNED:
        name, _, rest = text.partition(" | ")
        lines = f"{OPENINGS.get(name, name)} | {rest}".split(" | ")
        is_dead = label.split()[1].removesuffix("*") in DEAD

        assert bounce_report.is_final(bounces.made_of(ours(), lines)) is (is_dead is not label.endswith("*")), text


FAILED = [(label, reply) for label, reply in LABELLED if reply.startswith(("smtp;", "X-"))]


@pytest.mark.parametrize("status", ["5.0.0", "5.1.1", "5.2.2"])
def test_only_what_is_gone_is_final_in_a_report_with_fields(status: str) -> None:
    """The status field often says less than the answer that it sums up."""
    report = bounces.dsn(ours(), status)
    for label, reply in FAILED[::4]:
        told = report.replace(f"Status: {status}\n".encode(), f"Status: {status}\nDiagnostic-Code: {reply}\n".encode())
        assert bounce_report.is_final(told) is (label == "gone"), reply


def test_a_status_decides_where_no_answer_is_reported() -> None:
    for status, final in (("5.1.1", True), ("5.2.1", True), ("5.2.2", False), ("5.4.7", False), ("5.7.1", False)):
        report = bounces.dsn(ours(), status).replace(b"no such user", b"no")
        assert bounce_report.is_final(report) is final, status


@pytest.mark.parametrize("kind", ["qmail", "unheard of"])
def test_the_words_decide_where_there_is_no_status(kind: str) -> None:
    report = bounces.KINDS[kind](ours())
    answer = b"Sorry, no mailbox here by that name. (#5.1.1)"

    assert bounce_report.is_final(report)
    if kind == "qmail":
        for words in (b"mailbox is full: quota exceeded", b"retry timeout exceeded", b"421 4.7.0 greylisted"):
            assert not bounce_report.is_final(report.replace(answer, words)), words


@pytest.mark.parametrize("is_report", [True, False], ids=["with fields", "in words"])
def test_what_is_said_of_another_recipient_is_not_about_ours(is_report: bool) -> None:
    ours_is_full = "<bob@mail.example>: the mailbox is full"
    other_is_gone = "<eve@mail.example>: 550 5.1.1 no such user"
    raw = bounces.made_of(ours(), [ours_is_full, "", other_is_gone])
    if is_report:
        fields = b"Final-Recipient: rfc822; %s\nAction: failed\nStatus: %s\n\n"
        both = fields % (b"eve@mail.example", b"5.1.1") + fields % (b"bob@mail.example", b"5.2.2")
        raw = bounces.dsn(ours(), "5.2.2").replace(b"no such user", b"full")
        raw = raw.replace(b"Final-Recipient: ", both + b"Final-Recipient: ", 1)

    assert not bounce_report.is_final(raw)
    assert bounce_report.is_final(raw.replace(b"5.2.2", b"5.1.1").replace(b"the mailbox is full", b"no such user"))


@pytest.mark.parametrize("action", ["delayed", "delivered", "relayed", "expanded"])
def test_what_is_no_failure_for_good_is_not_final(action: str) -> None:
    assert not bounce_report.is_final(bounces.dsn(ours(), "4.4.1", action))


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\n\n",
        b"Content-Type: text/plain\n\nMessage not delivered to the following\n",
        b"From:\nContent-Type: text/plain\n\nx\n",
        b"From: \xff\xfe\n\nx\n",
        b"From: a@b.example, c\nContent-Type: multipart/report; boundary=b\n\n--b\n",
        b"Content-Type: multipart/report; boundary=b\n\n" + b"--b\nContent-Type: message/delivery-status\n\n" * 500,
        b"Content-Type: text/plain; charset=none\n\n" + b"The following addresses had " * 5_000,
    ],
)
def test_what_says_nothing_of_a_failure_is_not_final(raw: bytes) -> None:
    assert not bounce_report.is_final(raw)
