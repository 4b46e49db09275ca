"""What players are told of what the operator did, announcements to all, and what the admin is shown by mail."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from pbem.storage.payloads import Payload, Section


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountChanged(Payload):
    """Tells a player that the operator has closed their account, or opened it again."""

    closed: bool
    matches: tuple[int, ...] = ()
    """Their matches that have ended by that."""
    lost: bool = False
    """Whether they have lost these; otherwise they have no result."""
    contact: str = ""
    """Whom to write to about it; empty if the operator has no address."""
    message: tuple[str, ...] = ()
    """Why, if the operator says so."""
    template: Literal["account"] = "account"
    heading: ClassVar = "Your account"


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed(Payload):
    """Tells that the operator has given a player another name."""

    who: str
    """The new name."""
    by: str
    """The name before."""
    own: bool
    """Whether the reader is that player; otherwise they play with them."""
    message: tuple[str, ...] = ()
    """Why, if the operator says so."""
    template: Literal["renamed"] = "renamed"
    heading: ClassVar = "A new name"


@dataclass(frozen=True, slots=True, kw_only=True)
class Announced(Payload):
    """Tells all players something."""

    subject: str
    message: tuple[str, ...]
    template: Literal["announcement"] = "announcement"
    is_long: ClassVar = True
    heading: ClassVar = "{0.subject}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterRow:
    """A line in the admin's list of players."""

    by: str
    address: str
    joined: str
    seen: str
    running: int
    state: str
    """What is special about them; empty for most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster(Section):
    """A page of all players, or of those of a kind or with such names, for the admin."""

    rows: tuple[RosterRow, ...]
    kind: str = ""
    page: int
    next_page: str | None = None
    template: Literal["roster"] = "roster"
    heading: ClassVar = "The players"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActKept:
    """A line in the list of what was done."""

    at: str
    actor: str
    act: str
    by: str = ""
    who: str = ""
    """What the player was called before, if they got another name."""
    number: int | None = None
    """The match that it was about."""
    message: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ActsKept(Section):
    """A page of what was done to players and matches, for the admin."""

    rows: tuple[ActKept, ...]
    page: int
    next_page: str | None = None
    template: Literal["acts"] = "acts"
    heading: ClassVar = "What was done"
