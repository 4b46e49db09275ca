"""What people write, as phrases.toml lists it: wishes, words of one meaning, and what is nobody's name."""

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

WORD = re.compile(r"[^\W_]{1,2}(?=')|\w+(?:'\w+)*|[?:/]")
"""A word, without what French and Italian put before it: l'ordinateur, qu'est."""
ENGLISH, FEWEST_WORDS = "en", 2  # the language where none is certain, and how many words of another make it so
_PLAINER = str.maketrans({"\u2019": "'", "\u2018": "'", "ł": "l", "ß": "ss", "ø": "o", "æ": "ae"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What somebody may want; the head of phrases.toml says what each field holds."""

    name: str
    like: str = ""
    who: str = ""
    match: tuple[str, ...] = ()
    asked: bool = False
    means: str = ""
    line: str = ""
    look: str = ""
    answer: str = ""
    uses: str = ""
    vague: str = ""
    risky: bool = False
    board: bool = False
    quiet: bool = False


@cache
def table(name: str) -> Any:
    """Return a table of the file; each process reads it once."""
    return _file()[name]


@cache
def wishes() -> dict[str, Wish]:
    return {wish.name: wish for wish in TypeAdapter(tuple[Wish, ...]).validate_python(table("wish"))}


@cache
def _file() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("phrases.toml").read_text(encoding="utf-8"))


def plain(text: str) -> str:
    """Return a text in lower case and without accents.

    >>> plain("Où puis-je jouer ?"), plain("Łódź, ёлка")
    ('ou puis-je jouer ?', 'lodz, елка')
    """
    bare = unicodedata.normalize("NFKD", text.lower().translate(_PLAINER))
    return "".join(each for each in bare if not unicodedata.combining(each))


def words(text: str) -> list[str]:
    return WORD.findall(plain(text))


class Lexicon:
    """Words with what they mean: each entry lists words, where * stands for any ending and _ for a blank."""

    def __init__(self, entries: dict[str, str]) -> None:
        self._whole: dict[str, list[str]] = {}
        self._stems: dict[str, list[str]] = {}
        self._groups: list[tuple[str, str]] = []
        for meaning, listed in entries.items():
            for word in plain(listed).split():
                if "_" in word:
                    self._groups.append((f" {word.replace('_', ' ')} ", meaning))
                elif word.endswith("*"):
                    self._stems.setdefault(word[:-1], []).append(meaning)
                else:
                    self._whole.setdefault(word, []).append(meaning)

    def of(self, word: str) -> list[str]:
        """Return what a word means: by itself, and by the longest stem that it has."""
        stems = (self._stems[word[:size]] for size in range(len(word), 1, -1) if word[:size] in self._stems)
        return [*self._whole.get(word, ()), *next(stems, ())]

    def of_word(self, word: str) -> list[str]:
        """Return what a word means as a whole, and not by its stem."""
        return self._whole.get(word, [])

    def of_text(self, words: list[str]) -> list[str]:
        text = f" {' '.join(words)} "
        return sorted(
            {
                *(meaning for word in words for meaning in self.of(word)),
                *(meaning for group, meaning in self._groups if group in text),
            }
        )


@cache
def lexicon(name: str) -> Lexicon:
    return Lexicon(table("concepts") if name == "concepts" else table("slots")[name])


@cache
def nobody() -> frozenset[str]:
    """Return the words for people and machines that are no names."""
    return frozenset(plain(table("names")["stop_words"]).split()) | frozenset(_languages()[ENGLISH])


@cache
def stop_words() -> frozenset[str]:
    """Return the words that are nobody's name."""
    return frozenset(plain(table("names")["stop_words"]).split()).union(*_languages().values())


def is_foreign(word: str, language: str) -> bool:
    """Return whether a word is one that sentences of other languages have, and those of that language don't."""
    listed = _languages()
    return word not in listed[language] and any(word in known for known in listed.values())


@cache
def _languages() -> dict[str, frozenset[str]]:
    return {language: frozenset(plain(listed).split()) for language, listed in table("languages").items()}


def language_of(text: str, otherwise: str = ENGLISH) -> str:
    """Return the language that a text is in, of those that we know; another where that is in doubt.

    >>> [language_of(text) for text in ("Ich möchte gegen dich spielen", "Chcę grać, ale nie wiem jak", "no")]
    ['de', 'pl', 'en']
    """
    said = words(text)
    found = {language: sum(word in known for word in said) for language, known in _languages().items()}
    likeliest, second = sorted(found, key=lambda language: -found[language])[:2]
    return likeliest if found[likeliest] > found[second] and found[likeliest] >= FEWEST_WORDS else otherwise
