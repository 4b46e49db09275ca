"""A limit for long runs: a test that would begin after it is left out, and the summary says how many were.

PBEM_TEST_UNTIL is when the tests are to be over, in seconds since the machine was started: no other clock is the same
for all processes of a run and left alone by .ci/at. PBEM_TEST_SHARE is the part of the time until then that this run
of pytest may take; without both there is no limit. Each run begins at another place, so that where time is always
short, it isn't always the same tests that are left out.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import pytest

NO_TIME = "no time is left for it"
_LIMIT = pytest.StashKey["Limit | None"]()


@dataclass(frozen=True)
class Limit:
    """When the last test may begin, and where the run begins: from 0, the first test, to 1."""

    end: float
    start: float

    @property
    def is_past(self) -> bool:
        """Whether it is over."""
        return _since_boot() > self.end


def pytest_configure(config: pytest.Config) -> None:
    """Read the limit as the run begins."""
    until, share = os.environ.get("PBEM_TEST_UNTIL"), os.environ.get("PBEM_TEST_SHARE")
    limit = None
    if until and share:
        now = _since_boot()
        limit = Limit(now + float(share) * (float(until) - now), crc32(until.encode()) / 2**32)
    config.stash[_LIMIT] = limit


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin at another place."""
    limit = config.stash[_LIMIT]
    if limit is not None:
        first = int(limit.start * len(items))
        items[:] = [*items[first:], *items[:first]]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave a test out if time is over."""
    limit = item.config.stash[_LIMIT]
    if limit is not None and limit.is_past:
        pytest.skip(NO_TIME)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many were left out."""
    skipped = terminalreporter.stats.get("skipped", [])
    if number := sum(NO_TIME in str(report.longrepr) for report in skipped):
        terminalreporter.write_line(f"{number} tests were left out, because no time was left for them", yellow=True)


def _since_boot() -> float:
    return float(Path("/proc/uptime").read_text(encoding="ascii").split()[0])
