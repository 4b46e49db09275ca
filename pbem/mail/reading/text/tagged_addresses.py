"""Addresses with a long tag, such as `games+<token>@…`: people don't type them, so a mail program wrote the line."""

from collections.abc import Sequence

LONGEST_ADDRESS = 320
SHORTEST_TAG = 32
TAG_CHARACTERS = "abcdefghijklmnopqrstuvwxyz234567"
TAG_DELIMITERS = ("+", "-", "=", "_", ".", "#")
MOST_PIECES = 3
"""A tagged address may be broken over this many lines."""


def is_tagged(word: str) -> bool:
    """Return whether an address with a long tag of base32 characters stands in the word.

    >>> is_tagged("<games+caqaaacaaaaaaioz5qrumsbm6g2ygyuuncvkuy2a@pbem.example>:")
    True
    >>> is_tagged("bob+games@mail.example")
    False
    """
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
