"""How the handling of a message ended, as its row says it."""

from dataclasses import dataclass
from enum import Enum


class Outcome(Enum):
    """How the handling of a message ended; each value is the line for the operator."""

    DONE = "done: {detail}"  # its commands were carried out; the detail names them
    INTRODUCED = "told what this is"
    REFUSED = "refused"
    REFUSED_IN_PART = "refused in part"  # commands were carried out until one was refused
    UNREAD = "unread: {detail}"
    ASKED = "asked for confirmation"
    ASKED_AGAIN = "asked for confirmation again"
    NOT_CONFIRMED = "not confirmed"
    TOO_LATE = "too late"
    SETTLED = "settled already"
    UNANSWERED = "no answer: {detail}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a message.

    >>> str(Verdict(Outcome.DONE, "move, say", confirmed=7))
    'confirmed mail 7; done: move, say'
    """

    outcome: Outcome
    detail: str = ""
    confirmed: int | None = None  # the held message that was let act by this one; the outcome is that of its commands

    @property
    def has_acted(self) -> bool:
        return self.outcome in (Outcome.DONE, Outcome.REFUSED_IN_PART)

    def __str__(self) -> str:
        text = self.outcome.value.format(detail=self.detail)
        return text if self.confirmed is None else f"confirmed mail {self.confirmed}; {text}"
