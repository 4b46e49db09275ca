"""What people write, as phrases.toml lists it: wishes, words of one meaning, and what is nobody's name."""

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

WORD = re.compile(r"[^\W_]{1,2}(?=')|\w+(?:'\w+)*|[?:/]")  # without what French and Italian put before it: l'ordinateur
ENGLISH, FEWEST_WORDS = "en", 2  # the language where none is certain, and how many words of another make it so
_PLAINER = str.maketrans({"\u2019": "'", "\u2018": "'", "ł": "l", "ß": "ss", "ø": "o", "æ": "ae"})
_PLAINER.update({ord("ь"): "", ord("ъ"): "", ord("ы"): "и", ord("э"): "\u0435"})  # Latin letters don't tell these


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What somebody may want; the head of phrases.toml says what each field holds."""

    name: str
    like: str = ""
    who: str = ""
    match: tuple[str, ...] = ()
    least: float = 0
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
def group(name: str) -> frozenset[str]:
    """Return the names of some wishes, or of some concepts."""
    return frozenset(table("groups")[name].split())


@cache
def pattern(name: str) -> re.Pattern[str]:
    return re.compile(table("patterns")[name])


@cache
def _file() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("phrases.toml").read_text(encoding="utf-8"))


def plain(text: str) -> str:
    """Return a text in lower case, without accents and the letters of Russian that are often left out or mistaken."""
    bare = unicodedata.normalize("NFKD", text.lower().translate(_PLAINER))
    return "".join(each for each in bare if not unicodedata.combining(each))


def words(text: str) -> list[str]:
    """Return the words of a text; in Cyrillic, where they are Russian in Latin letters."""
    written = WORD.findall(plain(text))
    spelled = [_cyrillic(word) for word in written]
    known = [sum(map(_is_known, each)) for each in (written, spelled)]
    return spelled if known[0] < known[1] else written


@lru_cache(maxsize=8_192)
def _cyrillic(word: str) -> str:
    letters = table("names")["cyrillic"]
    return plain(re.sub("|".join(letters), lambda found: letters[found[0]], word)) if word.isascii() else word


@lru_cache(maxsize=16_384)
def _is_known(word: str) -> bool:
    return bool(lexicon("concepts").of(word)) or any(word in known for known in _languages().values())


class Lexicon:
    """Words with what they mean: each entry lists words, where * stands for any ending and _ for a blank."""

    def __init__(self, entries: dict[str, str]) -> None:
        self.whole, self._stems = dict[str, list[str]](), dict[str, list[str]]()
        self._groups: list[tuple[str, str]] = []
        for meaning, listed in entries.items():
            for word in plain(listed).split():
                if "_" in word:
                    self._groups.append((f" {word.replace('_', ' ')} ", meaning))
                elif word.endswith("*"):
                    self._stems.setdefault(word[:-1], []).append(meaning)
                else:
                    self.whole.setdefault(word, []).append(meaning)

    def of(self, word: str) -> list[str]:
        """Return what a word means: by itself, and by the longest stem that it has."""
        stems = (self._stems[word[:size]] for size in range(len(word), 1, -1) if word[:size] in self._stems)
        return [*self.whole.get(word, ()), *next(stems, ())]

    def of_text(self, words: list[str]) -> list[str]:
        text = f" {' '.join(words)} "
        grouped = (meaning for several, meaning in self._groups if several in text)
        return sorted({*(meaning for word in words for meaning in self.of(word)), *grouped})


@cache
def lexicon(name: str) -> Lexicon:
    return Lexicon(table("concepts") if name == "concepts" else table("slots")[name])


def meanings(name: str, text: str) -> set[str]:
    """Return what the words of a text mean in a lexicon."""
    return set(lexicon(name).of_text(words(text)))


@cache
def listed(name: str) -> frozenset[str]:
    """Return the words of a list in the table of names."""
    return frozenset(plain(table("names")[name]).split())


@cache
def stop_words(*languages: str) -> frozenset[str]:
    """Return the words that are nobody's name: those for people and machines, and those of some languages, or all."""
    return listed("stop_words").union(*(_languages()[language] for language in languages or _languages()))


@cache
def _languages() -> dict[str, frozenset[str]]:
    return {language: frozenset(plain(listed).split()) for language, listed in table("languages").items()}


def language_of(text: str, otherwise: str = ENGLISH) -> str:
    """Return the language that a text is in, of those that we know; another where that is in doubt."""
    said = words(text)
    found = {language: sum(word in known for word in said) for language, known in _languages().items()}
    likeliest, second = sorted(found, key=lambda language: -found[language])[:2]
    return likeliest if found[likeliest] > found[second] and found[likeliest] >= FEWEST_WORDS else otherwise
