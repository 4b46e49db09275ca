"""Which wish a sentence resembles most: weights of its words and of what they mean, learned from wordings.txt.

`python -m pbem.conversation.syntax.recogniser` learns them again: whole numbers, the same bytes on every machine.
"""

import random
import re
import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from operator import add
from pathlib import Path

from notation.games import GAMES
from pbem.conversation.syntax import phrases

ROUNDS, MARGIN, LARGEST, FEW, LEAST_SEEN = 10, 40, 127, 3, 8
"""How often the wordings are gone through, and how often they have a feature that counts."""
LONGEST, STEM = 300, 5
"""How many characters of a sentence count, and how many of a word tell its stem."""
FILE, WORDINGS = (Path(__file__).with_name(name) for name in ("wishes.bin", "wordings.txt"))
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_TURN = re.compile(r"(?:[a-z]\d{1,2}){1,4}")
_NUMBER = re.compile(r"\d+")


def wordings() -> Iterator[tuple[str, str]]:
    """Yield each wish with each of its wordings."""
    wish = ""
    for line in WORDINGS.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            wish = line.strip("[]")
        else:
            yield from ((wish, wording) for each in line.split(" | ") if (wording := each.strip()))


def _neutral(sentence: str) -> list[str]:
    """Return the words of a sentence, where games, addresses, turns and numbers have their placeholders."""
    text = _ADDRESS.sub(" xaddr ", GAMES.keyed(sentence[:LONGEST]))
    games = phrases.lexicon("games")
    named = (("xgame" if word in GAMES or games.of(word) else word) for word in phrases.words(text))
    return ["xturn" if _TURN.fullmatch(word) else _NUMBER.sub("0", word) for word in named]


def _features(sentence: str) -> list[str]:
    """Return the words of a sentence, their stems, each two neighbours, what they mean, and each two meanings."""
    words = _neutral(sentence)
    lexicon = phrases.lexicon("concepts")
    meanings = lexicon.of_text(words)
    found = {*words, *(f"{word[:STEM]}*" for word in words if len(word) > STEM)}
    found.update(f"{one} {other}" for one, other in zip(["^", *words], words, strict=False))
    found.update(f"={meaning}" for meaning in meanings)
    found.update(f"={one}+{other}" for number, one in enumerate(meanings) for other in meanings[number + 1 :])
    return sorted(found | {"short"} if len(words) < FEW else found)


@cache
def _learned() -> tuple[tuple[str, ...], dict[str, int], "array[int]"]:
    """Return the wishes, at which row each feature stands, and the weights: a row a feature, a column a wish."""
    names, features, weights = FILE.read_bytes().split(b"\n", 2)
    rows = {feature: number for number, feature in enumerate(features.decode().split("\t"))}
    return tuple(names.decode().split()), rows, array("b", weights)


def share_known(sentence: str) -> float:
    """Return the share of the words of a sentence that the wordings have, or that mean something in the lexicon."""
    _, rows, _ = _learned()
    words = [word for word in _neutral(sentence) if word[0].isalpha()]
    lexicon = phrases.lexicon("concepts")
    known = sum(word in rows or f"{word[:STEM]}*" in rows or bool(lexicon.of(word)) for word in words)
    return known / len(words) if words else 0.0


def knows(word: str) -> bool:
    _, rows, _ = _learned()
    return word in rows


def is_of(word: str, wish: str) -> bool:
    """Return whether a word speaks for a wish, or is one that any sentence may have."""
    names, rows, weights = _learned()
    at, size = names.index(wish), len(names)
    found = (rows[each] for each in (word, f"{word[:STEM]}*") if each in rows)
    return word in phrases.stop_words() or not word.isalpha() or any(weights[row * size + at] > 0 for row in found)


def recognised(sentence: str) -> list[tuple[str, float]]:
    """Return the wishes, those that a sentence resembles most first, and how sure each is: below 0 none."""
    names, rows, weights = _learned()
    found = [rows[feature] for feature in _features(sentence) if feature in rows]
    if not found:
        return []
    size = len(names)
    scores = dict(zip(names, _scores([weights[row * size : (row + 1) * size] for row in found], size), strict=True))
    scale = len(found) ** 0.5
    return sorted(
        ((name, (score - scores["nothing"]) / scale) for name, score in scores.items()), key=lambda each: -each[1]
    )


def reasons(sentence: str, wish: str) -> list[tuple[str, int]]:
    """Return what speaks for a wish in a sentence, and how much."""
    names, rows, weights = _learned()
    at, size = names.index(wish), len(names)
    found = ((feature, weights[rows[feature] * size + at]) for feature in _features(sentence) if feature in rows)
    return sorted(found, key=lambda each: -each[1])


def _scores(rows: Iterable[Sequence[int]], size: int) -> list[int]:
    total = [0] * size
    for row in rows:
        total = list(map(add, total, row))
    return total


def learn(examples: Sequence[tuple[str, str]]) -> bytes:
    """Return the weights that tell examples apart, as an averaged perceptron learns them."""
    names = sorted({wish for wish, _ in examples})
    said = [(_features(sentence), names.index(wish)) for wish, sentence in examples]
    seen = Counter(feature for features, _ in said for feature in features)
    kept = sorted(feature for feature, count in seen.items() if count >= LEAST_SEEN)
    rows, size = {feature: number for number, feature in enumerate(kept)}, len(names)
    known = [([rows[feature] for feature in features if feature in rows], wanted) for features, wanted in said]
    weights, sums = ([[0] * size for _ in kept] for _ in range(2))
    order, steps = random.Random(1), 0  # noqa: S311 - no secret
    for _ in range(ROUNDS):
        order.shuffle(known)
        for found, wanted in known:
            steps += 1
            scores = _scores((weights[row] for row in found), size)
            best, scores[wanted] = scores[wanted], -sys.maxsize
            rival = scores.index(max(scores))
            if best - scores[rival] >= MARGIN:
                continue
            for row in found:
                weights[row][wanted] += 1
                weights[row][rival] -= 1
                sums[row][wanted] += steps
                sums[row][rival] -= steps
    means = [
        [weight * steps - total for weight, total in zip(*both, strict=True)]
        for both in zip(weights, sums, strict=True)
    ]
    top = max(max(map(abs, row)) for row in means) // 2  # few are larger, and count as much as that
    whole = (max(-LARGEST, min(LARGEST, (2 * value * LARGEST + top) // (2 * top))) for row in means for value in row)
    return b"\n".join((" ".join(names).encode(), "\t".join(kept).encode(), array("b", whole).tobytes()))


if __name__ == "__main__":
    sys.stdout.write(f"{FILE.write_bytes(learn(list(wordings())))} bytes\n")
