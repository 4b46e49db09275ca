"""What can be asked about the bytes of an email, and the parsers that answer.

Everything that parses hostile bytes is requested here, so that it can run in a process of its own (see `sandbox`).
Requests and responses travel as JSON: nothing comes back from that process but data.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from pydantic import TypeAdapter

from pbem.checks import ChecksSettings
from pbem.mail.reading import authentication, bounce_report
from pbem.mail.reading.authentication import Checked
from pbem.mail.reading.limits import ReadError, Unreadable
from pbem.mail.reading.message import Message, read, read_headers
from pbem.mail.reading.text.ours import NOBODY, Ours


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """Read the message."""

    sender: str | None
    recipients: tuple[str, ...]
    ours: Ours = NOBODY
    error: ReadError | None = None
    """If set, read only the headers, and say that the lines couldn't be read because of this."""
    kind: Literal["read"] = "read"


@dataclass(frozen=True, slots=True)
class BounceRequest:
    """Tell whether the message reports that an address can never be reached."""

    kind: Literal["bounce"] = "bounce"


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """Check whether the message comes from the domain in its From."""

    ours: str
    settings: ChecksSettings
    now: datetime
    kind: Literal["check"] = "check"


Request = ReadRequest | BounceRequest | CheckRequest


@dataclass(frozen=True, slots=True)
class Response:
    """The result, one of the first three; or why there is none."""

    message: Message | None = None
    is_final: bool | None = None
    checked: Checked | None = None
    error: ReadError | None = None
    is_last: bool = False
    """Whether the process ends after this response."""


REQUESTS: TypeAdapter[Request] = TypeAdapter(Request)
RESPONSES: TypeAdapter[Response] = TypeAdapter(Response)


class Unavailable(Exception):
    """Messages can't be parsed at the moment, through no fault of any message."""


class MailParser(Protocol):
    """Parses messages; every method but `close` raises Unavailable if that isn't possible at the moment."""

    def prepare(self) -> None:
        """Start what parsing needs, so that what follows is about a message and nothing else."""

    def read(self, raw: bytes, sender: str | None, recipients: tuple[str, ...], ours: Ours = NOBODY) -> Message:
        """Return the message, perhaps without its lines; raises Unreadable."""

    def is_final(self, raw: bytes) -> bool:
        """Return whether the message reports that an address can never be reached."""

    def check(self, raw: bytes, ours: str, settings: ChecksSettings, now: datetime) -> Checked:
        """Return what speaks for or against the domain in From."""

    def close(self) -> None:
        """Release all resources. Never raises."""


class InProcessParser:
    """A MailParser without a process of its own: for tests, and for trusted messages."""

    def prepare(self) -> None:
        """See MailParser."""

    def read(self, raw: bytes, sender: str | None, recipients: tuple[str, ...], ours: Ours = NOBODY) -> Message:
        """See MailParser."""
        return read(raw, sender, recipients, ours)

    def is_final(self, raw: bytes) -> bool:
        """See MailParser."""
        return bounce_report.is_final(raw)

    def check(self, raw: bytes, ours: str, settings: ChecksSettings, now: datetime) -> Checked:
        """See MailParser."""
        return authentication.check(raw, ours, settings, now)

    def close(self) -> None:
        """See MailParser."""


def respond(request: Request, raw: bytes) -> Response:
    """Return the response, computed in this process; whatever the bytes are, raises nothing but MemoryError."""
    try:
        match request:
            case ReadRequest(sender, recipients, ours, error):
                message = (
                    read_headers(raw, sender, recipients, error)
                    if error is not None
                    else read(raw, sender, recipients, ours)
                )
                return Response(message=message)
            case BounceRequest():
                return Response(is_final=bounce_report.is_final(raw))
            case CheckRequest(ours, settings, now):
                return Response(checked=authentication.check(raw, ours, settings, now))
    except Unreadable as unreadable:
        return Response(error=unreadable.error)
