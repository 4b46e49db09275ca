"""Machines: the signs by which a message is recognised as sent by one (RFC 3834, and what machines send in practice).

All signs are regular expressions in text/phrases.toml, but for the few that compare two things.
"""

import email.message
import email.utils
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from itertools import islice

from pbem.mail.reading import limits
from pbem.mail.reading.from_and_subject import is_marked
from pbem.mail.reading.text import body, phrases

MOST_RECEIVED = 100  # a message with more Received lines is in a loop (RFC 5321, 6.3)
LINES_OF_TEXT = 12
LONGEST_GREETING = 60
LONGEST_TEXT = 1_000
LONGEST_CALENDAR = 4_000
MAIL_SERVICES = ("fastmail", "proton", "zohomail", "flockmailid", "qyb")
"""How the last field of Feedback-ID begins where people write: Fastmail, Proton, Zoho, Titan, Tencent."""
_DELIVERY_REPORT = f"{body.UNOPENED}message/delivery-status"
REPORTS = frozenset({_DELIVERY_REPORT, f"{body.UNOPENED}message/disposition-notification"})
"""The parts that machines' reports have, whatever is around them; people forward delivery reports."""


class Automatic(Enum):
    """The kind of a sign; the first one found counts, since the last two may be excused."""

    COMPLAINT = "complaint"
    NULL_SENDER = "null sender"
    AUTO_SUBMITTED = "Auto-Submitted"
    REPORT = "report"
    AUTOREPLY_HEADER = "autoreply header"
    OWN_MAIL = "own mail"
    AWAY_NOTICE = "away notice"
    TICKET_SYSTEM = "ticket system"
    FEEDBACK_ID = "Feedback-ID"
    LOOP = "loop"
    RECEIPT = "receipt"
    REACTION = "reaction"
    CALENDAR = "answer to an appointment"
    AUTOMATIC_TEXT = "text of a machine"
    MACHINE_ADDRESS = "machine's address"  # not for the admin, who may write from any
    LIST = "list"  # not for a turn in a match, sent with its token: lists and relays add such signs on the way


def _patterns(place: str) -> Mapping[Automatic, Sequence[str]]:
    return {
        Automatic[kind.upper()]: patterns
        for kind, patterns in phrases.table(f"machines_{place}").items()
        if kind.upper() in Automatic.__members__
    }


_HEADERS = [
    (name, re.compile(pattern), kind)
    for kind, patterns in _patterns("headers").items()
    for name, _, pattern in (text.partition(": ") for text in patterns)
]
_PARTS, _SUBJECTS, _TEXTS, _ADDRESSES = (
    {kind: re.compile("|".join(patterns)) for kind, patterns in _patterns(place).items()}
    for place in ("parts", "subjects", "texts", "addresses")
)
_LETTERS = phrases.table("machines_addresses")["letters"]
_OF_PEOPLE = {"from", "content-type", "delivered-to", "return-path", "x-mailer", "user-agent"}
HEADERS = frozenset({"x-loop", "feedback-id", *(name for name, _, _ in _HEADERS)} - _OF_PEOPLE)
"""Headers that tell a machine's message, besides those of all messages and those that begin with `list-`."""


def sign(
    mime: email.message.Message, sender: str | None, subject: str, recipients: Sequence[str], lines: Sequence[str]
) -> Automatic | None:
    plain = unicodedata.normalize("NFC", subject).lower().strip()
    tag, bracket, rest = plain.partition("]")
    untagged = rest.strip() if bracket and tag.startswith("[") else plain  # a company's server may add [EXTERNAL]
    seen = {
        *_in_headers(mime, recipients),
        *_of_parts(mime, subject),
        *(kind for kind, pattern in _SUBJECTS.items() if pattern.match(plain) or pattern.match(untagged)),
        *_in_text(lines),
    }
    if sender == "":
        seen.add(Automatic.NULL_SENDER)
    return next((kind for kind in Automatic if kind in seen), None)


def is_machines(address: str) -> bool:
    """Return whether the address is one from which only machines write, by what stands before its @.

    >>> [is_machines(f"{local}@b.example") for local in ("no-reply", "bank_noreply-7", "MAILER-DAEMON", "bob.newman")]
    [True, True, True, False]
    """
    local, at, domain = address.lower().rpartition("@")
    named = local if at else domain
    letters = "".join(filter(str.isalpha, named))
    return _ADDRESSES[Automatic.MACHINE_ADDRESS].fullmatch(named) is not None or any(map(letters.count, _LETTERS))


def _in_headers(mime: email.message.Message, recipients: Sequence[str]) -> Iterator[Automatic]:
    headers: dict[str, list[str]] = {}
    for key, value in mime.raw_items():
        headers.setdefault(key.lower(), []).append(" ".join(str(value)[: limits.LONGEST_VALUE].split()).lower())
    yield from (kind for name, pattern, kind in _HEADERS if any(map(pattern.search, headers.get(name, ()))))
    if any(name.startswith("list-") for name in headers):
        yield Automatic.LIST
    if any(is_machines(address) for _, address in email.utils.getaddresses(headers.get("from", []))):
        yield Automatic.MACHINE_ADDRESS
    # A forwarder in front of us names in X-Loop an address to which the message went.
    loops = (email.utils.parseaddr(loop)[1] for loop in headers.get("x-loop", ()))
    if len(headers.get("received", ())) > MOST_RECEIVED or not all(address in recipients for address in loops):
        yield Automatic.LOOP
    # People write through bulk senders, too, but then in replies.
    services = [value.rpartition(":")[2].strip() for value in headers.get("feedback-id", ())]
    is_bulk = not all(service.startswith(MAIL_SERVICES) for service in services)
    if is_bulk and not {"in-reply-to", "references"}.intersection(headers):
        yield Automatic.FEEDBACK_ID


def _of_parts(mime: email.message.Message, subject: str) -> Iterator[Automatic]:
    kinds = list(_kinds(mime))
    yield from (kind for kind, pattern in _PARTS.items() if any(map(pattern.match, kinds)))
    reports = REPORTS.intersection(kind.partition(";")[0] for kind in kinds)
    if reports and not (reports == {_DELIVERY_REPORT} and is_marked(subject)):
        yield Automatic.REPORT


def _kinds(mime: email.message.Message) -> Iterator[str]:
    """Yield the types of the parts with what an appointment's is for, without those inside attached messages."""
    for part in islice(mime.walk(), limits.MOST_PARTS):
        kind = part.get_content_type()
        if kind == "text/calendar":
            payload = part.get_payload(decode=True)
            calendar = payload[:LONGEST_CALENDAR].lower() if isinstance(payload, bytes) else b""
            method = re.search(rb"^method:([a-z]{1,20})", calendar, re.MULTILINE)
            kind += f"; method={method[1].decode() if method else part.get_param('method')}".lower()
        yield kind


def _in_text(lines: Sequence[str]) -> Iterator[Automatic]:
    """Yield the signs with which a person's own words begin, perhaps below a greeting; what else they say is theirs."""
    first = list(islice((line.strip().lower() for line in lines if line.strip()), LINES_OF_TEXT))
    if first and len(first[0]) <= LONGEST_GREETING and first[0].endswith((",", "!")):
        del first[0]
    text = "\n".join(first)[:LONGEST_TEXT]
    yield from (kind for kind, pattern in _TEXTS.items() if pattern.match(text))
