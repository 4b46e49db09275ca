"""Connections to other servers. Each loss is logged once, however often it is tried again, and so is each recovery."""

import threading
import time
from collections.abc import Callable

import structlog

log = structlog.get_logger()


class FirstOfEach:
    def __init__(self, number: int, callback: Callable[[], object]) -> None:
        self._lock = threading.Lock()
        self._missing = number
        self._callback = callback

    def happened(self) -> None:
        with self._lock:
            self._missing -= 1
            is_last = self._missing == 0
        if is_last:
            self._callback()


class Link:
    """A connection that may be lost and come back; several threads may share it.

    It is lost when the first of them fails, and back when the last of those that had failed succeeds.
    """

    def __init__(
        self,
        name: str,
        *,
        lost: str,
        again: str,
        monotonic: Callable[[], float] = time.monotonic,
        level: str = "warning",
        changed: Callable[[], object] = lambda: None,
    ) -> None:
        self.name = name
        self.is_needed = False
        """Whether the server isn't ready before it stands."""
        self._lost, self._again = lost, again
        self._level = level
        self._changed = changed
        self._error = ""
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._failing: dict[str, str] = {}
        self._since: float | None = None
        self._has_stood = False
        self._on_first: Callable[[], object] = lambda: None

    @property
    def is_up(self) -> bool | None:
        with self._lock:
            return False if self._failing else True if self._has_stood else None

    @property
    def lost_for(self) -> float:
        """For how many seconds it has been lost; 0 if it isn't."""
        with self._lock:
            return self._monotonic() - self._since if self._failing and self._since is not None else 0.0

    @property
    def error(self) -> str:
        with self._lock:
            return self._error if self._failing else ""

    def call_on_first(self, callback: Callable[[], object]) -> None:
        self._on_first = callback

    def connected(self) -> None:
        """Note that it stands, unless it was lost before: what it is needed for must succeed first (see `works`)."""
        with self._lock:
            is_first = not self._has_stood and not self._failing
            self._has_stood = self._has_stood or is_first
        if is_first:
            self._changed()
            self._on_first()

    def works(self, user: str = "") -> None:
        """Note a success of one user of it; log that it is back if it was lost."""
        if not self._failing and self._has_stood:  # nearly always; a look without the lock is enough
            return
        with self._lock:
            why = self._failing.pop(user, None)
            is_back = why is not None and not self._failing
            since, is_first = self._since, not self._has_stood
            self._has_stood = True
        if is_back or is_first:
            self._changed()
        if is_back:
            log.info(self._again, link=self.name, lost=why, seconds=round(self._monotonic() - (since or 0.0), 1))
        if is_first:
            self._on_first()

    def fails(self, why: str, error: str, user: str = "") -> None:
        """Note a failure of one user of it, of this kind; log that it is lost if it wasn't."""
        with self._lock:
            is_lost = not self._failing
            self._failing[user] = why
            self._error = error
            if is_lost:
                self._since = self._monotonic()
        if is_lost:
            self._changed()
            getattr(log, self._level)(self._lost, link=self.name, lost=why, error=error)
