"""Which wish a sentence resembles most, by the weights of its words, learned from wordings.txt.

`python -m pbem.conversation.syntax.wish_classifier` learns them again: whole numbers, the same bytes on every machine.
"""

import lzma
import random
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path

from notation.games import GAMES
from pbem.conversation.syntax import vocabulary

ROUNDS, PRUNED, MARGIN, LEAST_SEEN, FEWEST = 10, (3, 6), 80, 3, 300
"""How often the wordings are gone through; before which rounds weights below 1 are dropped for good; by how much a wish
must win; how often a feature that counts is seen; and how many wordings of each wish there are, repeated if need be."""
UNIT, SMALLEST, LARGEST, ZERO = 0.59, 2, 127, 128
"""What a weight of 1 is in the file, the least and the largest that are kept there, and the byte that stands for 0."""
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 4, "lc": 4, "pb": 0}]
"""How it is compressed: beyond 4, unpacking takes up to ten times the memory, and saves nothing."""
SPEAKING = 3  # the weight above which a word speaks for a wish
LONGEST, STEMS, FEW = 300, (4, 6), 3
"""How many characters of a sentence count, how many of a word tell its stem, and below how many words it is short."""
FILE, WORDINGS = (Path(__file__).with_name(name) for name in ("wishes.bin", "wordings.txt"))
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_TURN, _NUMBER = re.compile(r"(?:[a-z]\d{1,2}){1,4}"), re.compile(r"\d+")


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
    games = vocabulary.lexicon("games")
    named = (("xgame" if word in GAMES or games.of(word) else word) for word in vocabulary.words(text))
    return ["xturn" if _TURN.fullmatch(word) else _NUMBER.sub("0", word) for word in named]


def _features(sentence: str) -> list[str]:
    """Return the words of a sentence, their stems, and each two neighbours."""
    words = _neutral(sentence)
    found = {*words, *(f"{word[:stem]}*" for word in words for stem in STEMS if len(word) > stem)}
    found.update(f"{one} {other}" for one, other in zip(["^", *words], words, strict=False))
    return sorted(found | {"short"} if len(words) < FEW else found)


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


def recognised(sentence: str) -> list[tuple[str, float]]:
    """Return the wishes, those that a sentence resembles most first, and how sure each is: below 0 none."""
    names, found = _learned()[0], list(filter(knows, _features(sentence)))
    if not found:
        return []
    totals = [0] * len(names)
    for feature in found:
        for number, weight in _weights(feature):
            totals[number] += weight
    none, scale = totals[names.index("nothing")], len(found) ** 0.5
    sure = ((name, (total - none) / scale) for name, total in zip(names, totals, strict=True))
    return sorted(sure, key=lambda each: -each[1])


def reasons(sentence: str, wish: str) -> list[tuple[str, int]]:
    """Return what speaks for a wish in a sentence, and how much."""
    at = _learned()[0].index(wish)
    weights = ((feature, dict(_weights(feature)).get(at, 0)) for feature in _features(sentence))
    return sorted(weights, key=lambda each: -each[1])


def learn(examples: Sequence[tuple[str, str]]) -> bytes:
    """Return the weights that tell examples apart, as an averaged perceptron learns them."""
    common = Counter(wish for wish, _ in examples)
    names = sorted(common)
    said = [(_features(sentence), names.index(wish)) for wish, sentence in examples]
    said = [each for each in said for _ in range(max(FEWEST // common[names[each[1]]], 1))]
    seen = Counter(feature for features, _ in said for feature in features)
    kept = sorted(feature for feature, count in seen.items() if count >= LEAST_SEEN)
    rows, size = {feature: number for number, feature in enumerate(kept)}, len(names)
    known = [([rows[feature] for feature in features if feature in rows], wanted) for features, wanted in said]
    weights, sums = ([[0] * size for _ in kept] for _ in range(2))
    order, steps, live = random.Random(1), 0, list[Collection[int]]([range(size)] * len(kept))  # noqa: S311 - no secret
    for turn in range(ROUNDS):
        for row, (weight, total) in enumerate(zip(weights, sums, strict=True)) if turn in PRUNED else ():
            live[row] = {number for number in live[row] if abs(weight[number] * steps - total[number]) >= steps}
            for each in (weight, total):
                each[:] = (value if number in live[row] else 0 for number, value in enumerate(each))
        order.shuffle(known)
        for found, wanted in known:
            steps += 1
            scores = [sum(column) for column in zip(*(weights[row] for row in found), strict=True)] or [0] * size
            best, scores[wanted] = scores[wanted], -sys.maxsize
            rival = scores.index(max(scores))
            if best - scores[rival] >= MARGIN:
                continue
            for row in found:
                for number, sign in ((wanted, 1), (rival, -1)):
                    if number in live[row]:
                        weights[row][number] += sign
                        sums[row][number] += sign * steps
    both = (zip(*each, strict=True) for each in zip(weights, sums, strict=True))
    means = ([round((weight * steps - total) * UNIT / steps) for weight, total in row] for row in both)
    pairs = [[(number, weight) for number, weight in enumerate(row) if abs(weight) >= SMALLEST] for row in means]
    steps_between = (number - before for row in pairs for (before, _), (number, _) in pairwise([(0, 0), *row]))
    signed = (max(-LARGEST, min(LARGEST, weight)) + ZERO for row in pairs for _, weight in row)
    listed = "\n".join((" ".join(names), "\t".join(kept), ""))
    return listed.encode() + bytes((*map(len, pairs), *steps_between, *signed))


if __name__ == "__main__":
    sys.stdout.write(f"{FILE.write_bytes(lzma.compress(learn(list(wordings())), filters=FILTERS))} bytes\n")
