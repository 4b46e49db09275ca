"""Whole conversations as golden files: `make golden` rewrites them in their order, and the diff is the review.

Each is checked for everything that holds in any conversation.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from itertools import takewhile
from pathlib import Path

import pytest
from sqlmodel import select

from notation.games import GAMES
from pbem.conversation.syntax.mail import Reader
from pbem.features.all import FEATURES
from pbem.mail.reading.from_and_subject import bare_subject
from pbem.storage.database import read_only
from pbem.storage.models import Outgoing
from tests.correspondence import Correspondence, correspondence, text
from tests.query_plans import listened, scans
from tests.stories.scripts import SERVERS, STORIES
from tests.stories.transcript import transcript
from tests.write_lock import watched

HERE = Path(__file__).parent


@contextmanager
def begun(name: str, folder: Path) -> Iterator[Correspondence]:
    """Run the server of a story."""
    with correspondence(folder, server=SERVERS.get(name, "")) as letters:
        yield letters


Log = list[tuple[str, EmailMessage]]


@pytest.mark.golden
@pytest.mark.parametrize("name", STORIES)
def test_a_story_reads_as_its_golden_file_and_holds_up_nobody(name: str, tmp_path: Path) -> None:
    with begun(name, tmp_path) as letters:
        with listened(letters.server.engine) as statements, watched(letters.server.engine) as watch:
            STORIES[name](letters)
        found = scans(letters.server.engine, statements)
        with read_only(letters.server.engine) as session:
            notices = {row.message_id for row in session.exec(select(Outgoing)) if row.is_notice}
    golden, told = HERE / f"{name}.txt", transcript(letters.log, [*takewhile(name.__ne__, STORIES)])
    if os.environ.get("PBEM_GOLDEN") == "write":
        golden.write_text(told, encoding="utf-8")

    assert told == golden.read_text(encoding="utf-8")
    sent = [mail for way, mail in letters.log if way == "out"]
    every_mail_fits_and_can_be_answered(sent)
    every_header_of_ours_is_documented(sent)
    news_are_marked_as_news_and_answers_as_answers(letters.log, notices)
    a_match_is_one_thread(sent, name)
    our_own_words_quoted_without_marks_are_no_command(sent)
    # Nothing slow happens in a writing transaction, and no query reads a growing table.
    assert watch.writing
    assert not watch.found
    assert len(statements) > 10
    assert [query for query in found if not query.startswith(COUNTED_FOR_THE_OPERATOR)] == []


def every_mail_fits_and_can_be_answered(sent: list[EmailMessage]) -> None:
    for mail in sent:
        assert [line for line in text(mail).splitlines() if len(line) > 72] == []
        assert all(line == line.rstrip() for line in text(mail).splitlines())
        assert all(mail[name] for name in ("Reply-To", "Message-ID", "Date"))
        assert mail["Auto-Submitted"] in ("auto-replied", "auto-generated")


def news_are_marked_as_news_and_answers_as_answers(log: Log, notices: set[str]) -> None:
    own = set()
    for way, mail in log:
        if way == "in":
            own.add((str(mail["From"]), str(mail["Message-ID"])))
            continue
        answers = (str(mail["To"]), str(mail["In-Reply-To"])) in own
        is_notice = mail["List-Id"] is not None
        assert not (answers and is_notice)
        assert is_notice == (str(mail["Message-ID"]) in notices)
        assert (mail["List-Unsubscribe"] is not None) == (
            is_notice or "no more invitations" in " ".join(text(mail).split())
        )
        assert mail["Auto-Submitted"] == ("auto-replied" if answers else "auto-generated")


def a_match_is_one_thread(sent: list[EmailMessage], name: str) -> None:
    """In every mailbox, by Gmail's criteria: the same Subject, and a chain of References."""
    threads: dict[tuple[str, str], list[EmailMessage]] = {}
    for mail in sent:
        if mail["X-PBeM-Match"]:
            threads.setdefault((str(mail["To"]), str(mail["X-PBeM-Match"])), []).append(mail)
    assert threads or name == "unproven"
    for mails in threads.values():
        with_names = takewhile(lambda mail: mail["X-PBeM-Event"] != "left", mails)
        subjects = {bare_subject(str(mail["Subject"])) for mail in with_names}
        assert len({subject for subject in subjects if not subject.endswith("'s invitation")}) <= 1
        known: set[str] = set()
        for mail in mails:
            linked = str(mail.get("References", "")).split()
            assert not known or known & set(linked), mail["Subject"]
            assert mail["In-Reply-To"] is None or str(mail["In-Reply-To"]) in linked
            known |= {str(mail["Message-ID"]), *linked}


def every_header_of_ours_is_documented(sent: list[EmailMessage]) -> None:
    documented = (HERE.parents[1] / "docs" / "headers.md").read_text(encoding="utf-8")
    for mail in sent:
        for header in mail.keys():  # noqa: SIM118 - a header may occur twice
            assert f"| `{header}` |" in documented
        assert f"`{mail['X-PBeM-Event']}`" in documented


COUNTED_FOR_THE_OPERATOR = "SELECT count(*) AS count_1 \nFROM player"
"""To how many an announcement goes: all players are read, once, before the operator says yes."""


def our_own_words_quoted_without_marks_are_no_command(sent: list[EmailMessage]) -> None:
    """A mail program that quotes without > must not make our help, boards and records act."""
    for line in {line for mail in sent for line in text(mail).splitlines() if not line.lstrip().startswith("|")}:
        for match in (1, None):
            read = Reader(FEATURES.commands, lambda number: GAMES["quadraphages"], match).read("", [line])
            assert not [found for found in read.commands if found.command.changes and not found.malformed], line


def test_stories_and_golden_files_belong_together() -> None:
    assert {path.stem for path in HERE.glob("*.txt")} == set(STORIES)
