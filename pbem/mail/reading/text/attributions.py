"""Attributions, the lines above a quote that say who wrote it: "On Mon, 2 Mar 2026, PBeM wrote:", in many languages.

They are recognised by what they hold rather than by templates: a date, a verb of writing or an address, and a colon at
the end. Mail programs wrap them over several lines, and phones append them to the person's words.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import dropwhile

from pbem.mail.reading.text import quotes_of_us
from pbem.mail.reading.text.attribution_words import (
    COLONS,
    LONE_OPENERS,
    MARKS,
    MOST_WORDS,
    OPENERS,
    VERB_PARTS,
    first_words,
    has_digit,
    is_date,
    is_dated,
    is_mere_date,
    is_time,
    is_verb,
    is_weekday,
    is_year,
    may_date,
    opens,
    tells_the_day,
    tells_the_time,
)
from pbem.mail.reading.text.quotes_of_us import NOBODY, Ours

MOST_LINES = 5
LONGEST = 500  # only the end of a longer line is examined
MOST_CANDIDATES = 200  # how many beginnings of a text are examined: far more than people's messages have
LONGEST_NAME = 6
LONGEST_CLOSING = 40

DECORATION = " \t*_=#~|-\u2013\u2014\u2022\u00b7"
FIGURES = frozenset("0123456789")


@dataclass(frozen=True, slots=True)
class Attribution:
    column: int  # where it begins in its first line; the text before it is the person's
    lines: int
    is_sure: bool  # whether it is one whatever follows; if not, only right above a line marked as quoted


class AttributionFinder:
    """Finds the attributions in a text; what it examines for the whole text is bounded.

    >>> lines = ["c1b1 g9h9 3 On Mon, 2 Mar 2026 at 09:59, PBeM", "<games@pbem.example> wrote:", "On my side:"]
    >>> finder = AttributionFinder(lines)
    >>> finder.attribution_at(0)
    Attribution(column=12, lines=2, is_sure=True)
    >>> finder.attribution_at(2)

    Lines beyond the bound are kept as the person's, as any line is when in doubt.
    """

    def __init__(self, lines: Sequence[str], ours: Ours = NOBODY) -> None:
        self._ours = ours
        self.candidates = 0
        """How many texts were examined word by word."""
        self._lines = lines
        self._read_from = cache(self._examine)

    def attribution_at(self, number: int) -> Attribution | None:
        attribution = self._read_by_form(number)
        if attribution and attribution.is_sure and not is_mere_date(self._lines[number][: attribution.column]):
            return attribution
        named = self._ours.announcement_at(self._lines, number)
        return Attribution(0, named, is_sure=True) if named else attribution

    def is_at_end(self, number: int) -> bool:
        """Return whether what may be an attribution begins in that line, and no word follows it in its last line."""
        attribution = self._read_by_form(number)
        last = self._lines[number + attribution.lines - 1].rstrip(" *_") if attribution else ""
        return last.endswith((*COLONS, ">")) or any(is_verb(word) or has_digit(word) for word in last.split()[-1:])

    def _read_by_form(self, number: int) -> Attribution | None:
        here = self._read_from(number)
        if here is None:
            return None
        lines = self._lines
        for later in range(number + 1, number + here.lines):
            other = self._read_from(later)
            if (
                other is None
                or later + other.lines != number + here.lines
                or other.column
                or other.is_sure < here.is_sure
            ):
                continue
            begun = lines[number][here.column :]
            if _is_open(begun) or (not opens(first_words(lines[later])) and opens(first_words(begun))):
                continue
            if "@" in begun and not any("@" in line for line in lines[later : later + other.lines]):
                continue
            return None  # it begins there; this line is the person's
        return here

    def _examine(self, number: int) -> Attribution | None:
        """Return the attribution from the beginning of that line to its end or the end of a later line."""
        if self.candidates >= MOST_CANDIDATES:
            return None
        lines = self._lines
        first = lines[number]
        skipped = max(0, len(first) - LONGEST)
        text = first[skipped:].rstrip()
        if skipped:  # not in the middle of a word
            cut = text.find(" ") + 1
            text, skipped = text[cut:], skipped + cut
        limit = len(text)  # it has to begin in the first line
        weak: Attribution | None = None
        for span in range(1, MOST_LINES + 1):
            if span > 1:
                line = lines[number + span - 1].strip() if number + span <= len(lines) else ""
                if not line or len(text) + len(line) > LONGEST:
                    break
                if line.startswith((">", "|")) and not _closes_address(text, line):
                    break
                text = f"{text} {line}"
            text = text.rstrip(" *_")
            for ending in _endings(text):
                self.candidates += 1
                read = _read(text[:ending])
                if read is not None and read[0] < limit and (read[0] == 0 or read[1]) and not (skipped and not read[0]):
                    attribution = Attribution(skipped + read[0], span, read[1])
                    if attribution.is_sure:
                        return attribution
                    weak = weak or attribution
        return weak


def may_be_one(line: str) -> bool:
    """Return whether a line may be an attribution in words that we don't know: it tells a day and a time, and ends so.

    >>> may_be_one("Idatzi du Bobek 2026/03/02 09:59:"), may_be_one("Tomorrow at 10:30:"), may_be_one("c1b1 g9h9 3")
    (True, False, False)
    """
    text = line[-LONGEST:].rstrip(" *_")
    return text.endswith(COLONS) and tells_the_day(first_words(text))


def names_a_writer(line: str) -> bool:
    """Return whether a line has a date or a time, a name, and perhaps a verb of writing, but no words of a sentence.

    >>> names_a_writer("Am 20.06.24 um 16:20 schrieb Shop Deutschland - Zahlungen"), names_a_writer("[Bob Ray, 10:07]")
    (True, True)
    >>> names_a_writer("See you at 10:30, Bob"), names_a_writer("On 2 March 2026 at 10:30"), names_a_writer("a7b7 I3")
    (False, False, False)
    """
    line = line.strip(DECORATION) if len(line) <= LONGEST_CLOSING * 4 else ""
    words = [word for word in first_words(line) if word.strip(MARKS + DECORATION)]
    day = next((at for at, word in enumerate(words) if word.strip(MARKS).isdecimal() and not is_year(word)), None)
    dated = any(is_time(word) or is_date(word) or (day is not None and is_year(word)) for word in words)
    if not dated or not 1 < len(words) <= MOST_WORDS or line.endswith((".", "!", "?")):
        return False
    *_, before, last = words
    ends = has_digit(last) or is_verb(last) or (last.strip(MARKS).isupper() and has_digit(before))  # "4:20 PM"
    if not (opens(first_words(line)) or is_year(words[0]) or (_may_be_a_name(words[0]) and ends)):
        return False
    names = list(words)
    if day is not None:
        names[day] = names[_month(words, day)] = ""
    others = [word.strip(MARKS) for at, word in enumerate(names) if word and (day is None or at != day - 1)]
    strange = sum(not (may_date(word) or is_verb(word) or "@" in word) for word in filter(None, others))
    return strange <= any(map(is_verb, words)) and any(map(_may_be_a_name, names))


def _month(words: Sequence[str], day: int) -> int:
    """Return where the month stands that belongs to a day: "11 April", "2 de março", or else "April 11"."""
    at = day + 2 if words[day + 1 : day + 2] == ["de"] else day + 1
    return at if "".join(words[at : at + 1]).strip(MARKS).isalpha() else day - 1


def _may_be_a_name(word: str) -> bool:
    """Return whether a word is an address, or begins with a capital and isn't one of those that a date has."""
    bare = word.strip(MARKS)
    is_name = len(bare) > 2 and bare.isalpha() and bare[0].isupper()
    return "@" in bare or (is_name and not (is_weekday(bare) or is_verb(bare) or bare in OPENERS))


def _endings(text: str) -> Iterator[int]:
    """Yield where an attribution may end: at the end of the text, or at a "wrote:" or ">:" inside."""
    if not text:
        return
    if _ends_without_colon(text):
        yield len(text)
        return
    if (
        not any(colon in text for colon in (*COLONS, ">"))
        and not is_verb(text[-40:].rpartition(" ")[2])
        and text[-1] != "-"
    ):
        return
    for at, word in _placed(text)[-MOST_WORDS:]:
        end = at + len(word)
        if end == len(text):
            if word.endswith((*COLONS, ">")) or is_verb(word) or not word.strip("-"):
                yield end
        elif word.endswith(COLONS) and (is_verb(word) or word.endswith((">:", "]:"))):
            yield end


def _ends_without_colon(text: str) -> bool:
    """Return whether the text is a whole attribution without a colon at its end."""
    if text[-1] in ".,;:!?>" or len(text) > LONGEST_CLOSING * 3 or FIGURES.isdisjoint(text):
        return False
    words = first_words(text)
    opener = next((at for at in range(len(words) - 1) if words[at] in LONE_OPENERS and has_digit(words[at + 1])), 0)
    words = words[opener:]  # a phone may have appended it to the person's words
    verb = next((number for number, word in enumerate(words) if is_verb(word)), None)
    if not verb or len(words) > MOST_WORDS or not any(map(is_dated, words)):
        return False
    before, after = words[:verb], words[verb + 1 :]
    if words[0] in OPENERS and has_digit(words[1]):  # "Am 20.06.24 um 16:20 schrieb Bob Smith"
        named = 0 < len(after) <= 2 and all(word[0].isupper() for word in after)
        return named and tells_the_time(words) and not any(len(word) > LONGEST_CLOSING for word in before)
    is_dated_behind = any(map(is_weekday, after)) or tells_the_time(words)  # "Bob schrieb am Do. 05.01.26 10:00"
    return verb <= 3 and is_dated_behind and has_digit(words[-1]) and all(may_date(word) for word in after)


def _read(text: str) -> tuple[int, bool] | None:
    placed = _placed(text)
    placed = [*dropwhile(lambda entry: not entry[1].strip("-"), placed)]
    if not placed:
        return None
    words = [word for _, word in placed]
    verb = any(map(is_verb, words)) or any(part in text for part in VERB_PARTS)
    addressed = any("@" in word for word in words)
    bracketed = addressed and ("<" in text or "(" in text or "[" in text)
    dated = any(map(is_dated, words))
    tagged = addressed and quotes_of_us.holds_tagged(words)
    timed = addressed and "@" in words[-1] and words[-1].endswith(COLONS) and opens(words)
    if not (verb or bracketed or tagged or (timed and tells_the_time(words))):  # "2 Mar 2026, 09:59 by bob@…:"
        return None
    start = _start(words)
    if start is None and tagged:
        start = 0
    if words[0].endswith(":") and len(words) > 1:
        return None  # "Acked-by: Bob <bob@mail.example>"
    if start is None or (not addressed and words[start] in OPENERS - LONE_OPENERS and not tells_the_time(words)):
        return None
    column = 0 if start == 0 else placed[start][0]
    attribution = words[start:]
    if len(attribution) > MOST_WORDS:
        return None
    if _ends_without_colon(text):
        return column, is_verb(attribution[-2]) or is_verb(attribution[-3])
    if dated and (addressed or tells_the_day(attribution)) and not words[-1].endswith(">"):
        return column, True
    if bracketed and verb and words[-1].endswith(COLONS) and attribution[0] in OPENERS and opens(attribution):
        return column, True  # "On Wed, Dec 9, PBeM <games@pbem.example> wrote:"
    if tagged and (words[-1].endswith(COLONS) or is_verb(words[-1])):
        return column, True
    brief = len(words) <= LONGEST_NAME or (addressed and len(words) <= 2 * LONGEST_NAME)
    ends = any(map(is_verb, words[-2:])) or (bracketed and (dated or words[-1].endswith(COLONS)))
    return (0, False) if column == 0 and brief and ends and len(words) > 1 and (verb or addressed) else None


def _placed(text: str) -> list[tuple[int, str]]:
    """Return the words of a text and their columns."""
    words, at = [], 0
    for word in first_words(text):
        at = text.index(word, at)
        words.append((at, word))
        at += len(word)
    return words


def _start(words: Sequence[str]) -> int | None:
    """Return the first word of the attribution; None if the person's words before it can't be told apart."""
    if opens(words):
        return 0
    for number in range(1, len(words)):
        if words[number] in LONE_OPENERS and opens(words[number:]):
            return number
    named = next((number for number, word in enumerate(words) if "@" in word), None)
    if named is not None:
        before = words[:named]
        sentence = max((number for number, word in enumerate(before) if word.endswith(("!", "?", "."))), default=-1)
        name = list(before[sentence + 1 :])
        if _leads_to_a_date(before):
            return 0
        if len(name) <= LONGEST_NAME and not any(has_digit(word) for word in name):
            return sentence + 1
        for number in range(1, named):
            word = words[number]
            if (is_weekday(word) or is_date(word) or is_time(word) or "年" in word) and opens(words[number:]):
                return number
        while name and (has_digit(name[0]) or len(name) > LONGEST_NAME or not name[0][:1].isupper()):
            name.pop(0)
        if name and not is_time(words[0]):
            return named - len(name)
        return None
    plain = words[:LONGEST_NAME]
    stop = next((number for number, word in enumerate(plain) if is_verb(word) or is_dated(word)), len(plain))
    return 0 if stop <= 4 and not any(has_digit(word) for word in plain[:stop]) and stop < len(plain) else None


def _leads_to_a_date(words: Sequence[str]) -> bool:
    """Return whether the words begin with a date, perhaps after up to three words: "No dia 2 de março de 2026"."""
    first = next((number for number, word in enumerate(words) if has_digit(word)), len(words))
    if first > 3 or first == len(words) or not any(map(is_dated, words)):
        return False
    bare = words[first].strip(MARKS)
    return is_year(bare) or is_date(bare) or (bare.isdecimal() and len(bare) <= 2 and first > 0)


def _closes_address(text: str, line: str) -> bool:
    """Return whether the line closes an address that the text leaves open: "PBeM <games@b.example" and ">:"."""
    address = text[text.rfind("<") + 1 :].strip()
    return _is_open(text) and "@" in address and " " not in address and len(line) <= LONGEST_CLOSING


def _is_open(text: str) -> bool:
    return text.rfind("<") > text.rfind(">")
