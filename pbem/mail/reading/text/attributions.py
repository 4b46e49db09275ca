"""Attributions, the lines above a quote that say who wrote it: "On Mon, 2 Mar 2026, PBeM wrote:", in many languages.

They are recognised by what they hold rather than by templates: a date, a verb of writing or an address, and a colon at
the end. Mail programs wrap them over several lines, and phones append them to the person's words.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pbem.mail.reading.text import phrases, tagged_addresses

MOST_LINES = 5
LONGEST = 500
"""The longest attribution; only the end of a longer line is examined."""
MOST_WORDS = 45
MOST_CANDIDATES = 200
"""How many beginnings of a text are examined as attributions: far more than people's messages have."""
LONGEST_NAME = 6
LONGEST_CLOSING = 40

_PHRASES = phrases.table("attributions")
VERBS, OPENERS, LONE_OPENERS, WEEKDAYS = (
    frozenset(_PHRASES[kind]) for kind in ("verbs", "openers", "lone_openers", "weekdays")
)
VERB_PARTS = _PHRASES["verb_parts"]
MARKS = ".,;:!?()[]<>\"'*_\u2018\u2019\u201c\u201d\u2026\uff1a\uff0c"
COLONS = (":", "\uff1a")
FIGURES = frozenset("0123456789")


@dataclass(frozen=True, slots=True)
class Attribution:
    """The position of an attribution."""

    column: int
    """Where it begins in its first line; the text before it is the person's."""
    lines: int
    is_sure: bool
    """Whether it is one whatever follows; if not, only right above a line marked as quoted."""


class AttributionFinder:
    """Finds the attributions in a text; what it examines for the whole text is bounded.

    >>> lines = ["c1b1 g9h9 3 On Mon, 2 Mar 2026 at 09:59, PBeM", "<games@pbem.example> wrote:", "On my side:"]
    >>> finder = AttributionFinder(lines)
    >>> finder.attribution_at(0)
    Attribution(column=12, lines=2, is_sure=True)
    >>> finder.attribution_at(2)

    Lines beyond the bound are kept as the person's, as any line is when in doubt.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self.candidates = 0
        """How many texts were examined word by word."""
        self._lines = lines
        self._read: dict[int, Attribution | None] = {}

    def attribution_at(self, number: int) -> Attribution | None:
        """Return the attribution that begins in that line, perhaps after other words."""
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
            if _is_open(begun) or (not _opens(_words(lines[later])) and _opens(_words(begun))):
                continue
            if "@" in begun and not any("@" in line for line in lines[later : later + other.lines]):
                continue
            return None  # it begins there; this line is the person's
        return here

    def _read_from(self, number: int) -> Attribution | None:
        """Return the attribution from the beginning of that line to its end or the end of a later line (cached)."""
        if number not in self._read:
            self._read[number] = self._examined(number)
        return self._read[number]

    def _examined(self, number: int) -> Attribution | None:
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
                    found = Attribution(skipped + read[0], span, read[1])
                    if found.is_sure:
                        return found
                    weak = weak or found
        return weak


def _endings(text: str) -> Iterator[int]:
    """Yield where an attribution may end: at the end of the text, or at a "wrote:" or ">:" inside."""
    if not text:
        return
    if _ends_without_colon(text):
        yield len(text)
        return
    if (
        not any(colon in text for colon in (*COLONS, ">"))
        and not _is_verb(text[-40:].rpartition(" ")[2])
        and text[-1] != "-"
    ):
        return
    for at, word in _words(text)[-MOST_WORDS:]:
        end = at + len(word)
        if end == len(text):
            if word.endswith((*COLONS, ">")) or _is_verb(word) or not word.strip("-"):
                yield end
        elif word.endswith(COLONS) and (_is_verb(word) or word.endswith((">:", "]:"))):
            yield end


def _ends_without_colon(text: str) -> bool:
    """Return whether the text is a whole attribution without a colon at its end.

    >>> _ends_without_colon("Am 20.06.24 um 16:20 schrieb Bob"), _ends_without_colon("Bob schrieb am 5.1.26 10:00")
    (True, True)
    >>> _ends_without_colon("On 2 Mar 2026 at 10:30 Bob wrote me a letter"), _ends_without_colon("I wrote this in 2026")
    (False, False)
    """
    if text[-1] in ".,;:!?>" or len(text) > LONGEST_CLOSING * 3 or FIGURES.isdisjoint(text):
        return False
    words = [word for _, word in _words(text)]
    opener = next((at for at in range(len(words) - 1) if words[at] in LONE_OPENERS and _has_digit(words[at + 1])), 0)
    words = words[opener:]  # a phone may have appended it to the person's words
    verb = next((number for number, word in enumerate(words) if _is_verb(word)), None)
    if not verb or len(words) > MOST_WORDS or not _is_dated_any(words):
        return False
    before, after = words[:verb], words[verb + 1 :]
    times = [(0, word) for word in words]
    if words[0] in OPENERS and _has_digit(words[1]):  # "Am 20.06.24 um 16:20 schrieb Bob Smith"
        named = 0 < len(after) <= 2 and all(word[0].isupper() for word in after)
        return named and _tells_the_time(times) and not any(len(word) > LONGEST_CLOSING for word in before)
    told = any(map(_is_weekday, after)) or _tells_the_time(times)  # "Bob schrieb am Do. 05.01.26 10:00"
    return verb <= 3 and told and _has_digit(words[-1]) and all(_may_date(word) for word in after)


def _may_date(word: str) -> bool:
    """Return whether a word may be part of a date: a figure, a day, a month, a preposition."""
    return _has_digit(word) or _is_weekday(word) or len(word) <= 4 or word[0].isupper()


def _read(text: str) -> tuple[int, bool] | None:
    """Return where the attribution that ends with the text begins, and whether it is sure; None if it isn't one."""
    words = _words(text)
    while words and not words[-1][1].strip("-: "):  # "---- On ..., PBeM wrote ----"
        words.pop()
    dashes = 0
    while dashes < len(words) and not words[dashes][1].strip("-"):
        dashes += 1
    words = words[dashes:]
    if not words:
        return None
    verb = any(_is_verb(word) for _, word in words) or any(part in text for part in VERB_PARTS)
    addressed = any("@" in word for _, word in words)
    bracketed = addressed and ("<" in text or "(" in text or "[" in text)
    dated = any(_is_dated(word) for _, word in words)
    tagged = addressed and tagged_addresses.holds_tagged([word for _, word in words])
    timed = addressed and "@" in words[-1][1] and words[-1][1].endswith(COLONS) and _opens(words)
    if not (verb or bracketed or tagged or (timed and _tells_the_time(words))):  # "2 Mar 2026, 09:59 by bob@…:"
        return None
    start = _start(words)
    if start is None and tagged:
        start = 0
    if words[0][1].endswith(":") and len(words) > 1:
        return None  # "Acked-by: Bob <bob@mail.example>"
    if start is None or (not addressed and words[start][1] in OPENERS - LONE_OPENERS and not _tells_the_time(words)):
        return None
    column = 0 if start == 0 else words[start][0]
    told = words[start:]
    if len(told) > MOST_WORDS:
        return None
    if _ends_without_colon(text):
        return column, _is_verb(told[-2][1]) or _is_verb(told[-3][1])
    if dated and (addressed or _tells_the_day(told)) and not words[-1][1].endswith(">"):
        return column, True
    if bracketed and verb and words[-1][1].endswith(COLONS) and told[0][1] in OPENERS and _opens(told):
        return column, True  # "On Wed, Dec 9, PBeM <games@pbem.example> wrote:"
    if tagged and (words[-1][1].endswith(COLONS) or _is_verb(words[-1][1])):
        return column, True
    brief = len(words) <= LONGEST_NAME or (addressed and len(words) <= 2 * LONGEST_NAME)
    ends = _is_verb(words[-1][1]) or (len(words) > 1 and _is_verb(words[-2][1]))
    ends = ends or (bracketed and (dated or words[-1][1].endswith(COLONS)))
    return (0, False) if column == 0 and brief and ends and len(words) > 1 and (verb or addressed) else None


def _start(words: Sequence[tuple[int, str]]) -> int | None:
    """Return the first word of the attribution; None if the person's words before it can't be told apart."""
    if _opens(words):
        return 0
    for number in range(1, len(words)):
        if words[number][1] in LONE_OPENERS and _opens(words[number:]):
            return number
    named = next((number for number, (_, word) in enumerate(words) if "@" in word), None)
    if named is not None:
        before = [word for _, word in words[:named]]
        sentence = max((number for number, word in enumerate(before) if word.endswith(("!", "?", "."))), default=-1)
        name = before[sentence + 1 :]
        if _leads_to_a_date(before):
            return 0
        if len(name) <= LONGEST_NAME and not any(_has_digit(word) for word in name):
            return sentence + 1
        for number in range(1, named):
            word = words[number][1]
            if (_is_weekday(word) or _is_date(word) or _is_time(word) or "年" in word) and _opens(words[number:]):
                return number
        while name and (_has_digit(name[0]) or len(name) > LONGEST_NAME or not name[0][:1].isupper()):
            name.pop(0)
        if name and not _is_time(words[0][1]):
            return named - len(name)
        return None
    for number in range(1, len(words)):
        if words[number][1].strip(MARKS).lower() in WEEKDAYS and _opens(words[number:]):
            named = number <= LONGEST_NAME and any(_is_verb(word) for _, word in words[:number])
            return 0 if named else number  # "Bob wrote on Mon, 2 Mar 2026:"
    plain = [word for _, word in words[:LONGEST_NAME]]
    stop = next((number for number, word in enumerate(plain) if _is_verb(word) or _is_dated(word)), len(plain))
    return 0 if stop <= 4 and not any(_has_digit(word) for word in plain[:stop]) and stop < len(plain) else None


def _leads_to_a_date(words: Sequence[str]) -> bool:
    """Return whether the words begin with a date, perhaps after up to three words: "No dia 2 de março de 2026"."""
    first = next((number for number, word in enumerate(words) if _has_digit(word)), len(words))
    if first > 3 or first == len(words) or not _is_dated_any(words):
        return False
    bare = words[first].strip(MARKS)
    return _is_year(bare) or _is_date(bare) or (bare.isdecimal() and len(bare) <= 2 and first > 0)


def _opens(words: Sequence[tuple[int, str]]) -> bool:
    """Return whether the words begin like an attribution: "On Mon", "2026-03-02 09:59", "Mon, 2 Mar", "2 mars 2026"."""
    if not words:
        return False
    first, rest = words[0][1], [word for _, word in words[1:5]]
    if first.strip(MARKS) in OPENERS or first in OPENERS:
        return any(_has_digit(word) for word in rest) or any(_is_weekday(word) for word in rest[:2])
    if _is_weekday(first):
        return any(_has_digit(word) for word in rest)
    if _is_time(first):  # "11:00 AM, November 17, 2021"
        return _is_year(first) or any(_is_year(word) or _is_date(word) for word in rest)
    if not _has_digit(first):
        return _is_year(first)
    if _is_date(first) or ("年" in first or "년" in first):
        return True
    day = first.strip(MARKS)  # "2. maaliskuuta 2026", "2 mars 2026", "4 dec. 2024 kl. 18:36"
    return day.isdigit() and len(day) <= 2 and len(rest) > 1 and rest[0][:1].isalpha() and _is_dated_any(rest[:4])


def _closes_address(text: str, line: str) -> bool:
    """Return whether the line closes an address that the text leaves open: "PBeM <games@b.example" and ">:"."""
    address = text[text.rfind("<") + 1 :].strip()
    return _is_open(text) and "@" in address and " " not in address and len(line) <= LONGEST_CLOSING


def _is_open(text: str) -> bool:
    """Return whether an address in angle brackets begins in the text and doesn't end in it."""
    return text.rfind("<") > text.rfind(">")


def _tells_the_day(words: Sequence[tuple[int, str]]) -> bool:
    """Return whether a day is given and not only a time: "at 10:30 Bob wrote:" may be a person's own sentence."""
    return any(_is_year(word) or _is_date(word) for _, word in words) or (
        any(_is_time(word) for _, word in words) and any(word.strip(MARKS).isdecimal() for _, word in words)
    )


def _tells_the_time(words: Sequence[tuple[int, str]]) -> bool:
    """Return whether both a day with its year and a time of day are given."""
    return any(_is_time(word) for _, word in words) and any(_is_year(word) or _is_date(word) for _, word in words)


def _is_dated_any(words: Sequence[str]) -> bool:
    return any(_is_dated(word) for word in words)


def _is_weekday(word: str) -> bool:
    return word.strip(MARKS).lower() in WEEKDAYS


def _is_verb(word: str) -> bool:
    """Return whether the word is a verb of writing.

    >>> _is_verb("wrote:"), _is_verb("napisa\u0142(a):"), _is_verb("rote")
    (True, True, False)
    """
    bare = word.lower().rstrip(MARKS + " -").partition("(")[0].partition("/")[0].strip(MARKS + "-")
    if ">" in bare:  # "<alice@mail.example>wrote:"
        bare = bare.rpartition(">")[2]
    return bare in VERBS


def _is_dated(word: str) -> bool:
    return len(word) <= 40 and (_is_year(word) or _is_time(word) or _is_date(word))


def _is_date(word: str) -> bool:
    """Return whether a word is a numeric date: 2026-03-02, 2.3.26, 3/2/2026.

    >>> _is_date("02.03.26,"), _is_date("2011-03-01"), _is_date("c1b1"), _is_date("3.2")
    (True, True, False, False)
    """
    for separator in ".-/":
        parts = word.strip(MARKS).split(separator)[:4]
        if len(parts) >= 3 and all(part[:1].isdigit() for part in parts[:3]) and len(parts[0]) in (1, 2, 4):
            return True
    return False


def _is_year(word: str) -> bool:
    """Return whether the word holds a four-digit year: 2026, 2.3.2026, 2026-03-02."""
    if "@" in word:
        return False
    figures = ""
    for character in word[:40] + " ":
        if character.isdecimal():
            figures += character
            continue
        if len(figures) == 4 and figures[:2] in ("19", "20", "25"):  # 25: Thai years
            return True
        figures = ""
    return False


def _is_time(word: str) -> bool:
    """Return whether a word is a time of day: 9:59, 09.59, 18h36, 9:59\u5199\u9053."""
    bare = word.strip(MARKS)[:12]
    for separator in ":.h":
        hours, found, minutes = bare.partition(separator)
        if found and 1 <= len(hours) <= 2 and hours.isdecimal() and minutes[:2].isdecimal() and len(minutes[:2]) == 2:
            return True
    return False


def _has_digit(word: str) -> bool:
    return any(character.isdecimal() for character in word[:60])


def _words(text: str) -> list[tuple[int, str]]:
    """Return the words of a text with the columns where they begin; not many more than an attribution has."""
    found = []
    at = 0
    for word in text.split()[: 4 * MOST_WORDS]:
        at = text.index(word, at)
        found.append((at, word))
        at += len(word)
    return found
