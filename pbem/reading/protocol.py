"""Examining mails: what is asked about the bytes of a mail, what is answered, and whoever does it.

Everything that takes the bytes of a mail apart is asked for here, so that it can be done in a process of its own (see
sandbox). Questions and answers travel as JSON: what comes back from there is data and nothing else.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from pydantic import TypeAdapter

from pbem.config import ChecksSettings
from pbem.reading import authentication, bounce_report
from pbem.reading.authentication import Checked
from pbem.reading.limits import Unreadable
from pbem.reading.message import Message, read, read_head


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """A request to tell what is in the mail."""

    sender: str | None
    recipients: tuple[str, ...]
    error: str | None = None
    """Why only its header is to be read."""
    kind: Literal["read"] = "read"


@dataclass(frozen=True, slots=True)
class BounceRequest:
    """A request to tell whether the mail reports that an address can't be reached, ever."""

    kind: Literal["bounce"] = "bounce"


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """A request to tell what the sender checks say of the mail."""

    ours: str
    settings: ChecksSettings
    now: datetime
    kind: Literal["check"] = "check"


Request = ReadRequest | BounceRequest | CheckRequest


@dataclass(frozen=True, slots=True)
class Response:
    """What was found out: one of the first three, or why nothing was."""

    message: Message | None = None
    is_final: bool | None = None
    checked: Checked | None = None
    unreadable: str | None = None
    is_last: bool = False
    """Whether nothing more can be asked there."""


REQUESTS: TypeAdapter[Request] = TypeAdapter(Request)
RESPONSES: TypeAdapter[Response] = TypeAdapter(Response)


class Unavailable(Exception):
    """Nobody can examine mails just now, and why; that is no fault of any mail."""


class MailParser(Protocol):
    """Who takes mails apart; raises Unavailable where that can't be done now."""

    def read(self, raw: bytes, sender: str | None, recipients: tuple[str, ...]) -> Message:
        """The mail in those bytes, perhaps without its lines; raises Unreadable."""

    def is_final(self, raw: bytes) -> bool:
        """Whether the mail reports that some address can't be reached, ever."""

    def check(self, raw: bytes, ours: str, settings: ChecksSettings, now: datetime) -> Checked:
        """What the sender checks say of the mail."""

    def close(self) -> None:
        """Let go of whatever it takes. Never raises."""


class InProcessParser:
    """Examines mails in this process: for whoever is made for it, and for tests."""

    def read(self, raw: bytes, sender: str | None, recipients: tuple[str, ...]) -> Message:
        """As MailParser has it."""
        return read(raw, sender, recipients)

    def is_final(self, raw: bytes) -> bool:
        """As MailParser has it."""
        return bounce_report.is_final(raw)

    def check(self, raw: bytes, ours: str, settings: ChecksSettings, now: datetime) -> Checked:
        """As MailParser has it."""
        return authentication.check(raw, ours, settings, now)

    def close(self) -> None:
        """As MailParser has it."""


def respond(request: Request, raw: bytes) -> Response:
    """Return the response, found in this process; raises MemoryError, and nothing else whatever the bytes are."""
    try:
        match request:
            case ReadRequest(sender, recipients, None):
                return Response(message=read(raw, sender, recipients))
            case ReadRequest(sender, recipients, error):
                return Response(message=read_head(raw, sender, recipients, error or ""))
            case BounceRequest():
                return Response(is_final=bounce_report.is_final(raw))
            case CheckRequest(ours, settings, now):
                return Response(checked=authentication.check(raw, ours, settings, now))
    except Unreadable as error:
        return Response(unreadable=str(error))
