"""Where the crash suite ends the process: a named step after each thing that happens to a mail.

`PBEM_FAILPOINT=sent` kills this process with SIGKILL as soon as a mail was handed over, `sent:3` at the third one. In a
server that nobody wants to see die the variable is not set, and a step costs one look at an empty answer.
"""

import itertools
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

VARIABLE = "PBEM_FAILPOINT"


class Step(StrEnum):
    """The steps of a mail's path, in their order; each is reached when what it says has just happened."""

    RECEIVED = "received"
    """We have the bytes, and nobody else knows that."""
    STORED = "stored"
    """They are committed; who gave them to us has not been told."""
    COPIED = "copied"
    """On a server without MOVE the mail is in both folders."""
    ACKNOWLEDGED = "acknowledged"
    """Moved out of the mailbox, or answered with 250."""
    COUNTED = "counted"
    """The attempt to handle it is counted."""
    READ = "read"
    AUTHORISED = "authorised"
    EXECUTED = "executed"
    """The commands have run and their effects lie in the transaction, the answers don't yet."""
    COMMITTING = "committing"
    """All is in the transaction, which ends next."""
    COMMITTED = "committed"
    GATHERING = "gathering"
    """A player's collected news are in one mail, within a transaction that ends next."""
    GATHERED = "gathered"
    BEGUN = "begun"
    """Owed mails are chosen, and it is counted that we begin with them."""
    RENDERED = "rendered"
    SENT = "sent"
    """The next hop has taken the mail; we have not written that down."""
    MARKED = "marked"


class BadFailpoint(ValueError):
    """A fail-point that names no step of ours, or no time at which it is reached."""


@dataclass(frozen=True, slots=True)
class Failpoint:
    """The step at which this process ends, and when it is there for how many times."""

    step: Step
    nth: int
    reached: Iterator[int]

    def reach(self, step: Step) -> None:
        """Kill the process if that is the step and the time has come; nothing gets to clean up."""
        if step is self.step and next(self.reached) == self.nth:
            os.kill(os.getpid(), signal.SIGKILL)


def reach(step: Step) -> None:
    """Say that the step is reached; returns unless the environment wants the process to end there."""
    if failpoint := _wanted():
        failpoint.reach(step)


def prepare() -> None:
    """Raise BadFailpoint where the environment names a fail-point that would never be reached."""
    parse(os.environ.get(VARIABLE, ""))


def parse(text: str) -> Failpoint | None:
    """The fail-point as the variable names it, None where it names none; raises BadFailpoint.

    >>> point = parse("sent:3")
    >>> point.step, point.nth
    (<Step.SENT: 'sent'>, 3)
    >>> parse("") is None
    True
    """
    name, _, nth = text.partition(":")
    if not text:
        return None
    if name not in set(Step):
        raise BadFailpoint(f"{VARIABLE}={text}: there is no step {name!r}; the steps are {', '.join(Step)}")
    if nth and not (nth.isascii() and nth.isdecimal() and int(nth) > 0):
        raise BadFailpoint(f"{VARIABLE}={text}: {nth!r} is no number of times; {name}:3 is the third time")
    return Failpoint(Step(name), int(nth or 1), itertools.count(1))


@cache
def _wanted() -> Failpoint | None:
    return parse(os.environ.get(VARIABLE, ""))
