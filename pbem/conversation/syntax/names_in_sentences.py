"""People's names in sentences: the author's own, those of others, and the words to pass on to one of them."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from notation.games import GAMES
from pbem.conversation.syntax import vocabulary, wish_classifier

NAME = re.compile(r"[a-z][a-z0-9_-]{0,18}[a-z0-9]")
JOINING = ("join", "register", "sign")
"""What one name follows: two are other people's words, and may be an advertisement."""
SHORTEST_NAME, MOST_NAMES = 3, 3  # how many letters a name has at least below a message, and how many words
SENTENCE_END = re.compile(r"(?<=[.!?;\u3002\uff1f])(?<!\d\.)\s+(?=\S)")
TOKEN = re.compile(r"[^\W_][\w'-]*", re.UNICODE)


def is_name(word: str) -> bool:
    """Return whether a word can be a person's: no word that the sentences of any language have.

    >>> [is_name(word) for word in ("tom", "kimś", "komputerem", "ordinateur", "l", "together")]
    [True, False, False, False, False, False]
    """
    bare = vocabulary.plain(word)
    is_word = bare in vocabulary.stop_words() or vocabulary.lexicon("concepts").of(bare)
    is_game = bare in GAMES or vocabulary.lexicon("games").of(bare)
    is_turn = re.fullmatch(r"(?:[a-z]\d{1,2})+", bare) is not None
    return NAME.fullmatch(word.lower()) is not None and not (is_word or is_game or is_turn)


@cache
def _before(*kinds: str) -> re.Pattern[str]:
    said = sorted((each for kind in kinds for each in vocabulary.table("names")[kind]), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, said))})(?!\w)[\s:\"'\u201c\u201e\u00ab]*", re.IGNORECASE)


def as_name(word: str) -> str:
    """Return how a name is written here: in letters without accents.

    >>> as_name("Rocío"), as_name("Людмила")
    ('rocio', 'lyudmila')
    """
    return vocabulary.plain(word.lower().translate(str.maketrans(vocabulary.table("names")["latin"])))


def own_name(text: str) -> str:
    """Return the name that somebody gives themselves; the first of several.

    >>> own_name("Hi, my name is Carol."), own_name("I'm Petra"), own_name("I'm new here"), own_name("Piet is de naam")
    ('carol', 'petra', '', 'piet')
    """
    return as_name(_naming(text)[0])


def _naming(text: str) -> tuple[str, str]:
    """Return the name that somebody gives themselves, and what the text says beside that; no name, and the text."""
    text = text.replace("\u2019", "'")
    if vocabulary.language_of(text, "") == vocabulary.ENGLISH:
        text = _I_AM.sub("I'm ", text)
    for kinds, capital in ((("called", "joining"), False), (("i_am",), True)):
        for found in _before(*kinds).finditer(text):
            rest = text[found.end() :]
            after = TOKEN.findall(rest) if rest[:1].isalpha() else []
            words = after[1:] if after and vocabulary.plain(after[0]) in _titles() else after
            if not words or (found[0].lower().startswith(JOINING) and len(words) > 1 and is_name(words[1])):
                continue
            name, is_odd = words[0], found[0].startswith("I'm") and _is_odd(words[0], rest)
            if is_odd or is_called(name, text, must_have_capital=capital):
                return name, f"{text[: found.start()]}{rest[rest.index(name) + len(name) :]}"
    behind = _after().search(text)
    if behind and is_called(behind[1], text, must_have_capital=True):
        return behind[1], f"{text[: behind.start()]}{text[behind.end() :]}"
    return "", text


_I_AM = re.compile(r"\b[Ii]m (?=[\w-]+(?:[.,!]|$| and\b))")


def _is_odd(word: str, rest: str) -> bool:
    """Return whether a word without a capital is a name: nothing else stands beside it, and no wording has it."""
    return (
        bool(re.match(rf"{re.escape(word)}\s*(?:[.,!]|$)", rest)) and is_name(word) and not wish_classifier.knows(word)
    )


def is_called(word: str, text: str, *, must_have_capital: bool) -> bool:
    """Return whether a word, where a name is expected, is one: Felicity is, though its beginning means something."""
    name = as_name(word)
    if word.istitle():
        means = vocabulary.lexicon("concepts").of_word(name) and not vocabulary.is_foreign(
            name, vocabulary.language_of(text)
        )
        is_word = name in vocabulary.nobody() or means or name in GAMES
        return bool(NAME.fullmatch(name)) and not is_word
    return not must_have_capital and is_name(name)


@cache
def _titles() -> frozenset[str]:
    return frozenset(vocabulary.plain(vocabulary.table("names")["titles"]).split())


@cache
def _after() -> re.Pattern[str]:
    return re.compile(
        rf"([^\W_][\w'-]*),? (?:{'|'.join(map(re.escape, vocabulary.table('names')['is_called']))})(?!\w)"
    )


def signature(lines: Sequence[str]) -> str:
    """Return the name with which a message ends, on a line of its own or behind a greeting.

    >>> signature(["Can we play?", "Harold Whitcombe"]), signature(["See you, Ben"]), signature(["I play Quadrature"])
    ('harold', 'ben', '')
    """
    written = [line.strip() for line in lines if line.strip()]
    parts = re.split(r"[.,!?-]\s+", _INITIALS.sub("", written[-1]).rstrip(" .!,")) if written else [""]
    if len(parts) > 1 and any(_closes(word) for word in parts[0].split()):
        parts = parts[1:]  # "Best wishes, Niamh"
    is_own = len(written) > 1 and len(parts[0].split()) <= MOST_NAMES and len(parts) <= MOST_NAMES
    last = [word for word in parts[0 if is_own else -1].split() if vocabulary.plain(word) not in _titles()]
    while last and (len(last[0]) < SHORTEST_NAME or _closes(last[0])):
        last = last[1:]  # "LG Mareike"
    fits = 0 < len(last) <= MOST_NAMES and all(word[:1].isupper() and not word[1:].isupper() for word in last)
    first = as_name(last[0]) if fits and (len(written) > 1 or len(last) < len(written[0].split())) else ""
    is_word = vocabulary.lexicon("concepts").of(first) or first in GAMES or vocabulary.lexicon("games").of(first)
    return first if NAME.fullmatch(first) and not is_word else ""


_INITIALS = re.compile(r"\b[A-Z]\.\s|\b(?:Dr|Prof|Mrs?|Ms)\.\s|\([^)]*\)")


def _closes(word: str) -> bool:
    return bool({"bye", "thanks"} & set(vocabulary.lexicon("concepts").of(vocabulary.plain(word.strip(","))))) or (
        vocabulary.plain(word) in vocabulary.table("names")["closing"].split()
    )


def without_name(text: str) -> str:
    """Return what a sentence says beside the name that its author gives themselves.

    >>> without_name("My name is Carol and I'd like to play")
    " and I'd like to play"
    """
    return _naming(text)[1]


def opponents(text: str) -> Iterator[str]:
    text = text.replace("\u2019", "'")
    for found in _before("against").finditer(text):
        for word in TOKEN.findall(text[found.end() :])[:4]:
            if is_name(word):
                yield word.lower()
                break
            if not ({"friend", "me"} & set(vocabulary.lexicon("concepts").of(vocabulary.plain(word)))):
                break


def told(sentence: str, name: str) -> str:
    """Return the words that a sentence asks us to pass on to the opponent of that name; empty if it doesn't.

    >>> told("please tell Bob I'll be late", "bob"), told("Kannst du Bob ausrichten, dass ich komme?", "bob")
    ("I'll be late", 'dass ich komme?')
    """
    for way in vocabulary.table("names")["tell"]:
        for found in re.finditer(way.replace("NAME", r"(\w+)"), sentence, re.IGNORECASE):
            whom = as_name(found[1])
            if whom in vocabulary.table("names")["them"].split() or (name and whom.startswith(name)):
                *words, last = SENTENCE_END.split(sentence[found.end() :].strip(" ,:"))
                is_thanks = len(last.split()) <= MOST_NAMES and "thanks" in vocabulary.lexicon("concepts").of_text(
                    vocabulary.words(last)
                )
                return " ".join(words if words and is_thanks else (*words, last))
    return ""
