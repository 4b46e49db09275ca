"""What our own messages are known by where they are quoted: our address, the name in From, and how they begin.

Mail programs announce a quote in any language and form, but nearly all of them name whom they quote. So a line that
names us is taken for an announcement more readily than another.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pbem.mail.reading.text.attribution_words import (
    COLONS,
    first_words,
    has_digit,
    is_date,
    is_date_or_name,
    is_mere_date,
    is_verb,
    is_year,
    opens,
    tells_the_time,
)

MOST_LINES = 4
LONGEST = 400
LONGEST_NAMING = 12  # how many words an announcement has, and up to three times as many where a date or a verb is in it
MARKS = " \t*_<>()[]\"',;:.!-\u2013\u2014\u201c\u201d\u201e\u00ab\u00bb"


@dataclass(frozen=True, slots=True)
class Ours:
    """How our messages can be known.

    >>> ours = Ours("games@pbem.example", "PBeM", (r".+, match #[0-9]+, turn [0-9]+",))
    >>> ours.announcement_at(["Escrito por PBeM <games+abc@pbem.example>", "el 2.3.:", "1 c1b1 g9h9"], 0)
    2
    >>> ours.announcement_at(["I wrote to games@pbem.example twice", "1 c1b1 g9h9"], 0)
    0
    >>> ours.begins_at(["Your turn against bob", "Quadraphages, match #1, turn 2"], 0)
    True
    """

    address: str = ""
    name: str = ""
    heads: tuple[str, ...] = ()
    """Patterns of which one fits the first or second line of most of our messages, as a whole; there is a # in each."""

    @property
    def _domain(self) -> str:
        return self.address.lower().rpartition("@")[2]

    def announcement_at(self, lines: Sequence[str], number: int) -> int:
        """Return the number of lines that name us as the writer of what stands below; 0 if none do."""
        near = "\n".join([line[:LONGEST] for line in lines[number : number + MOST_LINES]])
        if not self.address or not (self._domain in near.lower() or self.name.partition(" ")[0] in near):
            return 0
        text = ""
        for span in range(1, MOST_LINES + 1):
            line = lines[number + span - 1].strip() if number + span <= len(lines) else ""
            if not line or line.startswith((">", "|")) or len(text) + len(line) > LONGEST:
                return 0
            text = f"{text} {line}".strip()
            if self.is_named_in(text) and self._announces(text):
                if span > 1 and not is_mere_date(lines[number]) and self._begins_below(lines, number, span):
                    return 0
                return self._with_rest(lines, number + span) - number
        return 0

    def _begins_below(self, lines: Sequence[str], number: int, span: int) -> bool:
        """Return whether the announcement that ends there begins in a later line, so that the first is the person's."""
        ends = number + span
        later = (" ".join(line.strip() for line in lines[at:ends]) for at in range(number + 1, ends))
        return any(self.is_named_in(text) and self._announces(text) for text in later)

    def _with_rest(self, lines: Sequence[str], end: int) -> int:
        """Return the end of an announcement with the lines below it that only repeat our address: "<", "> wrote:"."""
        for at in range(end, min(end + 2 * MOST_LINES, len(lines))):
            if lines[at].strip():
                if not all(map(self._repeats_us, lines[at][:LONGEST].lower().split())):
                    break
                end = at + 1
        return end

    def is_named_in(self, text: str) -> bool:
        return bool(self.address) and (self._is_addressed(text) or _fits(self.name, text))

    def may_be_announced_by(self, line: str) -> bool:
        """Return whether the line names us so that what stands below it may be ours: if in doubt, that is asked."""
        line = line[:LONGEST]
        if not self.is_named_in(line):
            return False
        words = line.split()
        is_sentence = len(words) == 1 or words[-1].endswith((".", "!", "?"))
        return (
            (self._is_addressed(line) and not is_sentence)
            or line.rstrip().endswith(COLONS)
            or any(is_verb(word) or is_year(word) for word in words)
        )

    def begins_at(self, lines: Sequence[str], number: int) -> bool:
        near = (line for line in lines[number : number + 2] if "#" in line[:LONGEST] and len(line) <= LONGEST)
        return bool(lines[number].strip()) and any(
            re.fullmatch(head, line.strip(" \t*_")) is not None for line in near for head in self.heads
        )

    def _repeats_us(self, word: str) -> bool:
        bare = word.strip(MARKS).removeprefix("mailto:")
        is_of_us = bare.endswith(f"@{self._domain}")  # also the Message-ID, as s-nail and Outlook Express write it
        return not bare or is_of_us or is_verb(bare) or bare in self.name.lower().split()

    def _is_addressed(self, text: str) -> bool:
        small = text.lower() if "@" in text else ""
        if self._domain not in small:
            return False
        local = self.address.lower().rpartition("@")[0]
        return any(_is_at(word.strip(MARKS), local, self._domain) for word in re.split(r"[\s<>()\[\]\"']+", small))

    def _announces(self, text: str) -> bool:
        """Return whether a text that names us is an announcement, and not a sentence about us."""
        words = first_words(text)
        named = [word for word in words if word.strip(MARKS)]
        ends = text.rstrip(" *_>").endswith(COLONS) or is_verb(named[-1])
        addressed = self._is_addressed(text)
        bracketed = addressed and _has_brackets(text)
        written = any(map(is_verb, words)) and (addressed or (is_verb(named[-1]) and len(named) <= LONGEST_NAMING))
        if ends and (written or any(map(is_year, words)) or any(map(is_date, words))):
            return len(words) <= 3 * LONGEST_NAMING
        if bracketed and _fits(self.name, words[0].strip(MARKS)) and any(map(is_verb, words[1:4])):
            return len(words) <= LONGEST_NAMING
        dated = tells_the_time(words) or any(map(is_date, words))
        if not dated or len(words) > 2 * LONGEST_NAMING:
            return False
        if opens(words) and self._ends_with_us(text, words):
            return True
        begins = _fits(self.name, " ".join(words[: len(self.name.split())]))
        return begins and len(words) <= LONGEST_NAMING and all(map(is_date_or_name, words[-2:]))

    def _ends_with_us(self, text: str, words: Sequence[str]) -> bool:
        """Return whether the text ends with our name or address, right behind a date, a time or a verb."""
        count = len(self.name.split())
        if self._is_addressed(words[-1]) and _has_brackets(text):
            return True
        if not _fits(self.name, " ".join(words[-count:])):
            return False
        before = words[-count - 1]
        return is_verb(before) or has_digit(before) or not before[0].islower() or len(before) <= 3


NOBODY = Ours()  # for messages that answer nobody's


def _has_brackets(text: str) -> bool:
    return any(bracket in text for bracket in "<([")


def _is_at(word: str, local: str, domain: str) -> bool:
    before, _, after = word.rpartition("@")
    before = before.rpartition(":")[2]  # mailto:
    return after == domain and (before == local or before.startswith(tuple(local + mark for mark in TAG_DELIMITERS)))


def _fits(name: str, text: str) -> bool:
    """Return whether the name stands in the text as words of their own, in its own letters."""
    return bool(name) and name in text and re.search(rf"(?<![\w@.-]){re.escape(name)}(?![\w@-])", text) is not None


LONGEST_ADDRESS = 320
SHORTEST_TAG = 32
TAG_CHARACTERS = "abcdefghijklmnopqrstuvwxyz234567"
TAG_DELIMITERS = ("+", "-", "=", "_", ".", "#")
MOST_PIECES = 3  # into how many lines a tagged address may be broken


def is_tagged(word: str) -> bool:
    """Return whether an address with a long tag of base32 characters stands in the word."""
    local, at, _ = word[:LONGEST_ADDRESS].lower().partition("@")
    rest = local.rstrip(TAG_CHARACTERS)
    return bool(at) and len(local) - len(rest) >= SHORTEST_TAG and rest.endswith(TAG_DELIMITERS)


def holds_tagged(words: Sequence[str]) -> bool:
    """Return whether the first address in the words is a tagged one; it may be broken into pieces.

    >>> holds_tagged(["PBeM", "<games+caqaaacaaaaaaioz5qrum", "sbm6g2ygyuuncvkuy2a@pbem.example>", "wrote:"])
    True
    """
    named = next((number for number, word in enumerate(words) if "@" in word), -1)
    joined = ""
    for word in reversed(words[max(0, named + 1 - MOST_PIECES) : named + 1]):
        joined = word + joined
        if is_tagged(joined):
            return True
        if "<" in word:
            break
    return False
