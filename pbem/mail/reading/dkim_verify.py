"""DKIM signatures, verified by ourselves: which domains vouch for a message (RFC 6376).

dkimpy does the cryptography. It accepts what RFC 6376 accepts, and that is more than may play a turn: a signature over
part of the body (`l=`) lets anybody append commands, and one that leaves a header unsigned, or signs one of two, lets
anybody write that header. Here such signatures count as none.
"""

import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime

from pbem.mail.reading import limits
from pbem.mail.reading.from_header import domain
from pbem.storage.mailboxes import public_suffixes

MUST_BE_SIGNED = frozenset({"from", "to", "subject", "date", "message-id"})
SINGLETONS = MUST_BE_SIGNED | {
    *("sender", "reply-to", "cc", "in-reply-to", "references"),
    *("mime-version", "content-type", "content-transfer-encoding"),
}
ALGORITHMS = frozenset({"rsa-sha256", "ed25519-sha256"})
SMALLEST_KEY = 1024
DNS_SECONDS = 5.0
"""How long the DNS may take per message."""
MOST_SIGNATURES = 3
LONGEST_SIGNATURE = 4_096
LONGEST_LINE = 2_000
SHORTEST_RUN = 50
MOST_STEPS = 5_000_000
"""A message with a longer line, or with so many long runs of blanks, isn't verified: canonicalising a run takes as many
steps as the square of its length."""
_RUNS = re.compile(rb"[ \t]{%d,}" % SHORTEST_RUN)

Lookup = Callable[[bytes, float], bytes | None]
"""Returns the TXT record of a name; gives up after that many seconds."""


def tags(signature: str) -> dict[str, str] | None:
    r"""Return the tags of a DKIM-Signature; None if it is malformed or has a tag twice.

    >>> tags("v=1; d=Example.org;\r\n h=from : to")
    {'v': '1', 'd': 'Example.org', 'h': 'from : to'}
    """
    pairs = [piece.partition("=") for piece in signature.split(";") if piece.strip()]
    found = {name.strip(): " ".join(value.split()) for name, equals, value in pairs if equals}
    return found if len(found) == len(pairs) and len(signature) <= LONGEST_SIGNATURE else None


def covers(signature: str, names: Sequence[str], now: datetime) -> bool:
    """Return whether the signature, if it verifies, covers the whole of a message with headers of those names."""
    said = tags(signature)
    if said is None or "l" in said or said.get("a", "").lower() not in ALGORITHMS:
        return False
    signed = {name.strip().lower() for name in said.get("h", "").split(":")}
    expires = said.get("x", "")
    fresh = not expires or (expires.isdecimal() and len(expires) < 16 and int(expires) > now.timestamp())
    return signed >= MUST_BE_SIGNED and fresh and not _is_doubled(names)


def aligned(signer: str, author: str) -> bool:
    """Return whether the signer may vouch for the author's domain: the same domain, or one above it with one owner.

    Domains under a public suffix, such as `org` or `co.uk`, belong to different people.

    >>> aligned("example.org", "mail.example.org"), aligned("mail.example.org", "example.org")
    (True, False)
    >>> aligned("org", "example.org"), aligned("co.uk", "example.co.uk")
    (False, False)
    """
    if not signer or author == signer:
        return bool(signer)
    return author.endswith("." + signer) and public_suffixes().privatesuffix(signer) is not None


def good(
    raw: bytes,
    names: Sequence[str],
    signatures: Sequence[str],
    author: str,
    now: datetime,
    seconds: float,
    ask: Lookup,
) -> bool:
    """Return whether a signature of the author's domain over the whole message verifies at that time; asks the DNS."""
    if raw.count(b"\r") > raw.count(b"\r\n") or _is_costly(raw):
        return False  # every reader treats a lone CR differently
    until = time.monotonic() + seconds
    for number, signature in enumerate(signatures[:MOST_SIGNATURES]):
        said = tags(signature)
        left = until - time.monotonic()
        if left <= 0 or said is None or not aligned(domain(said.get("d", "")), author):
            continue
        if covers(signature, names, now) and _is_good(raw, number, said, left, ask):
            return True
    return False


def _is_costly(raw: bytes) -> bool:
    """Return whether the library would take long for the message."""
    return (
        limits.has_too_many_lines(raw)
        or any(len(line) > LONGEST_LINE for line in raw.split(b"\n"))
        or sum(len(run[0]) ** 2 for run in _RUNS.finditer(raw)) > MOST_STEPS
    )


def _is_good(raw: bytes, number: int, said: dict[str, str], seconds: float, ask: Lookup) -> bool:
    """Return whether that signature verifies, and the library has read it the way we have."""
    from dkim import DKIM  # an optional extra

    try:
        mail = DKIM(raw, timeout=max(1, round(seconds)), minkey=SMALLEST_KEY)
        good = mail.verify(number, dnsfunc=lambda name, **_: ask(name, seconds))
        read = {name.decode(): " ".join(value.decode().split()) for name, value in mail.signature_fields.items()}
        return bool(good) and read == said
    except Exception:  # noqa: BLE001 - whatever a hostile message makes the library raise, it isn't verified
        return False


def _is_doubled(names: Sequence[str]) -> bool:
    counted = Counter(name.lower() for name in names)
    return any(counted[name] > 1 for name in SINGLETONS)


def ask_dns(name: bytes, seconds: float) -> bytes | None:
    """Return the TXT record from the system's resolver; None if there is none, or no answer in time."""
    import dns.exception  # part of the optional extra
    import dns.resolver

    if not re.fullmatch(rb"[A-Za-z0-9._-]{1,253}", name):
        return None
    try:
        answer = dns.resolver.resolve(name.decode("ascii"), "TXT", lifetime=seconds, search=False)
    except dns.exception.DNSException:
        return None
    return next((b"".join(record.strings) for record in answer), None)
