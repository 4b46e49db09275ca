"""Fail-points, where the crash suite kills the process: a named step after each thing that happens to a message.

`PBEM_FAILPOINT=sent` kills this process with SIGKILL as soon as a message was sent, `sent:3` at the third one.
In normal operation the variable isn't set, and a step costs one look at a cached None.
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
    """The steps of a message's path, in order; each is reached right after what it says has happened."""

    RECEIVED = "received"
    """We have the bytes, but nothing is stored or acknowledged."""
    STORED = "stored"
    """They are committed, but not acknowledged."""
    COPIED = "copied"
    """On a server without MOVE, the message is in both folders."""
    ACKNOWLEDGED = "acknowledged"
    """Moved out of the mailbox, or answered with 250."""
    COUNTED = "counted"
    """The attempt to process it is counted."""
    READ = "read"
    AUTHORISED = "authorised"
    EXECUTED = "executed"
    """The commands have run; their effects are in the transaction, the replies aren't yet."""
    COMMITTING = "committing"
    """Everything is in the transaction, which commits next."""
    COMMITTED = "committed"
    DUE = "due"
    """What follows from a time that has come (a time-out, a reminder) is in a transaction, which commits next."""
    GATHERING = "gathering"
    """A player's collected news is in one message, in a transaction that commits next."""
    GATHERED = "gathered"
    SEARCHING = "searching"
    """A search of the house is counted, and begins next."""
    FOUND = "found"
    """The house has found a turn, which nothing says yet."""
    ANSWERING = "answering"
    """The turn of the house, and the news of it, are in a transaction that commits next."""
    ANSWERED = "answered"
    BEGUN = "begun"
    """Outgoing messages are chosen, and the start of their delivery is counted."""
    RENDERED = "rendered"
    SENT = "sent"
    """The next hop has accepted the message, but that isn't recorded yet."""
    MARKED = "marked"
    SAVING = "saving"
    """A backup is whole, and gets its name next."""
    RESTORING = "restoring"
    """All of a backup but the database is in its place."""


OF_THE_HOUSE = frozenset({Step.SEARCHING, Step.FOUND, Step.ANSWERING, Step.ANSWERED})
"""The steps of a turn of the house, between those of the messages that it answers and that tell of it."""
OFF_THE_PATH = OF_THE_HOUSE | {Step.DUE, Step.SAVING, Step.RESTORING}
"""The steps that no message reaches itself."""


class BadFailpoint(ValueError):
    """A fail-point with an unknown step, or with an invalid count."""


@dataclass(frozen=True, slots=True)
class Failpoint:
    step: Step
    nth: int
    reached: Iterator[int]

    def reach(self, step: Step) -> None:
        if step is self.step and next(self.reached) == self.nth:
            os.kill(os.getpid(), signal.SIGKILL)


def reach(step: Step) -> None:
    """Mark the step as reached; return unless the environment asks to kill the process here."""
    if failpoint := _wanted():
        failpoint.reach(step)


def prepare() -> None:
    """Raise BadFailpoint if the environment names a fail-point that would never be reached."""
    parse(os.environ.get(VARIABLE, ""))


def parse(text: str) -> Failpoint | None:
    """Return the fail-point named by the variable, or None if there is none; raise BadFailpoint.

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
        raise BadFailpoint(f"{VARIABLE}={text}: {nth!r} is not a count; {name}:3 is the third time")
    return Failpoint(Step(name), int(nth or 1), itertools.count(1))


@cache
def _wanted() -> Failpoint | None:
    return parse(os.environ.get(VARIABLE, ""))
