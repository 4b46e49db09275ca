"""What speaks for or against the domain in From: the results of our receiving server.

A pass says that the domain in From sent the message, and so, at hosts whose users can't write under each other's names,
who wrote it. The admin decides what that is worth ([checks] in config.toml). A fail doesn't make a message worthless,
because forwarding fails too: it only takes away what a token would do without confirmation.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.message import Message
from email.parser import BytesHeaderParser
from email.policy import compat32
from email.utils import getaddresses, parsedate_to_datetime
from enum import Enum
from hashlib import sha256

from authres import AuthResError, FeatureContext, dmarc
from authres.core import AuthenticationResult

from pbem.mail.reading import from_and_subject
from pbem.mail.reading.from_and_subject import domain
from pbem.mail.reading.limits import header_block
from pbem.proof_settings import ChecksSettings
from pbem.storage.mailboxes_and_domains import public_suffixes

# The Authentication-Results that our receiving mail server added to a message, and nobody else's (RFC 8601).
#
# Anybody can write such a header into a message. Our server adds its own on top, so only the topmost headers are read,
# as many as it adds, and only under its name. A header under another name ends the search: everything below it was
# there before.
LONGEST = 4_096
CONTEXT = FeatureContext(dmarc)
DOMAINS = {"dmarc": (("header", "from"),), "dkim": (("header", "d"), ("header", "i")), "spf": (("smtp", "mailfrom"),)}
"""The properties that hold the domain for each method, best first."""


@dataclass(frozen=True, slots=True)
class MethodResult:
    method: str
    result: str
    domain: str
    """From the From header for DMARC, the signature for DKIM, the envelope sender for SPF; "" if it isn't given."""


def results(fields: Sequence[str], authserv_id: str, most: int) -> tuple[MethodResult, ...]:
    """Return our server's results from the Authentication-Results, top down, up to the first that can't be read."""
    own: list[MethodResult] = []
    for field in fields[:most]:
        value = " ".join(field.split()).rstrip("; ")
        if len(value) > LONGEST or not value.isascii() or value.count('"') % 2:
            break  # authres skips what it can't read within a result, and an open quote takes a lot with it
        try:
            header = CONTEXT.parse_value(value)
        except (AuthResError, RecursionError, ValueError):
            break
        if header.authserv_id != authserv_id.lower():
            break
        own += map(_result, header.results)
    return tuple(own)


def _result(result: AuthenticationResult) -> MethodResult:
    """Return the result with its domain; two domains in one result count as none."""
    for place in DOMAINS.get(result.method, ()):
        values = {field.value or "" for field in result.properties if (field.type, field.name) == place}
        if values:
            return MethodResult(result.method, result.result, domain(values.pop()) if len(values) == 1 else "")
    return MethodResult(result.method, result.result, "")


# What a DKIM signature covers, and for which domains its signer may vouch (RFC 6376).
#
# Our receiving server verifies it. That accepts what RFC 6376 accepts, which is more than may play a turn: a signature
# over part of the body (`l=`) lets anybody append commands, and one that leaves a header unsigned, or signs one of two,
# lets anybody write that header. Here such signatures count as none.
MUST_BE_SIGNED = frozenset({"from", "to", "subject", "date", "message-id"})
SINGLETONS = MUST_BE_SIGNED | {
    *("sender", "reply-to", "cc", "in-reply-to", "references"),
    *("mime-version", "content-type", "content-transfer-encoding"),
}
ALGORITHMS = frozenset({"rsa-sha256", "ed25519-sha256"})


def tags(signature: str) -> dict[str, str] | None:
    """Return the tags of a DKIM-Signature; None if it is malformed or has a tag twice."""
    pairs = [piece.partition("=") for piece in signature.split(";") if piece.strip()]
    named = {name.strip(): " ".join(value.split()) for name, equals, value in pairs if equals}
    return named if len(named) == len(pairs) and len(signature) <= LONGEST else None


def covers(signature: str, names: Sequence[str], now: datetime) -> bool:
    """Return whether the signature, if it verifies, covers the whole of a message with headers of those names."""
    by_name = tags(signature)
    if by_name is None or "l" in by_name or by_name.get("a", "").lower() not in ALGORITHMS:
        return False
    signed = {name.strip().lower() for name in by_name.get("h", "").split(":")}
    expires, counts = by_name.get("x", ""), Counter(name.lower() for name in names)
    fresh = not expires or (expires.isdecimal() and len(expires) < 16 and int(expires) > now.timestamp())
    return signed >= MUST_BE_SIGNED and fresh and all(counts[name] < 2 for name in SINGLETONS)


def aligned(signer: str, author: str) -> bool:
    """Return whether the signer may vouch for the author's domain: the same domain, or one above it with one owner.

    Domains under a public suffix, such as `org` or `co.uk`, belong to different people.
    """
    if not signer or author == signer:
        return bool(signer)
    return author.endswith("." + signer) and public_suffixes().privatesuffix(signer) is not None


FRESH = timedelta(days=2)
"""A message whose Date is further away acts at once only by a token, because it may be a replay."""

LONGEST_FIELD = 8_192
FAILS = frozenset({"fail", "hardfail"})


class Authenticity(Enum):
    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class DomainCheck:
    finding: Authenticity
    proof: str | None = None  # identifies this message if it is replayed; None if the pass isn't enough to act on


UNCHECKED = DomainCheck(Authenticity.UNKNOWN)


def prepare(settings: ChecksSettings) -> None:
    if settings.authserv_id:
        public_suffixes()


def check(raw: bytes, ours: str, settings: ChecksSettings, now: datetime) -> DomainCheck:
    """Return the result of the checks that the admin has switched on. Never raises.

    `ours` is our own address: a message written to somebody else doesn't act on its domain's word.
    """
    if not settings.authserv_id:
        return UNCHECKED
    try:
        return _checked(raw, ours, settings.authserv_id, settings.headers, now)
    except Exception:  # noqa: BLE001 - hostile bytes; what can't be read isn't believed
        return UNCHECKED


def _checked(raw: bytes, ours: str, authserv_id: str, headers: int, now: datetime) -> DomainCheck:
    block = header_block(raw)
    head = BytesHeaderParser(policy=compat32).parsebytes(block)
    author = from_and_subject.author(_fields(head, "From"))
    if author is None:
        return UNCHECKED
    sent_by = domain(author)
    fields = _fields(head, "Authentication-Results")
    finding = of_results(results(fields, authserv_id, headers), sent_by)
    if finding is Authenticity.PASSED and b"\r" in block.replace(b"\r\n", b""):
        finding = Authenticity.UNKNOWN  # our server didn't take it for a header and so didn't remove it
    recipients = getaddresses([*_fields(head, "To"), *_fields(head, "Cc")])
    is_enough = (
        finding is Authenticity.PASSED
        and _is_whole(head, sent_by, now)
        and ours.lower() in {address.lower() for _, address in recipients}
        and _is_fresh(head, now)
    )
    return DomainCheck(finding, _proof(head, author) if is_enough else None)


def of_results(results: tuple[MethodResult, ...], author: str) -> Authenticity:
    """Return what our server's results mean for that domain: DMARC if it was checked, else an aligned DKIM or SPF."""
    verdicts = {(check.result, check.domain) for check in results if check.method == "dmarc" and check.result != "none"}
    if any(result in FAILS for result, _ in verdicts):
        return Authenticity.FAILED
    if any(result == "pass" for result, _ in verdicts):
        return Authenticity.PASSED if verdicts == {("pass", author)} else Authenticity.UNKNOWN
    checks = [check for check in results if check.method in ("dkim", "spf")]
    if any(check.result == "pass" and aligned(check.domain, author) for check in checks):
        return Authenticity.PASSED
    return Authenticity.FAILED if any(check.result in FAILS for check in checks) else Authenticity.UNKNOWN


def _fields(head: Message, name: str) -> tuple[str, ...]:
    return tuple(str(value)[:LONGEST_FIELD] for key, value in head.raw_items() if key.lower() == name.lower())


def _is_whole(head: Message, author: str, now: datetime) -> bool:
    """Return whether every signature of the domain covers the whole message: we aren't told which one passed."""
    parsed = [(signature, tags(signature)) for signature in _fields(head, "DKIM-Signature")]
    own = [text for text, by_name in parsed if by_name is None or aligned(domain(by_name.get("d", "")), author)]
    return all(covers(signature, head.keys(), now) for signature in own)


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
