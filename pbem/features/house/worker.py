"""The process that searches: one question from standard input, one answer to standard output.

    python -m pbem.features.house.worker SECONDS MEGABYTES

It has neither settings nor secrets nor a database, limited memory and time, and the lowest claim to the processor. It
can be killed at any time.
"""

import contextlib
import math
import os
import resource
import signal
import sys
import time
from collections.abc import Callable

from pbem.features.house.protocol import Examination, Question, findings, loads, respond
from pbem.mail import sandboxing

NICENESS = 10
"""So that everything else of the server goes first."""
IN_TIME = 0.5
"""After this share of its time, a search of a game that it knows only by its rules answers with what it has."""


def main(seconds: float, megabytes: int) -> None:
    """Answer the question."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)  # sent to us too when the server is stopped; it kills us itself
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    give_way()
    sandboxing.limit_resources(megabytes)
    most = math.ceil(seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))  # beyond it the kernel ends this process
    sys.stdout.buffer.write(_answer(loads(sys.stdin.buffer.read()), lambda: time.process_time() > IN_TIME * seconds))


def _answer(asked: Question | Examination, is_late: Callable[[], bool]) -> bytes:
    """Return the answer as one line of JSON."""
    return findings(asked, is_late).dumps() if isinstance(asked, Examination) else respond(asked, is_late).dumps()


def give_way() -> None:
    """Let everything else go first, where the system allows it: a filter of system calls may not."""
    with contextlib.suppress(OSError):
        os.nice(NICENESS)


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]))
