"""Which wish a sentence resembles most: weights of its words and of their parts, learned from phrases.toml.

`python -m pbem.conversation.syntax.recogniser` learns them again: whole numbers, the same bytes on every machine.
"""

import random
import re
import sys
from array import array
from collections.abc import Iterable
from functools import cache
from operator import add
from pathlib import Path
from zlib import crc32

from notation.games import GAMES
from pbem.conversation.syntax import phrases

ROWS, LARGEST = 6_007, 127
ROUNDS, MARGIN, FEW = 8, 30, 3
LONGEST = 300
"""How many characters of a sentence count."""
FILE = Path(__file__).with_name("wishes.bin")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_CELL = re.compile(r"\b[a-z]\d{1,2}\b")
_NUMBER = re.compile(r"\d+")


def _neutral(sentence: str) -> list[str]:
    """Return the words of a sentence, where games, addresses and numbers have their placeholders."""
    text = _ADDRESS.sub(" xaddr ", GAMES.keyed(sentence[:LONGEST]))
    games = phrases.lexicon("games")
    named = (("xgame" if word in GAMES or games.of(word) else word) for word in phrases.words(text))
    return [_NUMBER.sub("0", word) for word in named]


def _features(sentence: str) -> list[str]:
    """Return the words of a sentence, what they mean, each two of these meanings, and how it begins."""
    words = _neutral(sentence)
    lexicon = phrases.lexicon("concepts")
    meanings = lexicon.of_text(words)
    first = next(iter([*lexicon.of(words[0]), words[0]])) if words else ""
    found = {f"^{first}", *words, *(f"={meaning}" for meaning in meanings)}
    found.update(f"={one}+{other}" for number, one in enumerate(meanings) for other in meanings[number + 1 :])
    return sorted(found | {"short"} if len(words) < FEW else found)


@cache
def _vocabulary() -> frozenset[str]:
    return frozenset(word for wish in phrases.wishes().values() for said in wish.wordings for word in _neutral(said))


def share_known(sentence: str) -> float:
    """Return the share of the words of a sentence that some wording has, or that mean something in the lexicon."""
    words = [word for word in _neutral(sentence) if word[0].isalpha()]
    lexicon = phrases.lexicon("concepts")
    return sum(word in _vocabulary() or bool(lexicon.of(word)) for word in words) / len(words) if words else 0.0


def _rows(sentence: str) -> list[int]:
    return [crc32(feature.encode()) % ROWS for feature in _features(sentence)]


@cache
def _names() -> tuple[str, ...]:
    return tuple(phrases.wishes())


@cache
def _weights() -> "array[int]":
    return array("b", FILE.read_bytes())


def _scores(weights: "array[int] | list[int]", rows: Iterable[int], size: int) -> list[int]:
    total = [0] * size
    for row in rows:
        total = list(map(add, total, weights[row * size : (row + 1) * size]))
    return total


def recognised(sentence: str) -> list[tuple[str, float]]:
    """Return the wishes, those that a sentence resembles most first, and how sure each is: below 0 none."""
    rows = _rows(sentence)
    if not rows:
        return []
    scores = dict(zip(_names(), _scores(_weights(), rows, len(_names())), strict=True))
    scale = len(rows) ** 0.5
    found = ((name, (score - scores["nothing"]) / scale) for name, score in scores.items())
    return sorted(found, key=lambda each: -each[1])


def reasons(sentence: str, wish: str) -> list[tuple[str, int]]:
    """Return what speaks for a wish in a sentence, and how much."""
    at, size = _names().index(wish), len(_names())
    found = ((feature, _weights()[crc32(feature.encode()) % ROWS * size + at]) for feature in _features(sentence))
    return sorted(found, key=lambda each: -each[1])


def learn(examples: Iterable[tuple[str, str]]) -> bytes:
    """Return the weights that tell examples apart, as an averaged perceptron learns them."""
    size, steps = len(_names()), 0
    known = [(_rows(sentence), _names().index(wish)) for wish, sentence in examples]
    weights, sums = [0] * (ROWS * size), [0] * (ROWS * size)
    order = random.Random(1)  # noqa: S311 - no secret
    for _ in range(ROUNDS):
        order.shuffle(known)
        for rows, wanted in known:
            steps += 1
            scores = _scores(weights, rows, size)
            rival = max((at for at in range(size) if at != wanted), key=lambda at: scores[at])
            if scores[wanted] - scores[rival] >= MARGIN:
                continue
            for row in rows:
                for at, change in ((row * size + wanted, 1), (row * size + rival, -1)):
                    weights[at] += change
                    sums[at] += change * steps
    averaged = [weight * steps - total for weight, total in zip(weights, sums, strict=True)]
    top = max(map(abs, averaged)) // 2  # few are larger, and count as much as that
    return array("b", (max(-LARGEST, min(LARGEST, value * LARGEST // top)) for value in averaged)).tobytes()


if __name__ == "__main__":
    found = ((name, wording) for name, wish in phrases.wishes().items() for wording in wish.wordings)
    sys.stdout.write(f"{FILE.write_bytes(learn(found))} bytes\n")
