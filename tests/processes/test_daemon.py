"""`pbem run` as a process: it starts, answers a message, keeps a second one out, and stops when it is asked to."""

import os
import signal

import pytest

from tests.correspondence import parsed
from tests.operating.daemons import Daemon
from tests.operating.people import written
from tests.operating.site import ADDRESS, FOLDER_OUT, LMTP_IN, Site
from tests.servers import until

pytestmark = pytest.mark.own_database


def test_a_daemon_answers_keeps_a_second_one_out_and_stops(site: Site) -> None:
    site.configure(LMTP_IN, FOLDER_OUT)
    daemon = Daemon(site, is_child=True).ready()
    try:
        daemon.deliver("ann@mail.example", ADDRESS, written("ann@mail.example", ADDRESS, "rules quadraphages"))
        (answer,) = until(site.sent, "the message is answered")
        assert parsed(answer)["To"] == "ann@mail.example"
        until(lambda: site.rows("select state from outgoing") == ["sent"], "that is noted")

        second = site.pbem("run", "--once")
        assert second.code == 2
        assert f"another daemon (process {daemon.process.pid}) is running on" in second.err

        done = daemon.end()
        assert done.code == 0
        assert daemon.lines("stopped")[0]["unfinished"] == []
        assert [line["verdict"] for line in daemon.lines("mail in") + daemon.lines("mail out")] == [
            "done: rules",
            "sent",
        ]
    finally:
        daemon.kill()


def test_a_process_that_was_killed_leaves_no_lock_behind(site: Site) -> None:
    child = os.fork()
    if child == 0:
        with site.server():
            os.kill(os.getpid(), signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL
    assert site.run_once() == [0, 0, 0]
