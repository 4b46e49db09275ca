"""The ways in which a message can fail: with a reply, without one, or for now.

    Exception
    ├── Refused        the sender is told what was read, what is wrong and what would work
    │   └── Unread     the message as a whole can't be read
    ├── Unanswerable   the message is filed; only the log says so
    └── Changed        everything is rolled back, and the message is examined again

BadNotation, IllegalMove and BadOption, from the packages below, become a Refused where a command meets them.
Any other exception is a bug: the message is shunted, and the operator sees it. A message that proves nothing just gets
no answer, and the log says where the bug is.
"""

from collections.abc import Sequence
from enum import Enum


class Refused(Exception):
    """A command that was not carried out: one sentence for the sender, and what would work."""

    def __init__(
        self,
        sentence: str,
        *,
        read: str | None = None,
        at: int | None = None,
        width: int = 1,
        fits: str = "",
        match: int | None = None,
        meant: Sequence[str] = (),
        proposal: str | None = None,
        unsent: Sequence[str] = (),
        gist: str | None = None,
        wish: bool = False,
    ) -> None:
        self.sentence = sentence
        self.read = read  # the text as it was read; `at` and `width` say where the carets go
        self.at = at
        self.width = width
        self.fits = fits  # what would work
        self.match = match  # the match whose board to show
        self.meant = tuple(meant)  # what may have been meant: a line, or up to three turns
        self.proposal = proposal  # the line that a reply of `yes` carries out
        self.unsent = tuple(unsent)  # what else the sender wrote, which goes nowhere now
        self.gist = gist  # what makes it the same refusal as another one; None if its words do
        self.wish = wish  # whether it answers a wish in plain sentences: nothing went wrong
        super().__init__(sentence)


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


class Changed(Exception):
    """What was examined before the transaction has changed since; the message must be examined again."""
