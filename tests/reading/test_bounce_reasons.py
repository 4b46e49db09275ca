"""Bounces: what mail servers' words and codes say about an address."""

from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.mail.reading import bounce_reasons, bounce_report
from tests import bounces
from tests.effort import calls

TABLE = (Path(__file__).parent.parent / "phrases" / "bounces.txt").read_text(encoding="utf-8").splitlines()
LABELLED = [tuple(line.split(": ", 1)) for line in TABLE if line and not line.startswith("#")]


def ours() -> EmailMessage:
    mail = EmailMessage()
    mail["To"], mail["Subject"], mail["Message-ID"] = "bob@mail.example", "Your turn", "<1@pbem.example>"
    mail.set_content("No such user: the mailbox is full. 5.1.1 5.2.2")
    return mail


@pytest.mark.parametrize(("label", "reply"), LABELLED)
def test_what_servers_answer_is_understood(label: str, reply: str) -> None:
    assert bounce_reasons.of_reply(reply).value == label


FAILED = [(label, reply) for label, reply in LABELLED if reply.startswith(("smtp;", "X-"))]


@pytest.mark.parametrize(("label", "reply"), FAILED[::4])
def test_only_what_is_gone_is_final_in_a_report_with_fields(label: str, reply: str) -> None:
    """The status field often says less than the answer that it sums up."""
    for status in ("5.0.0", "5.1.1", "5.2.2"):
        report = bounces.dsn(ours(), status).replace(
            f"Status: {status}\n".encode(), f"Status: {status}\nDiagnostic-Code: {reply}\n".encode()
        )
        assert bounce_report.is_final(report) is (label == "gone")


def test_a_status_decides_where_no_answer_is_reported() -> None:
    for status, final in (("5.1.1", True), ("5.2.1", True), ("5.2.2", False), ("5.4.7", False), ("5.7.1", False)):
        report = bounces.dsn(ours(), status).replace(b"no such user", b"no")
        assert bounce_report.is_final(report) is final, status


@pytest.mark.parametrize("kind", ["qmail", "Exim", "unheard of"])
def test_the_words_decide_where_there_is_no_status(kind: str) -> None:
    report = bounces.KINDS[kind](ours())
    answer = {"qmail": b"Sorry, no mailbox here by that name. (#5.1.1)", "Exim": b"Unrouteable address"}.get(kind, b"")

    assert bounce_report.is_final(report)
    if answer:
        for words in (b"mailbox is full: quota exceeded", b"retry timeout exceeded", b"421 4.7.0 greylisted"):
            assert not bounce_report.is_final(report.replace(answer, words)), words


def test_the_returned_message_says_nothing() -> None:
    for kind in ("DSN", "qmail", "Exim", "unheard of"):
        assert bounce_report.is_final(bounces.KINDS[kind](ours())), kind


def test_four_times_the_words_take_four_times_the_work() -> None:
    few, many = (calls(lambda text="5.1. quota-ish " * count: bounce_reasons.of_reply(text)) for count in (200, 800))

    assert many <= 5 * few + 500
