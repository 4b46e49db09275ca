"""What people write around a command or a turn, and how a line that looks like one differs from prose."""

import re
from difflib import get_close_matches
from functools import lru_cache

from pbem.conversation.syntax import vocabulary

POLITE, GREETINGS = vocabulary.table("names")["polite"], frozenset(vocabulary.table("names")["greetings"].split())
LONGEST_ADDRESSEE = 3  # how many words a line has that is nothing but a greeting
MARKS = "\"'`*_«»\u201c\u201d\u201e\u2018\u2019\u201a"  # what encloses what is quoted or stressed
BRACKETED = re.compile(r"(?<!\S)[\[<(]([^\[\]<>()\s]+)[\])>](?!\S)")
SIMILAR, SHORTEST = 0.75, 4  # how similar a misspelt word is, for difflib; how long one is that can only be a turn
_LIST_MARK = re.compile(r"\A(?:[-*+\u2022\u00b7\u2013\u2014]|\d{1,2}[.)])\s+(?=\S)")
_BEFORE = re.compile(rf"(?i)(?:(?:{'|'.join(GREETINGS)})\b[^,:!]{{0,26}}[,:!]+\s*)?(?:(?:{'|'.join(POLITE)})[ ,]+)*")
_BEHIND = re.compile(rf"(?:[ ,.!]+(?:{'|'.join(POLITE)}))+[ .,;!]*$", re.IGNORECASE)
_ROW = re.compile(r"\s*(?:[^\d\s](?:\s|$)|\d{1,3}\.?\s{2,}|$)")  # begins with a mark alone, or a number and a wide gap


def without_courtesies(text: str) -> str:
    """Return the text without greeting, thanks and the brackets of a usage line."""
    bare = " ".join(BRACKETED.sub(r"\1", text).split())
    return _BEHIND.sub("", _BEFORE.sub("", bare, count=1)).rstrip("?")


def without_quotes(text: str) -> str:
    """Return the text without marks that enclose all of it: not those of '"a" or "b"'."""
    bare = text.strip().rstrip(".,;!")
    inner = bare.strip(MARKS)
    is_enclosed = len(inner) < len(bare) - 1 and bare[0] in MARKS and bare[-1] in MARKS
    return inner.strip() if inner and is_enclosed and not {bare[0], bare[-1]} & set(inner) else text


def undecorated(text: str) -> str:
    """Return the text without quotation marks, the dash, dot or number of a list, and gaps."""
    return " ".join(without_quotes(_LIST_MARK.sub("", without_quotes(text), count=1)).split())


def is_greeting(text: str) -> bool:
    words = text.lower().split()
    return 0 < len(words) <= LONGEST_ADDRESSEE and words[0].strip(",:!.") in GREETINGS - {"ok", "okay"}


def is_short_word(text: str) -> bool:
    """Return whether a text is one word that other texts have as well: a number, a square, or a word like "pass"."""
    return len(text.split()) == 1 and (len(text) < SHORTEST or text.isalpha())


def is_board_or_record(text: str) -> bool:
    """Return whether a line is a row of one of our boards or records, quoted without marks."""
    return _ROW.match(text) is not None


def is_sentence(text: str) -> bool:
    """Return whether a text that starts like a turn is prose ("3 cheers for you", "a1 is a fine square")."""
    return sum(word.strip(".,!?").isalpha() and len(word) > 1 for word in text.split()) > 1


@lru_cache(maxsize=2_048)
def nearest_word(word: str, known: frozenset[str]) -> str | None:
    """Return the known word most similar to a misspelt one, or None."""
    if not 3 <= len(word) <= 20 or sum(map(str.isdigit, word)) > 1:
        return None
    return next(iter(get_close_matches(word, sorted(known), 1, SIMILAR)), None)
