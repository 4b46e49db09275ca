"""Every message and section has a text template, an HTML template and a golden file."""

import os
import re
from email.message import EmailMessage
from pathlib import Path

import pytest

from notation.games import GAMES
from pbem.conversation.syntax.mail import Reader
from pbem.features.all import FEATURES
from pbem.mail.reading.text import html_text
from pbem.messages.links import Link
from pbem.messages.said.sections import templates_folder
from pbem.messages.templating import HTML, TEXT, templates, tightened
from pbem.storage import payloads
from pbem.storage.payloads import Payload, Section
from tests.templates import golden, letters
from tests.templates.letters import FACES, MOMENTS, Sent, examples, kinds

pytestmark = pytest.mark.xdist_group("examples")  # they are made once
MAILS = Path(__file__).parent / "mails"
NAMES = sorted(kinds() | {*FACES, *MOMENTS})

BLOCKS = Path(__file__).parent / "blocks.html"
PLAIN = {"face-plain", "confirm", "confirm-join", "section-first_only", "section-introduction", "section-waiting"}
"""Mails without HTML: by choice, or because the address may be somebody else's than the author's."""


@pytest.fixture(scope="module")
def all_mails(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, EmailMessage], list[Sent]]:
    return examples(tmp_path_factory.mktemp("letters"))


@pytest.fixture(scope="module")
def found(all_mails: tuple[dict[str, EmailMessage], list[Sent]]) -> dict[str, EmailMessage]:
    return all_mails[0]


@pytest.mark.slow
@pytest.mark.golden
@pytest.mark.parametrize("name", NAMES)
def test_a_mail_of_each_kind_reads_as_its_golden_files(name: str, found: dict[str, EmailMessage]) -> None:
    """In HTML it says the same in the same order; boards, turns and what can be tapped have their own form there."""
    shown = golden.both_faces(found[name])
    if os.environ.get("PBEM_GOLDEN") == "write":
        (MAILS / f"{name}.txt").write_text(shown, encoding="utf-8")
    assert (MAILS / f"{name}.txt").read_text(encoding="utf-8") == shown

    page = golden.html(found[name])
    assert (page is None) == (name in PLAIN)
    said, at = in_words(golden.plain(found[name])), 0
    for sentence in golden.sentences(page or ""):
        at = said.find(in_words(sentence), at)
        assert at >= 0, sentence


def in_words(said: str) -> str:
    """Return the words alone, as both faces have them."""
    return " ".join(re.findall(r"\w+", said))


def test_templates_hold_blocks_and_no_markup() -> None:
    paths = [path for path in templates_folder().rglob("*.j2") if path.parent.name != "site"]
    assert len(paths) > 100
    for path in paths:
        assert ".html." in path.name or not re.search(r"</?[a-z]", path.read_text(encoding="utf-8")), path


@pytest.mark.golden
def test_the_blocks_look_as_their_golden_file() -> None:
    """One of each block in HTML, so that the golden files of messages need only their text."""
    link = Link("A label", "words", "mailto:games@pbem.example")
    html = tightened(
        templates(HTML).from_string(BLOCKS.with_suffix(".j2").read_text(encoding="utf-8")).render(link=link)
    )
    if os.environ.get("PBEM_GOLDEN") == "write":
        BLOCKS.write_text(html, encoding="utf-8")

    assert BLOCKS.read_text(encoding="utf-8") == html


@pytest.mark.slow
def test_a_mail_made_again_is_the_same_byte_for_byte(
    all_mails: tuple[dict[str, EmailMessage], list[Sent]],
) -> None:
    """Even after names, preferences, the match and its players have changed."""
    kinds = set()
    for kind, sent, again in all_mails[1]:
        kinds.add(kind)
        assert sent == again, kind
    mails = letters.found("*.j2")
    assert kinds == mails - {"deleted", "export"}  # rows of deleted players are emptied


def test_what_a_person_writes_is_no_markup() -> None:
    written = "{{ words }}"
    assert templates(HTML).from_string(written).render(words="<b>&") == "&lt;b&gt;&amp;"
    assert templates(TEXT).from_string(written).render(words="<b>&") == "<b>&"


def test_each_payload_has_a_template_and_each_template_a_payload() -> None:
    assert set(payloads.kinds(Payload)) == letters.found("*.j2")
    assert set(payloads.kinds(Section)) == letters.found("sections/*.j2")


def test_golden_files_and_templates_belong_together() -> None:
    assert {path.stem for path in MAILS.glob("*.txt")} == set(NAMES)


@pytest.mark.slow
def test_our_html_quoted_without_marks_is_no_command(found: dict[str, EmailMessage]) -> None:
    """An HTML-only reply that quotes our message as if it were the person's own words must not act.

    A mail program may drop the classes or the links of a message that it quotes, but hardly both.
    """
    lines: set[str] = set()
    for name in {*NAMES} - PLAIN:
        page = golden.html(found[name]) or ""
        assert page
        for quoted in (page, *(re.sub(rf' ({stripped}|id)="[^"]*"', "", page) for stripped in ("class", "href"))):
            lines.update(line for line in html_text.text(quoted).splitlines() if not line.startswith(">"))
    for line in lines:
        for match in (1, None):
            read = reader(match).read("", [line])
            assert not [each for each in read.commands if each.command.changes and not each.malformed], line


def reader(match: int | None) -> Reader:
    """Return what reads messages about a match, or about none."""
    return Reader(FEATURES.commands, lambda number: GAMES["quadraphages"], match)


@pytest.mark.slow
def test_our_subjects_are_no_commands(found: dict[str, EmailMessage]) -> None:
    """They name players, games and tournaments, and come back in replies and forwarded messages."""
    for subject in {str(mail["Subject"]) for mail in found.values()}:
        for match in (1, None):
            for written in (subject, f"Re: {subject}", f"Fwd: {subject}"):
                read = reader(match).read(written, [])
                assert (read.commands, read.guess) == ((), None), written


def test_each_section_can_give_a_reply_its_subject() -> None:
    for kind in payloads.kinds(Section).values():
        assert hasattr(kind, "heading") or "match" in kind.__dataclass_fields__, kind
