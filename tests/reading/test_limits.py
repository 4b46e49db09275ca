"""What is beyond a limit costs nothing: it is neither parsed nor passed on. What people send is within."""

import base64
from collections.abc import Iterator

import pytest

from pbem.mail.reading import bounce_report, limits
from pbem.mail.reading.limits import Problem
from pbem.mail.reading.message import Message, read
from pbem.mail.reading.text import body, html_text, kept_and_cut_lines, normalize, reply_text
from pbem.mail.reading.text.reply_text import MOST_LINES
from tests.effort import calls
from tests.hostile import HEAD, filled, many_parts, with_content_type

LINES, HEADER = Problem.TOO_MANY_LINES, Problem.HEADER_TOO_LONG


def problem(raw: bytes) -> Problem | None:
    message = read(raw, None, ())
    return message.error.problem if message.error else None


# Lines, parts, headers


def test_a_message_has_so_many_lines() -> None:
    above = HEAD.count(b"\n") + 1
    assert problem(HEAD + b"\n" + b"x\n" * (limits.MOST_LINES - above)) is None
    assert problem(HEAD + b"\n" + b"x\n" * (limits.MOST_LINES - above + 1)) is LINES


def test_a_large_attachment_may_have_more_lines() -> None:
    picture = b"Content-Type: image/png\nContent-Transfer-Encoding: base64\n\n" + base64.encodebytes(bytes(3_000_000))
    raw = with_content_type(b"multipart/mixed; boundary=b", b"--b\n\nhelp\n--b\n" + picture + b"--b--\n")
    assert raw.count(b"\n") > limits.MOST_LINES
    assert read(raw, None, ()).lines == ("help",)


def test_a_part_has_so_many_headers() -> None:
    header = b"x-y: z\n folded\n"
    most = limits.MOST_PART_HEADER_LINES // 2
    assert problem(many_parts(1, part=header * most + b"\nhelp\n")) is None
    assert problem(many_parts(1, part=header * (most + 1) + b"\nhelp\n")) is HEADER


@pytest.mark.parametrize("kind", ["rfc822", "delivery-status", "partial", "global", "external-body"])
def test_a_message_inside_is_not_parsed(kind: str) -> None:
    inner = b"Content-Type: text/plain\n\nresign\n\na: b\n\nresign\n"
    for raw in (
        with_content_type(b"message/" + kind.encode(), inner),
        many_parts(1, part=b"Content-Type: message/" + kind.encode() + b"\n\n" + inner),
    ):
        assert [part for part in leaves(raw) if part.is_multipart()] == []
        assert read(raw, None, ()).lines == ()


def leaves(raw: bytes) -> Iterator[body.Part]:
    whole = body.parsed(raw)
    for part in whole.get_payload() if whole.get_content_maintype() == "multipart" else [whole]:
        assert isinstance(part, body.Part)
        yield part


# HTML


@pytest.mark.parametrize("tag", ["</p>", "<", "<!-- -->"])
def test_a_page_has_so_many_tags(tag: str) -> None:
    page = "words" + tag * (html_text.MOST_TAGS + 1) + "more"
    assert html_text._shallow(page).count("<") == html_text.MOST_TAGS
    assert "more" not in html_text.text(page)


# Words


def words(raw: bytes) -> Message:
    message = read(raw, None, ())
    assert message.error is None
    return message


def test_a_person_s_words_have_so_many_lines() -> None:
    most = [f"line {number}" for number in range(kept_and_cut_lines.MOST_LINES)]
    assert words(HEAD + b"\n" + "\n".join(most).encode()).lines == (*most,)
    assert words(HEAD + b"\n" + "\n".join([*most, "more", "and more"]).encode()).lines == (
        *most,
        "",
        kept_and_cut_lines.REST,
    )


def test_a_person_s_words_have_so_many_characters() -> None:
    line, rest = "x" * 1_000, kept_and_cut_lines.LONGEST % 1_000 + 500
    whole = [line] * (kept_and_cut_lines.LONGEST // 1_000 - 1)
    shown = words(HEAD + b"\n" + "\n".join([*whole, "y" * rest, "z" * 1_000, "w"]).encode()).lines
    assert shown == (*whole, "y" * rest, "z" * (1_000 - 500), "", kept_and_cut_lines.REST)


def test_quotes_do_not_count() -> None:
    quote = b"On Mon, 2 Mar 2026 at 09:59, PBeM <games@pbem.example> wrote:\n" + b"> resign\n" * 4_000
    assert words(HEAD + b"\nhelp\n\n" + quote).lines == ("help",)
    assert words(HEAD + b"\n" + quote + b"\nhelp\n").lines == ("help",)
    assert words(HEAD + b"\n" + filled(b">") + b"\nhelp\n").lines == ("help",)


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\x85", "\u2028", "\u2029"])
def test_only_so_many_lines_are_cleaned(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However they end."""
    seen: list[str] = []
    clean = normalize.clean
    monkeypatch.setattr(normalize, "clean", lambda text: seen.append(text) or clean(text))
    lines = [f"> {number}" for number in range(MOST_LINES - 1)]
    assert reply_text.read(end.join([*lines, "words", "more", "and more"])).lines == ("words",)
    assert seen == [end.join([*lines, "words"])]


# Reports of failures


def test_only_the_beginning_of_a_report_is_read() -> None:
    report = b"From: MAILER-DAEMON@x.example\nSubject: failed\n\n" + b"words\n" * bounce_report.MOST_LINES
    bounce_report.is_final(report)  # the library loads its detectors
    few, many = (calls(lambda raw=raw: bounce_report.is_final(raw)) for raw in (report, report + b"words\n" * 40_000))
    assert many < 1.05 * few
    assert calls(lambda: bounce_report.is_final(report + filled(b"word "))) < 1.05 * few
