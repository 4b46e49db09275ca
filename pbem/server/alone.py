"""A message in whose handling a server ended is handled alone, in a process of its own.

The end of that process can have no cause but the message, so a message is set aside only where that happened again
and again. That the server itself ends, however often and for whatever reason, is never held against a message.
"""

import os
import pickle
import signal
import subprocess
import sys
import threading
from datetime import datetime
from pathlib import Path
from typing import Any

import structlog

import pbem
from pbem.features.all import FEATURES
from pbem.mail import sandboxing
from pbem.mail.reading import authentication
from pbem.mail.reading.sandbox import Sandbox
from pbem.server import work_queue, worker
from pbem.server.examination import Services
from pbem.server.sender import send_queue
from pbem.server.worker import Desk
from pbem.storage import database

log = structlog.get_logger()

COMMAND = [sys.executable, "-P", "-m", "pbem.server.alone"]
SECONDS = 120.0
"""How long the process may take; it is killed then, and has failed."""
MEGABYTES = 512
"""How much memory it may use beyond what it starts with: it fails before the machine or the unit has none left."""
ENDED = "ended the server"
NO_TRACEBACK = (
    "The server ended while it was working on this mail, and so did each process that then worked on this mail alone:"
    " killed, out of memory, or a crash below Python. So there is no traceback; the system's log may know more."
)
STOPPED = frozenset({-signal.SIGTERM, -signal.SIGINT, -signal.SIGHUP})
"""The exit codes of a process that was asked to end, as the whole server is."""


def handle(desk: Desk, claim: Any, now: datetime, *, hands_over: bool = False) -> None:
    """Handle a claimed message: alone, if a server has ended while it had the message."""
    if claim.attempts == 1:
        worker.handle(desk, claim, now, hands_over=hands_over, goes_on=True)
        return
    code = _handled_alone(desk, claim, now)
    desk.sending.bell.set()
    if code == 0:
        log.info("mail in", incoming=claim.id, verdict="handled alone")
        desk.services.vitals.counts.mails_in.labels("alone", "").inc()
    elif code is None:
        again = work_queue.begin_again(desk.queue, claim.id)
        if again is not None:
            worker.shunt(desk, again, ENDED, NO_TRACEBACK, now)
    else:  # no such process can work at present
        log.warning("mail in", incoming=claim.id, verdict="put off", code=code)
        work_queue.put_off(desk.queue, claim.id)
    desk.queue.in_hand = ()


def _handled_alone(desk: Desk, claim: Any, now: datetime) -> int | None:
    """Handle the message in a process of its own. Return its exit code; None if three in a row were killed over it."""
    for _ in range(work_queue.MOST):
        code = _exit_code(desk.services, desk.queue.holder, claim.id, now)
        if code is not None and (code >= 0 or code in STOPPED):
            return code
        log.warning("mail in", incoming=claim.id, verdict="ended its process", code=code)
        desk.services.vitals.counts.mails_in.labels("failed", "").inc()
    return None


def _exit_code(services: Services, holder: str, number: int, now: datetime) -> int | None:
    """Run the process. Return its exit code, negative if a signal ended it; None if it took too long."""
    task = (services.server, services.checks, services.limits, services.house, holder, number, now)
    try:
        process = start()
    except OSError:
        return os.EX_OSERR
    with process:
        assert process.stdin is not None  # noqa: S101 - it is a pipe
        try:
            process.stdin.write(pickle.dumps(task))
            return process.wait(SECONDS)  # the pipe stays open: where this process ends, so does that one
        except subprocess.TimeoutExpired:
            return None
        except BrokenPipeError:
            return process.wait()
        finally:
            process.kill()


def start() -> subprocess.Popen[bytes]:
    """Start the process. Raises OSError."""
    return subprocess.Popen(  # noqa: S603 - nothing but our own module
        COMMAND,
        env=os.environ | {"PYTHONPATH": str(Path(pbem.__file__).parent.parent)},
        stdin=subprocess.PIPE,
        bufsize=0,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C at a terminal is for the server alone
    )


def main() -> None:
    """Handle the message that standard input names, as the daemon that has claimed it."""
    server, checks, limits, house, holder, number, now = pickle.load(sys.stdin.buffer)  # noqa: S301 - our own server's
    threading.Thread(target=_end_with_server, daemon=True).start()
    sandboxing.limit_resources(MEGABYTES)
    engine = database.connect(server.database)
    parser = Sandbox()
    try:
        authentication.prepare(checks)
        services = Services(server, server.keyring(), checks, limits, house, parser, FEATURES)
        queue = work_queue.work_queue(engine, holder)
        parser.prepare()
        claim = work_queue.begin_again(queue, number)
        if claim is not None:  # otherwise another daemon has it, or has handled it
            worker.handle(Desk(queue, send_queue(engine, holder), services), claim, now)
    finally:
        parser.close()


def _end_with_server() -> None:
    """End this process, whatever it is doing, when the server ends: its standard input ends then."""
    os.read(sys.stdin.fileno(), 1)
    os._exit(os.EX_TEMPFAIL)


if __name__ == "__main__":
    main()
