"""The headers above a fully quoted message: From, Sent, To, Subject."""

from collections.abc import Sequence
from itertools import pairwise

from pbem.mail.reading.text import phrases
from pbem.mail.reading.text.attribution_words import first_words, is_dated, tells_the_time
from pbem.mail.reading.text.normalize import fold
from pbem.mail.reading.text.quotes_of_us import NOBODY, Ours, is_tagged
from pbem.mail.reading.text.separators import LONGEST_SEPARATOR, SEPARATORS, is_drawn, is_rule

MOST_LINES = 25
LONGEST_LABEL = 30
LONGEST_INLINE = 1_000  # the longest line examined for an incomplete header that names us

FROM, DATE, TO, SUBJECT, OTHER = "from", "date", "to", "subject", "other"
_PHRASES = phrases.table("quoted_headers")
LABELS = {name: kind for kind in (FROM, DATE, TO, SUBJECT, OTHER) for name in _PHRASES[kind]}
COLONS = (":", "\uff1a", "\t", "|")


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


def may_be_one(line: str) -> bool:
    """Return whether the line may be a separator in words that we don't know, or one header of a quoted message.

    >>> may_be_one("----- Tisztelt levél -----"), may_be_one("Date: 2 March 2026"), may_be_one("To be or not to be")
    (True, True, False)
    """
    if line.rstrip().endswith(COLONS[:2]) and fold(line[:LONGEST_SEPARATOR].strip()).startswith(SEPARATORS):
        return True
    kind = _label(line)
    is_header = kind is not None and ("@" in line or any(map(is_dated, line[:LONGEST_SEPARATOR].split()[1:])))
    is_framed = len(line) <= LONGEST_SEPARATOR and is_drawn(line) and not is_rule(line)
    return is_header or (is_framed and any(map(str.isalpha, line)))


def is_label(line: str) -> bool:
    return _label(line) not in (None, OTHER)


def _label(line: str) -> str | None:
    bare = line[:200].strip().lstrip("*_\u2022# ")
    ends = [at for at in (bare.find(colon) for colon in COLONS) if 0 < at <= LONGEST_LABEL]
    if not ends:
        return None
    return LABELS.get(fold(bare[: min(ends)].strip(" *_\"'")))
