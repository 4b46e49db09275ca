"""Bytes of an email -> Message: who sent it, to whom, in reply to what, whether by machine, and a person's words.

Raw email is hostile. It is checked against limits before it is parsed (see `limits`), and parsed under the `compat32`
policy, which doesn't interpret headers; every header is truncated before anything looks into it. Nothing here is ever
sent on.
"""

import codecs
import email
import email.errors
import email.header
import email.message
import email.utils
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from textwrap import wrap

from pbem.mail.reading import from_and_subject, limits, machines
from pbem.mail.reading.limits import Problem, ReadError, Unreadable
from pbem.mail.reading.machines import Automatic
from pbem.mail.reading.text import body, normalize, reply_text
from pbem.mail.reading.text.kept_and_cut_lines import WrittenText
from pbem.mail.reading.text.quotes_of_us import NOBODY, Ours

MOST_IDS = 50
LARGEST_ID = 250
LARGEST_ADDRESS = 254
MOST_PASSAGES, WIDEST = 40, 900

RECIPIENT_HEADERS = ("Delivered-To", "X-Original-To", "Envelope-To", "To", "Cc")
_OWN_HEADER = re.compile(
    rb"(?:from|to|cc|subject|date|message-id|mime-version|content-[a-z-]+|in-reply-to|references|reply-to|sender"
    rb"|received|return-path|delivered-to|auto-submitted|precedence|list-[a-z-]+|dkim-signature|x-[a-z0-9-]+)[ \t]*:",
    re.IGNORECASE,
)
_ANY_HEADER = re.compile(rb"[!-9;-~]+[ \t]*:")
_BLANK_BEFORE_COLON = re.compile(rb"^([!-9;-~]+)[ \t]+:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Message(WrittenText):
    message_id: str | None = None
    sender: str | None = None
    """The address in From, in lower case; None if From is missing or ambiguous (see `from_and_subject`)."""
    recipients: tuple[str, ...] = ()  # every address that it was sent or delivered to, envelope first, in lower case
    answers: tuple[str, ...] = ()
    """The Message-IDs it replies to, nearest first: In-Reply-To, then References from the end."""
    subject: str = ""
    automatic: Automatic | None = None  # the sign that a machine sent it; None if a person seems to have written it
    error: ReadError | None = None  # why those lines couldn't be read, although the headers could
    hidden: Problem | None = None  # where the person's words are instead, if the lines may be none of theirs

    @property
    def certain(self) -> tuple[str, ...]:
        return self.lines[: self.sure]

    @property
    def opening(self) -> str:
        """The Subject where it begins a conversation, and answers none."""
        return self.subject * (from_and_subject.bare_subject(self.subject) == self.subject)

    @property
    def passages(self) -> tuple[str, ...]:
        """The first lines of a person's own text, long ones in several."""
        return tuple(part for line in self.certain[:MOST_PASSAGES] for part in wrap(line, WIDEST))[:MOST_PASSAGES]


def read(raw: bytes, sender: str | None, recipients: tuple[str, ...], ours: Ours = NOBODY) -> Message:
    """Return the message in the bytes; raises Unreadable if not even its headers can be read, and MemoryError."""
    page = _page(raw)
    try:
        page = limits.without_long_part_headers(page)
        limits.check_parts(page)
        _, problem = limits.fit_header_block(page)
        if problem is not None:
            raise Unreadable(problem)
        with _only_unreadable():
            mime = body.parsed(page)
            content, author = body.read_body(mime), _author(mime)
            written = reply_text.read(content.text, content.is_html, author, ours)
            return replace(_message(mime, sender, recipients, author, written, content), hidden=content.hidden)
    except Unreadable as unreadable:
        return read_headers(raw, sender, recipients, unreadable.error)


def read_headers(raw: bytes, sender: str | None, recipients: tuple[str, ...], error: ReadError) -> Message:
    """Return the message without its lines, which can't be read because of `error`; raises what `read` raises."""
    block, _ = limits.fit_header_block(_page(raw))
    with _only_unreadable():
        mime = body.parsed(block)
        return replace(_message(mime, sender, recipients, _author(mime), WrittenText(())), error=error)


def _page(raw: bytes) -> bytes:
    r"""Return the message with LF line ends, and its headers so that the parser finds all of them.

    To the parser, a header such as "Auto-Submitted : auto-replied" is the end of the headers; to machines it is one.
    A byte order mark, blank lines at the top and a header that was wrapped without indenting would hide the sender.

    >>> _page(b"Precedence : junk\r\n\r\nfor example : this\r\n")
    b'Precedence: junk\n\nfor example : this\n'
    >>> _page(b"\xef\xbb\xbf\nSubject: a long\none\nFrom: a@b.example\n\nhelp\n")
    b'Subject: a long\n one\nFrom: a@b.example\n\nhelp\n'
    """
    page = limits.normalize_newlines(raw).removeprefix(codecs.BOM_UTF8).lstrip(b"\n")
    block, gap, rest = page.partition(b"\n\n")
    limits.check_header_block(block)
    return _mended(_BLANK_BEFORE_COLON.sub(rb"\1:", block)) + gap + rest


def _mended(block: bytes) -> bytes:
    """Return the header block with lines indented that stand between headers and are none themselves.

    Such lines below the last header are the text of a message without a blank line above it.
    """
    lines = block.split(b"\n")
    last = next((at for at in range(len(lines) - 1, -1, -1) if _OWN_HEADER.match(lines[at])), 0)
    for at in range(1, last):
        if not lines[at].startswith((b" ", b"\t")) and not _ANY_HEADER.match(lines[at]):
            lines[at] = b" " + lines[at]
    return b"\n".join(lines)


@contextmanager
def _only_unreadable() -> Iterator[None]:
    """Turn every exception that hostile email causes in libraries, except MemoryError, into Unreadable."""
    try:
        yield
    except (Unreadable, MemoryError):
        raise
    except Exception as error:
        raise Unreadable(Problem.MALFORMED, type(error).__name__) from error


def _author(mime: email.message.Message) -> str | None:
    return from_and_subject.author([value.decode("utf-8", "replace") for value in _raw_values(mime, "From")])


def _message(
    mime: email.message.Message,
    sender: str | None,
    recipients: tuple[str, ...],
    author: str | None,
    written: WrittenText,
    content: body.Body = body.NOTHING,
) -> Message:
    subject = normalize.clean(header(mime, "Subject"))
    named = tuple(address for name in RECIPIENT_HEADERS for address in _addresses(mime, name))
    envelope = tuple(recipient.lower() for recipient in recipients)
    parents = [*_ids(header(mime, "In-Reply-To")), *reversed(_ids(header(mime, "References")))]
    received_by = tuple(dict.fromkeys(envelope + named))
    words = written.lines or ("" if content.is_html else content.text)[: machines.LONGEST_TEXT].splitlines()
    return Message(
        message_id=next(iter(_ids(header(mime, "Message-ID"))), None),
        sender=author if author is not None and is_address(author) else None,
        recipients=received_by,
        answers=tuple(dict.fromkeys(parents)),
        subject=" ".join(subject.split()),
        automatic=machines.sign(mime, sender, subject, received_by, words),
        lines=written.lines,
        cut=written.cut,
        sure=written.sure,
        asked=written.asked,
        error=ReadError(Problem.TOO_MANY_RECIPIENTS) if len(named) > limits.MOST_RECIPIENTS else None,
    )


def is_address(text: str) -> bool:
    """Return whether email can be sent to the text unchanged, and nothing else can hide in it."""
    local, at, domain = text.rpartition("@")
    return (
        bool(at and local and domain)
        and len(text) <= LARGEST_ADDRESS
        and text.isprintable()
        and "\ufffd" not in text
        and not set(text) & set(' \t,;:<>()[]\\"')
        and "@" not in local
        and domain.isascii()
        and not domain.startswith((".", "-"))
    )


def header(mime: email.message.Message, name: str) -> str:
    """Return the header's decoded text on one line, truncated; "" if the message doesn't have it."""
    value = next(iter(_values(mime, name)), "")
    line = value.replace("\r", "").replace("\n", "")
    try:
        words = email.header.decode_header(line)
    except email.errors.HeaderParseError:  # a broken encoded word stays as it came
        return line
    return "".join(body.decode(part, charset) if isinstance(part, bytes) else part for part, charset in words)


def _values(mime: email.message.Message, name: str) -> list[str]:
    return [body.decode(value, None) for value in _raw_values(mime, name)]


def _raw_values(mime: email.message.Message, name: str) -> list[bytes]:
    values = [str(value)[: limits.LONGEST_VALUE] for key, value in mime.raw_items() if key.lower() == name.lower()]
    return [value.encode("ascii", "surrogateescape") for value in values[:MOST_IDS]]


def _addresses(mime: email.message.Message, name: str) -> tuple[str, ...]:
    pairs = email.utils.getaddresses(_values(mime, name))
    return tuple(dict.fromkeys(address.lower() for _, address in pairs if "@" in address and address.isprintable()))


def _ids(text: str) -> tuple[str, ...]:
    """Return the Message-IDs in a header: the texts between < and > without a space."""
    ids = []
    for piece in text.split("<")[1 : MOST_IDS + 1]:
        inner, closed, _ = piece.partition(">")
        fits = 0 < len(inner) <= LARGEST_ID and inner.isascii() and inner.isprintable() and " " not in inner
        if closed and fits:
            ids.append(f"<{inner}>")
    return tuple(ids)
