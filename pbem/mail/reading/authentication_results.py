"""The Authentication-Results that our receiving mail server added to a message, and nobody else's (RFC 8601).

Anybody can write such a header into a message. Our server adds its own on top, so only the topmost headers are read, as
many as it adds, and only under its name. A header under another name ends the search: everything below it was there
before.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from authres import AuthResError, FeatureContext, dmarc
from authres.core import AuthenticationResult

from pbem.mail.reading.from_header import domain

LONGEST = 4_096
CONTEXT = FeatureContext(dmarc)
DOMAINS = {
    "dmarc": (("header", "from"),),
    "dkim": (("header", "d"), ("header", "i")),
    "spf": (("smtp", "mailfrom"),),
}
"""The properties that hold the domain for each method, best first."""


@dataclass(frozen=True, slots=True)
class MethodResult:
    method: str
    result: str
    domain: str
    """From the From header for DMARC, the signature for DKIM, the envelope sender for SPF; "" if it isn't given."""


def results(fields: Sequence[str], authserv_id: str, most: int) -> tuple[MethodResult, ...]:
    """Return our server's results from the Authentication-Results, top down, up to the first that can't be read.

    >>> results(["mx.example; dmarc=pass header.from=a.example", "mx.example; dmarc=fail"], "mx.example", 1)
    (MethodResult(method='dmarc', result='pass', domain='a.example'),)
    """
    found: list[MethodResult] = []
    for field in fields[:most]:
        header = _parsed(field)
        if header is None or header[0] != authserv_id.lower():
            break
        found += [_result(result) for result in header[1]]
    return tuple(found)


def _parsed(field: str) -> tuple[str, list[AuthenticationResult]] | None:
    value = " ".join(field.split()).rstrip("; ")
    if len(value) > LONGEST or not value.isascii() or value.count('"') % 2:
        return None  # authres skips what it can't read within a result, and an open quote takes a lot with it
    try:
        header = CONTEXT.parse_value(value)
    except (AuthResError, RecursionError, ValueError):
        return None
    return header.authserv_id, header.results


def _result(result: AuthenticationResult) -> MethodResult:
    """Return the result with its domain; two domains in one result count as none."""
    for place in DOMAINS.get(result.method, ()):
        values = {each.value or "" for each in result.properties if (each.type, each.name) == place}
        if values:
            return MethodResult(result.method, result.result, domain(values.pop()) if len(values) == 1 else "")
    return MethodResult(result.method, result.result, "")
