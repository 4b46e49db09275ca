"""A text as it reads when what is encoded in it is decoded, and where in it each character comes from.

Percent signs, entities, escapes of JSON, quoted-printable, what can't be seen, and letters in other forms.
"""

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property, lru_cache

_COLOUR = r"\x1b\[[0-9;]*m"  # on a terminal
_INVISIBLE = (
    f"{_COLOUR}|[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]"
)
_WEB = r"%[0-9A-Fa-f]{2}|&#[0-9]{1,7};?|&#[xX][0-9A-Fa-f]{1,6};?|&[A-Za-z]{2,10};|\\u[0-9A-Fa-f]{4}|\\[nrt\"\\/]"
_BETWEEN_WORDS = r"\?=\s+=\?[^?\s]{1,40}\?[qQ]\?"
_MIME = rf"=[0-9A-F]{{2}}|=[ \t]*\r?\n|{_BETWEEN_WORDS}"
_IS_MIME = (re.compile(r"=(?:[0-9A-F]{2}|[ \t]*\r?\n)"), re.compile(_BETWEEN_WORDS))
"""The same, each pattern with one character to begin with: that is searched for ten times as fast."""
_OTHER_FORMS = "\u2460-\u24ff\uff01-\uff5e\U0001d400-\U0001d7ff"
"""Letters, figures and signs in other forms than in ASCII: encircled, full-width, bold."""
_UNSEEN = re.compile(_INVISIBLE)
_LAYERS = 6
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t"}


class Encoding:
    """What can't be seen or matches a pattern: a search for ASCII, which is faster, and one for all texts."""

    def __init__(self, *patterns: str) -> None:
        anywhere = f"{_INVISIBLE[:-1]}{_OTHER_FORMS}]"
        self._in_ascii, self._anywhere = (
            re.compile(f"({'|'.join((unseen, *patterns))})") for unseen in (_COLOUR, anywhere)
        )

    def within(self, text: str) -> re.Pattern[str]:
        return self._in_ascii if text.isascii() else self._anywhere


_PLAIN, ON_THE_WEB, IN_MESSAGES = Encoding(), Encoding(_WEB), Encoding(_WEB, _MIME)


class View:
    """A text as it reads when it is decoded. Where its characters come from is computed only if that matters."""

    def __init__(self, text: str, below: "View | None" = None, encoding: Encoding = _PLAIN) -> None:
        self.text = text
        self._below = below
        self._encoding = encoding
        """What was decoded in the text below."""

    def span(self, at: int) -> tuple[int, int]:
        """Return start and end, in the text at the bottom, of what reads as the character at that place."""
        if self._below is None:
            return at, at + 1
        starts, origins = self._pieces
        piece = bisect_right(starts, at) - 1
        start, end = origins[piece]
        if end is None:
            start = start + at - starts[piece]
            end = start + 1
        return self._below.span(start)[0], self._below.span(end - 1)[1]

    @cached_property
    def _pieces(self) -> tuple[list[int], list[tuple[int, int | None]]]:
        """Where each piece begins in the text; where it begins below, and where it ends there if it was decoded."""
        assert self._below is not None  # noqa: S101 - `span` asks
        starts: list[int] = []
        origins: list[tuple[int, int | None]] = []
        length = end = 0
        for code in self._encoding.within(self._below.text).finditer(self._below.text):
            for size, origin in ((code.start() - end, (end, None)), (len(_decoded(code[0])), code.span())):
                if size:
                    starts.append(length)
                    origins.append(origin)
                    length += size
            end = code.end()
        return [*starts, length], [*origins, (end, None)]

    def layers(self, encoding: Encoding) -> "Iterator[View]":
        """Yield what shows when the text is decoded again and again: first itself without what can't be seen."""
        view: View | None = self.decoded(_PLAIN) or self
        for _ in range(_LAYERS):
            if view is None:
                return
            yield view
            view = view.decoded(encoding)

    def decoded(self, encoding: Encoding) -> "View | None":
        """Return the view above this one; None where nothing is encoded that way."""
        pieces = encoding.within(self.text).split(self.text)
        pieces[1::2] = map(_decoded, pieces[1::2])
        text = "".join(pieces)
        return View(text, self, encoding) if len(pieces) > 1 and text else None


def is_mime(text: str) -> bool:
    return any(pattern.search(text) for pattern in _IS_MIME)


@lru_cache(maxsize=512)
def _decoded(encoded: str) -> str:
    """Return the character that is written like that; "" for what can't be seen, and for a soft line break.

    For other characters than ASCII there is a stand-in that no pattern tells from them: a text in ASCII is searched
    four times as fast.
    """
    character = _character(encoded)
    if character.isascii() or _UNSEEN.search(character):
        return character
    return ("\v" if character.isspace() else "\x7f") * len(character)


def _character(encoded: str) -> str:
    if not encoded[0].isascii() and not _UNSEEN.match(encoded):
        return unicodedata.normalize("NFKC", encoded)
    if encoded[0] == "&":
        return html.unescape(encoded)
    if encoded.startswith("\\u"):
        return chr(int(encoded.removeprefix("\\u"), base=16))
    if encoded[0] == "\\":
        return _CONTROLS.get(encoded[1], encoded[1])
    if encoded[0] in "%=" and encoded[1:].isalnum():
        return chr(int(encoded[1:], 16))
    return ""
