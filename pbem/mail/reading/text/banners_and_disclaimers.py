"""What companies and mail servers add to a message: warnings above the text, legal notices below it."""

from collections.abc import Sequence

from pbem.mail.reading.text import phrases
from pbem.mail.reading.text.normalize import fold
from pbem.mail.reading.text.separators import is_rule

LONGEST_BANNER = 6
_PHRASES = phrases.table("disclaimers")
_NOTICES = (*_PHRASES["legal"], *_PHRASES["scans"])
LONGEST_READ = 2_000
LONGEST_HEAD = 300
MARKS_OF_A_NOTICE = 4
MARKS = " \t*_-=~|<>()[]#.\u2022\U0001f333\U0001f332\ufe0f"
BANNER_MARKS = " \t*[]_!<>#|\u26a0\ufe0f"
_FIRST_PERSON = frozenset(
    {"i", "i'm", "i've", "my", "me", "ich", "mein", "meine", "je", "mon", "yo", "mi", "io", "mio"}
)
"""Words of a person: no scanner and no company speaks of itself like that."""


def banner_length(lines: Sequence[str]) -> int:
    """Return the number of lines that a server's warning takes at the top; 0 if there is none.

    >>> banner_length(["CAUTION: This email originated from outside of Acme. Do not click links.", "", "c1b1"])
    2
    """
    at = 0
    while at < len(lines) and not lines[at].strip():
        at += 1
    first = at
    if at == len(lines) or not _warns(_paragraph(lines, at)[:LONGEST_BANNER]):
        return 0
    at += 1
    while at < len(lines) and at - first < LONGEST_BANNER and _goes_on(lines, at):
        at += 1
    while at < len(lines) and (not lines[at].strip() or is_rule(lines[at])):
        at += 1
    return at


def _warns(paragraph: Sequence[str]) -> bool:
    head = fold(paragraph[0][:LONGEST_READ])
    bare = head.strip(BANNER_MARKS)
    if not bare.startswith(_PHRASES["banner_starts"]):
        return False
    if bare.startswith("external") and head.strip(" *").startswith("[") and len(bare) < 40:
        return True
    text = fold(" ".join(paragraph)[:LONGEST_READ])
    words = sum(word in text for word in _PHRASES["banner_words"])
    return words >= 2 or (words == 1 and any(word in head[1:] for word in _PHRASES["banner_loud"]))


def _goes_on(lines: Sequence[str], at: int) -> bool:
    text = fold(lines[at].strip()[:LONGEST_READ])
    return bool(text) and any(word in text for word in (*_PHRASES["banner_more"], *_PHRASES["banner_words"]))


def disclaimer_length(lines: Sequence[str], number: int) -> int:
    """A person may well write about something confidential, so several legal phrases must come together."""
    first = lines[number].strip()
    if _is_title(first):
        below = number + 1
        while below < len(lines) and below <= number + 2 and not lines[below].strip():
            below += 1
        taken = disclaimer_length(lines, below) if below < len(lines) and not _is_title(lines[below].strip()) else 0
        return below - number + taken if taken else 0
    above = lines[number - 1][-LONGEST_HEAD:].strip() if number else ""
    if above and len(first) < 100 and not _is_title(above) and not _is_row(above):
        return 0  # a notice begins a paragraph
    if _is_row(first):
        has_text = number + 1 < len(lines) and not _is_row(lines[number + 1])
        taken = disclaimer_length(lines, number + 1) if has_text else 0
        end = number + 1 + taken
        return 1 + taken + (end < len(lines) and _is_row(lines[end])) if taken else 0
    head = fold(first[:LONGEST_HEAD])
    if head.strip(BANNER_MARKS).startswith(_PHRASES["banner_starts"]):
        paragraph = _paragraph(lines, number)
        if len(paragraph) <= LONGEST_BANNER and _warns(paragraph):
            return len(paragraph)
    if not any(map(head.__contains__, _NOTICES)):
        return 0
    paragraph = _paragraph(lines, number)
    text = fold(" ".join(paragraph)[:LONGEST_READ])
    scanned = any(phrase in text for phrase in _PHRASES["scans"])
    begun = text.strip(MARKS).removeprefix("p ").startswith(_PHRASES["scan_starts"])
    if scanned and begun and _FIRST_PERSON.isdisjoint(text.replace(",", " ").split()):
        return len(paragraph)
    if len(text) >= 60 and sum(phrase in text for phrase in _PHRASES["legal"]) >= MARKS_OF_A_NOTICE:
        return len(paragraph)
    return 0


def _is_row(line: str) -> bool:
    if len(line) > LONGEST_HEAD:
        return False
    bare = line.strip()
    return is_rule(bare) or (len(bare) >= LONGEST_BANNER and not bare.strip("*#"))


def _is_title(line: str) -> bool:
    return line.strip(" *_:-#=").lower() in _PHRASES["titles"]


def _paragraph(lines: Sequence[str], number: int) -> list[str]:
    paragraph: list[str] = []
    for line in lines[number : number + 30]:
        if not line.strip() or (paragraph and _is_row(line)):
            break
        paragraph.append(line[:LONGEST_READ])
    return paragraph
