"""The pulse of a loop: it beats whenever the loop goes on, so that one which hangs is noticed."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

PLACES = 6
"""How many of its innermost calls say where a loop is."""


class Pulse:
    """The pulse of one loop, and for how many seconds it may do without a beat."""

    def __init__(self, name: str, bound: float, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.name = name
        self.bound = bound
        self._monotonic = monotonic
        self._beaten = monotonic()
        self._rests = True
        self._thread: int | None = None

    def beat(self) -> None:
        """Note that the loop goes on; it calls this itself."""
        self._beaten = self._monotonic()
        self._rests = False
        self._thread = threading.get_ident()

    def stopped(self, stop: threading.Event) -> bool:
        """Return whether to stop, as a loop asks again and again while it works: that is a beat, too."""
        self.beat()
        return stop.is_set()

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Wait inside: a loop with nothing to do doesn't hang."""
        self._rests = True
        try:
            yield
        finally:
            self.beat()

    def forgive(self) -> None:
        """Count its silence from now on."""
        self._beaten = self._monotonic()

    def end(self) -> None:
        self._rests = True

    @property
    def silent_for(self) -> float:
        """How many seconds ago it last beat; 0 while it rests."""
        return 0.0 if self._rests else max(0.0, self._monotonic() - self._beaten)

    @property
    def hangs(self) -> bool:
        return self.silent_for > self.bound

    def place(self) -> str:
        """Return where the loop is now: its innermost calls, without what they work on.

        >>> pulse = Pulse("work", 60); pulse.beat(); "place" in pulse.place()
        True
        """
        frame = sys._current_frames().get(self._thread or 0)  # noqa: SLF001 - there is no other way to ask
        calls: list[str] = []
        while frame is not None and len(calls) < PLACES:
            code = frame.f_code
            calls.append(f"{code.co_name} ({Path(code.co_filename).name}:{frame.f_lineno})")
            frame = frame.f_back
        return " < ".join(calls)
