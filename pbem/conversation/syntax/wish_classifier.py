"""Which wish a sentence resembles most, by the weights of its words and its place, which `make wishes` learns."""

import lzma
import re
from collections.abc import Iterator
from functools import cache
from itertools import accumulate, pairwise
from math import exp
from pathlib import Path

from notation.games import GAMES
from pbem.conversation.syntax import vocabulary

ZERO = 128  # the byte that stands for a weight of 0
SPREAD = 1.8  # how far apart weights are for words that tell nothing
LONGEST, STEMS, LENGTH, LONG = 300, (4, 6), 4, 24
"""How many characters of a sentence count, how many of a word tell its stem, and in what steps words are counted."""
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
    """Return what tells the wish of a sentence: its words, and how and where it stands."""
    words = _neutral(sentence)
    return sorted(_of_words(words) | _of_place(sentence, len(words), scene, before))


def _of_words(words: list[str]) -> set[str]:
    """Return the words, their stems, and each two neighbours."""
    stems = (f"{word[:stem]}*" for word in words for stem in STEMS if len(word) > stem)
    return {*words, *stems, *(f"{one} {other}" for one, other in pairwise([FIRST, *words]))}


def _of_place(sentence: str, length: int, scene: str, before: str) -> set[str]:
    """Return how long a sentence is, the mark at its end, the scene, and the wish of what stands before.

    The scene is how things stand where it is written: "invited", "running" ...; empty where that isn't known.
    """
    found, end = {f"${min(length, LONG) // LENGTH}"}, sentence.rstrip()[-1:]
    found |= set() if end.isalnum() else {f"${end}"}
    return found | ({f"@{scene}", f"<{before}"} if scene else set())


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


def recognised(sentence: str, scene: str = "", before: str = FIRST) -> list[tuple[str, float]]:
    """Return the wishes that a sentence may have, the likeliest first, and how likely each is beside that."""
    names, neutral = _learned()[0], _neutral(sentence)
    words, place = _of_words(neutral), _of_place(sentence, len(neutral), scene, before)
    if not any(map(knows, words)):
        return []  # where and how it is said tells nothing alone
    totals = [0] * len(names)
    for feature in (*words, *place):
        for number, weight in _weights(feature):
            totals[number] += weight
    scale = SPREAD * (len(words) + len(place)) ** 0.5
    chances = ((name, exp((total - max(totals)) / scale)) for name, total in zip(names, totals, strict=True))
    return sorted(chances, key=lambda each: -each[1])


def likeliest(sentence: str, scene: str = "", before: str = FIRST) -> str:
    """Return the wish that a sentence resembles most, which is "nothing" where none is likely."""
    return next(iter(recognised(sentence, scene, before)), (NOTHING, 0.0))[0]


def reasons(sentence: str, wish: str) -> list[tuple[str, int]]:
    """Return what speaks for a wish in a sentence, and how much."""
    at = _learned()[0].index(wish)
    weights = ((feature, dict(_weights(feature)).get(at, 0)) for feature in features(sentence))
    return sorted(weights, key=lambda each: -each[1])
