"""Functions that behave badly where they run apart."""

import os
import signal
from itertools import count
from typing import Any, cast


def doubled(number: int) -> int:
    """Return what it should."""
    return 2 * number


def process() -> int:
    """Return the number of the process."""
    return os.getpid()


def nice() -> int:
    """Return how much the process gives way."""
    return os.nice(0)


def endless() -> int:
    """Compute without end."""
    return sum(count())


def frozen() -> int:
    """Stop, so that not even a signal ends it."""
    os.kill(os.getpid(), signal.SIGSTOP)
    return 0


def huge() -> int:
    """Take all the memory there is."""
    return len(b"x" * (1 << 30))


def failing() -> int:
    """Have a bug."""
    raise ValueError


def killed() -> int:
    """Be killed."""
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def lying() -> int:
    """Return what isn't promised."""
    return cast("Any", ["no number"])
