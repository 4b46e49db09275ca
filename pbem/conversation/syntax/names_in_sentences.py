"""People's names in sentences: the author's own, those of others, and the words to pass on to one of them."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import takewhile

from notation.games import GAMES
from pbem.conversation.syntax import vocabulary, wish_classifier

NAME, TOKEN = re.compile(r"[a-z][a-z0-9_-]{0,18}[a-z0-9]"), re.compile(r"[^\W_][\w'-]*")
SHORTEST_NAME, MOST_NAMES, LONGEST_SIGNATURE = 3, 3, 6  # in letters, in words, and the line of a name in words
LONGEST, LONGEST_ENDING, THEM = 300, 5, "them"  # how much of a sentence is searched
SENTENCE_END = re.compile(r"(?<=[.!?;\u3002\uff1f])(?<!(?<![a-z\d])\d\.)(?<!(?<![a-z\d])\d\d\.)\s+(?=\S)")


def is_name(word: str) -> bool:
    """Return whether a word can be a person's: no word that the sentences of any language have."""
    bare = vocabulary.plain(word)
    is_word = bare in vocabulary.stop_words() or vocabulary.lexicon("concepts").of(bare)
    is_turn = re.fullmatch(r"(?:[a-z]\d{1,2})+", bare) is not None
    return NAME.fullmatch(word.lower()) is not None and not (is_word or is_turn or _is_game(bare))


@cache
def _before(*kinds: str) -> re.Pattern[str]:
    said = sorted((each for kind in kinds for each in vocabulary.table("names")[kind]), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, said))})(?!\w)[\s:\"'\u201c\u201e\u00ab]*", re.IGNORECASE)


def as_name(word: str) -> str:
    """Return how a name is written here: in letters without accents."""
    return vocabulary.plain(word.lower().translate(str.maketrans(vocabulary.table("names")["latin"])))


def own_name(text: str) -> str:
    """Return the name that somebody gives themselves; the first of several."""
    return as_name(naming(text)[0])


def naming(text: str) -> tuple[str, str]:
    """Return the name that somebody gives themselves, and what the text says beside that; no name, and the text."""
    text = text.replace("\u2019", "'")
    if vocabulary.language_of(text, "") == vocabulary.ENGLISH:
        text = vocabulary.pattern("i_am").sub("I'm ", text)
    for kinds, capital in ((("called", "joining"), False), (("i_am",), True)):
        for found in _before(*kinds).finditer(text):
            rest = text[found.end() :]
            after = TOKEN.findall(rest) if rest[:1].isalpha() else []
            words = after[1:] if after and vocabulary.plain(after[0]) in vocabulary.listed("titles") else after
            # "join Bob and Ann": other people's words
            is_listed = found[0].lower().startswith(("join", "register", "sign"))
            if not words or (is_listed and len(words) > 1 and is_name(words[1])):
                continue
            name, is_alone = words[0], re.match(rf"{re.escape(words[0])}\s*(?:[.,!]|$)", rest) is not None
            is_odd = found[0].startswith("I'm") and is_alone and is_name(name) and not wish_classifier.knows(name)
            if is_odd or is_called(name, text, must_have_capital=capital):
                return name, f"{text[: found.start()]}{rest[rest.index(name) + len(name) :]}"
    if (behind := vocabulary.pattern("is_called").search(text)) and is_called(behind[1], text, must_have_capital=True):
        return behind[1], f"{text[: behind.start()]}{text[behind.end() :]}"
    return "", text


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


def signature(lines: Sequence[str]) -> str:
    """Return the name with which a message ends, on a line of its own or behind a greeting."""
    written = [line.strip() for line in lines if line.strip()]
    is_full = len(written) > 2 and 1 < len(written[-2].split()) <= MOST_NAMES and written[-2][-1] not in ",.!?"
    if is_full and signature(("-", written[-2])):
        written = written[:-1]  # a place below the name
    parts = (
        re.split(r"[.,!?-]\s+", vocabulary.pattern("initials").sub("", written[-1]).rstrip(" .!,")) if written else [""]
    )
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
    return first if NAME.fullmatch(first) and not (vocabulary.lexicon("concepts").of(first) or _is_game(first)) else ""


def is_named(line: str, name: str) -> bool:
    """Return whether a line gives that name."""
    return bool(name) and name in (own_name(line), signature(["-", line]))


def _closes(word: str) -> bool:
    bare = vocabulary.plain(word.strip(","))
    return bare in vocabulary.listed("closing") or not {"bye", "thanks"}.isdisjoint(
        vocabulary.lexicon("concepts").of(bare)
    )


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
            if {"friend", "me"}.isdisjoint(vocabulary.lexicon("concepts").of(vocabulary.plain(word))):
                break


def is_form_of(word: str, name: str) -> bool:
    """Return whether a word is a name, perhaps with an ending: Nedowi, Kaziu for kazik."""
    root, bare = _root(name), as_name(word)
    return bool(root) and bare.startswith(root) and len(bare) < len(name) + LONGEST_ENDING


def _root(name: str) -> str:
    return name[: max(len(name) - 2, SHORTEST_NAME)]


def addressed(sentence: str, name: str) -> bool:
    """Return whether a sentence speaks to somebody by name: "Ann love, ...", "thanks Ann but ...", "..., Ann!"."""
    sentence = sentence[:LONGEST]
    words = TOKEN.findall(sentence)
    if not words or _root(name) not in as_name(sentence):
        return False
    if not {"block", "complain"}.isdisjoint(vocabulary.meanings("concepts", sentence)):  # that is for us
        return False
    parts = [each for part in re.split(r"[,:!.]", sentence) if (each := TOKEN.findall(part))]
    opening = list(takewhile(lambda word: _means(word, "thanks", "hello", "sorry", "yes", "noanswer"), words))
    called = [*(part[0] for part in parts if len(part) == 1), *words[len(opening) : len(opening) + bool(opening)]]
    called += parts[0][:1] if len(parts) > 1 and len(parts[0]) < MOST_NAMES else []
    *before, last = parts[0] if len(parts) > 1 and len(parts[0]) <= MOST_NAMES else ("",)
    called += [last] if before and "to" not in vocabulary.lexicon("words").of(before[-1].lower()) else []
    return len(words) > MOST_NAMES and any(word[:1].isupper() and is_form_of(word, name) for word in called)


def _means(word: str, *concepts: str) -> bool:
    return not set(concepts).isdisjoint(vocabulary.lexicon("concepts").of(vocabulary.plain(word)))


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
                *words, last = SENTENCE_END.split(sentence[found.end() :].strip(" ,:"))
                is_thanks = len(last.split()) <= MOST_NAMES and "thanks" in vocabulary.meanings("concepts", last)
                passed_on = " ".join(words if words and is_thanks else (*words, last))
                return passed_on if set(vocabulary.words(passed_on)) - vocabulary.listed("untold") else ""
    return ""
