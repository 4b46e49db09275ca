"""Courtesies around a command: thanks, greetings, quotation marks, list marks, brackets from a usage line.

Each function removes one kind, or returns the text unchanged. Whether the rest may be carried out is up to the reader.
"""

import re
from collections.abc import Collection
from difflib import get_close_matches
from functools import lru_cache

from pbem.conversation.syntax.commands import PLACEHOLDER

POLITE = ("please", "pls", "plz", "thanks", "thank you", "thx", "bitte", "danke", "merci", "gracias", "por favor")
GREETINGS = frozenset(
    {"hi", "hello", "hey", "dear", "hallo", "moin", "salut", "bonjour", "hola", "ciao", "hej", "good", "ok", "okay"}
)
LONGEST_GREETING = 30
LONGEST_ADDRESSEE = 3
"""How many words a line has that is nothing but a greeting."""
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
SEPARATING = " \t-_=*~.#+\u2022\u00b7\u2026"
"""The marks of separators. In some games, a turn in which nothing moves consists of them as well."""


def without_politeness(text: str) -> str:
    """Return the text without greeting and thanks.

    >>> without_politeness("Hi Bob, resign please!"), without_politeness("please show 42, thanks.")
    ('resign', 'show 42')
    """
    greeting = re.match(r"[^,:!]*[,:!]+\s*", text[:LONGEST_GREETING])
    if greeting and text.split(maxsplit=1)[0].lower().strip(",:!") in GREETINGS:
        text = text[greeting.end() :]
    for _ in range(2):
        bare = text.rstrip(" .,;!")
        for word in POLITE:
            if bare.lower().startswith(f"{word} ") or bare.lower().startswith(f"{word}, "):
                text = bare = bare[len(word) :].lstrip(" ,")
            if bare.lower().endswith((f" {word}", f",{word}")):
                text = bare = bare[: -len(word)].rstrip(" .,;!")
    return text


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
        closing = ENCLOSED.get(bare[:1], "")
        inner = bare[1:-1]
        if len(bare) < 3 or bare[-1] not in closing or not closing or set(inner.strip("*_`")) & {bare[0], bare[-1]}:
            return text
        text = inner.strip()
    return text


def without_list_mark(text: str) -> str:
    """Return the text without the dash, dot or number of a list.

    >>> without_list_mark("- show 42"), without_list_mark("----")
    ('show 42', '----')
    """
    mark = LIST_MARK.match(text)
    return text[mark.end() :] if mark else text


def without_brackets(text: str) -> str:
    """Return the text without the brackets of a usage line that was filled in.

    >>> without_brackets("move [42] c1b1 <g9h9> 3")
    'move 42 c1b1 g9h9 3'
    """
    return " ".join(BRACKETED.sub(r"\1", text).split())


def name_in(text: str) -> str:
    """Return the name that somebody gives themselves; more than one word where it isn't plain which.

    >>> name_in("me as Carol, please"), name_in("under the name carol"), name_in('"carol".'), name_in("Carol Smith")
    ('Carol', 'carol', 'carol', 'Carol Smith')
    """
    bare = without_politeness(text.strip())
    given = NAMING.sub("", bare, count=1) or bare
    words = [word.strip("\"'`*<>[](){}.,:;!?") for word in given.split()]
    return " ".join(word for word in words if word)


def placeholders(text: str, known: Collection[str]) -> list[str]:
    """Return the words of the text that are placeholders in the usage lines.

    >>> placeholders("show [NUMBER]", {"NUMBER"}), placeholders("SHOW 42", {"NUMBER"})
    (['NUMBER'], [])
    """
    return [word for word in PLACEHOLDER.findall(text) if word in known]


def with_other_number(word: str, known: frozenset[str]) -> str:
    """Return the known word of which this is the plural or the singular.

    >>> with_other_number("moves", frozenset({"move"})), with_other_number("game", frozenset({"games"}))
    ('move', 'games')
    """
    if word in known:
        return word
    stem = word.removesuffix("s")
    forms = (f"{word}s", f"{word}es", stem, f"{stem}es", stem.removesuffix("e"))
    return next((form for form in forms if form in known), word)


SIMILAR = 0.75
"""How similar a misspelt word is to the known one, as difflib measures it."""


@lru_cache(maxsize=2_048)
def nearest_word(word: str, known: frozenset[str]) -> str | None:
    """Return the known word most similar to a misspelt one, or None.

    >>> nearest_word("chalenge", frozenset({"challenge", "games"})), nearest_word("hello", frozenset({"help"}))
    ('challenge', None)
    """
    if not 3 <= len(word) <= 20:
        return None
    common = sum(map(_letters_of(known).__contains__, word))
    if 2 * common < SIMILAR * (len(word) + common):  # a turn has too many digits to be similar to any command
        return None
    return next(iter(get_close_matches(word, sorted(known), 1, SIMILAR)), None)


@lru_cache(maxsize=8)
def _letters_of(known: frozenset[str]) -> frozenset[str]:
    return frozenset("".join(known))


def is_of_marks(text: str) -> bool:
    """Return whether a line consists of the marks of a separator alone.

    >>> is_of_marks("---"), is_of_marks("* * *"), is_of_marks("..."), is_of_marks(":-)"), is_of_marks("?")
    (True, True, True, False, False)
    """
    return not text.strip(SEPARATING)
