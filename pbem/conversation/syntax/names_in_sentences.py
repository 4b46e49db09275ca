"""People's names in sentences: the author's own, those of others, and the words to pass on to one of them."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from notation.games import GAMES
from pbem.conversation.syntax import vocabulary, wish_classifier

NAME = re.compile(r"[a-z][a-z0-9_-]{0,18}[a-z0-9]")
JOINING = ("join", "register", "sign")  # what one name follows: more are other people's words
SHORTEST_NAME, MOST_NAMES, LONGEST_SIGNATURE = 3, 3, 6  # in letters, in words, and the line of a name in words
SENTENCE_END = re.compile(r"(?<=[.!?;\u3002\uff1f])(?<!(?<![a-z\d])\d\.)(?<!(?<![a-z\d])\d\d\.)\s+(?=\S)")
TOKEN = re.compile(r"[^\W_][\w'-]*", re.UNICODE)


def is_name(word: str) -> bool:
    """Return whether a word can be a person's: no word that the sentences of any language have.

    >>> [is_name(word) for word in ("tom", "kimś", "komputerem", "ordinateur", "l", "together")]
    [True, False, False, False, False, False]
    """
    bare = vocabulary.plain(word)
    is_word = bare in vocabulary.stop_words() or _concepts(bare)
    is_turn = re.fullmatch(r"(?:[a-z]\d{1,2})+", bare) is not None
    return NAME.fullmatch(word.lower()) is not None and not (is_word or is_turn or _is_game(bare))


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


def name_from_address(address: str) -> str:
    """Return what of an address can be a name; empty if nothing can.

    >>> [name_from_address(address) for address in ("Carol.Smith@mail.example", "42@mail.example")]
    ['carolsmith', '']
    """
    return re.sub(r"[^a-z0-9]", "", address.partition("@")[0].partition("+")[0].lower())[:16].lstrip("0123456789")


def own_name(text: str) -> str:
    """Return the name that somebody gives themselves; the first of several.

    >>> own_name("Hi, my name is Carol."), own_name("I'm Petra"), own_name("I'm new here"), own_name("Piet is de naam")
    ('carol', 'petra', '', 'piet')
    """
    return as_name(naming(text)[0])


def naming(text: str) -> tuple[str, str]:
    """Return the name that somebody gives themselves, and what the text says beside that; no name, and the text.

    >>> naming("My name is Carol and I'd like to play")
    ('Carol', " and I'd like to play")
    """
    text = text.replace("\u2019", "'")
    if vocabulary.language_of(text, "") == vocabulary.ENGLISH:
        text = _I_AM.sub("I'm ", text)
    for kinds, capital in ((("called", "joining"), False), (("i_am",), True)):
        for found in _before(*kinds).finditer(text):
            rest = text[found.end() :]
            after = TOKEN.findall(rest) if rest[:1].isalpha() else []
            words = after[1:] if after and vocabulary.plain(after[0]) in vocabulary.listed("titles") else after
            if not words or (found[0].lower().startswith(JOINING) and len(words) > 1 and is_name(words[1])):
                continue
            name, is_odd = words[0], found[0].startswith("I'm") and _is_odd(words[0], rest)
            if is_odd or is_called(name, text, must_have_capital=capital):
                return name, f"{text[: found.start()]}{rest[rest.index(name) + len(name) :]}"
    if (behind := _after().search(text)) and is_called(behind[1], text, must_have_capital=True):
        return behind[1], f"{text[: behind.start()]}{text[behind.end() :]}"
    return "", text


_I_AM = re.compile(r"\b[Ii]m (?=[\w-]+(?:[.,!]|$| and\b))")


def _is_odd(word: str, rest: str) -> bool:
    """Return whether a word without a capital is a name: nothing else stands beside it, and no wording has it."""
    is_alone = re.match(rf"{re.escape(word)}\s*(?:[.,!]|$)", rest) is not None
    return is_alone and is_name(word) and not wish_classifier.knows(word)


def is_called(word: str, text: str, *, must_have_capital: bool) -> bool:
    """Return whether a word, where a name is expected, is one: Felicity is, though its beginning means something."""
    name = as_name(word)
    if not word.istitle():
        return not must_have_capital and is_name(name)
    language = vocabulary.language_of(text)
    is_foreign = name not in vocabulary.stop_words(language) and name in vocabulary.stop_words()
    means = name in vocabulary.lexicon("concepts").whole and not is_foreign
    is_word = means or name in vocabulary.stop_words(vocabulary.ENGLISH) or _is_game(name)
    return bool(NAME.fullmatch(name)) and not (is_word or _profession().search(name))


def _concepts(word: str) -> list[str]:
    return vocabulary.lexicon("concepts").of(word)


def _is_game(word: str) -> bool:
    return word in GAMES or bool(vocabulary.lexicon("games").of(word))


@cache
def _profession() -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(vocabulary.listed('professions'))})(?:in)?$")


@cache
def _after() -> re.Pattern[str]:
    said = "|".join(map(re.escape, vocabulary.table("names")["is_called"]))
    return re.compile(rf"([^\W_][\w'-]*),? (?:{said})(?!\w)")


def signature(lines: Sequence[str]) -> str:
    """Return the name with which a message ends, on a line of its own or behind a greeting.

    >>> signature(["Can we play?", "Harold Whitcombe"]), signature(["See you, Ben"]), signature(["I play Quadrature"])
    ('harold', 'ben', '')
    """
    written = [line.strip() for line in lines if line.strip()]
    parts = re.split(r"[.,!?-]\s+", _INITIALS.sub("", written[-1]).rstrip(" .!,")) if written else [""]
    if len(parts) > 1 and any(_closes(word) for word in parts[0].split()):
        parts = parts[1:]  # "Best wishes, Niamh"
    is_own = len(written) > 1 and len(written[-1].split()) <= LONGEST_SIGNATURE
    last = [
        word for word in parts[0 if is_own else -1].split() if vocabulary.plain(word) not in vocabulary.listed("titles")
    ]
    while last and (len(last[0]) < SHORTEST_NAME or _closes(last[0])):
        last = last[1:]  # "LG Mareike"
    fits = 0 < len(last) <= MOST_NAMES and all(word[:1].isupper() and not word[1:].isupper() for word in last)
    first = as_name(last[0]) if fits and (len(written) > 1 or len(last) < len(written[0].split())) else ""
    is_word = _concepts(first) or _is_game(first)
    return first if NAME.fullmatch(first) and not is_word else ""


_INITIALS = re.compile(r"\b[A-Z]\.\s|\b(?:Dr|Prof|Mrs?|Ms)\.\s|\([^)]*\)")


def _closes(word: str) -> bool:
    bare = vocabulary.plain(word.strip(","))
    return bare in vocabulary.listed("closing") or not {"bye", "thanks"}.isdisjoint(_concepts(bare))


def opponents(text: str) -> Iterator[str]:
    """Yield the names of those whom somebody wants to play: with a capital letter, or at the end of what they say.

    >>> list(opponents("I'd play with bob, or against my friend Ann")), list(opponents("gegen eucha Programm"))
    (['bob', 'ann'], [])
    """
    text = text.replace("\u2019", "'")
    for found in _before("against").finditer(text):
        rest = text[found.end() :]
        for word in TOKEN.findall(rest)[:4]:
            is_last = re.match(rf"{re.escape(word)}\s*(?:[.,;!?]|$)", rest) is not None
            if is_name(word) and (word[:1].isupper() or is_last):
                yield word.lower()
                break
            if {"friend", "me"}.isdisjoint(_concepts(vocabulary.plain(word))):
                break


def told(sentence: str, name: str) -> str:
    """Return the words that a sentence asks us to pass on to the opponent of that name; empty if it doesn't.

    >>> told("please tell Bob I'll be late", "bob"), told("Kannst du Bob ausrichten, dass ich komme?", "bob")
    ("I'll be late", 'dass ich komme?')
    >>> told("bob: take your time", "bob"), told("I'll tell Bob yes or no", "bob")
    ('take your time', '')
    """
    whom, colon, words_to_them = sentence.partition(":")
    if colon and name and as_name(whom.strip()) == name:
        return words_to_them.strip()
    for way in vocabulary.table("names")["tell"]:
        for found in re.finditer(way.replace("NAME", r"(\w+)"), sentence, re.IGNORECASE):
            whom = as_name(found[1])
            if whom in vocabulary.table("names")["them"].split() or (name and whom.startswith(name)):
                *words, last = SENTENCE_END.split(sentence[found.end() :].strip(" ,:"))
                is_thanks = len(last.split()) <= MOST_NAMES and "thanks" in vocabulary.meanings("concepts", last)
                passed_on = " ".join(words if words and is_thanks else (*words, last))
                return passed_on if set(vocabulary.words(passed_on)) - vocabulary.listed("untold") else ""
    return ""
