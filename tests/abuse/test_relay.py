"""Strangers: with a forged From, nobody can send others their own words, and only few of ours."""

from email.message import EmailMessage

import pytest
from structlog.testing import capture_logs

from tests.correspondence import Correspondence
from tests.scenes import after

pytestmark = after(Correspondence.join, "alice")
VICTIM = "victim@mail.example"
ADVERTISEMENT = "\n".join(["BUY PILLS at http://pills.example/now", "Call Eve, eve@pills.example"] * 200)
MARKS = ("pills", "PILLS", "Eve", "eve@")
FEW_KB = 8_000


def words_of(mail: EmailMessage) -> str:
    """Return everything that a message shows, including its headers."""
    parts = (str(part.get_content()) for part in mail.walk() if part.get_content_maintype() == "text")
    return "\n".join([*(str(value) for value in mail.values()), *parts])


@pytest.mark.parametrize(
    ("subject", "body"),
    [
        ("", f"join victor\n\n{ADVERTISEMENT}"),
        ("BUY PILLS", "join victor"),
        ("join victor", ADVERTISEMENT),
        ("Re: pills.example", "help"),
        ("PILLS", "rules quadraphages"),
        ("pills", "help pills"),
        ("", "help PILLS"),
        ("", "rules pills.example"),
        ("", "join http://pills.example"),
        ("", "join pills.example"),
        ("", "join eve@pills.example"),
        ("", f"help\n{ADVERTISEMENT}"),
        ("", f"join victor\nrules pills\nhelp PILLS\n{ADVERTISEMENT}"),
        ("Pills", "Hello Eve,\n\nhelp\n\nBye"),
    ],
)
def test_nothing_that_a_stranger_wrote_goes_on_but_the_bare_command(
    letters: Correspondence, subject: str, body: str
) -> None:
    for mail in letters.write(VICTIM, body, subject):
        assert not [mark for mark in MARKS if mark in words_of(mail)], words_of(mail)


@pytest.mark.parametrize(
    "body",
    [
        "join victor",
        "help",
        "help notation",
        "\n".join(["rules quadrupel", "rules kvadratik", "rules quadrature", "help", "help notation"] * 4),
        "\n".join(f"help quadraphages\nrules {game}" for game in ("quadraphages", "hexaphages")),
    ],
)
def test_an_answer_to_a_stranger_is_short_and_plain(letters: Correspondence, body: str) -> None:
    (mail,) = letters.write(VICTIM, body)

    assert len(mail.as_bytes()) < FEW_KB
    assert [part.get_content_type() for part in mail.walk()] == ["text/plain"]


def test_the_subject_is_ours(letters: Correspondence) -> None:
    (asked,) = letters.write(VICTIM, "join victor", "Urgent: your account")
    (helped,) = letters.write(VICTIM, "help", "Urgent: your account")

    assert (asked["Subject"], helped["Subject"]) == ("[pbem] Please confirm", "[pbem] Help")


@pytest.mark.server(more="[limits]\nstrangers_per_day = 24")
def test_all_strangers_together_get_so_many_answers_and_the_log_tells_what_is_left(letters: Correspondence) -> None:
    with capture_logs() as logs:
        sent = [len(letters.write(f"somebody@host{n}.example", "help")) for n in range(8)]

    assert sent == [1, 1, 1, 1, 1, 0, 0, 0]
    left = [line["all"] for line in logs if line["event"] == "answers left for strangers"]
    assert left == [4, 3, 2, 1, 0]
    verdicts = [str(line["verdict"]) for line in logs if line["event"] == "mail in"]
    assert verdicts[-3:] == ["no answer: too many answers to strangers today"] * 3
