"""Loops that hang are seen, and systemd is told what is so: on a real socket, as systemd listens."""

import re
import threading

import pytest
from structlog.testing import capture_logs

from pbem.features.house import search_process
from pbem.mail.reading import isolated_parser
from pbem.mail.transports.protocols import USUAL
from pbem.process_vitals import Vitals
from pbem.server import loop_runner
from pbem.server.liveness import HUNG, Systemd, Watch
from pbem.server.loop_runner import PATIENCE, Loop
from tests.health.conftest import Manager, Monotonic
from tests.servers import GENEROUS, until

PING = "WATCHDOG=1\n"


@pytest.fixture
def systemd(manager: Manager) -> Systemd:
    return Systemd({"NOTIFY_SOCKET": manager.address})


class Stuck:
    """A step that hangs until it is let go."""

    def __init__(self) -> None:
        self.let_go = threading.Event()
        self.began = threading.Event()

    def step(self, _stopped: object) -> int:
        self.began.set()
        self.let_go.wait(GENEROUS)
        return 0


def test_a_loop_that_hangs_is_logged_with_its_place_and_ends_the_process(
    monotonic: Monotonic, manager: Manager, systemd: Systemd, capfd: pytest.CaptureFixture[str]
) -> None:
    vitals = Vitals(monotonic)
    stop, stuck = threading.Event(), Stuck()
    loop = Loop(vitals.pulse("send", bound=60), stuck.step, threading.Event())
    ended: list[int] = []
    watch = Watch(vitals, systemd, ended.append)
    vitals.is_open = True
    thread = loop_runner.thread(loop.pulse, loop.run, stop, vitals)

    def looks(number: int) -> list[str]:
        heard = []
        for _ in range(number):
            monotonic.now += systemd.interval
            watch.look()
            heard += manager.waiting()
        return heard

    with capture_logs() as logs:
        thread.start()
        assert stuck.began.wait(GENEROUS)
        assert looks(12) == ["STATUS=serving: 0 messages in, 0 out\n", *[PING] * 12]
        assert ended == []
        assert looks(1) == ['STATUS=the loop "send" hangs\n'], (
            "and nothing else, so systemd ends the server where this can't"
        )
        assert ended == [HUNG]
        (told,) = logs
        assert (told["event"], told["loop"], told["seconds"]) == ("a loop hangs", "send", 65)
        assert re.search(r'test_watch.py", line \d+ in step', capfd.readouterr().err)
        stuck.let_go.set()
        until(lambda: not loop.pulse.hangs, "it goes on")
        stop.set()
        loop.bell.set()
        thread.join(GENEROUS)


def test_a_server_that_was_frozen_as_a_whole_has_no_loop_that_hangs(
    monotonic: Monotonic, manager: Manager, systemd: Systemd
) -> None:
    """All threads stood still (SIGSTOP, a suspended machine): that each was silent says nothing."""
    vitals = Vitals(monotonic)
    pulse = vitals.pulse("work", bound=60)
    pulse.beat()
    watch = Watch(vitals, systemd, end=lambda _: None)
    vitals.is_open = True
    watch.look()
    manager.waiting()
    monotonic.now += 3600
    watch.look()
    assert manager.waiting() == [PING]
    heard = []
    for _ in range(13):  # but if it goes on being silent, it hangs
        monotonic.now += systemd.interval
        watch.look()
        heard += manager.waiting()
    assert heard[-1] == 'STATUS=the loop "work" hangs\n'


def test_the_status_line_says_what_is_missing(monotonic: Monotonic, manager: Manager, systemd: Systemd) -> None:
    vitals = Vitals(monotonic)
    inbox = vitals.mailbox("imap")
    watch = Watch(vitals, systemd)
    vitals.is_open = True
    watch.look()
    inbox.fails("mailbox", "refused")
    vitals.outbox.fails("next hop", "refused")
    watch.look()
    watch.look()
    inbox.works()
    vitals.outbox.works()
    watch.look()
    lines = [line for line in manager.waiting() if line != PING]
    refused = "outbox: sending interrupted: refused, for 0 seconds; imap: receiving interrupted: refused, for 0 seconds"
    assert lines == [
        "STATUS=not ready yet: connecting to imap\n",
        f"STATUS={refused}; not ready yet: connecting to imap\n",
        "STATUS=serving: 0 messages in, 0 out\n",
    ]


def test_systemd_is_looked_after_three_times_in_the_time_that_it_waits() -> None:
    assert Systemd({}).interval == 5
    assert Systemd({"WATCHDOG_USEC": "3000000"}).interval == 1
    assert Systemd({"WATCHDOG_USEC": "60000000"}).interval == 5


def test_no_loop_counts_as_hanging_while_limits_are_kept() -> None:
    commands_of_a_message = 7  # EHLO, two for the login, MAIL, RCPT, DATA and the dot
    assert PATIENCE + USUAL.connect + commands_of_a_message * USUAL.answer <= loop_runner.SENDING
    assert PATIENCE + USUAL.connect + commands_of_a_message * USUAL.answer <= loop_runner.RECEIVING
    assert loop_runner.WORKING >= 2 * 2 * 12 * isolated_parser.SECONDS
    assert loop_runner.THINKING > 3 * search_process.SECONDS
