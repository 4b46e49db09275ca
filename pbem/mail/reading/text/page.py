"""The lines of a message that are looked at: bounded, cleaned, with marks of quotes and of PGP recognised."""

import quopri
import re
from collections.abc import Sequence
from itertools import islice

from pbem.mail.reading.text import normalize

MOST_LINES = 5_000
"""Including quotes."""
LONGEST_ARMOUR = 100
QUOTING = (">", "\uff1e", "&gt;", "|")
_LINE_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")


def page_of(text: str) -> list[str]:
    text = _without_soft_breaks(text)
    end = next(islice(_LINE_END.finditer(text), MOST_LINES - 1, None), None)
    return normalize.clean(text[: end.start()] if end else text).split("\n")


def is_quoted(line: str) -> bool:
    """Return whether a line is marked as quoted: by >, by |, or by the writer's initials."""
    bare = line.lstrip()[:10]
    if bare.startswith(QUOTING):
        return True
    initials, mark, rest = bare.partition(">")
    named = 1 <= len(initials) <= 3 and initials.isalpha() and initials.isupper()
    return bool(mark) and named and rest[:1] in ("", " ", ">")


def armour_length(page: Sequence[str], number: int) -> int:
    """Return the number of lines of the PGP armour that begins there: its head, or a whole signature."""
    line = page[number]
    if not line.startswith("-----BEGIN PGP "):
        return 0
    ends = ("", "-----END PGP") if "SIGNED MESSAGE" in line else ("-----END PGP",)
    for at in range(number + 1, min(len(page), number + LONGEST_ARMOUR)):
        if page[at].startswith(ends[-1]) or (ends[0] == "" and not page[at].strip()):
            return at - number + 1
    return 1


def _without_soft_breaks(text: str) -> str:
    """Return the text decoded from quoted-printable, if it still has undecoded soft line breaks."""
    ended = text.count("=\n") + text.count("=\r\n")
    if ended < 2 or not any(sign in text for sign in ("=E2=80", "=C2=A0", "=3D", "=C3=", "=20\n", "=20\r\n")):
        return text
    decoded = quopri.decodestring(text.encode("utf-8"))
    try:
        return decoded.decode("utf-8")
    except UnicodeDecodeError:
        return text
