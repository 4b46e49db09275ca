"""Lines that separate a quoted message from what is above: rules, and words between dashes."""

from pbem.mail.reading.text import phrases
from pbem.mail.reading.text.normalize import fold

_PHRASES = phrases.table("separators")
SEPARATORS = _PHRASES["separators"]

LONGEST_SEPARATOR = 100
DASHES = "-_=\u2010\u2011\u2012\u2013\u2014\u2015\u2500"
LEAST_FRAME = 3
LONGEST_FRAMED = 4  # in words, for a separator that isn't one of those we know: "-----Antwort Nachricht-----"
MOST_DASHES = 5  # how many groups of dashes in a line are examined


def is_separator(line: str) -> bool:
    """Return whether the line says that a message is quoted or forwarded below."""
    bare = fold(line.strip(" \t*>")[: 2 * LONGEST_SEPARATOR])
    if not bare or len(bare) > LONGEST_SEPARATOR:
        return False
    if bare.startswith(_PHRASES["beginnings"]) or any(map(bare.__contains__, _PHRASES["above"])):
        return True
    if bare[0] not in DASHES:
        return False
    inner = bare.strip(DASHES + " ")
    dashes, closing = len(bare) - len(bare.lstrip(DASHES)), len(bare) - len(bare.rstrip(DASHES))
    if dashes >= 2 and len(inner) <= 80 and any(phrase in inner for phrase in SEPARATORS):
        return True
    framed = dashes and closing and dashes + closing >= 2 * LEAST_FRAME and len(inner.split()) <= LONGEST_FRAMED
    return bool(framed) and any(word in inner for word in _PHRASES["messages"])


def is_reply_above(line: str) -> bool:
    """Return whether the line asks to reply above it, even where it is marked as quoted.

    >>> is_reply_above("> -- REPLY ABOVE THIS LINE --"), is_reply_above("I reply above")
    (True, False)
    """
    bare = fold(line.strip(" \t*>")[: 2 * LONGEST_SEPARATOR])
    return len(bare) <= LONGEST_SEPARATOR and any(map(bare.__contains__, _PHRASES["above"]))


def is_bare_separator(line: str) -> bool:
    """Return whether the line is the text of a separator without its dashes: "  Original Message  "."""
    return len(line) <= LONGEST_SEPARATOR and fold(line.strip().rstrip(":")) in SEPARATORS


def is_rule(line: str) -> bool:
    """Return whether the line is a horizontal rule: five or more of - _ = and the like, and nothing else."""
    bare = line.strip(" \t*")
    return len(bare) >= 5 and not bare.strip(bare[0]) and bare[0] in DASHES + "~"


def without_rule(text: str) -> str:
    """Return the text without a rule at its end."""
    bare = text.rstrip().rstrip(DASHES)
    return bare if is_rule(text[len(bare) :]) else text


def without_glued_dashes(line: str) -> str:
    """Return the line without dashes right behind its last word, which a mail program put before an attribution."""
    bare = line.rstrip()
    words = bare.rstrip("-")
    return words if len(bare) - len(words) > 1 and words[-1:].strip() else line


def is_drawn(line: str) -> bool:
    """Return whether the line is a rule, or has one at both ends."""
    bare = line.strip(" \t*")
    ends = bare[:5] + bare[-5:]
    return is_rule(line) or (10 < len(bare) <= LONGEST_SEPARATOR and not ends.strip(ends[0]) and is_rule(bare[:5]))


def inline_separator(line: str) -> int | None:
    """Return where "-----Original Message-----" begins in a line that holds more than that; None where it doesn't."""
    at = 0 if line.startswith("---") else line.find(" ---")
    for _ in range(MOST_DASHES):
        if at < 0:
            return None
        rest = fold(line[at:][: 2 * LONGEST_SEPARATOR].lstrip(" -")[:LONGEST_SEPARATOR])
        if rest.startswith(SEPARATORS):
            return at
        at = line.find(" ---", at + 1)
    return None
