"""What speaks for or against the domain in From: the results of our receiving server.

A pass says that the domain in From sent the message, and so, at hosts whose users can't write under each other's names,
who wrote it. The admin decides what that is worth ([checks] in config.toml). A fail doesn't make a message worthless,
because forwarding fails too: it only takes away what a token would do without confirmation.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.message import Message
from email.parser import BytesHeaderParser
from email.policy import compat32
from email.utils import getaddresses, parsedate_to_datetime
from enum import Enum
from hashlib import sha256

from pbem.checks import ChecksSettings
from pbem.mail.reading import authentication_results, dkim_coverage, from_header
from pbem.mail.reading.authentication_results import MethodResult
from pbem.mail.reading.from_header import domain
from pbem.mail.reading.limits import header_block
from pbem.storage.mailboxes import public_suffixes

FRESH = timedelta(days=2)
"""A message whose Date is further away acts at once only by a token, because it may be a replay."""

LONGEST_FIELD = 8_192
FAILS = frozenset({"fail", "hardfail"})


class Authenticity(Enum):
    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Checked:
    finding: Authenticity
    proof: str | None = None
    """Identifies this message if it is replayed; None if the pass isn't enough to act on."""


NOT_CHECKED = Checked(Authenticity.UNKNOWN)


def prepare(settings: ChecksSettings) -> None:
    if settings.authserv_id:
        public_suffixes()


def check(raw: bytes, ours: str, settings: ChecksSettings, now: datetime) -> Checked:
    """Return the result of the checks that the admin has switched on. Never raises.

    `ours` is our own address: a message written to somebody else doesn't act on its domain's word.
    """
    if not settings.authserv_id:
        return NOT_CHECKED
    try:
        return _checked(raw, ours, settings.authserv_id, settings.headers, now)
    except Exception:  # noqa: BLE001 - hostile bytes; what can't be read isn't believed
        return NOT_CHECKED


def _checked(raw: bytes, ours: str, authserv_id: str, headers: int, now: datetime) -> Checked:
    block = header_block(raw)
    head = BytesHeaderParser(policy=compat32).parsebytes(block)
    author = from_header.author(_fields(head, "From"))
    if author is None:
        return NOT_CHECKED
    sent_by = domain(author)
    fields = _fields(head, "Authentication-Results")
    finding = of_results(authentication_results.results(fields, authserv_id, headers), sent_by)
    signatures = _fields(head, "DKIM-Signature")
    if finding is Authenticity.PASSED and b"\r" in block.replace(b"\r\n", b""):
        finding = Authenticity.UNKNOWN  # our server didn't take it for a header and so didn't remove it
    enough = finding is Authenticity.PASSED and _is_whole(head, signatures, sent_by, now) and _is_to_us(head, ours)
    return Checked(finding, _proof(head, author) if enough and _is_fresh(head, now) else None)


def of_results(results: tuple[MethodResult, ...], author: str) -> Authenticity:
    """Return what our server's results mean for that domain: DMARC if it was checked, else an aligned DKIM or SPF.

    >>> of_results((MethodResult("dkim", "pass", "b.example"), MethodResult("spf", "fail", "a.example")), "a.example")
    <Authenticity.FAILED: 'failed'>
    """
    verdicts = {(each.result, each.domain) for each in results if each.method == "dmarc" and each.result != "none"}
    if any(result in FAILS for result, _ in verdicts):
        return Authenticity.FAILED
    if any(result == "pass" for result, _ in verdicts):
        return Authenticity.PASSED if verdicts == {("pass", author)} else Authenticity.UNKNOWN
    checks = [each for each in results if each.method in ("dkim", "spf")]
    if any(each.result == "pass" and dkim_coverage.aligned(each.domain, author) for each in checks):
        return Authenticity.PASSED
    return Authenticity.FAILED if any(each.result in FAILS for each in checks) else Authenticity.UNKNOWN


def _fields(head: Message, name: str) -> tuple[str, ...]:
    """Return the values of all headers of that name, from the top, each truncated."""
    return tuple(str(value)[:LONGEST_FIELD] for key, value in head.raw_items() if key.lower() == name.lower())


def _is_whole(head: Message, signatures: tuple[str, ...], author: str, now: datetime) -> bool:
    """Return whether every signature of the domain covers the whole message: we aren't told which one passed."""
    told = [(each, dkim_coverage.tags(each)) for each in signatures]
    own = [each for each, said in told if said is None or dkim_coverage.aligned(domain(said.get("d", "")), author)]
    return all(dkim_coverage.covers(each, head.keys(), now) for each in own)


def _is_to_us(head: Message, ours: str) -> bool:
    named = getaddresses([*_fields(head, "To"), *_fields(head, "Cc")])
    return ours.lower() in {address.lower() for _, address in named}


def _is_fresh(head: Message, now: datetime) -> bool:
    try:
        date = parsedate_to_datetime("".join(_fields(head, "Date")[:1]))
    except (ValueError, TypeError, IndexError, OverflowError):
        return False
    return abs(now - (date if date.tzinfo else date.replace(tzinfo=UTC))) < FRESH


def _proof(head: Message, author: str) -> str | None:
    """Return a hash of what a replay can't change without breaking the signature; None if it is missing."""
    ids = [" ".join(value.split()) for value in _fields(head, "Message-ID")]
    if len(ids) != 1 or not ids[0]:
        return None
    return sha256(f"{author}\n{ids[0]}".encode("utf-8", "surrogateescape")).hexdigest()
