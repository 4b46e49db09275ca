"""Reply tokens in text that somebody else will read: found in every form that mail programs give them, and removed.

Anyone who sees a player's token can play for that player, and people pass tokens on without noticing: in an attribution
that wasn't recognised, a forwarded header, a link that was quoted. So this looks at characters, and doesn't ask how
they got there. Three things are removed:

- what follows our address and its delimiter and is as long as a token or nearly so, even where the address is wrapped,
  quoted, marked up, spelled or encoded;
- a token that stands alone, without our address;
- the same inside base64.

Only the characters of the token go, or all of what is in base64. What stands around it, markup and line ends included,
stays as it was.
"""

import binascii
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from string import ascii_letters, ascii_lowercase
from typing import Final

from pbem import tokens
from pbem.mail.reading.text.decoded import IN_MESSAGES, ON_THE_WEB, View, is_mime
from pbem.tokens import LENGTH

REPLACEMENT: Final = "(token)"
"""What stands in a token's place."""

Keeps = Callable[[str], bool]
"""Whether a token, given in lower case, may stay."""

LEAST: Final = LENGTH - 8
"""How much of a token nobody may see: with fewer letters than that, the rest can't be guessed."""

_SYMBOL = "[A-Za-z2-7]"
_MARKUP = r"<[^<>@]{0,300}+>"
_WITHIN_ADDRESS = rf"(?:[^A-Za-z0-9@<._=+-]|{_MARKUP}|<)*+"
_WITHIN_TOKEN = rf"(?:[^A-Za-z0-9@<]|{_MARKUP}|<)*+"
_SYMBOLS = re.compile(f"{_WITHIN_TOKEN}({_SYMBOL})")
_ALONE = re.compile(rf"(?<![A-Za-z0-9]){_SYMBOL}{{{LENGTH}}}(?![A-Za-z0-9])")
_CONTINUED = re.compile(rf"\n[ \t>|]*+(?P<rest>{_SYMBOL}{{1,{LENGTH - 4}}}+)(?![A-Za-z0-9])")
"""What may be the rest of a token that stands alone, and whose beginning ends the line above."""
_BEGINNINGS = frozenset(letter for letter in ascii_lowercase if tokens.parse(letter.ljust(LENGTH, "a")))
"""The letters with which tokens begin."""
_ALL_SYMBOLS = f"{ascii_letters}234567"
_KINDS = bytes(ord("a" if chr(n) in _ALL_SYMBOLS else "0" if chr(n).isalnum() else " ") for n in range(128)).ljust(256)
"""For each ASCII character whether it can stand in a token ("a"), or else in a word ("0")."""
_WHOLE, _HALF = b"a" * LENGTH, b"a" * (LENGTH // 2)
"""What a token is made of that stands in one line; and of one in two lines, at least in one of them."""

_BASE64 = re.compile(rb"(?:[A-Za-z0-9+/]{40,}+={0,2}(?:\r?\n|\Z))++(?:[A-Za-z0-9+/]++={0,2}(?=\r?\n|\Z))?")
"""Lines that may be base64."""
_BASE64_LINE = 76
_BASE64_IN_TEXT = re.compile(
    r"[A-Za-z0-9+/]{40,}+(?:={0,2}\r?\n[ \t>|]*+[A-Za-z0-9+/]{8,}+(?=={0,2}[ \t]*+(?:\r?\n|\Z)))*+={0,2}"
)
_IN_BASE64 = bytes(ord("a" if chr(n) in f"{ascii_letters}0123456789+/" else " ") for n in range(128)).ljust(256)
_LINE_OF_BASE64 = b"a" * 56
"""What our address with a token has at least in a line of base64."""


def _in_any_case(character: str) -> str:
    """Return the pattern of a character in either case: the search for its set skips what IGNORECASE looks at."""
    cases = {character.lower(), character.upper()}
    is_letter = len(cases) == 2 and all(len(case) == 1 and case.isalpha() for case in cases)
    return f"[{''.join(sorted(cases))}]" if is_letter else re.escape(character)


def keep_none(_token: str) -> bool:
    """Keep no token: for text that may go to anybody."""
    return False


class TokenRedactor:
    """Finds and removes reply tokens.

    >>> redactor = TokenRedactor("games@pbem.example")
    >>> token = "ca" * 20
    >>> redactor.redact(f"PBeM <games+{token}@pbem.example> wrote:")
    'PBeM <games+(token)@pbem.example> wrote:'
    >>> redactor.redact(f"mailto:games%2B{token.upper()}%40pbem.example")
    'mailto:games%2B(token)%40pbem.example'
    >>> redactor.redact("I like games + more than forty letters of prose, bob@pbem.example")
    'I like games + more than forty letters of prose, bob@pbem.example'
    """

    def __init__(self, address: str | None = None, delimiter: str = "+") -> None:
        """Know our address; without it only tokens that stand alone are found."""
        local, _, domain = (address or "").rpartition("@")
        self._local, self._delimiter = local.lower(), delimiter
        self._address: re.Pattern[str] | None = None
        self._patterns: list[re.Pattern[str]] = []
        self._likely: list[re.Pattern[str]] = []
        """For what is nearly a token, or spelled letter by letter."""
        if local:
            spread = _WITHIN_ADDRESS.join(map(_in_any_case, local))
            before = rf"{spread}{_WITHIN_ADDRESS}{re.escape(delimiter)}"
            host = _WITHIN_TOKEN.join(map(_in_any_case, domain.partition(".")[0]))
            at = rf"{_WITHIN_TOKEN}(?:@|[aA]{_WITHIN_TOKEN}[tT]{_WITHIN_TOKEN}{host})"
            scattered = rf"{_SYMBOL}(?:{_WITHIN_TOKEN}{_SYMBOL}){{{LENGTH - 1}}}"
            self._address = re.compile(before)
            self._patterns = [
                re.compile(rf"{before}{_WITHIN_TOKEN}(?P<token>{scattered}){at}"),
                re.compile(rf"{before}{_WITHIN_TOKEN}(?P<token>{_SYMBOL}{{{LENGTH}}})"),
            ]
            self._likely = [
                re.compile(rf"{before}{_WITHIN_TOKEN}(?P<token>{_SYMBOL}{{{LEAST},{LENGTH}}}+)(?![A-Za-z0-9])"),
                re.compile(
                    rf"{before}{_WITHIN_TOKEN}"
                    rf"(?P<token>{_SYMBOL}(?:{_WITHIN_TOKEN}{_SYMBOL}){{{LEAST - 1},{LENGTH - 1}}})(?![A-Za-z0-9])"
                ),
            ]

    def redact(self, text: str, keeps: Keeps = keep_none) -> str:
        return self._without_base64(self._redacted(text, keeps))

    def _redacted(self, text: str, keeps: Keeps) -> str:
        """Return the text without those tokens, except for what is in base64."""
        while edits := self._edits(text, keeps):
            text = _edited(text, edits)
        return text

    def redact_bytes(self, raw: bytes) -> bytes:
        """Return a message, or the content of a file, without any token; base64 inside it is written again."""
        plain = self._redacted(raw.decode("latin-1"), keep_none).encode("latin-1")
        return _BASE64.sub(self._redacted_base64, plain)

    def _edits(self, text: str, keeps: Keeps) -> dict[tuple[int, int], str]:
        """Return what to replace, by start and end, under the outermost encoding that lets a token show."""
        deepest = bottom = View(text)
        for view in bottom.layers(ON_THE_WEB):
            if edits := self._edits_in(view, keeps):
                return edits
            deepest = view
        if is_mime(text) or is_mime(deepest.text):
            for view in bottom.layers(IN_MESSAGES):
                if edits := self._edits_in(view, keeps):
                    return edits
        return {}

    def _edits_in(self, view: "View", keeps: Keeps) -> dict[tuple[int, int], str]:
        edits: dict[tuple[int, int], str] = {}
        for symbols in self._tokens(view.text, keeps):
            for symbol, replacement in zip(symbols, [REPLACEMENT] + [""] * (len(symbols) - 1), strict=True):
                edits.setdefault(view.span(symbol), replacement)
        return edits

    def _tokens(self, text: str, keeps: Keeps) -> Iterator[Sequence[int]]:
        kept: set[int] = set()
        for start, end, is_addressed in self._candidates(text):
            if start in kept or end - start < LENGTH:
                continue
            symbols: Sequence[int] = range(start, end)
            if len(symbols) > LENGTH:
                symbols = [symbol.start(1) for symbol in _SYMBOLS.finditer(text, start, end)]
            token = "".join(text[at] for at in symbols).lower()
            if len(token) != LENGTH or not (is_addressed or tokens.parse(token)):
                continue
            if keeps(token):
                kept.add(start)
            else:
                yield symbols
        yield from self._nearly(text, kept) if self._is_addressed(text) else ()

    def _nearly(self, text: str, known: set[int]) -> Iterator[Sequence[int]]:
        """Yield where the symbols stand of what follows our address and is most of a token, or is spelled."""
        for pattern in self._likely:
            for found in pattern.finditer(text):
                if found.start("token") not in known and _is_likely(found["token"]):
                    known.add(found.start("token"))
                    yield [symbol.start(1) for symbol in _SYMBOLS.finditer(text, *found.span("token"))]

    def _candidates(self, text: str) -> Iterator[tuple[int, int, bool]]:
        if self._is_addressed(text):
            for pattern in self._patterns:
                yield from ((*found.span("token"), True) for found in pattern.finditer(text))
        yield from ((*span, False) for span in _alone(text))

    def _is_addressed(self, text: str) -> bool:
        return self._address is not None and self._delimiter in text and self._address.search(text) is not None

    def _without_base64(self, text: str) -> str:
        if not _may_hold_base64(text):
            return text
        return _BASE64_IN_TEXT.sub(
            lambda block: block[0] if self._decoded(block[0].encode()) is None else REPLACEMENT, text
        )

    def _decoded(self, block: bytes) -> bytes | None:
        try:
            content = b64decode(block)
        except binascii.Error:
            return None
        if self._local.encode() not in content.lower():
            return None
        charset = "utf-8" if _is_utf8(content) else "latin-1"
        redacted = self.redact(content.decode(charset)).encode(charset)
        return None if redacted == content else redacted

    def _redacted_base64(self, block: re.Match[bytes]) -> bytes:
        redacted = self._decoded(block[0])
        if redacted is None:
            return block[0]
        end = b"\r\n" if b"\r\n" in block[0] else b"\n"
        encoded = b64encode(redacted)
        lines = [encoded[at : at + _BASE64_LINE] for at in range(0, len(encoded), _BASE64_LINE)]
        return end.join(lines) + (end if block[0].endswith(b"\n") else b"")


def _alone(text: str) -> Iterator[tuple[int, int]]:
    kinds = _kinds(text)
    if _HALF not in kinds:
        return
    if _WHOLE in kinds:
        yield from (found.span() for found in _ALONE.finditer(text))
    for found in _CONTINUED.finditer(text):
        begin = text.rfind("\n", 0, found.start()) + 1
        line = text[begin : found.start()]
        line = line.removesuffix("\r").removesuffix("=").rstrip(" \t")
        above = line.rstrip(_ALL_SYMBOLS)
        length = len(line) - len(above)
        if length >= 4 and length + len(found["rest"]) == LENGTH and above[-1:] not in ("0", "1", "8", "9"):
            yield begin + len(above), found.end()


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _may_hold_base64(text: str) -> bool:
    return _LINE_OF_BASE64 in text.encode("ascii", "replace").translate(_IN_BASE64)


def _is_likely(found: str) -> bool:
    """Return whether what follows our address is most of a token, in pieces of one length, and no words.

    >>> _is_likely("ca" * 19), _is_likely("I hope that you too will play some more games with me")
    (True, False)
    """
    pieces = re.findall(f"{_SYMBOL}+", re.sub(_MARKUP, "", found))
    return pieces[0][0].lower() in _BEGINNINGS and len({len(piece) for piece in pieces[:-1]}) <= 1


def _kinds(text: str) -> bytes:
    return text.encode("ascii", "replace").translate(_KINDS)


def _edited(text: str, edits: Mapping[tuple[int, int], str]) -> str:
    pieces, end_of_last = [], 0
    for (start, end), replacement in sorted(edits.items()):
        pieces += [text[end_of_last:start], replacement]
        end_of_last = end
    return "".join([*pieces, text[end_of_last:]])
