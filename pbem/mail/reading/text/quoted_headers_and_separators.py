"""The headers above a fully quoted message: From, Sent, To, Subject, and separators of dashes."""

from collections.abc import Sequence
from itertools import pairwise

from pbem.mail.reading.text import phrases
from pbem.mail.reading.text.attribution_words import first_words, is_dated, tells_the_time
from pbem.mail.reading.text.normalize import fold
from pbem.mail.reading.text.quotes_of_us import NOBODY, Ours, is_tagged

MOST_LINES = 25
LONGEST_LABEL = 30
LONGEST_SEPARATOR = 100
LONGEST_INLINE = 1_000  # the longest line examined for an incomplete header that names us

FROM, DATE, TO, SUBJECT, OTHER = "from", "date", "to", "subject", "other"
_PHRASES = phrases.table("quoted_headers")
LABELS = {name: kind for kind in (FROM, DATE, TO, SUBJECT, OTHER) for name in _PHRASES[kind]}
COLONS = (":", "\uff1a", "\t", "|")
DASHES = "-_=\u2010\u2011\u2012\u2013\u2014\u2015\u2500"
LEAST_FRAME = 3
LONGEST_FRAMED = 4  # in words, for a separator that isn't one of those we know: "-----Antwort Nachricht-----"
MOST_DASHES = 5  # how many groups of dashes in a line are examined


def header_length_at(lines: Sequence[str], number: int, ours: Ours = NOBODY, person: str | None = None) -> int:
    """Return the number of lines of the quoted header that begins in that line; 0 if none does.

    Three headers are enough, or two of which one names us or the person who replies, or tells the time, or a From that
    names us.

    >>> header_length_at(["*Von:* PBeM", "*Gesendet:* Montag", "*An:* bob@mail.example", "*Betreff:* Hallo", ""], 0)
    4
    >>> header_length_at(["To: you", "From here I see no way."], 0)
    0
    """
    if _label(lines[number]) in (None, OTHER):
        return 0
    kinds: set[str] = set()
    end = at = number
    since = 0  # lines since the last header: long lists of recipients are wrapped
    while at < min(len(lines), number + MOST_LINES):
        kind = _label(lines[at])
        if kind is not None and kind in kinds - {OTHER}:
            break
        if kind is not None:
            kinds.add(kind)
            end, since = at + 1, 0
        else:
            since += 1
            blank = not lines[at].strip()
            if since > (1 if blank else 3) or (blank and _label("".join(lines[at + 1 : at + 2])) is None):
                break
        at += 1
    number_of_kinds = len(kinds & {FROM, DATE, TO, SUBJECT})
    author = author_of(lines[number:end]) if FROM in kinds else None
    of_author = author is not None and (DATE in kinds or is_tagged(author))
    of_us = author is not None and ours.is_named_in(author)
    of_author = of_author or ({FROM, DATE} <= kinds and any(map(tells_the_time, map(first_words, lines[number:end]))))
    is_named = number_of_kinds == 2 and _names(lines[number:end], ours, person)
    if number_of_kinds < 3 and not (of_author or of_us or is_named):
        return 0
    while SUBJECT in kinds and end < len(lines) and lines[end - 1].strip() and lines[end].strip() and end < at:
        end += 1  # a Subject that was wrapped
    return end - number


def author_of(lines: Sequence[str]) -> str | None:
    line = next((line for line in lines if _label(line) == FROM), "")
    for word in line.lower().replace("<", " ").replace(">", " ").replace("[", " ").replace("]", " ").split():
        if "@" in word:
            return word.removeprefix("mailto:").strip("*_()\"',;")
    return None


def _names(header: Sequence[str], ours: Ours, person: str | None) -> bool:
    """Return whether a short header is one: it names us, or has a date and the address of the person who replies."""
    text = " ".join(header)
    return ours.is_named_in(text) or (
        person is not None and person in text.lower() and any(map(is_dated, text.split()))
    )


def inline_header(line: str, ours: Ours = NOBODY) -> int | None:
    """Return where a whole quoted header begins in a line, perhaps after other words; None if there is none."""
    places = _inline_places(line, ours)
    whole = len(places) == 4 or (len(places) >= 2 and _names_us(line, ours))
    return min(places.values()) if whole else None


def inline_lines(line: str, ours: Ours = NOBODY) -> list[str]:
    """Return a quoted header in one line as one line for each header."""
    places = [*sorted(_inline_places(line, ours).values()), len(line)]
    return [line[begin:end] for begin, end in pairwise(places)]


def _names_us(line: str, ours: Ours) -> bool:
    return len(line) <= LONGEST_INLINE and ours.is_named_in(line)


def _inline_places(line: str, ours: Ours) -> dict[str, int]:
    places: dict[str, int] = {}
    named = _names_us(line, ours)
    at = 0
    for word in line.split(" "):
        if word.rstrip("*_").endswith(COLONS) and len(word) <= LONGEST_LABEL:
            kind = LABELS.get(fold(word.strip("*_:\uff1a")))
            if kind not in (None, OTHER) and kind not in places and (kind == FROM or FROM in places or named):
                places[kind] = at
        at += len(word) + 1
    return places


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
    if dashes >= 2 and len(inner) <= 80 and any(phrase in inner for phrase in _PHRASES["separators"]):
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


def may_be_one(line: str) -> bool:
    """Return whether the line may be a separator in words that we don't know, or one header of a quoted message.

    >>> may_be_one("----- Tisztelt levél -----"), may_be_one("Date: 2 March 2026"), may_be_one("To be or not to be")
    (True, True, False)
    """
    if line.rstrip().endswith(COLONS[:2]) and fold(line[:LONGEST_SEPARATOR].strip()).startswith(_PHRASES["separators"]):
        return True
    kind = _label(line)
    is_header = kind is not None and ("@" in line or any(map(is_dated, line[:LONGEST_SEPARATOR].split()[1:])))
    is_framed = len(line) <= LONGEST_SEPARATOR and is_drawn(line) and not is_rule(line)
    return is_header or (is_framed and any(map(str.isalpha, line)))


def is_bare_separator(line: str) -> bool:
    """Return whether the line is the text of a separator without its dashes: "  Original Message  "."""
    return len(line) <= LONGEST_SEPARATOR and fold(line.strip().rstrip(":")) in _PHRASES["separators"]


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
        if rest.startswith(_PHRASES["separators"]):
            return at
        at = line.find(" ---", at + 1)
    return None


def is_label(line: str) -> bool:
    return _label(line) not in (None, OTHER)


def _label(line: str) -> str | None:
    bare = line[:200].strip().lstrip("*_\u2022# ")
    ends = [at for at in (bare.find(colon) for colon in COLONS) if 0 < at <= LONGEST_LABEL]
    if not ends:
        return None
    return LABELS.get(fold(bare[: min(ends)].strip(" *_\"'")))
