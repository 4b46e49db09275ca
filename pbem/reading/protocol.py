"""Examining mails: what is asked about the bytes of a mail, what is answered, and whoever does it.

Everything that takes the bytes of a mail apart is asked for here, so that it can be done in a process of its own (see
sandbox). Questions and answers travel as JSON: what comes back from there is data and nothing else.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from pydantic import TypeAdapter

from pbem.config import ChecksSettings
from pbem.reading import authentication, bounce_report, message
from pbem.reading.authentication import Checked
from pbem.reading.limits import Unreadable
from pbem.reading.message import Mail


@dataclass(frozen=True, slots=True)
class Reading:
    """The question what is in the mail."""

    sender: str | None
    recipients: tuple[str, ...]
    trouble: str | None = None
    """Why only its header is to be read."""
    kind: Literal["reading"] = "reading"


@dataclass(frozen=True, slots=True)
class Failing:
    """The question whether the mail reports that an address can't be reached, ever."""

    kind: Literal["failing"] = "failing"


@dataclass(frozen=True, slots=True)
class Checking:
    """The question what the sender checks say of the mail."""

    ours: str
    settings: ChecksSettings
    now: datetime
    kind: Literal["checking"] = "checking"


Question = Reading | Failing | Checking


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found out: one of the first three, or why nothing was."""

    message: Mail | None = None
    is_final: bool | None = None
    checked: Checked | None = None
    unreadable: str | None = None
    is_last: bool = False
    """Whether nothing more can be asked there."""


QUESTIONS: TypeAdapter[Question] = TypeAdapter(Question)
ANSWERS: TypeAdapter[Answer] = TypeAdapter(Answer)


class Unavailable(Exception):
    """Nobody can examine mails just now, and why; that is no fault of any mail."""


class MailParser(Protocol):
    """Who takes mails apart; raises Unavailable where that can't be done now."""

    def read(self, raw: bytes, sender: str | None, recipients: tuple[str, ...]) -> Mail:
        """The mail in those bytes, perhaps without its lines; raises Unreadable."""

    def is_final(self, raw: bytes) -> bool:
        """Whether the mail reports that some address can't be reached, ever."""

    def check(self, raw: bytes, ours: str, settings: ChecksSettings, now: datetime) -> Checked:
        """What the sender checks say of the mail."""

    def close(self) -> None:
        """Let go of whatever it takes. Never raises."""


class Here:
    """Examines mails in this process: for whoever is made for it, and for tests."""

    def read(self, raw: bytes, sender: str | None, recipients: tuple[str, ...]) -> Mail:
        """As Examiner has it."""
        return message.read(raw, sender, recipients)

    def is_final(self, raw: bytes) -> bool:
        """As Examiner has it."""
        return bounce_report.is_final(raw)

    def check(self, raw: bytes, ours: str, settings: ChecksSettings, now: datetime) -> Checked:
        """As Examiner has it."""
        return authentication.check(raw, ours, settings, now)

    def close(self) -> None:
        """As Examiner has it."""


def answer(question: Question, raw: bytes) -> Answer:
    """The answer, found in this process; raises MemoryError, and nothing else whatever the bytes are."""
    try:
        match question:
            case Reading(sender, recipients, None):
                return Answer(message=message.read(raw, sender, recipients))
            case Reading(sender, recipients, trouble):
                return Answer(message=message.read_head(raw, sender, recipients, trouble or ""))
            case Failing():
                return Answer(is_final=bounce_report.is_final(raw))
            case Checking(ours, settings, now):
                return Answer(checked=authentication.check(raw, ours, settings, now))
    except Unreadable as error:
        return Answer(unreadable=str(error))
