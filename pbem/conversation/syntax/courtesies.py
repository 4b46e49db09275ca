"""Courtesies around a command: thanks, greetings, quotation marks, list marks, brackets from a usage line.

Each function removes one kind, or returns the text unchanged. Whether the rest may be carried out is up to the reader.
"""

import re
from collections.abc import Iterator
from difflib import get_close_matches
from functools import lru_cache

POLITE = ("please", "pls", "plz", "thanks", "thank you", "thx", "bitte", "danke", "merci", "gracias", "por favor")
GREETINGS = frozenset(
    {"hi", "hello", "hey", "dear", "hallo", "moin", "salut", "bonjour", "hola", "ciao", "hej", "good", "ok", "okay"}
)
LONGEST_ADDRESSEE = 3  # how many words a line has that is nothing but a greeting
ENCLOSED = {'"': '"', "'": "'", "`": "`", "*": "*", "_": "_", "«": "»", "»": "«"} | {
    "\u201c": "\u201d",  # English
    "\u201e": "\u201c\u201d",  # German, Polish
    "\u2018": "\u2019",
    "\u201a": "\u2018\u2019",
}
"""Opening quotation or emphasis marks, with the marks that may close them."""
LIST_MARK = re.compile(r"(?:[-*+\u2022\u00b7\u2013\u2014]|\d{1,2}[.)])\s+(?=\S)")
BRACKETED = re.compile(r"(?<!\S)[\[<(]([^\[\]<>()\s]+)[\])>](?!\S)")
NAMING = re.compile(
    r"(?:me\b|us\b)?\s*(?:please\b)?,?\s*(?:as\b|by\b|with\b|under\b|named\b|called\b)?\s*"
    r"(?:(?:the|my)?\s*(?:user|nick)?name\b)?\s*(?:of\b|is\b)?[ :=]*",
    re.IGNORECASE,
)
"""What may stand between "join" or "register" and the name."""
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
    for _ in range(3):
        bare = text.strip().rstrip(".,;!")
        closing, inner = ENCLOSED.get(bare[:1], ""), bare[1:-1]
        if len(bare) < 3 or bare[-1] not in closing or set(inner.strip("*_`")) & {bare[0], bare[-1]}:
            return text
        text = inner.strip()
    return text


def without_list_mark(text: str) -> str:
    """Return the text without the dash, dot or number of a list.

    >>> without_list_mark("- show 42"), without_list_mark("----")
    ('show 42', '----')
    """
    return LIST_MARK.sub("", text, count=1) if LIST_MARK.match(text) else text


def without_brackets(text: str) -> str:
    """Return the text without the brackets of a usage line that was filled in.

    >>> without_brackets("move [42] c1b1 <g9h9> 3")
    'move 42 c1b1 g9h9 3'
    """
    return " ".join(BRACKETED.sub(r"\1", text).split())


def plainer(text: str, *, opening: bool) -> Iterator[tuple[str, bool]]:
    """Yield the line without courtesies, and whether it was in quotation marks.

    Quotation marks are removed from the first line only: our own messages quote examples, but never start with one.
    """
    for plain in dict.fromkeys((text, without_quotes(text) if opening else text)):
        for bare in dict.fromkeys((plain, without_brackets(plain))):
            yield without_politeness(bare).rstrip("?"), plain != text


def name_in(text: str) -> str:
    """Return the name that somebody gives themselves; more than one word where it isn't plain which.

    >>> name_in("me as Carol, please"), name_in("under the name carol"), name_in('"carol".'), name_in("Carol Smith")
    ('Carol', 'carol', 'carol', 'Carol Smith')
    """
    bare = without_politeness(text.strip())
    given = NAMING.sub("", bare, count=1) or bare
    return " ".join(filter(None, (word.strip("\"'`*<>[](){}.,:;!?") for word in given.split())))


def with_other_number(word: str, known: frozenset[str]) -> str:
    """Return the known word of which this is the plural or the singular.

    >>> with_other_number("moves", frozenset({"move"})), with_other_number("game", frozenset({"games"}))
    ('move', 'games')
    """
    stem = word.removesuffix("s")
    forms = (word, f"{word}s", f"{word}es", stem, f"{stem}es", stem.removesuffix("e"))
    return next((form for form in forms if form in known), word)


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
