"""Reply tokens: who may do what by replying to a message, as 40 letters and digits after the + of our address.

A token is four numbers and their HMAC under the server's key, so none is stored:

    purpose and ply   2 bytes   (4 bits and 12 bits; from turn 4,096 of a match on: 10 and 14 bits)
    player            3 bytes
    subject           4 bytes   (the match, the held message, or the one that came back)
    HMAC-SHA256      16 bytes   over all of the above, the server's address and the player's epoch

25 bytes are 40 characters of base32, which survives software that changes the case of addresses.
The epoch is stored with the player, not in the token: raising it revokes all of the player's tokens. The address is in
the HMAC so that a copy of a server, with the same key under another address, can't act for it.
"""

import base64
import binascii
import hashlib
import hmac
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

LENGTH = 40
OLDEST = 64  # how many epochs back an expired token is still recognised as ours
_MAC = 16
LARGEST_SUBJECT = 2**31 - 1  # the largest number of a row: a database refuses to look for a larger one
LARGEST_PLY = 0x3FFF  # the last turn of a match that a token to play can name
SMALL_PLY = 0xFFF  # the last turn that a token of another purpose than PLAY can name
_LONG = 0x8000  # the first bits of the tokens of long matches, which no purpose has: 8 to 11
_HEAD = struct.Struct(">H3sI")


class Purpose(IntEnum):
    """What replying with a token allows."""

    PLAY = 1  # act in one match; the subject is the match, the ply is the version of it that the player saw
    PERSONAL = 2
    """Give any command as the player; kept in the address book. The subject, if any, is the message that is replied to:
    it showed several matches."""
    CONFIRM = 3  # carry out a held message, which is the subject
    NOTICES = 4
    """Stop or restart the player's news, or stop watching; used by mail programs and in messages to spectators, and
    harmless in a forwarded message."""
    ADDRESS = 5
    """Confirm the address that the message went to; the subject is the message in which the player asked for it."""
    BOUNCE = 6
    """Report that a message of ours, the subject, came back; in its envelope sender, and nobody's (see bounces)."""
    ONE_CLICK = 7
    """Stop one kind of the player's news, the subject, by a POST over HTTPS; in no address, and nobody's by mail."""
    BOARD = 12
    """Read the page with the board of the match, and play from it if the ply is the present version; its name, and
    nobody's by mail."""


@dataclass(frozen=True, slots=True)
class Token:
    """The content of a token; only valid if `Keyring.signed` says so."""

    purpose: Purpose
    player: int
    subject: int = 0
    ply: int = 0


class Keyring:
    """Creates tokens for the first of the server's addresses; those for its other ones, or for none, are valid too."""

    def __init__(self, key: str, addresses: Sequence[str] = ()) -> None:
        self._addresses = (*(address.lower().encode() for address in addresses), b"")
        self._key = hashlib.sha256(b"pbem reply tokens 1\0" + key.encode()).digest()

    @property
    def fingerprint(self) -> str:
        """What tells the key from others, without giving it away."""
        return hashlib.sha256(b"pbem key fingerprint 1\0" + self._key).hexdigest()[:32]

    def format(self, token: Token, epoch: int) -> str:
        """Return the token as 40 characters."""
        head = _HEAD.pack(_joined(token), token.player.to_bytes(3), token.subject)
        return base64.b32encode(head + self._mac(head, epoch, self._addresses[0])).decode().lower()

    def signed(self, text: str, epoch: int) -> bool:
        """Return whether we created that text for a player with that epoch."""
        try:
            given = base64.b32decode(text.upper())
        except (binascii.Error, ValueError):
            return False
        head, mac = given[: _HEAD.size], given[_HEAD.size :]
        return any(hmac.compare_digest(mac, self._mac(head, epoch, address)) for address in self._addresses)

    def revoked(self, text: str, epoch: int) -> bool:
        """Return whether we created that text for the player in an earlier epoch."""
        return any(self.signed(text, earlier) for earlier in range(max(0, epoch - OLDEST), epoch))

    def _mac(self, head: bytes, epoch: int, address: bytes) -> bytes:
        return hmac.digest(self._key, head + epoch.to_bytes(8) + address, "sha256")[:_MAC]


def parse(text: str) -> Token | None:
    """Return what the text claims, or None if it isn't a token; the claim is not verified."""
    if len(text) != LENGTH or not text.isascii():
        return None
    try:
        purpose_ply, player, subject = _HEAD.unpack(base64.b32decode(text.upper())[: _HEAD.size])
        if subject > LARGEST_SUBJECT:
            return None
        if _LONG + SMALL_PLY < purpose_ply <= _LONG + LARGEST_PLY:
            return Token(Purpose.PLAY, int.from_bytes(player), subject, purpose_ply & LARGEST_PLY)
        return Token(Purpose(purpose_ply >> 12), int.from_bytes(player), subject, purpose_ply & SMALL_PLY)
    except (binascii.Error, ValueError):
        return None


def _joined(token: Token) -> int:
    """Return the purpose and the ply in 16 bits; short matches have the form that they always had."""
    if token.purpose is Purpose.PLAY and token.ply > SMALL_PLY:
        return _LONG | min(token.ply, LARGEST_PLY)
    return token.purpose << 12 | min(token.ply, SMALL_PLY)
