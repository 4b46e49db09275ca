"""A match as our messages carry it: enough to go on with it on an empty database, and signed by the server.

It is in a header of each message to one of its players. Who has the message can read it, nobody can change it, and
everybody who knows the server's public key can see that nobody did.
"""

import base64
import binascii
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any

from pydantic import TypeAdapter, ValidationError

from pbem.matches.clock.timekeeping import clock_of
from pbem.matches.queries import seat_of
from pbem.signatures import KEY, SIGNATURE, is_signed
from pbem.storage.facts import MatchFacts
from pbem.storage.models import MatchState, Player, TakenBack
from pbem.tokens import Keyring

HEADER = "X-PBeM-Record"
MOST = 30_000
"""How many characters of these headers a message has at most; matches that don't fit are left out."""
LARGEST = 2_000_000
"""How many bytes a match can have when it is unpacked."""
WORD = 64
"""The length of the words of the header, between which it can be folded."""
_SEAL = 32
"""The length of the seal that stood in place of key and signature before records were signed."""


class NotOurs(Exception):
    """What a header says that this server never wrote, or that was changed since."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One of the two players."""

    id: int
    name: str
    epoch: int = 0
    """That of their reply addresses, so that those which were revoked stay so."""


@dataclass(frozen=True, slots=True)
class CarriedTurn:
    """A complete turn, and when it was played."""

    text: str
    played: datetime


@dataclass(frozen=True, slots=True)
class CarriedUndone:
    """A turn that was taken back; the fields are those of the row."""

    number: int
    seat: int
    text: str
    shift: int
    played: datetime
    taken_back: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLeft:
    """The clock of one player when the present turn began."""

    bank: timedelta | None
    turns: int
    used: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class CarriedMatch:
    """A match as it was when a message about it was written; the fields are those of the row, unless they say more."""

    server: str
    written: datetime
    reader: int
    """The player to whom the message went, at that address."""
    address: str
    number: int
    game: str
    rules: int = 1
    options: dict[str, str]
    people: tuple[Person, Person]
    """By seat."""
    challenger: int
    turns: tuple[CarriedTurn, ...]
    created: datetime
    started: datetime
    shift: int = 0
    undone: tuple[CarriedUndone, ...] = ()
    time: str | None = None
    left: tuple[TimeLeft, TimeLeft] | None = None
    """By seat, with a time control."""
    rated: bool = False
    free_undo: bool = False
    level: int | None = None
    begun_from: int | None = None
    begun_after: int = 0
    ended: datetime | None = None
    winner: int | None = None
    termination: str | None = None
    termination_seat: int | None = None
    reason: str | None = None
    counted: datetime | None = None


_MATCH = TypeAdapter(CarriedMatch)
_COPIED = (
    *("game", "rules", "options", "challenger", "created", "shift", "time", "rated", "free_undo", "level"),
    *("begun_from", "begun_after"),
)
_ENDED = ("ended", "winner", "termination", "termination_seat", "reason", "counted")
FIELDS = (*_COPIED, "started", *_ENDED)
"""The fields that the row of the match has too."""
UNDONE = tuple(field.name for field in fields(CarriedUndone))


def of(
    known: MatchFacts,
    turns: Sequence[tuple[str, datetime, int]],
    undone: Sequence[TakenBack],
    reader: Player,
    address: str,
    server: str,
    written: datetime,
) -> CarriedMatch | None:
    """Return the match as a message to one of its players carries it; None for others, and for what wasn't played.

    The turns come as rows (see snapshot.turn_rows), with those taken back.
    """
    match = known.match
    if seat_of(match, reader) is None or match.started is None:
        return None
    if match.state not in (MatchState.RUNNING, MatchState.OVER):
        return None
    clock, first, second = clock_of(match), *known.players
    same: dict[str, Any] = {name: getattr(match, name) for name in FIELDS}
    return CarriedMatch(
        server=server,
        written=written,
        reader=reader.id or 0,
        address=address,
        number=match.id or 0,
        people=(_person(first), _person(second)),
        turns=tuple(CarriedTurn(text, played) for text, played, _ in turns),
        undone=tuple(CarriedUndone(*(getattr(row, name) for name in UNDONE)) for row in undone),
        left=None
        if clock is None
        else (
            TimeLeft(bank=clock.sides[0].bank, turns=clock.sides[0].turns, used=clock.sides[0].used),
            TimeLeft(bank=clock.sides[1].bank, turns=clock.sides[1].turns, used=clock.sides[1].used),
        ),
        **same,
    )


def _person(player: Player) -> Person:
    return Person(id=player.id or 0, name=player.name or "", epoch=player.epoch)


def pack(match: CarriedMatch, keyring: Keyring) -> str:
    """Return the match as words of a header."""
    content, signer = zlib.compress(_MATCH.dump_json(match, exclude_defaults=True), 9), keyring.signer
    sealed = base64.b64decode(signer.public) + signer.sign(content) + content
    text = base64.urlsafe_b64encode(sealed).decode()
    return " ".join(text[start : start + WORD] for start in range(0, len(text), WORD))


def unpack(words: str, keyring: Keyring) -> CarriedMatch:
    """Return the match in the words of a header of ours; raise NotOurs."""
    raw = _raw(words)
    if keyring.is_sealed(raw[_SEAL:], raw[:_SEAL]):
        return _read(raw[_SEAL:])
    public, match = signed(words)
    if public != keyring.signer.public:
        raise NotOurs("it isn't what this server wrote, or the key is another one")
    return match


def signed(words: str) -> tuple[str, CarriedMatch]:
    """Return the public key with which a header was signed, and its match; raise NotOurs if it was changed since."""
    raw = _raw(words)
    public, signature, content = raw[:KEY], raw[KEY : KEY + SIGNATURE], raw[KEY + SIGNATURE :]
    key = base64.b64encode(public).decode()
    if not is_signed(content, signature, key):
        raise NotOurs("it isn't signed, or was changed since")
    return key, _read(content)


def _raw(words: str) -> bytes:
    try:
        return base64.b64decode("".join(words.split()), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise NotOurs("it is damaged") from error


def _read(content: bytes) -> CarriedMatch:
    try:
        return _MATCH.validate_json(zlib.decompressobj().decompress(content, LARGEST))
    except (zlib.error, ValidationError) as error:
        raise NotOurs("it was written by another version of this server") from error
