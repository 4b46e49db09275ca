"""The ways in which a message can fail: with a reply, without one, or for now.

    Exception
    ├── Refused        the sender is told what was read, what is wrong and what would work
    │   └── Unread     the message as a whole can't be read
    └── Unanswerable   the message is filed; only the log says so

BadNotation, IllegalMove and BadOption, from the packages below, become a Refused where a command meets them.
Any other exception is a bug: the message is shunted, and the operator sees it. A message that proves nothing just gets
no answer, and the log says where the bug is.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from enum import Enum


@dataclass(eq=False, repr=False)
class Refused(Exception):
    """A command that was not carried out: one sentence for the sender, and what would work."""

    sentence: str
    _: KW_ONLY
    read: str | None = None  # the text as it was read; `at` and `width` say where the carets go
    at: int | None = None
    width: int = 1
    fits: str = ""  # what would work
    match: int | None = None  # the match whose board to show
    meant: Sequence[str] = ()  # what may have been meant: a line, or up to three turns
    proposal: str | None = None  # the line that a reply of `yes` carries out
    unsent: Sequence[str] = ()  # what else the sender wrote, which goes nowhere now
    gist: str | None = None  # what makes it the same refusal as another one; None if its words do
    wish: bool = False  # whether it answers a wish in plain sentences: nothing went wrong

    def __str__(self) -> str:
        return self.sentence


class Unread(Refused):
    """A message that can't be read: what the sender is told, and the detail for the log."""

    def __init__(self, problem: str, detail: str, way_out: str) -> None:
        self.detail = detail
        super().__init__(f"Your message wasn't read: {problem}.", fits=way_out)


class Silence(Enum):
    """Why a message gets no answer; each value is what the log says."""

    UNKNOWN_TOKEN = "unknown token"  # noqa: S105 - no secret
    NO_SENDER = "no sender"
    FAILED_CHECKS = "the sender failed the checks"
    HOURLY_ANSWERS = "too many answers in an hour"
    DAILY_ANSWERS_TO_ADDRESS = "too many answers to this address today"
    MONTHLY_ANSWERS_TO_ADDRESS = "too many answers to this address this month"
    DAILY_ANSWERS_TO_DOMAIN = "too many answers to this domain today"
    DAILY_ANSWERS_TO_STRANGERS = "too many answers to strangers today"
    SAID_BEFORE = "the same answer, often enough"
    ASKED_OFTEN_ENOUGH = "asked often enough"
    ACCOUNT_CLOSED = "the account is closed, as was said today"
    STRANGER_WAS_ASKED = "a stranger who was asked today"
    IS_BEING_ASKED = "the same was asked a moment ago"
    STRANGER_WAS_INTRODUCED = "a stranger who was told what this is"
    BUG = "a bug: {detail}"
    UNREADABLE = "{detail}"
    AUTOMATIC = "automatic: {detail}"
    BOUNCE = "bounce of mail {detail}"
    COMPLAINT = "complaint of player {detail}"


class Unanswerable(Exception):
    """A message that gets no answer, and why."""

    def __init__(self, silence: Silence, detail: object = "") -> None:
        self.silence = silence
        super().__init__(silence.value.format(detail=detail))
