"""Every message and section has a text template, an HTML template and a golden file."""

import os
import re
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.commands import COMMANDS
from pbem.commands.syntax.mail import Reader
from pbem.reading.text import html_text
from tests.correspondence import text
from tests.templates import golden
from tests.templates.letters import FACES, MOMENTS, TEMPLATES, Sent, examples, templates

MAILS = Path(__file__).parent / "mails"
NAMES = sorted(templates() | {*FACES, *MOMENTS})

SHOWN = {
    "confirm",
    "digest",
    "face-table",
    "section-analysis",
    "section-help",
    "section-refused",
    "section-rules",
    "turn-over",
    "turn-yours",
    "welcome",
}
"""Mails whose HTML is a golden file: they have boards, tables, charts, buttons, lists, quotes and pages."""
WORDS = Path(__file__).parent / "words.txt"

PLAIN = {"face-plain", "confirm", "confirm-join", "section-first_only", "section-introduction", "section-waiting"}
"""Mails without HTML: by choice, or because the address may be somebody else's than the author's."""


@pytest.fixture(scope="module")
def all_mails(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, EmailMessage], list[Sent]]:
    return examples(tmp_path_factory.mktemp("letters"))


@pytest.fixture(scope="module")
def found(all_mails: tuple[dict[str, EmailMessage], list[Sent]]) -> dict[str, EmailMessage]:
    return all_mails[0]


@pytest.mark.golden
@pytest.mark.parametrize("name", NAMES)
def test_a_mail_of_each_kind_reads_as_its_golden_files(name: str, found: dict[str, EmailMessage]) -> None:
    plain, html = golden.plain(found[name]), golden.html(found[name])
    shown = html if name in SHOWN else None
    if os.environ.get("PBEM_GOLDEN") == "write":
        (MAILS / f"{name}.txt").write_text(plain, encoding="utf-8")
        if shown is not None:
            (MAILS / f"{name}.html").write_text(shown, encoding="utf-8")

    assert (MAILS / f"{name}.txt").read_text(encoding="utf-8") == plain
    assert (html is None) == (name in PLAIN)
    assert shown is None or (MAILS / f"{name}.html").read_text(encoding="utf-8") == shown


@pytest.mark.golden
def test_the_faces_differ_in_the_words_that_are_listed(found: dict[str, EmailMessage]) -> None:
    told = []
    for name in sorted({*NAMES} - PLAIN):
        words, html_words = _words(text(found[name])), _words(html_text.text(golden.html(found[name]) or ""))
        if words != html_words:
            told += [name, f"  text: {_listed(words - html_words)}", f"  html: {_listed(html_words - words)}"]
    if os.environ.get("PBEM_GOLDEN") == "write":
        WORDS.write_text("\n".join([*told, ""]), encoding="utf-8")

    assert WORDS.read_text(encoding="utf-8").splitlines() == told


def _words(said: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[^\W\d_]{2,}(?:'\w+)?", said)}


def _listed(words: set[str]) -> str:
    return " ".join(sorted(words)) or "-"


def test_a_mail_made_again_is_the_same_byte_for_byte(
    all_mails: tuple[dict[str, EmailMessage], list[Sent]],
) -> None:
    """Even after names, preferences, the match and its players have changed."""
    kinds = set()
    for kind, sent, again in all_mails[1]:
        kinds.add(kind)
        assert sent == again, kind
    mails = {path.name.removesuffix(".txt.j2") for path in TEMPLATES.glob("*.txt.j2")}
    assert kinds == mails - {"deleted", "export", "records"}  # rows of deleted players are emptied


def test_every_text_template_has_its_html_beside_it() -> None:
    for path in TEMPLATES.rglob("*.txt.j2"):
        assert path.with_name(path.name.replace(".txt.", ".html.")).is_file(), path


def test_golden_files_and_templates_belong_together() -> None:
    assert {path.stem for path in MAILS.glob("*.txt")} == set(NAMES)
    assert {path.stem for path in MAILS.glob("*.html")} == SHOWN


def test_html_includes_nothing_that_is_not_escaped() -> None:
    """Jinja escapes by the name of the file, so an included text part would let names and messages through."""
    for path in TEMPLATES.rglob("*.html.j2"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if any(f"{{% {word} " in line for word in ("include", "import", "extends")):
                assert '.html.j2"' in line or '"rules/"' in line or '"help/"' in line, (path, line)


@pytest.mark.parametrize("stripped", ["", "class", "href"])
@pytest.mark.parametrize("name", sorted({*NAMES} - PLAIN))
def test_our_html_quoted_without_marks_is_no_command(name: str, stripped: str, found: dict[str, EmailMessage]) -> None:
    """An HTML-only reply that quotes our message as if it were the person's own words must not act.

    A mail program may drop the classes or the links of a message that it quotes, but hardly both.
    """
    html = golden.html(found[name]) or ""
    assert html
    if stripped:
        html = re.sub(rf' ({stripped}|id)="[^"]*"', "", html)
    for line in html_text.text(html).splitlines():
        if not line.startswith(">"):
            for match in (1, None):
                read = Reader(COMMANDS, lambda number: "quadraphages", match).read("", [line])
                assert not [each for each in read.commands if each.command.changes and not each.malformed], line
