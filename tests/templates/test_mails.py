"""Every message and section has its templates and a golden file, and is what filters and mail programs ask for."""

import os
import re
from collections.abc import Callable, Sequence
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from notation.games import GAMES
from pbem.conversation.syntax.mail import Reader
from pbem.features.all import FEATURES
from pbem.mail.reading.text import html_text
from pbem.messages.reply_links import Link
from pbem.messages.template_files import templates_folder
from pbem.messages.templating import HTML, TEXT, templates, tightened
from pbem.storage import message_payload_base
from pbem.storage.message_payload_base import Payload, Section
from tests.templates import golden, letters, scanners
from tests.templates.letters import FACES, MOMENTS, Sent, examples, kinds
from tests.templates.scanners import Points

pytestmark = pytest.mark.xdist_group("examples")  # they are made once
MAILS = Path(__file__).parent / "mails"
NAMES = sorted(kinds() | {*FACES, *MOMENTS})

BLOCKS = Path(__file__).parent / "blocks.html"
PLAIN = {"face-plain", "confirm", "confirm-join", "section-first_only", "section-introduction", "section-waiting"}
"""Mails without HTML: by choice, or because the address may be somebody else's than the author's."""


@pytest.fixture(scope="module")
def letters_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("letters")


@pytest.fixture(scope="module")
def all_mails(letters_folder: Path) -> tuple[dict[str, EmailMessage], list[Sent]]:
    return examples(letters_folder)


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
    for kind, sent, again, _ in all_mails[1]:
        kinds.add(kind)
        assert sent == again, kind
    mails = letters.found("*.j2")
    assert kinds == mails - {"deleted", "export"}  # rows of deleted players are emptied


def test_what_a_person_writes_is_no_markup() -> None:
    written = "{{ words }}"
    assert templates(HTML).from_string(written).render(words="<b>&") == "&lt;b&gt;&amp;"
    assert templates(TEXT).from_string(written).render(words="<b>&") == "<b>&"


def test_each_payload_has_a_template_and_each_template_a_payload() -> None:
    assert set(message_payload_base.kinds(Payload)) == letters.found("*.j2")
    assert set(message_payload_base.kinds(Section)) == letters.found("sections/*.j2")


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
            written = [line for line in html_text.text(quoted).splitlines() if not line.startswith(">")]
            lines.update(written)
            whole = [each for match in (1, None) for each in reader(match).read("", written).commands]
            assert not [each for each in whole if each.command.changes and not each.malformed], name
    for line in lines:
        for match in (1, None):
            read = reader(match).read("", [line])
            acts = [each for each in read.commands if each.command.changes and not each.malformed]
            assert not acts or line == "swap", line  # a choice in a list: it counts only above all other words


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
    headings = templates(TEXT).get_template("parts/headings.j2").module
    names = {name for name in vars(headings) if not name.startswith("_")} - {"anything"}
    assert names <= {*message_payload_base.kinds(message_payload_base.Said)}
    about_theirs = {"first_only", "last_answer", "overlooked", "sent_elsewhere", "unattempted", "unsent"}
    for kind in message_payload_base.kinds(Section).values():
        assert kind.template in names or "match" in kind.__dataclass_fields__ or kind.template in about_theirs, kind


MANY = 0.5
"""Points that no message may have, of the five with which SpamAssassin calls it spam."""
UNAVOIDABLE = {"ONCE_RECEIVED", "R_MIXED_CHARSET", "DATE_IN_FUTURE", "DATE_IN_PAST"}
"""What rspamd counts for each message that comes right from its sender, for each word with an accent, and for a date
that isn't today's: the tests run on other days."""


@pytest.fixture(scope="module")
def raws(all_mails: tuple[dict[str, EmailMessage], list[Sent]], letters_folder: Path) -> dict[str, bytes]:
    """The bytes of each example, by its name, and of each kind as another server sends it."""
    paths = (path.read_bytes() for path in (letters_folder / "out" / "new").iterdir())
    by_id = {raw.partition(b"\nMessage-ID: ")[2].partition(b"\r")[0].decode(): raw for raw in paths}
    here = {name: by_id[str(mail["Message-ID"])] for name, mail in all_mails[0].items()}
    domain = letters.ELSEWHERE["address"].partition("@")[2].encode()
    elsewhere = (there.replace(b"@pbem.example", b"@" + domain) for _, _, _, there in all_mails[1])
    return here | {f"{number} elsewhere": raw for number, raw in enumerate(elsewhere)}


@pytest.mark.slow
@pytest.mark.parametrize("scanner", [scanners.spamassassin, scanners.rspamd])
def test_no_filter_holds_anything_against_a_message(
    scanner: Callable[[Sequence[bytes], Path], list[Points]], raws: dict[str, bytes], tmp_path: Path
) -> None:
    planted = raws["turn-over"].replace(b"games@pbem.example.", b"us.").replace(b"alice - bob\r\n", b"and you?\r\n", 1)
    planted = planted.replace(b"Message-ID: <", b"Message-ID: <planted", 1)
    *found, noticed = scanner([*raws.values(), planted], tmp_path)

    def minded(points: Points) -> dict[str, float]:
        return {symbol: each for symbol, each in points.items() if each > 0 and symbol not in UNAVOIDABLE}

    for name, points in zip(raws, found, strict=True):
        assert sum(minded(points).values()) <= MANY, (name, points)
    assert max(minded(noticed).values()) >= 1


@pytest.mark.slow
def test_any_mail_server_can_take_every_message(raws: dict[str, bytes]) -> None:
    """Seven bits, lines that are no longer than asked for, and nothing that only some servers understand."""
    for name, raw in raws.items():
        head = raw.partition(b"\r\n\r\n")[0].split(b"\r\n")
        mail = message_from_bytes(raw, policy=SMTP)
        assert raw.isascii(), name
        assert b"\n" not in raw.replace(b"\r\n", b""), name
        assert max(map(len, raw.split(b"\r\n"))) <= 998, name
        assert all(len(line) <= 78 or len(line.split()) <= 2 for line in head), name
        assert not [line for line in head if line.endswith(b":")], name
        for part in mail.walk():
            assert not part.defects, name
            assert part.get_content_maintype() != "text" or part.get_content_charset() == "utf-8", name
            assert part.get_content_type() != "multipart/related" or part.get_param("type") == "text/html", name
            assert part.get_content_maintype() != "text" or part["Content-Transfer-Encoding"] != "base64", name


@pytest.mark.slow
def test_messages_are_small(raws: dict[str, bytes]) -> None:
    """A turn, and the end of a match with its files; nothing is loaded from elsewhere."""
    for name, raw in raws.items():
        event = message_from_bytes(raw, policy=SMTP)["X-PBeM-Event"]
        most = {"turn": 21_000, "over": 80_000, "left": 80_000}.get(event, 100_000)
        assert len(raw) <= most, (name, len(raw))


PROPERTIES = {
    *("background", "background-color", "border", "border-bottom", "border-collapse", "border-left", "border-radius"),
    *("border-top", "border-right", "color", "display", "font", "font-family", "font-size", "font-weight", "height"),
    *("line-height", "margin", "max-width", "mso-padding-alt", "overflow-wrap", "overflow-x", "padding"),
    *("padding-left", "padding-right", "table-layout", "text-decoration", "white-space", "width", "word-break"),
}
"""What caniemail.com knows of: where a program lacks one of these, nothing is lost but looks."""
ELEMENTS = {
    *("a", "b", "blockquote", "body", "br", "code", "div", "em", "h1", "h2", "head", "html", "img", "li", "meta", "ol"),
    *("p", "pre", "span", "strong", "style", "table", "td", "th", "title", "tr", "ul", "wbr", "tbody", "hr"),
}


@pytest.mark.slow
def test_html_is_what_mail_programs_know_and_screen_readers_can_read(found: dict[str, EmailMessage]) -> None:
    for name, mail in found.items():
        page = golden.html(mail)
        if page is None:
            continue
        tree = LexborHTMLParser(page)
        assert {node.tag for node in tree.css("*")} <= ELEMENTS, name
        styles = [node.attributes["style"] or "" for node in tree.css("[style]")]
        used = {each.partition(":")[0].strip() for style in styles for each in style.split(";")} - {""}
        assert used <= PROPERTIES, name
        assert not [style for style in styles if "font-size: 0" in style], name
        assert all(node.attributes.get("alt") for node in tree.css("img")), name
        assert len(tree.css("h1")) <= 1, name
        assert not re.search(r"(?:src|background)=\"http", page), name
        for node in tree.css(".pbem-key a, .pbem-soft a"):
            assert "padding: 12px" in (node.attributes["style"] or ""), name
