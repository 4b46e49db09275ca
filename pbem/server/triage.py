"""The queue in which a message waits, chosen by its headers alone: replies go first, and strangers may send less.

A reply goes to an address with a token of ours, which only its player has read. What else claims to come from a player
goes before strangers, but not before replies, since anybody can write that From. What a message may do is decided once
it is parsed (see `identity` and `trust`).
"""

import re
from dataclasses import dataclass

from sqlalchemy import Connection, String, bindparam, select
from sqlmodel import col

from pbem import tokens
from pbem.mail.reading import from_header
from pbem.mail.reading.limits import LARGEST_OF_STRANGERS, header_block, normalize_newlines
from pbem.mail.transports.protocols import Arrival
from pbem.storage.models import Lane, Player
from pbem.tokens import Keyring

MOST_TAGS = 10
_TAG = re.compile(rb'(?:[+=-]|%%2b)([a-z2-7]{%d})"?@' % tokens.LENGTH, re.IGNORECASE)
_FROM = re.compile(r"^from[ \t]*:(.*(?:\n[ \t].*)*)", re.IGNORECASE | re.MULTILINE)
_REPORT = re.compile(rb"^content-type[ \t]*:\s*multipart/report", re.IGNORECASE | re.MULTILINE)

_OWNER = select(col(Player.epoch), col(Player.address)).where(col(Player.id) == bindparam("player"))
_PLAYER = select(col(Player.id)).where(
    col(Player.address) == bindparam("author", type_=String), col(Player.confirmed).is_not(None)
)


@dataclass(frozen=True, slots=True)
class LanePlace:
    lane: Lane
    group: str | None
    """Whose it is: the address of the token's player, or else the one in From, if there is exactly one."""
    raw: bytes
    """The message, or only its header block if it is larger than a stranger's may be."""


@dataclass(frozen=True, slots=True)
class Triage:
    keyring: Keyring

    def place(self, connection: Connection, arrival: Arrival) -> LanePlace:
        block = header_block(arrival.raw)
        if owner := self._owner(connection, arrival, block):
            return LanePlace(Lane.REPLIES, owner, arrival.raw)
        author = from_header.author(_FROM.findall(normalize_newlines(block).decode("utf-8", "replace")))
        if author is not None and connection.execute(_PLAYER, {"author": author}).first() is not None:
            return LanePlace(Lane.PLAYERS, author, arrival.raw)
        is_report = arrival.sender == "" or _REPORT.search(block)  # it contains a message of ours
        is_too_large = len(arrival.raw) > LARGEST_OF_STRANGERS and not is_report
        return LanePlace(Lane.STRANGERS, author, block if is_too_large else arrival.raw)

    def _owner(self, connection: Connection, arrival: Arrival, block: bytes) -> str | None:
        """Return the address of the player whose token, signed by us, is in one of the recipients' addresses."""
        addresses = " ".join(arrival.recipients).encode("utf-8", "replace") + block
        for tag in sorted({found.decode().lower() for found in _TAG.findall(addresses)})[:MOST_TAGS]:
            token = tokens.parse(tag)
            owner = connection.execute(_OWNER, {"player": token.player}).first() if token else None
            if owner is not None and self.keyring.signed(tag, owner.epoch):
                return str(owner.address)
        return None
