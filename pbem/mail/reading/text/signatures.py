"""Signatures and taglines below a person's words: "-- ", contact details, "Sent from my iPhone"."""

from collections.abc import Sequence

from pbem.mail.reading.text import phrases
from pbem.mail.reading.text.normalize import fold

LONGEST_TAGLINE = 160
MOST_WORDS = 16
MOST_LINES = 15  # the longest signature below a "--" without the trailing space

_PHRASES = phrases.table("signatures")
_MARKS = ("--", "\u2014", "\u2013", "\u2014-", "-\u2014", "\u2013-", "__", "\u2014\u2014", "--\u200b")


def is_delimiter(line: str) -> bool:
    """Return whether the line is the signature delimiter of RFC 3676: two hyphens and a space."""
    return line in ("-- ", "--  ")


def is_loose_delimiter(line: str) -> bool:
    """Return whether the line is a variant of that delimiter: "--", a dash, "__"."""
    return line.strip() in _MARKS


def has_contacts(block: Sequence[str]) -> bool:
    lines = [line.strip() for line in block if line.strip()]
    brief = 0 < len(lines) <= 8 and all(len(line) <= 80 and not line.endswith(("!", "?")) for line in lines)
    return brief and any(
        any(hint in fold(line) for hint in _PHRASES["contacts"]) or any(map(_is_address, line.split()))
        for line in lines
    )


def _is_address(word: str) -> bool:
    local, at, domain = word.strip("<>()[],;:").partition("@")
    return bool(local and at) and "." in domain.strip(".")


def is_link(line: str) -> bool:
    """Return whether the line is nothing but a link, as below a tagline."""
    return (
        len(line) <= LONGEST_TAGLINE
        and bool(line.strip())
        and not _without_links(line.strip().replace("[http", "http").rstrip("]"))
    )


def is_tagline(line: str, *, stands_alone: bool, is_last: bool = False) -> bool:
    """Return whether a mail program added the line; most taglines must be a paragraph of their own.

    One that says no more than what it was sent from may also be the last line of a person's words.
    """
    bare = fold(line[: 2 * LONGEST_TAGLINE].strip(" \t*_~[](){}-\u2022|"))
    if not bare or bare.endswith("?") or len(line) > 2 * LONGEST_TAGLINE or len(bare) > LONGEST_TAGLINE:
        return False
    bare = _without_links(bare).replace("[", "").replace("]", "")
    if len(bare.split()) > MOST_WORDS:
        return False
    if bare.startswith(_PHRASES["own_device"]) and not bare.rstrip(".").endswith(_PHRASES["own_device_sent"]):
        return False  # "Von meinem Handy aus geht das nicht."
    opens = bare.startswith(_PHRASES["sent"])
    if not opens and not any(map(bare.__contains__, _PHRASES["sent_behind"])):
        return False
    claim = bare
    for stop in (",", ". ", ";", "!", "?", " - ", " \u2013 ", " because ", " so ", " but ", " and "):
        claim = claim.partition(stop)[0]
    if bare.startswith(_PHRASES["own_words"]) and claim != bare:
        return False  # "This email was sent from my phone, because the train has no Wi-Fi."
    if any(device in claim for device in _PHRASES["devices"]):
        return stands_alone or (is_last and claim == bare) or bare.startswith(_PHRASES["sure"])
    return opens and bare.startswith("sent from") and stands_alone and claim == bare and len(bare.split()) <= 8


def inline_tagline(line: str) -> int | None:
    """Return where a well-known tagline begins after other words, if nothing else follows; else None."""
    end = line[-LONGEST_TAGLINE:]
    tail = fold(end)
    if len(tail) != len(end):
        return None  # a letter that takes more room in lower case
    for phrase in _PHRASES["sure"]:
        at = tail.rfind(phrase)
        if at <= 0 or tail[at - 1] not in " .,;!?" or not end[at].isupper():
            continue
        rest = _without_links(tail[at + len(phrase) :]).strip(" .")
        if len(rest.split()) <= 3 and not set(rest) & set(",.;:!?"):
            return len(line) - len(tail) + at
    return None


def _without_links(text: str) -> str:
    for opening, closing in (("<http", ">"), ("(http", ")"), ("[http", "]")):
        before, mark, rest = text.partition(opening)
        if mark:
            text = before + rest.partition(closing)[2]
    return " ".join(word for word in text.split() if not word.startswith(("http://", "https://"))).strip()
