"""What players are told of what the operator did to them, and what the operator announces to all."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountChanged:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Announced:
    """Tells all players something."""

    subject: str
    message: tuple[str, ...]
    template: Literal["announcement"] = "announcement"
