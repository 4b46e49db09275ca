"""Sections of an answer about what the reader wants to be sent: news of matches, and invitations."""

from typing import ClassVar

from pbem.storage.payloads import Section


class InvitationsStopped(Section, template="uninvited"):
    heading: ClassVar = "No more invitations"


class InvitationsAllowed(Section, template="invitable"):
    heading: ClassVar = "Invitations"


class NewsStarted(Section, template="started"):
    since: str | None = None
    """The day on which the player had stopped them."""
    heading: ClassVar = "Your news"


class NewsStopped(Section, template="stopped"):
    heading: ClassVar = "No more news"
