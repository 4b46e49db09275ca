"""People's names in sentences: the author's own, those of others, and the words to pass on to one of them."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain, takewhile

from notation.games import GAMES
from pbem.conversation.syntax import vocabulary, wish_classifier
from pbem.conversation.syntax.vocabulary import plain

NAME, TOKEN = re.compile(r"[a-z][a-z0-9_-]{0,18}[a-z0-9]"), re.compile(r"[^\W_][\w'-]*")
SHORTEST_NAME, MOST_NAMES, LONGEST_SIGNATURE, MOST_BELOW = 3, 3, 6, 30  # in letters; words: of it, its line, below it
LONGEST, LONGEST_ENDING, THEM = 300, 5, "them"  # how much of a sentence is searched
SENTENCE_END = re.compile(r"(?<=[.!?;\u3002\uff1f])(?<!(?<![a-z\d])\d\.)(?<!(?<![a-z\d])\d\d\.)\s+(?=\S)")


def is_name(word: str) -> bool:
    """Return whether a word can be a person's: no word that the sentences of any language have."""
    bare = plain(word)
    is_word = bare in vocabulary.stop_words() or vocabulary.lexicon("concepts").of(bare)
    is_turn = re.fullmatch(r"(?:[a-z]\d{1,2})+", bare) is not None
    return NAME.fullmatch(word.lower()) is not None and not (is_word or is_turn or _is_game(bare))


@cache
def _before(*kinds: str) -> re.Pattern[str]:
    said = sorted((each for kind in kinds for each in vocabulary.table("names")[kind]), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, said))})(?!\w)[\s:\"'\u201c\u201e\u00ab]*", re.IGNORECASE)


def as_name(word: str) -> str:
    """Return how a name is written here: in letters without accents."""
    return plain(word.lower().translate(str.maketrans(vocabulary.table("names")["latin"])))


def own_name(text: str) -> str:
    """Return the name that somebody gives themselves; the first of several."""
    text = text.replace("\u2019", "'")
    if vocabulary.language_of(text, "") == vocabulary.ENGLISH:
        text = vocabulary.pattern("i_am").sub("I'm ", text)
    for kinds, capital in ((("called", "joining"), False), (("i_am",), True)):
        for found in _before(*kinds).finditer(text):
            rest = text[found.end() :]
            after = TOKEN.findall(rest) if rest[:1].isalpha() else []
            words = after[1:] if after and plain(after[0]) in vocabulary.listed("titles") else after
            is_listed = found[0].lower().startswith(("join", "register", "sign"))  # "join Bob and Ann": others' words
            is_others = is_listed and len(words) > 1 and is_name(words[1])
            if words and not is_others and is_called(words[0], text, must_have_capital=capital):
                return as_name(words[0])
    behind = vocabulary.pattern("is_called").search(text)
    return as_name(behind[1]) if behind and is_called(behind[1], text, must_have_capital=True) else ""


def is_called(word: str, text: str, *, must_have_capital: bool) -> bool:
    """Return whether a word, where a name is expected, is one: Felicity is, though its beginning means something."""
    name = as_name(word)
    if not word.istitle():
        return not must_have_capital and is_name(name)
    language = vocabulary.language_of(text)
    is_foreign = name not in vocabulary.stop_words(language) and name in vocabulary.stop_words()
    means = name in vocabulary.lexicon("concepts").whole and not is_foreign
    is_word = means or name in vocabulary.stop_words(vocabulary.ENGLISH) or _is_game(name)
    trades = tuple(vocabulary.listed("professions"))
    is_trade = name.endswith(trades) or name.removesuffix("in").endswith(trades)
    return bool(NAME.fullmatch(name)) and not (is_word or is_trade)


def _is_game(word: str) -> bool:
    return word in GAMES or bool(vocabulary.lexicon("games").of(word))


def likeliest_name(sentence: str) -> str:
    """Return the name in a sentence that gives one in some way: the first word that other sentences don't have."""
    words = (word for word in TOKEN.findall(sentence) if is_name(as_name(word)) and not _closes(word))
    odd = [word for word in words if not wish_classifier.knows(plain(word))]
    return next((as_name(word) for word in odd if word.istitle() or not word.isalpha()), "")


def signed(lines: Iterable[str]) -> tuple[list[str], str]:
    """Return a message without greetings and what else stands at its end, and the name that it is signed with."""
    written = [line.strip() for line in lines if line.strip()]
    signing = (at for at, line in enumerate(written) if at and _signs(line))
    at = next((at for at in signing if len(" ".join(written[at:]).split()) <= MOST_BELOW), len(written))
    below = written[at:]
    last = re.split(r"[.,!?]\s+", written[-1])[-1] if written else ""
    ends = below[:2] or [last] * (last[:1].isupper() and [last] != written)
    asides = (line for line in below[1:] if "?" in line or line[:2].lower() in ("ps", "p."))
    named = sorted(filter(None, map(_signature, ends)), key=str.islower)  # those with a capital letter first
    return [*written[:at], *asides], as_name(next(iter(named), ""))


def _signs(line: str) -> bool:
    """Return whether a line ends a message: a few words that close it, or a name alone."""
    words = TOKEN.findall(line)
    is_short = 0 < len(words) <= LONGEST_SIGNATURE and "?" not in line and "@" not in line
    others = (word for word in words if word.islower() and plain(word) not in vocabulary.stop_words())
    is_closing = any(map(_closes, words)) and all(map(_closes, others))
    is_few = sum(len(word) >= SHORTEST_NAME for word in words) <= MOST_NAMES
    return is_short and (is_closing or (is_few and _signature(line) != "" and not own_name(line)))


def _signature(line: str) -> str:
    """Return the name in a line that is nothing but a name, perhaps with a greeting or a title."""
    bare = vocabulary.pattern("initials").sub("", line)
    words = [word for word in TOKEN.findall(bare) if plain(word) not in vocabulary.listed("titles")]
    after = next((at for at, word in reversed(list(enumerate(words, 1))) if _closes(word)), 0)
    named = [word for word in words[after:] if len(word) >= SHORTEST_NAME]
    is_capital = [word[:1].isupper() and not word[1:].isupper() for word in named]
    first = is_capital.index(True) if True in is_capital else 0
    fits = 0 < len(named) <= MOST_NAMES and (len(named) == 1 or all(is_capital[first:]))
    if not fits or any(map(str.isdecimal, bare)) or line[-1] in ":;?":
        return ""
    name, lower = as_name(named[first]), {plain(word) for word in named if word.islower()}
    is_word = name in vocabulary.lexicon("concepts").whole or not lower.isdisjoint(vocabulary.stop_words())
    is_word |= name in lower and not after and wish_classifier.knows(name)
    return named[first] if not is_word and is_called(named[first].title(), "", must_have_capital=False) else ""


def _closes(word: str) -> bool:
    bare = next(iter(vocabulary.words(word)), "")
    return bare in vocabulary.listed("closing") or _means(word, "bye", "thanks")


def opponents(text: str) -> Iterator[str]:
    """Yield the names of those whom somebody wants to play: with a capital letter, or at the end of what they say."""
    text = text.replace("\u2019", "'")
    for found in _before("against").finditer(text):
        rest = text[found.end() :]
        for word in TOKEN.findall(rest)[:4]:
            is_last = re.match(rf"{re.escape(word)}\s*(?:[.,;!?]|$)", rest) is not None
            if is_name(word) and (word[:1].isupper() or is_last):
                yield word.lower()
                break
            if {"friend", "me"}.isdisjoint(vocabulary.lexicon("concepts").of(plain(word))):
                break


def is_form_of(word: str, name: str) -> bool:
    """Return whether a word is a name, perhaps with an ending: Nedowi, Kaziu for kazik."""
    root, bare = name[: max(len(name) - 2, SHORTEST_NAME)], as_name(word)
    return bool(root) and bare.startswith(root) and len(bare) < len(name) + LONGEST_ENDING


def addressed(sentence: str, name: str) -> bool:
    """Return whether a sentence speaks to somebody by name: "Ann love, ...", "thanks Ann but ...", "..., Ann!"."""
    sentence = sentence[:LONGEST]
    words, parts = TOKEN.findall(sentence), [TOKEN.findall(part) for part in re.split(r"[,:!.]", sentence)]
    if not {"block", "complain"}.isdisjoint(vocabulary.meanings("concepts", sentence)):  # that is for us
        return False
    opening = sum(1 for _ in takewhile(lambda word: _means(word, "thanks", "hello", "sorry", "yes", "noanswer"), words))
    short = [part for part in parts if len(part) <= MOST_NAMES and not {"to", "with"} & set(map(str.lower, part))]
    called = chain(words[opening : opening + bool(opening)], *short)
    return len(words) > MOST_NAMES and any(word[:1].isupper() and is_form_of(word, name) for word in called)


def _means(word: str, *concepts: str) -> bool:
    return not vocabulary.meanings("concepts", word).isdisjoint(concepts)


def words_for(text: str, name: str) -> str:
    """Return the words of a text that are for the opponent of that name."""
    plain = (each for each in SENTENCE_END.split(text) if not any(map(str.isdecimal, each)))
    return told(text, name) or " ".join(each for each in plain if addressed(each, name))


def told(sentence: str, name: str) -> str:
    """Return the words that a sentence asks us to pass on to the opponent of that name; empty if it doesn't."""
    whom, colon, words_to_them = sentence.partition(":")
    if colon and name and as_name(whom.strip()) == name:
        return words_to_them.strip()
    for way in vocabulary.table("names")["tell"]:
        for found in re.finditer(way.replace("NAME", r"(\w+)"), sentence, re.IGNORECASE):
            whom = as_name(found[1]) if found.re.groups else THEM
            if whom in vocabulary.table("names")["them"].split() or is_form_of(whom, name):
                before = SENTENCE_END.split(sentence[: found.start()])[-1]
                if not {"not", "doubt"}.isdisjoint(vocabulary.meanings("words", before)):
                    return ""  # "don't tell Bob", "should I tell Bob"
                passed_on = sentence[found.end() :].strip(" ,:")
                return passed_on if set(vocabulary.words(passed_on)) - vocabulary.listed("untold") else ""
    return ""
