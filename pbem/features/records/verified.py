"""Signed records, checked without a database: who signed them, with which key, and what they say."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from email.message import Message
from typing import Any

from sqlmodel import Session, col, select

from notation import gamerecord
from notation.games import GAMES
from notation.record import BadRecord, Record, replay
from pbem import signatures
from pbem.features.records import imported
from pbem.messages import carried
from pbem.messages.carried import CarriedMatch
from pbem.signatures import NotSigned
from pbem.storage.models import ServerKey


@dataclass(frozen=True, slots=True)
class Signed:
    """A record that nobody has changed since it was signed."""

    domain: str
    """The server that signed it, as the record says."""
    public: str
    """The key with which it was signed; it shows whether the server did."""
    number: str
    """The number of the match there."""
    record: Record
    written: datetime | None
    """When it was signed."""
    played: tuple[datetime, ...] = ()
    """When the server received each turn, where the record says so."""

    @property
    def title(self) -> str:
        """The match in words."""
        first, second = self.record.players
        return f"match #{self.number}, {GAMES.title(self.record.game)}: {first} - {second}"

    @property
    def fault(self) -> str:
        """Why its turns can't be played by the rules; "" if they can."""
        try:
            replay(self.record)
        except BadRecord as bad:
            return str(bad)
        return ""


def in_message(message: Message) -> Iterator[Signed]:
    """Yield the matches that a message of ours carries; raise NotSigned."""
    for words in message.get_all(carried.HEADER, []):
        try:
            public, match = carried.signed(str(words))
        except carried.NotOurs as error:
            raise NotSigned(f"{carried.HEADER}: {error}") from error
        yield Signed(
            match.server,
            public,
            str(match.number),
            _record(match),
            match.written,
            tuple(turn.played for turn in match.turns),
        )


def in_text(text: str) -> Signed:
    """Return what a game record in JSON says; raise NotSigned, or BadRecord if it is none."""
    record, site, _ = gamerecord.loads(text)
    domain, public = signatures.signer_of(json.loads(text))
    times = [imported.time_of(each.received) for each in site.moments]
    played = tuple(time for time in times if time is not None)
    written = imported.time_of(site.generated)
    return Signed(domain, public, site.match, record, written, played if len(played) == len(record.moves) else ())


def signing_keys(session: Session) -> list[ServerKey]:
    """Return the keys that sign records, or have signed some; the one in use comes first."""
    found = session.exec(select(ServerKey).where(col(ServerKey.public).is_not(None)).order_by(col(ServerKey.id).desc()))
    return list(found)


def to_json(key: ServerKey) -> dict[str, str | None]:
    """Return a public key as the site publishes it."""
    since, until = (None if time is None else time.isoformat(timespec="seconds") for time in (key.since, key.until))
    return {"key": key.public, "since": since, "until": until}


def from_json(told: Mapping[str, Any]) -> ServerKey:
    """Return a public key from what a site published; raise KeyError or ValueError."""
    until = told.get("until")
    return ServerKey(fingerprint="", public=str(told["key"]), until=until and datetime.fromisoformat(until))


def what_is_known(signed: Signed, keys: list[ServerKey]) -> str:
    """Return which of these keys signed the record; raise NotSigned if none did while it was in use."""
    key = next((key for key in keys if key.public == signed.public), None)
    if key is None:
        raise NotSigned(f"it is signed with a key that isn't known here: {signatures.fingerprint(signed.public)}")
    if key.until is not None and (signed.written is None or signed.written > key.until):
        raise NotSigned(
            f"it is signed with a key that was replaced on {key.until:%Y-%m-%d}, before it says that it was written"
        )
    return "its key" if key.until is None else f"the key that it had until {key.until:%Y-%m-%d}"


def _record(match: CarriedMatch) -> Record:
    names = (match.people[0].name, match.people[1].name)
    texts = tuple(turn.text for turn in match.turns)
    return Record(match.game, match.options, names, texts, version=match.rules)
