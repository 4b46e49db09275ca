"""Which wish a sentence resembles most, by the weights of its words and its place, which `make wishes` learns."""

import lzma
import re
from collections.abc import Iterator
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path

from notation.games import GAMES
from pbem.conversation.syntax import vocabulary

ZERO = 128  # the byte that stands for a weight of 0
SPEAKING = 3  # the weight above which a word speaks for a wish
LONGEST, STEMS, FEW = 300, (4, 6), 3
"""How many characters of a sentence count, how many of a word tell its stem, and below how many words it is short."""
FILE = Path(__file__).with_name("wishes.bin")
FIRST, NOTHING = "^", "nothing"  # what stands before the first sentence of a message; the wish of small talk
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_TURN, _NUMBER = re.compile(r"(?:[a-z]\d{1,2}){1,4}"), re.compile(r"\d+")


def _neutral(sentence: str) -> list[str]:
    """Return the words of a sentence, where games, addresses, turns and numbers have their placeholders."""
    text = _ADDRESS.sub(" xaddr ", GAMES.keyed(sentence[:LONGEST]))
    games = vocabulary.lexicon("games")
    named = (("xgame" if word in GAMES or games.of(word) else word) for word in vocabulary.words(text))
    return ["xturn" if _TURN.fullmatch(word) else _NUMBER.sub("0", word) for word in named]


def features(sentence: str, scene: str = "", before: str = FIRST) -> list[str]:
    """Return the words of a sentence, their stems, each two neighbours, the scene, and the wish of what stands before.

    The scene is how things stand where it is written: "invited", "running" ...; empty where that isn't known.
    """
    words = _neutral(sentence)
    found = {*words, *(f"{word[:stem]}*" for word in words for stem in STEMS if len(word) > stem)}
    found.update(f"{one} {other}" for one, other in pairwise([FIRST, *words]))
    found |= {"short"} if len(words) < FEW else set()
    return sorted(found | _of_place(scene, before))


def _of_place(scene: str, before: str) -> set[str]:
    return {f"@{scene}", f"<{before}"} if scene else set()


@cache
def _learned() -> tuple[tuple[str, ...], dict[str, bytes]]:
    """Return the wishes, and for each feature the steps between the wishes that it speaks for or against, then how."""
    names, listed, packed = lzma.decompress(FILE.read_bytes()).split(b"\n", 2)
    features = listed.decode().split("\t")
    ends = list(accumulate(packed[: len(features)], initial=len(features)))
    rest = packed[ends[-1] - len(features) :]  # the weights are as far behind the sizes as the steps are long
    rows = (packed[begin:end] + rest[begin:end] for begin, end in pairwise(ends))
    return tuple(names.decode().split()), dict(zip(features, rows, strict=True))


def _weights(feature: str) -> Iterator[tuple[int, int]]:
    row = _learned()[1].get(feature, b"")
    half = len(row) // 2
    return ((number, weight - ZERO) for number, weight in zip(accumulate(row[:half]), row[half:], strict=True))


def knows(feature: str) -> bool:
    return feature in _learned()[1]


def is_of(word: str, wish: str) -> bool:
    """Return whether a word speaks for a wish, or is one that any sentence may have."""
    at = _learned()[0].index(wish)
    weights = (pair for feature in (word, *(f"{word[:stem]}*" for stem in STEMS)) for pair in _weights(feature))
    is_common = word in vocabulary.stop_words() or not word.isalpha()
    return is_common or any(n == at and weight > SPEAKING for n, weight in weights)


def recognised(sentence: str, scene: str = "", before: str = FIRST) -> list[tuple[str, float]]:
    """Return the wishes, those that a sentence resembles most first, and how sure each is: below 0 none."""
    names, found = _learned()[0], list(filter(knows, features(sentence)))
    if not found:
        return []  # where it is said tells nothing alone
    found += filter(knows, _of_place(scene, before))
    totals = [0] * len(names)
    for feature in found:
        for number, weight in _weights(feature):
            totals[number] += weight
    none, scale = totals[names.index(NOTHING)], len(found) ** 0.5
    sure = ((name, (total - none) / scale) for name, total in zip(names, totals, strict=True))
    return sorted(sure, key=lambda each: -each[1])


def likeliest(sentence: str, scene: str = "", before: str = FIRST) -> str:
    """Return the wish that a sentence resembles most, which is "nothing" where none is likely."""
    name, sure = next(iter(recognised(sentence, scene, before)), (NOTHING, 0.0))
    return name if sure > 0 else NOTHING


def reasons(sentence: str, wish: str) -> list[tuple[str, int]]:
    """Return what speaks for a wish in a sentence, and how much."""
    at = _learned()[0].index(wish)
    weights = ((feature, dict(_weights(feature)).get(at, 0)) for feature in features(sentence))
    return sorted(weights, key=lambda each: -each[1])
