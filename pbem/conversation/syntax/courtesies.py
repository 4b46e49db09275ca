"""Courtesies around a command: thanks, greetings, quotation marks, list marks, brackets from a usage line.

Each function removes one kind, or returns the text unchanged. Whether the rest may be carried out is up to the reader.
"""

import re
from difflib import get_close_matches
from functools import lru_cache

POLITE = ("please", "pls", "plz", "thanks", "thank you", "thx", "bitte", "danke", "merci", "gracias", "por favor")
GREETINGS = frozenset(
    {"hi", "hello", "hey", "dear", "hallo", "moin", "salut", "bonjour", "hola", "ciao", "hej", "good", "ok", "okay"}
)
LONGEST_ADDRESSEE = 3  # how many words a line has that is nothing but a greeting
MARKS = "\"'`*_«»\u201c\u201d\u201e\u2018\u2019\u201a"  # what encloses what is quoted or stressed
BRACKETED = re.compile(r"(?<!\S)[\[<(]([^\[\]<>()\s]+)[\])>](?!\S)")
LIST_MARK = re.compile(r"(?:[-*+\u2022\u00b7\u2013\u2014]|\d{1,2}[.)])\s+(?=\S)")
_BEFORE = re.compile(
    rf"(?:(?:{'|'.join(GREETINGS)})\b[^,:!]{{0,26}}[,:!]+\s*)?(?:(?:{'|'.join(POLITE)})[ ,]+)*", re.IGNORECASE
)
_BEHIND = re.compile(rf"(?:[ ,.!]+(?:{'|'.join(POLITE)}))+[ .,;!]*$", re.IGNORECASE)


def without_politeness(text: str) -> str:
    """Return the text without greeting and thanks.

    >>> without_politeness("Hi Bob, resign please!"), without_politeness("please show 42, thanks.")
    ('resign', 'show 42')
    """
    return _BEHIND.sub("", _BEFORE.sub("", text, count=1))


def is_greeting(text: str) -> bool:
    """Return whether a line is nothing but a greeting, perhaps with a name.

    >>> is_greeting("Hi Bob,"), is_greeting("Hello!"), is_greeting("Hi, I have three questions:")
    (True, True, False)
    """
    words = text.lower().split()
    return 0 < len(words) <= LONGEST_ADDRESSEE and words[0].strip(",:!.") in GREETINGS - {"ok", "okay"}


def without_quotes(text: str) -> str:
    """Return the text without marks that enclose all of it.

    >>> without_quotes('"accept".'), without_quotes("**accept**"), without_quotes('"a" or "b"')
    ('accept', 'accept', '"a" or "b"')
    """
    bare = text.strip().rstrip(".,;!")
    inner = bare.strip(MARKS)
    is_enclosed = len(inner) < len(bare) - 1 and bare[0] in MARKS and bare[-1] in MARKS
    return inner.strip() if inner and is_enclosed and not {bare[0], bare[-1]} & set(inner) else text


def without_list_mark(text: str) -> str:
    """Return the text without the dash, dot or number of a list.

    >>> without_list_mark("- show 42"), without_list_mark("----")
    ('show 42', '----')
    """
    return LIST_MARK.sub("", text, count=1) if LIST_MARK.match(text) else text


def plainer(text: str, *, opening: bool) -> tuple[str, bool]:
    """Return the line without courtesies and the brackets of a usage line, and whether it was in quotation marks.

    Quotation marks are removed from the first line only: our own messages quote examples, but never start with one.

    >>> plainer("**please move [42] c1b1 <g9h9> 3**", opening=True)
    ('move 42 c1b1 g9h9 3', True)
    """
    bare = without_quotes(text) if opening else text
    return without_politeness(" ".join(BRACKETED.sub(r"\1", bare).split())).rstrip("?"), bare != text


SIMILAR = 0.75  # how similar a misspelt word is to the known one, as difflib measures it


@lru_cache(maxsize=2_048)
def nearest_word(word: str, known: frozenset[str]) -> str | None:
    """Return the known word most similar to a misspelt one, or None.

    >>> nearest_word("chalenge", frozenset({"challenge", "games"})), nearest_word("hello", frozenset({"help"}))
    ('challenge', None)
    """
    if not 3 <= len(word) <= 20 or sum(map(str.isdigit, word)) > 1:
        return None
    return next(iter(get_close_matches(word, sorted(known), 1, SIMILAR)), None)
