"""What players are told of what the operator did, announcements to all, and what the admin is shown by mail."""

from typing import ClassVar

from pbem.storage.payloads import Listing, Part, Payload


class AccountChanged(Payload, template="account"):
    closed: bool
    matches: tuple[int, ...] = ()
    """Their matches that have ended by that."""
    lost: bool = False
    """Whether they have lost these; otherwise they have no result."""
    contact: str = ""
    """Whom to write to about it; empty if the operator has no address."""
    message: tuple[str, ...] = ()
    """Why, if the operator says so."""


class Renamed(Payload, template="renamed"):
    who: str
    """The new name."""
    by: str
    """The name before."""
    own: bool
    """Whether the reader is that player; otherwise they play with them."""
    message: tuple[str, ...] = ()
    """Why, if the operator says so."""


class Announced(Payload, template="announcement"):
    subject: str
    message: tuple[str, ...]
    is_long: ClassVar = True


class RosterRow(Part):
    by: str
    address: str
    joined: str
    seen: str
    running: int
    state: str
    """What is special about them; empty for most."""


class Roster(Listing, template="roster"):
    rows: tuple[RosterRow, ...]
    kind: str = ""


class ActKept(Part):
    at: str
    actor: str
    act: str
    by: str = ""
    who: str = ""
    """What the player was called before, if they got another name."""
    number: int | None = None
    """The match that it was about."""
    message: tuple[str, ...] = ()


class ActsKept(Listing, template="acts"):
    rows: tuple[ActKept, ...]
