"""Bytes -> Mail: who sent it, to whom, in answer to what, whether a machine wrote it, and a person's lines.

Raw mail is hostile until read. It is parsed under the `compat32` policy, which does not interpret headers,
and every header is cut to a length before anything looks into it. Nothing here is ever written out again.
"""

import email
import email.header
import email.utils
import hashlib
from dataclasses import dataclass
from email.message import Message
from email.policy import compat32

from pbem import body, tokens, written
from pbem.body import MOST_PARTS, Unreadable

LARGEST_HEADER_BLOCK = 65_536
LARGEST_HEADER = 8_192
MOST_RECEIVED = 30
MOST_IDS = 50
LARGEST_ID = 250
LARGEST_ADDRESS = 254

TRACE_HEADERS = frozenset(
    {"received", "return-path", "delivered-to", "x-original-to", "envelope-to", "authentication-results"}
    | {"received-spf", "dkim-signature", "x-spam-status", "x-google-smtp-source", "arc-seal"}
    | {"arc-message-signature", "arc-authentication-results"}
)
RECIPIENT_HEADERS = ("Delivered-To", "X-Original-To", "Envelope-To", "To", "Cc")
MACHINES = frozenset({"mailer-daemon", "postmaster", "no-reply", "noreply", "donotreply", "do-not-reply"})
ANSWERED = frozenset(
    # Re and Fwd as mail programs write them, in Latin, Cyrillic, Greek, Chinese, Japanese, Korean, Hebrew, Arabic
    {"re", "aw", "antw", "antwort", "sv", "vs", "svar", "bls", "ref", "rif", "r", "i", "res", "enc", "odp", "pd"}
    | {"fw", "fwd", "wg", "tr", "rv", "doorst", "vl", "ynt", "ilt", "yml", "atb", "trl", "cev", "vb", "vá"}
    | {"на", "ата", "отв", "ответ", "пересл", "απ", "σχετ", "πρθ"}
    | {"回复", "回覆", "答复", "转发", "轉寄", "返信", "転送", "답장", "전달", "השב", "הועבר", "رد", "توجيه"}
)
LONGEST_MARK = 20
AWAY_SUBJECTS = (
    "automatic reply:",
    "auto:",
    "autoreply:",
    "auto-reply:",
    "out of office",
    "automatische antwort:",
)


@dataclass(frozen=True, slots=True)
class Mail:
    """What of a mail matters here."""

    message_id: str | None
    sender: str | None
    """The one address of From, in lower case; None where there is none, or more than one."""
    recipients: tuple[str, ...]
    """Every address it was sent or delivered to, envelope first, in lower case."""
    answers: tuple[str, ...]
    """The Message-IDs it answers, nearest first (In-Reply-To, then References from the end)."""
    subject: str
    automatic: str | None
    """Why we take it for a machine's mail; None when a person seems to have written it."""
    lines: tuple[str, ...]
    """The lines that the person wrote: no quotes, no signature."""


def key(raw: bytes, recipients: tuple[str, ...]) -> str:
    """What makes two deliveries the same mail: all but the headers that transport adds.

    A Message-ID alone would let anybody shut out another's mail by sending its id first. A reply token that
    only the envelope shows (Bcc) counts too, since it changes what the mail may do.
    """
    block, _, body = raw.replace(b"\r\n", b"\n").partition(b"\n\n")
    lasting: list[bytes] = []
    kept = True
    for line in block.split(b"\n"):
        if not line[:1].isspace():
            kept = line.partition(b":")[0].strip().lower().decode("ascii", "replace") not in TRACE_HEADERS
        if kept:
            lasting.append(line.rstrip())
    head = b"\n".join(lasting)
    hidden = [
        tag
        for tag in sorted({recipient.lower().partition("@")[0][-tokens.LENGTH :] for recipient in recipients})
        if tokens.parse(tag) and tag.encode() not in head.lower()
    ]
    return hashlib.sha256(b"\n\n".join([head, body.rstrip(), *map(str.encode, hidden)])).hexdigest()


def read(raw: bytes, sender: str | None, recipients: tuple[str, ...]) -> Mail:
    """The mail in those bytes; raises Unreadable, and nothing else whatever the bytes are."""
    header_block = raw.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    if len(header_block) > LARGEST_HEADER_BLOCK:
        raise Unreadable("its header is too long")
    if raw.count(b"\n--") > 4 * MOST_PARTS:
        raise Unreadable("it has too many parts")
    try:
        message = email.message_from_bytes(raw, policy=compat32)
        return _mail(message, sender, recipients)
    except Unreadable:
        raise
    except Exception as error:
        raise Unreadable(f"it is malformed ({type(error).__name__})") from error


def _mail(message: Message, sender: str | None, recipients: tuple[str, ...]) -> Mail:
    from_addresses = _addresses(message, "From")
    subject = header(message, "Subject")
    received_by = tuple(address for name in RECIPIENT_HEADERS for address in _addresses(message, name))
    envelope = tuple(recipient.lower() for recipient in recipients)
    author = from_addresses[0] if len(from_addresses) == 1 else None
    shown = body.body(message)
    return Mail(
        message_id=next(iter(_ids(header(message, "Message-ID"))), None),
        sender=author if author is not None and is_address(author) else None,
        recipients=tuple(dict.fromkeys(envelope + received_by)),
        answers=tuple(
            dict.fromkeys([*_ids(header(message, "In-Reply-To")), *reversed(_ids(header(message, "References")))])
        ),
        subject=" ".join(subject.split()),
        automatic=_automatic(message, sender, from_addresses, subject),
        lines=written.lines(shown.text, shown.is_html, author),
    )


def is_address(text: str) -> bool:
    """Whether mail can be sent to the text as it is, and nothing else can hide in it.

    >>> is_address("bob@example.org"), is_address("bob@example.org,eve@example.org"), is_address("@b")
    (True, False, False)
    """
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


def bare_subject(subject: str) -> str:
    """The Subject on one line, without Re: and the like.

    >>> bare_subject("Re: AW:  [pbem #42] Quadraphages: alice - bob")
    '[pbem #42] Quadraphages: alice - bob'
    >>> bare_subject("RE[2]: Fwd: Re^3: help"), bare_subject("say: Re: hello")
    ('help', 'say: Re: hello')
    """
    bare = " ".join(subject.split())
    while mark := _answer_mark(bare):
        bare = bare[mark:].strip()
    return bare


def _answer_mark(subject: str) -> int:
    """How long the Re: in front is, in whatever language, also as Re[2]: or Re^2:; 0 where there is none."""
    ends = [at for colon in (":", "\uff1a") if (at := subject[: LONGEST_MARK + 1].find(colon)) > 0]
    if not ends:
        return 0
    word = subject[: min(ends)].strip().casefold()
    if word[-1] in "0123456789])":
        word = word.rstrip("]) 0123456789").rstrip("[(^* ")
    return min(ends) + 1 if word.rstrip(" .") in ANSWERED else 0


def header(message: Message, name: str) -> str:
    """The header's text, decoded, on one line, cut to a length; "" where there is none."""
    value = next(iter(_values(message, name)), "")
    words = []
    for part, charset in email.header.decode_header(value.replace("\r", "").replace("\n", "")):
        words.append(body.decoded(part, charset) if isinstance(part, bytes) else part)
    return "".join(words)


def _values(message: Message, name: str) -> list[str]:
    """The values of all headers of that name as they stand in the mail, each cut to a length."""
    values = [str(value)[:LARGEST_HEADER] for key, value in message.raw_items() if key.lower() == name.lower()]
    return [body.decoded(value.encode("ascii", "surrogateescape"), None) for value in values[:MOST_IDS]]


def _addresses(message: Message, name: str) -> tuple[str, ...]:
    pairs = email.utils.getaddresses(_values(message, name))
    return tuple(dict.fromkeys(address.lower() for _, address in pairs if "@" in address and address.isprintable()))


def _ids(text: str) -> tuple[str, ...]:
    """The Message-IDs in a header: whatever stands between < and > without a blank."""
    found = []
    for piece in text.split("<")[1 : MOST_IDS + 1]:
        inner, closed, _ = piece.partition(">")
        fits = 0 < len(inner) <= LARGEST_ID and inner.isascii() and inner.isprintable() and " " not in inner
        if closed and fits:
            found.append(f"<{inner}>")
    return tuple(found)


def _automatic(message: Message, sender: str | None, addresses: tuple[str, ...], subject: str) -> str | None:
    """Why this is a machine's mail (RFC 3834 and what machines really send), or None."""
    submitted = header(message, "Auto-Submitted").partition(";")[0].strip().lower()
    precedence = header(message, "Precedence").strip().lower()
    signs = {
        "null sender": sender == "" or header(message, "Return-Path").strip() == "<>",
        "Auto-Submitted": submitted not in ("", "no"),
        "report": message.get_content_type() == "multipart/report",
        "list": any(name.lower().startswith("list-") for name in message.keys()),  # noqa: SIM118
        "Precedence": precedence in ("bulk", "junk", "list", "auto_reply"),
        "autoreply header": any(name in message for name in ("X-Autoreply", "X-Autorespond", "X-Autoresponder")),
        "own mail": "X-PBeM-Server" in message,
        "machine's address": any(address.partition("@")[0] in MACHINES for address in addresses),
        "away notice": subject.strip().lower().startswith(AWAY_SUBJECTS),
        "loop": len(message.get_all("Received", [])) > MOST_RECEIVED,
    }
    return next((sign for sign, seen in signs.items() if seen), None)
