"""Sections of an answer about what the reader wants to be sent: news of matches, and invitations."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from pbem.storage.payloads import Section


@dataclass(frozen=True, slots=True, kw_only=True)
class InvitationsStopped(Section):
    """Nobody can invite the reader again."""

    template: Literal["uninvited"] = "uninvited"
    heading: ClassVar = "No more invitations"


@dataclass(frozen=True, slots=True, kw_only=True)
class InvitationsAllowed(Section):
    """The reader can be invited again."""

    template: Literal["invitable"] = "invitable"
    heading: ClassVar = "Invitations"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsStarted(Section):
    """The player gets news again."""

    since: str | None = None
    """The day on which the player had stopped them."""
    template: Literal["started"] = "started"
    heading: ClassVar = "Your news"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsStopped(Section):
    """The player gets no more news."""

    template: Literal["stopped"] = "stopped"
    heading: ClassVar = "No more news"
