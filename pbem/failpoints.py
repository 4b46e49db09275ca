"""Fail-points, where the crash suite kills the process: a named step after each thing that happens to a message.

`PBEM_FAILPOINT=sent` kills this process with SIGKILL as soon as a message was sent, `sent:3` at the third one.
In normal operation the variable isn't set, and a step costs one look at a cached None.
"""

import itertools
import os
import signal
from enum import StrEnum
from functools import cache

VARIABLE = "PBEM_FAILPOINT"
_TIMES = itertools.count(1)


class Step(StrEnum):
    """The steps of a message's path, in order; each is reached right after what it says has happened."""

    RECEIVED = "received"  # we have the bytes, but nothing is stored or acknowledged
    STORED = "stored"  # they are committed, but not acknowledged
    COPIED = "copied"  # on a server without MOVE, the message is in both folders
    ACKNOWLEDGED = "acknowledged"  # moved out of the mailbox, or answered with 250
    COUNTED = "counted"  # the attempt to process it is counted
    READ = "read"
    AUTHORISED = "authorised"
    EXECUTED = "executed"  # the commands have run; their effects are in the transaction, the replies aren't yet
    COMMITTING = "committing"  # everything is in the transaction, which commits next
    COMMITTED = "committed"
    DUE = "due"  # what follows from a time that has come is in a transaction, which commits next
    GATHERING = "gathering"  # a player's collected news is in one message; its transaction commits next
    GATHERED = "gathered"
    SEARCHING = "searching"  # a search of the house is counted, and begins next
    FOUND = "found"  # the house has found a turn, which nothing says yet
    ANSWERING = "answering"  # the turn of the house and its news are in a transaction, which commits next
    ANSWERED = "answered"
    BEGUN = "begun"  # outgoing messages are chosen, and the start of their delivery is counted
    RENDERED = "rendered"
    SENT = "sent"  # the next hop has accepted the message, but that isn't recorded yet
    MARKED = "marked"
    SAVING = "saving"  # a backup is whole, and gets its name next
    RESTORING = "restoring"  # all of a backup but the database is in its place


_OF_THE_HOUSE = frozenset({Step.SEARCHING, Step.FOUND, Step.ANSWERING, Step.ANSWERED})
OFF_THE_PATH = _OF_THE_HOUSE | {Step.DUE, Step.SAVING, Step.RESTORING}  # the steps that no message reaches itself


class BadFailpoint(ValueError):
    """A fail-point with an unknown step, or with an invalid count."""


def reach(step: Step) -> None:
    """Mark the step as reached; return unless the environment asks to kill the process here."""
    if (failpoint := _failpoint()) and failpoint[0] is step and next(_TIMES) == failpoint[1]:
        os.kill(os.getpid(), signal.SIGKILL)


def prepare() -> None:
    """Raise BadFailpoint if the environment names a fail-point that would never be reached."""
    parse(os.environ.get(VARIABLE, ""))


def parse(text: str) -> tuple[Step, int] | None:
    """Return the step named by the variable, and at which time to end there; raise BadFailpoint.

    >>> parse("sent:3")
    (<Step.SENT: 'sent'>, 3)
    """
    name, _, nth = text.partition(":")
    if not text:
        return None
    if name not in set(Step):
        raise BadFailpoint(f"{VARIABLE}={text}: there is no step {name!r}; the steps are {', '.join(Step)}")
    if nth and not (nth.isascii() and nth.isdecimal() and int(nth) > 0):
        raise BadFailpoint(f"{VARIABLE}={text}: {nth!r} is not a count; {name}:3 is the third time")
    return Step(name), int(nth or 1)


@cache
def _failpoint() -> tuple[Step, int] | None:
    return parse(os.environ.get(VARIABLE, ""))
