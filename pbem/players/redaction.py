"""Find and remove a person's name and addresses in other people's messages and in our own words."""

import binascii
import quopri
import re
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

_BASE64 = re.compile(rb"(?:[A-Za-z0-9+/=]{20,}\r?\n)+")
"""Consecutive lines that may be base64."""


@dataclass(frozen=True)
class Redaction:
    """The name and addresses of a person, and what replaces them.

    >>> redaction = Redaction("alice", ("a@mail.example",), "deleted-7")
    >>> redaction.redact({"by": "bob", "message": ["Well, Alice,", "not alice-2!"], "who": "A@mail.example"})
    {'by': 'bob', 'message': ['Well, deleted-7,', 'not alice-2!'], 'who': 'deleted-7'}
    >>> redaction.redact([{"template": "message", "by": "alice", "message": ["Hello"]}])
    [{'template': 'message', 'by': 'deleted-7', 'message': []}]
    """

    name: str | None
    addresses: tuple[str, ...]
    replacement: str

    def occurs_in(self, raw: bytes) -> bool:
        """Return whether a raw message shows the name or an address, in any encoding that messages use for text.

        >>> Redaction("alice", (), "").occurs_in(b"ZWFybGllciBhbGljZSBwbGF5ZWQgYTFiMQ==" + bytes([10]))
        True
        >>> Redaction("alice", (), "").occurs_in(b"=61lice played a1b1")
        True
        """
        return any(self._in_mails.search(text) for text in _texts(raw))

    def redact(self, words: Any) -> Any:
        """Return the words of a message of ours without the name, and without anything that the person said."""
        if isinstance(words, str):
            return self._in_words.sub(self.replacement, words)
        if isinstance(words, list):
            return [self.redact(word) for word in words]
        if isinstance(words, dict):
            said = self.name is not None and words.get("by") == self.name and "message" in words
            return {key: [] if said and key == "message" else self.redact(word) for key, word in words.items()}
        return words

    @property
    def search_terms(self) -> tuple[str, ...]:
        """Search strings; a text containing none of them needs no redaction."""
        return (*((self.name,) if self.name else ()), *self.addresses)

    @cached_property
    def _in_words(self) -> re.Pattern[str]:
        """The name as a whole word: alice-2 is someone else."""
        names = [rf"(?<!\w)(?<!\w-){re.escape(self.name)}(?!\w|-\w)"] if self.name else []
        return re.compile("|".join([*map(re.escape, self.addresses), *names]), re.IGNORECASE)

    @cached_property
    def _in_mails(self) -> re.Pattern[bytes]:
        """The same for raw messages, less exact: a message that only seems to contain the name may go, too."""
        names = [rf"(?<![a-z0-9]){re.escape(self.name)}(?![a-z0-9])"] if self.name else []
        return re.compile("|".join([*map(re.escape, self.addresses), *names]).encode(), re.IGNORECASE)


def _texts(raw: bytes) -> Iterator[bytes]:
    """Yield the message as it is, and decoded from each encoding that it may use."""
    yield raw
    yield quopri.decodestring(raw)
    for block in _BASE64.finditer(raw):
        try:
            yield b64decode(block[0])
        except binascii.Error:
            continue
