"""Whole conversations as golden files: `make golden` rewrites them in their order, and the diff is the review.

Each is played once while all SQL statements are recorded, and checked for everything that holds in any conversation.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from itertools import takewhile
from pathlib import Path

import pytest
from sqlmodel import select

from notation.games import GAMES
from pbem.conversation.syntax.mail import Reader
from pbem.features.all import FEATURES
from pbem.mail.reading.subjects import bare_subject
from pbem.storage.database import transaction
from pbem.storage.models import Outgoing
from tests import databases
from tests.correspondence import correspondence, text
from tests.query_plans import listened, scans
from tests.stories.scripts import SERVERS, STORIES
from tests.stories.transcript import transcript
from tests.write_lock import watched

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Story:
    """The messages of a story, and what was recorded while it was played."""

    name: str
    told: str
    log: list[tuple[str, EmailMessage]]
    notices: set[str]
    """The Message-IDs of notices."""
    slow: set[str]
    """The slow functions that ran in a writing transaction."""
    statements: int
    scans: dict[str, list[str]]
    """The statements that scan a table that grows, and where they are."""

    @property
    def sent(self) -> list[EmailMessage]:
        """The server's messages."""
        return [mail for way, mail in self.log if way == "out"]


ON_BOTH = (
    "first_match",
    "offers",
    "batch",
    "daily",
    "agreeing",
    "foreseeing",
    "leaving",
    "addresses",
    "unproven",
    "time",
    "seeking",
    "neighbours",
    "ranking",
    "competing",
    "watching",
    "climbing",
    "seasons",
)
"""The stories about what databases do differently."""
QUICK = {"sqlite": ("first_match", "invitation", "offers", "giving_up", "leaving"), "postgresql": ("leaving",)}
"""The stories that `make test` plays on each database."""

ONLY = {"to_the_end": [*range(1, 24), *range(33, 36), *range(48, 51), *range(63, 66), *range(78, 95)]}
"""The messages that are shown of a long story: of a match to its end, every fifth turn."""


def marks(name: str) -> Iterator[pytest.MarkDecorator]:
    """Yield the marks of a story."""
    if name in ON_BOTH:
        yield pytest.mark.sql
    if name not in QUICK[databases.kind()]:
        yield pytest.mark.slow


PARAMETERS = [pytest.param(name, marks=[*marks(name)]) for name in STORIES]


@pytest.fixture(scope="module", params=PARAMETERS)
def story(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """Play a story."""
    folder = tmp_path_factory.mktemp("story")
    with correspondence(folder, server=SERVERS.get(request.param, "")) as letters:
        engine = letters.server.engine
        with listened(engine) as statements, watched(engine) as watch:
            STORIES[request.param](letters)
        assert watch.writing
        with transaction(engine) as session:
            notices = {row.message_id for row in session.exec(select(Outgoing)) if row.is_notice}
        return Story(
            request.param,
            transcript(letters.log, [*takewhile(request.param.__ne__, STORIES)], ONLY.get(request.param)),
            letters.log,
            notices,
            watch.found,
            len(statements),
            scans(engine, statements),
        )


@pytest.mark.golden
def test_story_reads_as_its_golden_file(story: Story) -> None:
    golden = HERE / f"{story.name}.txt"
    if os.environ.get("PBEM_GOLDEN") == "write":
        golden.write_text(story.told, encoding="utf-8")

    assert story.told == golden.read_text(encoding="utf-8")


def test_every_mail_fits_and_can_be_answered(story: Story) -> None:
    for mail in story.sent:
        assert [line for line in text(mail).splitlines() if len(line) > 72] == []
        assert all(line == line.rstrip() for line in text(mail).splitlines())
        assert all(mail[name] for name in ("Reply-To", "Message-ID", "Date"))
        assert mail["Auto-Submitted"] in ("auto-replied", "auto-generated")


@pytest.mark.sampled(1)
def test_our_own_words_quoted_without_marks_are_no_command(story: Story) -> None:
    """A mail program that quotes without > must not make our help, boards and records act."""
    for line in {line for mail in story.sent for line in text(mail).splitlines() if not line.lstrip().startswith("|")}:
        for match in (1, None):
            read = Reader(FEATURES.commands, lambda number: GAMES["quadraphages"], match).read("", [line])
            assert not [found for found in read.commands if found.command.changes and not found.malformed], line


def test_news_are_marked_as_news_and_answers_as_answers(story: Story) -> None:
    own = set()
    for way, mail in story.log:
        if way == "in":
            own.add((str(mail["From"]), str(mail["Message-ID"])))
            continue
        answers = (str(mail["To"]), str(mail["In-Reply-To"])) in own
        is_notice = mail["List-Id"] is not None
        assert not (answers and is_notice)
        assert is_notice == (str(mail["Message-ID"]) in story.notices)
        assert (mail["List-Unsubscribe"] is not None) == (
            is_notice or "no more invitations" in " ".join(text(mail).split())
        )
        assert mail["Auto-Submitted"] == ("auto-replied" if answers else "auto-generated")


def test_a_match_is_one_thread(story: Story) -> None:
    """In every mailbox, by Gmail's criteria: the same Subject, and a chain of References."""
    threads: dict[tuple[str, str], list[EmailMessage]] = {}
    for mail in story.sent:
        if mail["X-PBeM-Match"]:
            threads.setdefault((str(mail["To"]), str(mail["X-PBeM-Match"])), []).append(mail)
    assert threads or story.name == "unproven"
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


def test_every_header_of_ours_is_documented(story: Story) -> None:
    documented = (HERE.parents[1] / "docs" / "headers.md").read_text(encoding="utf-8")
    for mail in story.sent:
        for header in mail.keys():  # noqa: SIM118 - a header may occur twice
            assert f"| `{header}` |" in documented
        assert f"`{mail['X-PBeM-Event']}`" in documented


def test_nothing_slow_happens_in_a_writing_transaction(story: Story) -> None:
    assert not story.slow


COUNTED_FOR_THE_OPERATOR = "SELECT count(*) AS count_1 \nFROM player"
"""To how many an announcement goes: all players are read, once, before the operator says yes."""


def test_no_query_reads_a_growing_table(story: Story) -> None:
    assert story.statements > 10
    assert [query for query in story.scans if not query.startswith(COUNTED_FOR_THE_OPERATOR)] == []


def test_stories_and_golden_files_belong_together() -> None:
    assert {path.stem for path in HERE.glob("*.txt")} == set(STORIES)
