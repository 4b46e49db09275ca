"""Traces: where a person's name or address stands in other people's mails and in our own words, and how it goes."""

import binascii
import quopri
import re
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

_BASE64 = re.compile(rb"(?:[A-Za-z0-9+/=]{20,}\r?\n)+")
"""Some lines in a row that may be base64."""


@dataclass(frozen=True)
class Traces:
    """What tells of somebody, and what stands in its place from now on.

    >>> traces = Traces("alice", ("a@mail.example",), "deleted-7")
    >>> traces.without({"by": "bob", "message": ["Well, Alice,", "not alice-2!"], "who": "A@mail.example"})
    {'by': 'bob', 'message': ['Well, deleted-7,', 'not alice-2!'], 'who': 'deleted-7'}
    >>> traces.without([{"template": "message", "by": "alice", "message": ["Hello"]}])
    [{'template': 'message', 'by': 'deleted-7', 'message': []}]
    """

    name: str | None
    addresses: tuple[str, ...]
    instead: str

    def are_in(self, raw: bytes) -> bool:
        """Whether a mail shows the name or an address, in any of the ways in which mails write their text.

        >>> Traces("alice", (), "").are_in(b"ZWFybGllciBhbGljZSBwbGF5ZWQgYTFiMQ==" + bytes([10]))
        True
        >>> Traces("alice", (), "").are_in(b"=61lice played a1b1")
        True
        """
        return any(self._in_mails.search(text) for text in _texts(raw))

    def without(self, words: Any) -> Any:
        """Words of a mail of ours without what the person said in them, and without the name."""
        if isinstance(words, str):
            return self._in_words.sub(self.instead, words)
        if isinstance(words, list):
            return [self.without(word) for word in words]
        if isinstance(words, dict):
            said = self.name is not None and words.get("by") == self.name and "message" in words
            return {key: [] if said and key == "message" else self.without(word) for key, word in words.items()}
        return words

    @property
    def needles(self) -> tuple[str, ...]:
        """What a text in which none of it stands can't hold a trace of."""
        return (*((self.name,) if self.name else ()), *self.addresses)

    @cached_property
    def _in_words(self) -> re.Pattern[str]:
        """The name as a word of its own: alice-2 is somebody else."""
        names = [rf"(?<!\w)(?<!\w-){re.escape(self.name)}(?!\w|-\w)"] if self.name else []
        return re.compile("|".join([*map(re.escape, self.addresses), *names]), re.IGNORECASE)

    @cached_property
    def _in_mails(self) -> re.Pattern[bytes]:
        """The same, less exact: a mail that is taken for one with the name loses nothing that anybody needs."""
        names = [rf"(?<![a-z0-9]){re.escape(self.name)}(?![a-z0-9])"] if self.name else []
        return re.compile("|".join([*map(re.escape, self.addresses), *names]).encode(), re.IGNORECASE)


def _texts(raw: bytes) -> Iterator[bytes]:
    """The mail as it is, and as it reads where it is written in one of the encodings of mails."""
    yield raw
    yield quopri.decodestring(raw)
    for block in _BASE64.finditer(raw):
        try:
            yield b64decode(block[0])
        except binascii.Error:
            continue
