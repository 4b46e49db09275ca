"""The last step before a message has parts: nobody else's reply token leaves in it, whatever path it came by.

What the recipient can act with anyway may stay in text and HTML: the addresses and links that were made for this
message. Files are passed on more freely than messages, so no token at all stays in one.
"""

from collections.abc import Iterator, Sequence
from email.headerregistry import Address

from pbem import tokens
from pbem.messages.token_redaction import TokenRedactor
from pbem.storage.models import Outgoing
from pbem.tokens import Keyring, Purpose

HeaderValue = str | Address | tuple[str, ...]
"""The value of a header: text, an address with its name, or words that stay whole."""
Header = tuple[str, HeaderValue]
OURS = frozenset({"from", "to", "reply-to", "list-unsubscribe", "message-id", "date"})
"""The headers that hold nothing but what we know: no words of anybody."""


class TokenFilter:
    def __init__(self, redactor: TokenRedactor, keyring: Keyring, row: Outgoing) -> None:
        self._redactor, self._keyring, self._row = redactor, keyring, row
        self._known: dict[str, bool] = {}

    def filter_text(self, text: str) -> str:
        return self._redactor.redact(text, self._is_recipients)

    def filter_file(self, kind: str, content: bytes) -> bytes:
        """Return the file without any token; pictures are drawn by us, and archives hold such files."""
        return (
            content if kind.startswith("image/") or kind == "application/zip" else self._redactor.redact_bytes(content)
        )

    def filter_headers(self, head: Sequence[Header]) -> Iterator[Header]:
        """Yield the headers, those that may hold words of people without tokens."""
        for name, value in head:
            if name.lower() in OURS or isinstance(value, Address):
                yield name, value
            elif isinstance(value, str):
                yield name, self._redactor.redact(value)
            else:
                yield name, tuple(self._redactor.redact(" ".join(value)).split())

    def _is_recipients(self, token: str) -> bool:
        if token not in self._known:
            self._known[token] = self._is_made_for(token)
        return self._known[token]

    def _is_made_for(self, text: str) -> bool:
        """Return whether we made the token for the recipient, and it is still valid.

        A message that asks a new address about a player goes to somebody who may not be that player: only the answer
        to the question may stay in it.
        """
        token, row = tokens.parse(text), self._row
        if token is None or token.player != row.player:
            return False
        asks_new_address = row.purpose == Purpose.ADDRESS.name
        return asks_new_address == (token.purpose is Purpose.ADDRESS) and self._keyring.signed(text, row.epoch)
