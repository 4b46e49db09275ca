"""Pages that are the same for all who ask for them, but for the tokens in their own addresses.

Such a page is made once, with other tokens of the same length in place of the reader's, which are then put in. A token
is letters and digits: it stands in addresses and links as it is, and where a line is wrapped doesn't depend on it.
"""

import secrets
from base64 import b32encode
from collections.abc import Mapping
from dataclasses import dataclass

from pbem.messages.said.messages import Answer
from pbem.storage.payloads import Payload
from pbem.tokens import LENGTH

SHARED = frozenset({"help", "help_command", "help_game", "help_group", "help_notation", "help_setting", "help_topic"})
"""The sections of which such pages consist."""
KEPT = 32
"""How many pages are kept; those of a server without a change are fewer, but each can be asked for under a Subject."""


def _stand_in() -> str:
    """Return what no text contains."""
    return b32encode(secrets.token_bytes(LENGTH * 5 // 8)).decode().lower()


PERSONAL, REPLY = _stand_in(), _stand_in()
"""What stands for the tokens of the reader's personal address, and of the address for replies."""


@dataclass(frozen=True, slots=True)
class Page:
    """Text and HTML, where there is any."""

    text: str
    html: str | None

    def of(self, tokens: Mapping[str, str]) -> "Page":
        """Return the page with a reader's tokens for those that stand for them."""
        text, html = self.text, self.html
        for stand_in, token in tokens.items():
            text = text.replace(stand_in, token)
            html = html.replace(stand_in, token) if html is not None else None
        return Page(text, html)


@dataclass(frozen=True, slots=True)
class AnyReader:
    """All that such a page may know of its reader."""

    confirmed: bool


def is_shared(template: str, payload: Payload) -> bool:
    """Return whether a message with that template is such a page."""
    return (
        template == "answer"
        and isinstance(payload, Answer)
        and all(section.template in SHARED for section in payload.sections)
    )
