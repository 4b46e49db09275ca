"""What attributions consist of, word by word: verbs of writing, weekdays, dates and times, in many languages."""

from collections.abc import Sequence

from pbem.mail.reading.text import phrases

MOST_WORDS = 45

_PHRASES = phrases.table("attributions")
VERBS, OPENERS, LONE_OPENERS, WEEKDAYS = (
    frozenset(_PHRASES[kind]) for kind in ("verbs", "openers", "lone_openers", "weekdays")
)
VERB_PARTS = _PHRASES["verb_parts"]
MARKS = ".,;:!?()[]<>\"'*_\u2018\u2019\u201c\u201d\u2026\uff1a\uff0c"
COLONS = (":", "\uff1a")


def may_date(word: str) -> bool:
    return has_digit(word) or is_weekday(word) or len(word) <= 4 or word[0].isupper()


def opens(words: Sequence[str]) -> bool:
    """Return whether the words begin like an attribution: "On Mon", "2026-03-02 09:59", "Mon, 2 Mar", "2 mars 2026"."""
    if not words:
        return False
    first, rest = words[0], words[1:5]
    if first.strip(MARKS) in OPENERS or first in OPENERS:
        return any(has_digit(word) for word in rest) or any(is_weekday(word) for word in rest[:2])
    if is_weekday(first):
        return any(has_digit(word) for word in rest)
    if is_time(first):  # "11:00 AM, November 17, 2021"
        return is_year(first) or any(is_year(word) or is_date(word) for word in rest)
    if not has_digit(first):
        return is_year(first)
    if is_date(first) or ("年" in first or "년" in first):
        return True
    day = first.strip(MARKS)  # "2. maaliskuuta 2026", "2 mars 2026", "4 dec. 2024 kl. 18:36"
    return day.isdigit() and len(day) <= 2 and len(rest) > 1 and rest[0][:1].isalpha() and any(map(is_dated, rest))


def tells_the_day(words: Sequence[str]) -> bool:
    """Return whether a day is given and not only a time: "at 10:30 Bob wrote:" may be a person's own sentence."""
    is_numbered = any(map(is_time, words)) and any(word.strip(MARKS).isdecimal() for word in words)
    return is_numbered or any(is_year(word) or is_date(word) for word in words)


def tells_the_time(words: Sequence[str]) -> bool:
    return any(map(is_time, words)) and any(is_year(word) or is_date(word) for word in words)


def is_weekday(word: str) -> bool:
    return word.strip(MARKS).lower() in WEEKDAYS


def is_verb(word: str) -> bool:
    """Return whether the word is a verb of writing."""
    bare = word.lower().rstrip(MARKS + " -").partition("(")[0].partition("/")[0].strip(MARKS + "-")
    if ">" in bare:  # "<alice@mail.example>wrote:"
        bare = bare.rpartition(">")[2]
    return bare in VERBS


def is_dated(word: str) -> bool:
    return len(word) <= 40 and (is_year(word) or is_time(word) or is_date(word))


def is_date(word: str) -> bool:
    """Return whether a word is a numeric date: 2026-03-02, 2.3.26, 3/2/2026."""
    for separator in ".-/":
        parts = word.strip(MARKS).split(separator)[:4]
        if len(parts) >= 3 and all(part[:1].isdigit() for part in parts[:3]) and len(parts[0]) in (1, 2, 4):
            return True
    return False


def is_year(word: str) -> bool:
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


def is_time(word: str) -> bool:
    bare = word.strip(MARKS)[:12]
    for separator in ":.h":
        hours, _, minutes = bare.partition(separator)
        if 1 <= len(hours) <= 2 and hours.isdecimal() and minutes[:2].isdecimal() and len(minutes[:2]) == 2:
            return True
    return False


def has_digit(word: str) -> bool:
    return any(character.isdecimal() for character in word[:60])


def first_words(text: str) -> list[str]:
    """Return the words of a text, not many more than an attribution has."""
    return text.split()[: 4 * MOST_WORDS]


LONGEST_SMALL = 4  # how long prepositions in a date are: at, um, kl


def is_mere_date(text: str) -> bool:
    """Return whether a text is a date or a time and little else, as before the name in an announcement."""
    words = text.split()
    others = sum(not (is_date_or_name(word) or has_digit(word) or len(word) <= LONGEST_SMALL) for word in words)
    return others <= 1 and any(is_time(word) or is_year(word) for word in words)


def is_date_or_name(word: str) -> bool:
    return is_time(word) or is_year(word) or is_date(word) or is_weekday(word) or not word[0].islower()
