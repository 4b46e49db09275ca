"""What a DKIM signature covers, and for which domains its signer may vouch (RFC 6376).

Our receiving server verifies it. That accepts what RFC 6376 accepts, which is more than may play a turn: a signature
over part of the body (`l=`) lets anybody append commands, and one that leaves a header unsigned, or signs one of two,
lets anybody write that header. Here such signatures count as none.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from pbem.storage.mailboxes import public_suffixes

MUST_BE_SIGNED = frozenset({"from", "to", "subject", "date", "message-id"})
SINGLETONS = MUST_BE_SIGNED | {
    *("sender", "reply-to", "cc", "in-reply-to", "references"),
    *("mime-version", "content-type", "content-transfer-encoding"),
}
ALGORITHMS = frozenset({"rsa-sha256", "ed25519-sha256"})
LONGEST_SIGNATURE = 4_096


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


def _is_doubled(names: Sequence[str]) -> bool:
    counted = Counter(name.lower() for name in names)
    return any(counted[name] > 1 for name in SINGLETONS)
