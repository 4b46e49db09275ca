"""What runs apart: it answers as it would here, and whatever it does there, the caller goes on."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from pbem.isolated import Isolated, Lost, Unavailable, Why
from tests import apart
from tests.servers import GENEROUS, until

BAD: dict[Callable[[], int], Why] = {
    apart.endless: Why.TOO_SLOW,
    apart.huge: Why.TOO_MUCH_MEMORY,
    apart.failing: Why.ENDED,
    apart.killed: Why.ENDED,
    apart.lying: Why.ENDED,
}


@pytest.fixture
def lost() -> list[str]:
    """Provide what is noted of each process that is lost."""
    return []


@pytest.fixture
def isolated(lost: list[str]) -> Iterator[Isolated]:
    """Provide something that runs functions apart."""
    made = Isolated("tests.apart", megabytes=64, niceness=3, most_calls=3, lost=lambda: lost.append("lost"))
    yield made
    made.close()


@pytest.mark.slow
def test_whatever_a_call_does_the_next_one_is_answered(isolated: Isolated, lost: list[str]) -> None:
    for bad, why in BAD.items():
        with pytest.raises(Lost) as error:
            isolated.call(bad, seconds=0.5, longest=GENEROUS)
        assert error.value.why is why, bad
        assert isolated.call(apart.doubled, 21, seconds=GENEROUS) == 42
    assert len(lost) == len(BAD)


@pytest.mark.slow
def test_a_process_that_is_frozen_is_killed(isolated: Isolated) -> None:
    isolated.prepare()
    with pytest.raises(Lost, match="no answer for a long time"):
        isolated.call(apart.frozen, seconds=GENEROUS, longest=0.2)


@pytest.mark.slow
def test_a_process_serves_some_calls_and_gives_way(isolated: Isolated) -> None:
    used = [isolated.call(apart.process, seconds=GENEROUS) for _ in range(5)]
    assert used == [used[0]] * 3 + [used[3]] * 2
    assert used[0] != used[3]
    isolated.release()
    assert isolated.call(apart.process, seconds=GENEROUS) not in used
    assert isolated.call(apart.nice, seconds=GENEROUS) == os.nice(0) + 3


@pytest.mark.slow
def test_closing_ends_a_call_and_allows_no_other(isolated: Isolated, lost: list[str]) -> None:
    number = isolated.call(apart.process, seconds=GENEROUS)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(isolated.call, apart.frozen, seconds=GENEROUS)
        until(lambda: os.waitid(os.P_PID, number, os.WSTOPPED | os.WNOHANG | os.WNOWAIT) is not None, "it is frozen")
        isolated.close()
        with pytest.raises(Unavailable, match="the server is stopping"):
            asked.result()
    with pytest.raises(Unavailable):
        isolated.prepare()
    assert not lost
    with pytest.raises(ProcessLookupError):
        os.kill(number, signal.SIG_DFL)


def test_nothing_runs_where_no_process_can_start(isolated: Isolated, monkeypatch: pytest.MonkeyPatch) -> None:
    for python in ("/nowhere/python", "/bin/false"):
        monkeypatch.setattr(sys, "executable", python)
        with pytest.raises(Unavailable, match="a process can't be started"):
            isolated.prepare()
