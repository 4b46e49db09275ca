"""How much CPU time the games of others may take for a message, and what happens to a call that takes more.

A call into such a game is watched while a budget holds. Where it has used up the budget, another thread interrupts it
by an exception, as `stopit` and others do (PyThreadState_SetAsyncExc). The exception never arrives later than that: on
its way out, a call waits until the watcher has done what it was about to do, and takes an exception back that hasn't
arrived. The time is that of the thread alone, so neither load nor a slow disk matters.

What can't be interrupted is a single long step of C, such as `10**10**9` or a regular expression that backtracks; and
memory isn't bounded at all.
"""

import ctypes
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from engines.core import BadOption, IllegalMove
from notation.core import BadNotation

SECONDS = 10.0
"""How much CPU time a game of others may take for one message."""
EVERY = 0.05
"""How often it is looked whether a call takes too long."""
AGAIN = 1.0
"""After how much more time a call is interrupted once more that has caught the exception."""
_Result = TypeVar("_Result")


class PackFault(Exception):
    """A game's package raised what it shouldn't, returned nonsense, or took too long."""

    def __init__(self, key: str, call: str, why: str) -> None:
        self.key = key
        self.call = call
        super().__init__(f"the package of the game {key} failed in {call}: {why}")


class Nonsense(Exception):
    """What a game returned isn't of the right type."""


class _Interrupted(BaseException):
    """A call has used up its budget. Games that catch every Exception don't catch this one."""


class Budget:
    """What the calls of a thread into each game may take, and which of them have failed."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.left: dict[str, float] = {}
        self.faults: list[PackFault] = []
        self.thread = threading.get_ident()
        self.clock = time.pthread_getcpuclockid(self.thread)


class _Call:
    """A call that is watched. Its thread and the watcher both set attributes, in an order that matters."""

    __slots__ = ("clock", "deadline", "fired", "is_over", "settled", "thread")

    def __init__(self, budget: Budget, left: float) -> None:
        self.thread, self.clock = budget.thread, budget.clock
        self.deadline = time.thread_time() + left
        self.fired = self.settled = 0
        self.is_over = False

    def check(self) -> None:
        """Interrupt the call if it has taken too long; called by the watcher."""
        try:
            used = time.clock_gettime(self.clock)
        except OSError:  # the thread has ended
            return
        if used < self.deadline:
            return
        self.deadline = used + AGAIN
        self.fired += 1  # from here until it is settled, the call doesn't end
        if not self.is_over:
            _raise_in(self.thread, _Interrupted)
        self.settled += 1

    def end(self) -> None:
        """Have nothing arrive from now on."""
        self.is_over = True
        while self.fired != self.settled:
            time.sleep(0)
        if self.fired:
            _raise_in(self.thread, None)
        _calls.pop(self.thread, None)


_here = threading.local()
_calls: dict[int, _Call] = {}
"""The calls that are watched, by thread."""
_are_any = threading.Event()
_watcher = 0
"""The process whose watcher runs."""


@contextmanager
def budget(seconds: float | None = None) -> Iterator[Budget]:
    """Let the calls of this thread into a game together take no more CPU time than that (default: SECONDS)."""
    outer = getattr(_here, "budget", None)
    _here.budget = Budget(SECONDS if seconds is None else seconds)
    try:
        yield _here.budget
    finally:
        _here.budget = outer


def forget_faults() -> None:
    """Don't hold the failures so far against the games."""
    present: Budget | None = getattr(_here, "budget", None)
    if present is not None:
        present.faults.clear()


def call(key: str, name: str, function: Callable[..., _Result], *args: Any) -> _Result:
    """Call a function of a game and return what it returns; raise PackFault, or a refusal that it raises."""
    present: Budget | None = getattr(_here, "budget", None)
    try:
        return function(*args) if present is None else _watched(present, key, function, args)
    except (IllegalMove, BadNotation, BadOption, PackFault):
        raise
    except _Interrupted:
        why = "it took too long"
        cause: BaseException | None = None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it is, it is a bug of that package
        why, cause = f"{type(error).__name__}: {error}"[:200], error
    fault = PackFault(key, name, why)
    if present is not None:
        present.faults.append(fault)
    raise fault from cause


def _watched(present: Budget, key: str, function: Callable[..., _Result], args: tuple[Any, ...]) -> _Result:
    """Call the function, and let it be interrupted once the budget is used up."""
    if (left := present.left.get(key, present.seconds)) <= 0:
        raise _Interrupted
    watched = _Call(present, left)
    try:
        try:
            _calls[watched.thread] = watched
            _watch()
            return function(*args)
        finally:
            watched.is_over = True
    finally:
        try:
            watched.end()
        except _Interrupted:  # it arrived on the way out; no other will
            watched.end()
        present.left[key] = 0.0 if watched.fired else watched.deadline - time.thread_time()


def _watch() -> None:
    """Wake the watcher, or start it."""
    global _watcher
    if not _are_any.is_set():
        _are_any.set()
    if _watcher != os.getpid():
        _watcher = os.getpid()
        threading.Thread(target=_keep_watching, name="games of others", daemon=True).start()


def _keep_watching() -> None:
    while True:
        _are_any.wait()
        time.sleep(EVERY)
        _are_any.clear()
        if calls := [*_calls.values()]:
            _are_any.set()
        for each in calls:
            each.check()


def _raise_in(thread: int, exception: type[BaseException] | None) -> None:
    """Raise an exception in a thread as soon as it runs Python again; None takes one back that hasn't arrived."""
    raised = None if exception is None else ctypes.py_object(exception)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)
