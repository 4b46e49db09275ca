"""Counters and histograms, as Prometheus understands them, which any thread may add to."""

import threading
from bisect import bisect_left
from collections import Counter
from itertools import accumulate

SECONDS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0, 7200.0, 86400.0)
"""The upper bounds of the classes in which latencies are counted."""


class Tally:
    """A counter for each combination of its labels.

    >>> tally = Tally("verdict")
    >>> tally.add("done"), tally.add("done"), tally.numbers()
    (None, None, {('done',): 2})
    """

    def __init__(self, *labels: str) -> None:
        self.labels = labels
        self._lock = threading.Lock()
        self._numbers: Counter[tuple[str, ...]] = Counter()

    def add(self, *values: str) -> None:
        """Count one with these values of the labels."""
        with self._lock:
            self._numbers[values] += 1

    def numbers(self) -> dict[tuple[str, ...], int]:
        """Return what was counted so far."""
        with self._lock:
            return dict(self._numbers)

    def total(self) -> int:
        """Return the sum over all labels."""
        with self._lock:
            return self._numbers.total()


class Histogram:
    """How many seconds things took.

    >>> histogram = Histogram((1.0, 10.0))
    >>> for seconds in (0.5, 3, 4, 99): histogram.add(seconds)
    >>> histogram.cumulative()
    ([1, 3, 4], 106.5)
    """

    def __init__(self, bounds: tuple[float, ...] = SECONDS) -> None:
        self.bounds = bounds
        self._lock = threading.Lock()
        self._classes = [0] * (len(bounds) + 1)
        self._sum = 0.0

    def add(self, seconds: float) -> None:
        """Count one that took so long; a clock that was set back makes it no less than nothing."""
        seconds = max(0.0, seconds)
        with self._lock:
            self._classes[bisect_left(self.bounds, seconds)] += 1
            self._sum += seconds

    def cumulative(self) -> tuple[list[int], float]:
        """Return how many took at most as long as each bound, and in the end how many there are; and their sum."""
        with self._lock:
            return list(accumulate(self._classes)), self._sum


class Counts:
    """All that a server counts since it started."""

    def __init__(self) -> None:
        self.mails_in = Tally("verdict", "reason")
        self.mails_out = Tally("verdict")
        self.killed = Tally("sandbox")
        """Processes that parse messages or think for the house, and were stopped or ended before their answer."""
        self.handled_in = Histogram()
        """The seconds from a message's arrival to the commit that queues its reply."""
        self.sent_in = Histogram()
        """The seconds from queueing a message until the next hop has taken it."""
