"""Hostile messages: checked against limits before they are parsed, and answered if a person may have sent them."""

import pytest

from pbem.mail.reading import limits
from pbem.mail.reading.limits import Problem, ReadError, Unreadable
from pbem.mail.reading.machines import Automatic
from pbem.mail.reading.message import read
from pbem.mail.reading.text import body, kept_and_cut_lines
from tests.cases import quick_where
from tests.hostile import HEAD, MAILS, many_parts, nested

ALICE = "alice@mail.example"
PARTS, HEADER, DEEP = Problem.TOO_MANY_PARTS, Problem.HEADER_TOO_LONG, Problem.NESTED_TOO_DEEPLY
PROBLEMS = {
    **dict.fromkeys(["20,000 parts", "parts without end"], PARTS),
    **dict.fromkeys(["a few too many multiparts", "mails within mails", "reports within reports"], DEEP),
    **dict.fromkeys(["commas", "encoded words", "parameters", "parameters of many parts"], HEADER),
    **dict.fromkeys(["2,000 parentheses", "parentheses in From"], Problem.ADDRESSES_TOO_COMPLEX),
    **dict.fromkeys(["blank lines", "a part's headers without end"], Problem.TOO_MANY_LINES),
    "60 recipients": Problem.TOO_MANY_RECIPIENTS,
}
"""The messages of which only the headers are read, and why."""
UNREADABLE = {
    "a header block without end": Problem.HEADER_BLOCK_TOO_LONG,
    "a header without end": Problem.HEADER_BLOCK_TOO_LONG,
    "headers of one letter": Problem.TOO_MANY_HEADERS,
    "1,000 fields of recipients": Problem.TOO_MANY_HEADERS,
}
"""The messages of which nothing is read."""
SILENT = {"parentheses in From", "zeros everywhere"}
"""The messages without a sender."""


QUICK = {"20,000 parts", "reports within reports", "a header without end", "parentheses in From", "60 recipients"}
"""The messages of every run, one for each problem; `make test-all` has all."""


@pytest.mark.parametrize("name", quick_where(QUICK.__contains__, MAILS))
def test_a_hostile_message_is_read_within_limits_or_not_at_all(name: str) -> None:
    raw = MAILS[name]()
    if name in UNREADABLE:
        with pytest.raises(Unreadable) as raised:
            read(raw, None, ())
        assert raised.value.error == ReadError(UNREADABLE[name])
        return

    message = read(raw, None, ())

    assert (message.error and message.error.problem) == PROBLEMS.get(name)
    assert message.sender == (None if name in SILENT else ALICE)
    assert message.lines == () or message.error in (None, ReadError(Problem.TOO_MANY_RECIPIENTS))
    assert len(message.lines) <= 2 * kept_and_cut_lines.MOST_LINES + 1
    assert sum(map(len, message.lines)) <= 2 * len(raw)
    "".join((message.subject, *message.lines)).encode()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a zip that is called text", ()),
        ("winmail.dat", ()),
        ("zeros", ()),
        ("a long name of a character set", ("help",)),
        ("styles", ()),
    ],
)
def test_what_is_not_text_is_not_read(name: str, expected: tuple[str, ...]) -> None:
    assert read(MAILS[name](), None, ()).lines == expected


def test_messages_of_mail_programs_are_well_within_the_limits() -> None:
    assert read(nested(b"multipart/mixed", limits.DEEPEST), None, ()).lines == ("help",)
    assert read(many_parts(limits.MOST_PARTS - 1), None, ()).error is None
    assert read(nested(b"message/rfc822", 10), None, ()).error is None
    long = b"X-Spam-Report: " + b"\n ".join([b"very " * 15] * 200) + b"\n"
    assert read(long + HEAD + b"\nhelp\n", None, ()).lines == ("help",)


def test_a_truncated_header_still_marks_an_automatic_message() -> None:
    """A vacation responder can't hide behind an oversized header."""
    for sign in (b"Auto-Submitted: auto-replied; ", b"List-Id: ", b"Precedence: bulk", b"X-Autoreply: "):
        message = read(sign + b"\n " * limits.LARGEST_HEADER + b"\n" + HEAD + b"\nhelp\n", None, ())
        assert (message.error, message.automatic is not None) == (ReadError(HEADER), True), sign


def test_a_message_that_was_handed_on_more_than_a_hundred_times_goes_in_circles() -> None:
    for hops, sign in ((100, None), (101, Automatic.LOOP)):
        assert read(b"Received: from a.example by b.example\n" * hops + HEAD + b"\nhelp\n", None, ()).automatic is sign


@pytest.mark.parametrize(
    "charset",
    [
        *("hex", "base64", "bz2", "zip", "zlib", "rot13", "uu", "quopri", "idna", "punycode", "undefined"),
        *("unicode_escape", "raw-unicode-escape", "string-escape", "mbcs", "../../x", "a" * 10_000, "\0", "é", ""),
    ],
)
def test_a_codec_that_is_not_a_character_set_decodes_nothing(charset: str) -> None:
    assert body.decode("5Bé\\x41".encode(), charset) == "5Bé\\x41"


def test_a_lone_surrogate_is_replaced() -> None:
    assert body.decode(b"a+2AA-b", "utf-7") == "a?b"


def test_a_subject_holds_no_control_characters() -> None:
    coded = b"Subject: =?utf-8?q?a=00b=1B=5B31mc=0D=0ABcc:_x=E2=80=AE?=\n"
    message = read(coded + HEAD.replace(b"Subject: help\n", b"") + b"\nhelp\n", None, ())

    assert message.subject == "ab[31mc Bcc: x"
