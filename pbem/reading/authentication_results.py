"""What the server at our border found about a mail: its own Authentication-Results, and nobody else's (RFC 8601).

Anybody can write such a header into his mail. The border adds its own on top of the mail, so only so many of
the topmost ones are looked at as it adds, and only those under its name. One of another name ends the search: whatever
stands below it was there before.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from authres import AuthResError, FeatureContext, dmarc
from authres.core import AuthenticationResult

from pbem.reading.from_header import domain

LONGEST = 4_096
CONTEXT = FeatureContext(dmarc)
DOMAINS = {
    "dmarc": (("header", "from"),),
    "dkim": (("header", "d"), ("header", "i")),
    "spf": (("smtp", "mailfrom"),),
}
"""Where each method tells the domain, the best place first."""


@dataclass(frozen=True, slots=True)
class Result:
    """One method's result, and the domain that it is about."""

    method: str
    result: str
    domain: str
    """Of From for DMARC, of the signature for DKIM, of the envelope sender for SPF; "" where it is not told."""


def results(fields: Sequence[str], authserv_id: str, most: int) -> tuple[Result, ...]:
    """What the border found, by the mail's Authentication-Results from the top down; nothing where one can't be read.

    >>> results(["mx.example; dmarc=pass header.from=a.example", "mx.example; dmarc=fail"], "mx.example", 1)
    (Result(method='dmarc', result='pass', domain='a.example'),)
    """
    found: list[Result] = []
    for field in fields[:most]:
        header = _parsed(field)
        if header is None or header[0] != authserv_id.lower():
            break
        found += [_result(result) for result in header[1]]
    return tuple(found)


def _parsed(field: str) -> tuple[str, list[AuthenticationResult]] | None:
    """The name and the results of one header; None where it is not well formed."""
    value = " ".join(field.split()).rstrip("; ")
    if len(value) > LONGEST or not value.isascii() or value.count('"') % 2:
        return None  # authres passes over what it can't read within a result, and a quote without end takes much along
    try:
        header = CONTEXT.parse_value(value)
    except (AuthResError, RecursionError, ValueError):
        return None
    return header.authserv_id, header.results


def _result(result: AuthenticationResult) -> Result:
    """The result with its domain; two domains in one result are none."""
    for place in DOMAINS.get(result.method, ()):
        values = {each.value or "" for each in result.properties if (each.type, each.name) == place}
        if values:
            return Result(result.method, result.result, domain(values.pop()) if len(values) == 1 else "")
    return Result(result.method, result.result, "")
