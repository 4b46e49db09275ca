"""Reply tokens in text that somebody else will read: found in every form that mail programs give them, and removed.

Anyone who sees a player's token can play for that player, and people pass tokens on without noticing: in an attribution
that wasn't recognised, a forwarded header, a link that was quoted. So this looks at characters, and doesn't ask how
they got there. Once everything is decoded, what goes is a run of the letters of tokens that is as long as one:

- behind our address and its delimiter, even where it is wrapped, quoted, marked up or spelled, or lacks some letters;
- alone, in one line or two.

Only these letters go, or all of a block of base64 in which they stand. What stands around them stays as it was.

The last step before a message has parts is `TokenFilter`: what the recipient can act with anyway may stay in text and
HTML. Files are passed on more freely than messages, so no token at all stays in one.
"""

import binascii
import re
from base64 import b64decode, encodebytes
from collections.abc import Callable, Iterator, Sequence
from email.headerregistry import Address
from functools import cache
from string import ascii_lowercase
from typing import Final

from pbem import tokens
from pbem.messages.layers_of_encoding import IN_MESSAGES, ON_THE_WEB, View, is_mime
from pbem.storage.models import Outgoing
from pbem.tokens import LENGTH, Keyring, Purpose

REPLACEMENT: Final = "(token)"  # what stands in a token's place

Keeps = Callable[[str], bool]  # whether a token, given in lower case, may stay

LEAST: Final = LENGTH - 8  # how much of a token nobody may see: with fewer letters than that, the rest can't be guessed

_SYMBOL = "[A-Za-z2-7]"
_MARKUP = r"<[^<>@]{0,300}+>"
_WITHIN_ADDRESS = rf"(?:[^A-Za-z0-9@<._=+-]|{_MARKUP}|<)*+"
_WITHIN_TOKEN = rf"(?:[^A-Za-z0-9@<]|{_MARKUP}|<)*+"
_SYMBOLS = re.compile(f"{_WITHIN_TOKEN}({_SYMBOL})")
_WHOLE = rf"{_SYMBOL}{{{LEAST},{LENGTH}}}+(?![A-Za-z0-9])|{_SYMBOL}{{{LENGTH}}}"
_SPELLED = rf"{_SYMBOL}(?:{_WITHIN_TOKEN}{_SYMBOL}){{{LEAST - 1},{LENGTH - 1}}}(?![A-Za-z0-9])"
_IN_TWO_LINES = rf"{_SYMBOL}{{4,}}+[ \t]*+=?\r?\n[ \t>|]*+{_SYMBOL}+"
_ALONE = re.compile(rf"(?<![A-Za-z0-9])(?:{_SYMBOL}{{{LENGTH}}}|{_IN_TWO_LINES})(?![A-Za-z0-9])")
_BEGINNINGS = frozenset(letter for letter in ascii_lowercase if tokens.parse(letter.ljust(LENGTH, "a")))
"""The letters with which tokens begin."""
_BASE64_LINE = r"(?:[A-Za-z0-9+/]{8,}+|[A-Za-z0-9+/]{2,7}+=)(?=={0,2}[ \t]*+(?:\r?\n|\Z))"
_BASE64 = re.compile(rf"[A-Za-z0-9+/]{{40,}}+(?:\r?\n[ \t>|]*+{_BASE64_LINE})*+={{0,2}}")
"""Lines that may be base64, quoted or not."""


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
        local, _, domain = (address or "").lower().rpartition("@")
        self._local = local.encode()
        before = _WITHIN_ADDRESS.join(map(re.escape, local)) + _WITHIN_ADDRESS + re.escape(delimiter)
        host = _WITHIN_TOKEN.join(map(re.escape, domain.partition(".")[0]))
        at = rf"{_WITHIN_TOKEN}(?:@|a{_WITHIN_TOKEN}t{_WITHIN_TOKEN}{host})"
        self._addressed = re.compile(
            rf"{before}{_WITHIN_TOKEN}(?P<token>{_WHOLE}|{_SPELLED})(?P<at>{at})?" if local else r"(?!)", re.IGNORECASE
        )

    def redact(self, text: str, keeps: Keeps = lambda _token: False) -> str:
        plain = self._plain(text, keeps)
        return _BASE64.sub(lambda block: REPLACEMENT if self._without_tokens(block[0]) else block[0], plain)

    def redact_bytes(self, raw: bytes) -> bytes:
        """Return a message, or the content of a file, without any token; base64 inside it is written again."""
        plain = self._plain(raw.decode(errors="surrogateescape"), lambda _token: False)
        redacted = _BASE64.sub(lambda block: self._without_tokens(block[0]) or block[0], plain)
        return redacted.encode(errors="surrogateescape")

    def _plain(self, text: str, keeps: Keeps) -> str:
        """Return the text without those tokens, except for what is in base64."""
        while edits := self._outermost(text, keeps):
            pieces, last = [], 0
            for (start, end), replacement in sorted(edits.items()):
                pieces += [text[last:start], replacement]
                last = end
            text = "".join([*pieces, text[last:]])
        return text

    def _outermost(self, text: str, keeps: Keeps) -> dict[tuple[int, int], str]:
        """Return what to replace, by start and end, under the outermost encoding that lets a token show."""
        deepest = bottom = View(text)
        for view in bottom.layers(ON_THE_WEB):
            if edits := self._edits(view, keeps):
                return edits
            deepest = view
        if is_mime(text) or is_mime(deepest.text):
            for view in bottom.layers(IN_MESSAGES):
                if edits := self._edits(view, keeps):
                    return edits
        return {}

    def _edits(self, view: View, keeps: Keeps) -> dict[tuple[int, int], str]:
        edits: dict[tuple[int, int], str] = {}
        for symbols in self._tokens(view.text):
            if not keeps("".join(view.text[at] for at in symbols).lower()):
                for at in symbols:
                    edits.setdefault(view.span(at), REPLACEMENT if at == symbols[0] else "")
        return edits

    def _tokens(self, text: str) -> Iterator[Sequence[int]]:
        """Yield where the letters of each token stand."""
        for match in self._addressed.finditer(text):
            symbols = [symbol.start(1) for symbol in _SYMBOLS.finditer(text, *match.span("token"))]
            if (match["at"] and len(symbols) == LENGTH) or _is_likely(match["token"]):
                yield symbols
        for match in _ALONE.finditer(text):
            symbols = [symbol.start(1) for symbol in _SYMBOLS.finditer(text, *match.span())]
            if tokens.parse("".join(text[at] for at in symbols)):
                yield symbols

    def _without_tokens(self, block: str) -> str | None:
        """Return that block of base64 without the tokens in it; None if there are none."""
        try:
            content = b64decode(block)
        except binascii.Error:
            return None
        if self._local not in content.lower():
            return None
        redacted = self.redact_bytes(content)
        end = "\r\n" if "\r\n" in block else "\n"
        return None if redacted == content else encodebytes(redacted).decode().rstrip().replace("\n", end)


def _is_likely(text: str) -> bool:
    """Return whether what follows our address is most of a token, in pieces of one length, and no words.

    >>> _is_likely("ca" * 19), _is_likely("I hope that you too will play some more games with me")
    (True, False)
    """
    pieces = re.findall(f"{_SYMBOL}+", re.sub(_MARKUP, "", text))
    return pieces[0][0].lower() in _BEGINNINGS and len({len(piece) for piece in pieces[:-1]}) <= 1


HeaderValue = str | Address | tuple[str, ...]
"""The value of a header: text, an address with its name, or words that stay whole."""
Header = tuple[str, HeaderValue]
OURS = frozenset({"from", "to", "reply-to", "list-unsubscribe", "message-id", "date"})
"""The headers that hold nothing but what we know: no words of anybody."""


class TokenFilter:
    def __init__(self, redactor: TokenRedactor, keyring: Keyring, row: Outgoing) -> None:
        self._redactor, self._keyring, self._row = redactor, keyring, row
        self._keeps = cache(self._is_recipients)

    def filter_text(self, text: str) -> str:
        return self._redactor.redact(text, self._keeps)

    def filter_file(self, kind: str, content: bytes) -> bytes:
        """Return the file without any token; pictures are drawn by us, and archives hold such files."""
        is_ours = kind.startswith("image/") or kind == "application/zip"
        return content if is_ours else self._redactor.redact_bytes(content)

    def filter_headers(self, head: Sequence[Header]) -> Iterator[Header]:
        """Yield the headers, those that may hold words of people without tokens."""
        for name, value in head:
            if name.lower() in OURS or isinstance(value, Address):
                yield name, value
            elif isinstance(value, str):
                yield name, self._redactor.redact(value)
            else:
                yield name, tuple(self._redactor.redact(" ".join(value)).split())

    def _is_recipients(self, text: str) -> bool:
        """Return whether we made the token for the recipient, and it is still valid.

        A message that asks a new address about a player goes to somebody who may not be that player: only the answer
        to the question may stay in it.
        """
        token, row = tokens.parse(text), self._row
        if token is None or token.player != row.player:
            return False
        asks_new_address = row.purpose == Purpose.ADDRESS.name
        return asks_new_address == (token.purpose is Purpose.ADDRESS) and self._keyring.signed(text, row.epoch)
