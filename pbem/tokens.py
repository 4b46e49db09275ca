"""Reply tokens: who may do what by answering a mail, as 40 letters and digits behind the + of our address.

A token is five numbers and their HMAC under the server's key, so none lies in the database:

    purpose and ply   2 bytes   (4 bits and 12 bits)
    player            3 bytes
    subject           4 bytes   (the match, or the held mail)
    HMAC-SHA256      16 bytes   over all of the above and the player's epoch

25 bytes are 40 characters of base32, which survives software that changes the case of addresses.
The epoch is kept with the player and not in the token: raising it revokes every token of the player.
"""

import base64
import binascii
import hashlib
import hmac
import struct
from dataclasses import dataclass
from enum import IntEnum

LENGTH = 40
OLDEST = 64
"""So many epochs back a token is still known to have been ours; a mail with an older one is nobody's."""
_MAC = 16
_LARGEST_PLY = 0xFFF
_HEAD = struct.Struct(">H3sI")


class Purpose(IntEnum):
    """What answering with a token allows."""

    PLAY = 1
    """Act in one match; the subject is the match, the ply is what the player saw."""
    PERSONAL = 2
    """Give any command as the player; kept in the address book. The subject, where there is one, is the mail of ours
    that is answered: it showed several matches."""
    CONFIRM = 3
    """Let a held mail act; the subject is that mail."""
    NOTICES = 4
    """Stop the player's notices, or start them again; for mail programs, and harmless in a mail that is passed on."""
    ADDRESS = 5
    """Take over the address that the mail went to; the subject is the mail in which the player agreed to that."""


@dataclass(frozen=True, slots=True)
class Token:
    """What a token says; worth nothing until `Keyring.signed` has agreed."""

    purpose: Purpose
    player: int
    subject: int = 0
    ply: int = 0


class Keyring:
    """Writes and checks tokens under the server's key."""

    def __init__(self, key: str) -> None:
        self._key = hashlib.sha256(b"pbem reply tokens 1\0" + key.encode()).digest()

    def format(self, token: Token, epoch: int) -> str:
        """The 40 characters that stand for the token."""
        head = _HEAD.pack(token.purpose << 12 | min(token.ply, _LARGEST_PLY), token.player.to_bytes(3), token.subject)
        return base64.b32encode(head + self._mac(head, epoch)).decode().lower()

    def signed(self, text: str, epoch: int) -> bool:
        """Whether we wrote that text for a player whose epoch is that."""
        try:
            given = base64.b32decode(text.upper())
        except (binascii.Error, ValueError):
            return False
        return hmac.compare_digest(given[_HEAD.size :], self._mac(given[: _HEAD.size], epoch))

    def revoked(self, text: str, epoch: int) -> bool:
        """Whether we wrote that text for the player, in an earlier epoch."""
        return any(self.signed(text, earlier) for earlier in range(max(0, epoch - OLDEST), epoch))

    def _mac(self, head: bytes, epoch: int) -> bytes:
        return hmac.digest(self._key, head + epoch.to_bytes(8), "sha256")[:_MAC]


def parse(text: str) -> Token | None:
    """What the text claims, None where it is no token; the claim is still to be checked.

    >>> parse("not a token") is None
    True
    """
    if len(text) != LENGTH or not text.isascii():
        return None
    try:
        purpose_ply, player, subject = _HEAD.unpack(base64.b32decode(text.upper())[: _HEAD.size])
        return Token(Purpose(purpose_ply >> 12), int.from_bytes(player), subject, purpose_ply & _LARGEST_PLY)
    except (binascii.Error, ValueError):
        return None
