"""The legal turns that an illegal or unreadable text resembles: for "did you mean ...?", never played unasked.

Common slips are undone one at a time, the likeliest first: letters for digits, columns and rows swapped, separators
lost, a word too many, a move written backwards, words in another order, a number wrong or missing, one character
wrong. The first slip decides that gives a legal turn when it is undone. (A missing pass mark is not a slip: turns are
read without it.) If none does and there are few enough legal turns to compare, the nearest of them counts. All of it
is bounded.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations, islice, permutations
from typing import Any

from engines.core import IllegalMove, Position
from notation.core import BadNotation, Notation

LONGEST = 80
"""A longer text is prose, not a slip."""
MOST_OFFERED = 3
"""If a text resembles more turns than these equally well, none is offered."""
MOST_TRIED = 4_000
"""The most repaired texts that are tried on the position."""
MOST_COMPARED = 4_000
"""The most legal turns that are compared one by one."""
FARTHEST = 2
"""The most characters that can differ from a legal turn; the turn must be four times as long."""

_DIGITS = {"o": "0", "l": "1", "i": "1", "|": "1", "!": "1"}
_FOR_A_DIGIT = re.compile(r"(?<![a-z])([a-z])([oli|!])(?![0-9])")
_ALONE = re.compile(r"(?<!\S)[li|](?!\S)")
_SWAPPED = re.compile(r"(?<![0-9])([0-9]{1,2})\s?([a-z])(?![0-9])")
_MARKS = re.compile(r"[^\w\s+@~|!.\-]+")
_DASHES = re.compile(r"[\u2010-\u2015\u2212]")
_PIECES = (re.compile(r"[a-z][0-9]|[0-9]|-{2,}|[@~+x]"), re.compile(r"[a-z][0-9]{1,2}|[0-9]+|-{2,}|[@~+x]"))
_BETWEEN = re.compile(r"[\s,;:.!?\"]+")
_SMALLEST = re.compile(r"[a-z][0-9]{1,2}|[0-9]+|(?:[a-z](?![0-9]))+|[+~@]")
_PAIR = re.compile(r"([a-z][0-9]{1,2})([^a-z0-9]*?|\s*to\s*)([a-z][0-9]{1,2})(?![0-9])")
_FLIPS = re.compile(r"\b(?:flip|turn over|turn)\s+(?=[a-z][0-9])")
_EXAMPLE = re.compile(r"\S+, for example")
"""A turn that a refusal names as any other, so that it isn't what was meant."""
_ALPHABET = "abcdefghijklmnop0123456789+x~@"


def resembling(notation: Notation[Any], position: Position[Any], text: str) -> tuple[str, ...]:
    """Return the legal turns that the text resembles most, at most three equally good ones, in canonical spelling.

    >>> from notation.games import GAMES
    >>> start, notation = GAMES["quadraphages"].game.position({}), GAMES["quadraphages"].notation
    >>> resembling(notation, start, "1 7ab7 i3i2"), resembling(notation, start, "hm")
    (('1 a7b7 i3i2',), ())
    """
    if position.turn is None or not text.strip() or len(text) > LONGEST:
        return ()
    attempt = _Attempt(notation, position, _normal(text))
    for repaired in _repairs(attempt.text):
        found = attempt.legal(repaired)
        if found:
            return found if len(found) <= MOST_OFFERED else ()
        if attempt.tried >= MOST_TRIED:
            return ()
    return _nearest(attempt)


def named(
    notation: Notation[Any], position: Position[Any], text: str, refusal: IllegalMove, found: tuple[str, ...]
) -> tuple[str, ...]:
    """Return what can be offered after a refusal, so that it doesn't contradict it.

    These are the legal turns that it names. If it names none, they are those found that have only what was written or
    what it names.
    """
    attempt, said = _Attempt(notation, position, _normal(text)), _EXAMPLE.sub("", str(refusal))
    words = (word.strip("()") for word in _BETWEEN.split(said))
    if turns := attempt.legal(word for word in words if word and not word.isdigit()):
        return turns if len(turns) <= MOST_OFFERED else ()
    allowed = {*_SMALLEST.findall(attempt.text), *_SMALLEST.findall(said.casefold())}
    return tuple(turn for turn in found if allowed.issuperset(_SMALLEST.findall(turn.casefold())))


@dataclass(slots=True)
class _Attempt:
    notation: Notation[Any]
    position: Position[Any]
    text: str
    tried: int = 0

    def legal(self, texts: Iterable[str]) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for text in texts:
            self.tried += 1
            if self.tried > MOST_TRIED:
                break
            if spelled := self._legal(text):
                found[spelled] = None
        return tuple(found)

    def _legal(self, text: str) -> str | None:
        try:
            move = self.notation.parse(text)
            self.position.play(move)
        except (BadNotation, IllegalMove):
            return None
        return self.notation.format(move, self.position) if self.may_offer(move) else None

    def may_offer(self, move: Any) -> bool:
        """A turn that lists keep back is offered only if its first word, the move itself, was written as it is.

        There a refusal reveals as much.
        """
        if self.notation.is_shown(move):
            return True
        return self.text.startswith(self.notation.format(move, self.position).split(" ")[0])


def _normal(text: str) -> str:
    """Return the text in lower case, without marks around words and typographic variants.

    >>> _normal('"C1 - B1;  G9h9, 3."')
    'c1 - b1 g9h9 3'
    """
    plain = _DASHES.sub("-", unicodedata.normalize("NFKC", text)).casefold()
    return " ".join(_MARKS.sub(" ", plain).split()).strip(" .!")


def _repairs(text: str) -> Iterator[Iterator[str]]:
    """Yield what the text may have been, slip by slip: all texts of one slip are equally likely."""
    bases = list(dict.fromkeys(_bases(text)))
    for base in bases:
        yield iter((base,))
    if not any(character.isdigit() or character == "+" for character in text):
        return
    for slip in (_turned_over, _turned_round, _separated, _reordered, _renumbered, _with_one_other_character):
        for base in bases:
            yield from slip(base)


def _bases(text: str) -> Iterator[str]:
    """Yield the text with digits for letters, with columns before rows, with separators: each alone and combined."""
    yield text
    yield _FLIPS.sub("~", text)
    figures = _ALONE.sub("1", _with_figures(_with_figures(text)))  # twice, as one pair may hide the next: "glfl"
    yield figures
    for base in (text, figures):
        yield _SWAPPED.sub(r"\2\1", base)
        yield _SWAPPED.sub(r"\2\1", _loose(base))
    for base in (text, figures):
        for pattern in _PIECES:
            pieces = pattern.findall(base)
            if sum(map(len, pieces)) == sum(not blank.isspace() for blank in base):
                yield " ".join(pieces)
    turns = [word for word in text.split() if not word.isalpha()]
    if len(turns) > 1 and len(turns) == len(text.split()) - 1:
        yield " ".join(turns)


def _with_figures(text: str) -> str:
    return _FOR_A_DIGIT.sub(lambda found: found[1] + _DIGITS[found[2]], text)


def _loose(text: str) -> str:
    """Return the text with a gap after every two characters of a word of four, as squares are written.

    >>> _loose("1c1b 9g9h 3")
    '1c 1b 9g 9h 3'
    """
    return " ".join(f"{word[:2]} {word[2:]}" if len(word) == 4 and word.isalnum() else word for word in text.split())


def _turned_over(text: str) -> Iterator[Iterator[str]]:
    """Yield a lone move with its disc turned over first, as Kvadratik writes it; other games read nothing in that."""
    if pair := _PAIR.fullmatch(text):
        yield iter((f"~{pair[1]} {text}",))


def _turned_round(text: str) -> Iterator[Iterator[str]]:
    """Yield the text with moves turned around that were written backwards: one of them, two, ..."""
    pairs = list(_PAIR.finditer(text))[:4]
    for number in range(1, len(pairs) + 1):
        yield (_with_turned(text, chosen) for chosen in combinations(pairs, number))


def _with_turned(text: str, pairs: Iterable[re.Match[str]]) -> str:
    for pair in pairs:
        text = f"{text[: pair.start()]}{pair[3]}{pair[2]}{pair[1]}{text[pair.end() :]}"
    return text


def _separated(text: str) -> Iterator[Iterator[str]]:
    yield (f"{text[:at]} {text[at:]}" for at in range(1, len(text)))


def _reordered(text: str) -> Iterator[Iterator[str]]:
    words = text.split()
    if 1 < len(words) <= 5:
        yield (" ".join(order) for order in permutations(words))


def _renumbered(text: str) -> Iterator[Iterator[str]]:
    words = text.split()
    numbers = [place for place, word in enumerate(words) if word.isascii() and word.isdigit()]
    if numbers:
        yield (" ".join([*words[:at], str(n), *words[at + 1 :]]) for at in numbers for n in range(1, 10))
    else:
        yield (" ".join([*words[:at], str(n), *words[at:]]) for at in range(len(words) + 1) for n in range(1, 10))


def _with_one_other_character(text: str) -> Iterator[Iterator[str]]:
    """Yield the text with one character moved, changed (a little first), left out, or added."""
    yield (text[:at] + text[at + 1] + text[at] + text[at + 2 :] for at in range(len(text) - 1))
    for distance in range(1, 9):
        yield (text[:at] + other + text[at + 1 :] for at in range(len(text)) for other in _beside(text[at], distance))
    yield (text[:at] + other + text[at + 1 :] for at in range(len(text)) for other in _ALPHABET)
    yield (text[:at] + text[at + 1 :] for at in range(len(text)))
    yield (text[:at] + new + text[at:] for at in range(len(text) + 1) for new in _ALPHABET)


def _beside(character: str, distance: int) -> Iterator[str]:
    for code in (ord(character) - distance, ord(character) + distance):
        other = chr(code) if code > 0 else ""
        if other in _ALPHABET and other.isdigit() == character.isdigit() and other.isalpha() == character.isalpha():
            yield other


def _nearest(attempt: _Attempt) -> tuple[str, ...]:
    written = _compact(attempt.text)
    limit = min(FARTHEST, len(written) // 4)
    moves = list(islice(attempt.position.moves(), MOST_COMPARED + 1))
    if not limit or len(moves) > MOST_COMPARED or not any(map(str.isdigit, written)):
        return ()
    by_distance: dict[int, list[str]] = {}
    measure = partial(_distance, written, limit=limit)
    for move in filter(attempt.may_offer, moves):
        spelled = attempt.notation.format(move, attempt.position)
        if (distance := measure(_compact(spelled))) is not None:
            by_distance.setdefault(distance, []).append(spelled)
    found = by_distance[min(by_distance)] if by_distance else []
    return tuple(found) if len(found) <= MOST_OFFERED else ()


def _compact(text: str) -> str:
    return "".join(text.split())


def _distance(one: str, other: str, limit: int) -> int | None:
    """Return the number of characters to change, add or remove to turn one text into the other; None above the limit.

    >>> _distance("c1b1", "c1b2", 2), _distance("c1b1g9", "c1bg", 2), _distance("c1b1", "g9h9", 2)
    (1, 2, None)
    """
    if abs(len(one) - len(other)) > limit:
        return None
    far = limit + 1
    row = [min(place, far) for place in range(len(other) + 1)]
    for line, character in enumerate(one, start=1):
        first, last = max(1, line - limit), min(len(other), line + limit)
        before, row[first - 1] = row[first - 1], line if first == 1 else far
        if first == 1:
            row[0] = min(line, far)
        for place in range(first, last + 1):
            above = row[place] if place < line + limit else far
            row[place], before = (
                min(before + (character != other[place - 1]), above + 1, row[place - 1] + 1, far),
                above,
            )
        if min(row[first - 1 : last + 1]) > limit:
            return None
    return row[-1] if row[-1] <= limit else None
