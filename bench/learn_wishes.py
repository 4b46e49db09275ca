"""How many sentences the reader takes for what they want; and the weights for that.

`make wishes` learns from 11 of 12 messages, tells for how many sentences of the others the first guess is right, and
compares that with always guessing what is wanted most. Then it learns from all, and writes the weights: whole numbers,
the same bytes on every machine. wishes/wordings.txt has wordings of each wish, wishes/messages.txt whole messages.
"""

import lzma
import random
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from pbem.conversation.syntax import vocabulary
from pbem.conversation.syntax.wish_classifier import FILE, FIRST, ZERO, features, likeliest

ROUNDS, PRUNED, MARGIN, LEAST_SEEN, FEWEST = 7, (3, 6), 80, 4, 300
"""How often the wordings are gone through; before which rounds weights below 1 are dropped for good; by how much a wish
must win; how often a feature that counts is seen; and how many wordings of each wish there are, repeated if need be."""
UNIT, SMALLEST, LARGEST = 0.55, 2, 127
"""What a weight of 1 is in the file, and the least and the largest that are kept there."""
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 4, "lc": 4, "pb": 0}]
"""How it is compressed: beyond 4, unpacking takes up to ten times the memory, and saves nothing."""
FOLDER = Path(__file__).with_name("wishes")
OF_MESSAGE = 2  # how often a sentence of a message counts: there it stands as people write it
KEPT_BACK = 12  # one of so many messages is kept back to measure
Example = tuple[str, list[str], int]  # a wish, the features of a sentence that has it, and how often it counts
Message = list[tuple[str, str, str, str]]  # for each sentence its wish, the sentence, the scene, and the wish before


def wordings() -> Iterator[tuple[str, str]]:
    """Yield each wish with each of its wordings."""
    wish = ""
    for line in (FOLDER / "wordings.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            wish = line.strip("[]")
        else:
            yield from ((wish, wording) for each in line.split(" | ") if (wording := each.strip()))


def messages() -> Iterator[Message]:
    """Yield the sentences of each message, of which each wants one thing."""
    known = {wish.name for wish in vocabulary.wishes().values() if wish.name in (wish.like or wish.name).split()}
    for block in (FOLDER / "messages.txt").read_text(encoding="utf-8").split("\n\n"):
        head, *rows = block.strip().split("\n")
        scene, labelled = head.rpartition("|")[2].strip(), [row.partition("\t")[::2] for row in rows]
        befores = [FIRST, *(wish for wish, _ in labelled)]
        placed = zip(labelled, befores, strict=False)
        yield [(wish, said, scene, before) for (wish, said), before in placed if wish in known]


def examples(those: Sequence[Message]) -> Iterator[Example]:
    """Yield what is learned: the wish, and the features of a wording, or of a sentence at its place."""
    yield from ((wish, features(wording), 1) for wish, wording in wordings())
    for wish, said, scene, before in (row for message in those for row in message):
        yield wish, features(said, scene, before), OF_MESSAGE


def learn(examples: Sequence[Example]) -> bytes:
    """Return the weights that tell examples apart, as an averaged perceptron learns them."""
    common = Counter(wish for wish, _, _ in examples)
    names = sorted(common)
    seen = Counter(feature for _, found, _ in examples for feature in found)
    kept = sorted(feature for feature, count in seen.items() if count >= LEAST_SEEN)
    rows, size = {feature: number for number, feature in enumerate(kept)}, len(names)
    known = list[tuple[list[int], int]]()
    for wish, found, times in examples:
        times *= max(FEWEST // common[wish], 1)
        known += [([rows[each] for each in found if each in rows], names.index(wish))] * times
    weights, sums = ([[0] * size for _ in kept] for _ in range(2))
    order, steps, live = random.Random(1), 0, list[Collection[int]]([range(size)] * len(kept))
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


def right(those: Sequence[Message]) -> float:
    """Return for how much of the sentences of some messages the first guess is right."""
    found = list[bool]()
    for message in those:
        before = FIRST
        for wish, said, scene, _ in message:
            before = likeliest(said, scene, before)
            found.append(before == wish)
    return sum(found) / len(found)


if __name__ == "__main__":
    known, kept = [], []
    for number, message in enumerate(messages(), 1):
        (known if number % KEPT_BACK else kept).append(message)
    commonest = Counter(wish for message in known for wish, *_ in message).most_common(1)[0][0]
    floor = sum(wish == commonest for message in kept for wish, *_ in message) / sum(map(len, kept))
    size = FILE.write_bytes(lzma.compress(learn(list(examples(known))), filters=FILTERS))
    sys.stdout.write(f"right {right(kept):.1%}, always {commonest} {floor:.1%}; {size} bytes\n")
    if "--measure" not in sys.argv:
        FILE.write_bytes(lzma.compress(learn(list(examples([*known, *kept]))), filters=FILTERS))
