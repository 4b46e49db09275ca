"""A message in whose handling a server ended is handled alone, in a process of its own.

The end of that process can have no cause but the message, so a message is set aside only where that happened again
again and again. That the server itself ends, however often and for whatever reason, is never held against a message.
Others are handled meanwhile, since such a process takes seconds to start: longer than a server may live.
"""

import os
import pickle
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from queue import SimpleQueue
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
BEGUN, DONE = b"b", b"d"
"""What the process answers: that it begins with a message, and that it has handled it."""
ENDED = "ended the server"
NO_TRACEBACK = (
    "The server ended while it was working on this mail, and so did each process that then worked on this mail alone:"
    " killed, out of memory, or a crash below Python. So there is no traceback; the system's log may know more."
)
STOPPED = frozenset({-signal.SIGTERM, -signal.SIGINT, -signal.SIGHUP})
"""The exit codes of a process that was asked to end, as the whole server is."""


@dataclass
class Suspects:
    """Handles the messages in whose handling a server ended, one after the other, in a process that may end."""

    desk: Desk
    """Its queue has nothing else."""
    clock: Callable[[], datetime]
    bells: tuple[threading.Event, ...] = ()
    """Those of the threads for which later messages of the same people wait."""
    _process: subprocess.Popen[bytes] | None = None

    def step(self, stopped: Callable[[], bool] = lambda: False) -> int:
        """Handle the next such message. Return how many there were; the process ends when there are none."""
        queue = self.desk.queue
        claimed = () if stopped() else queue.take() or (queue.claim_next() if queue.has_any() else ())
        for claim in claimed:
            self._handle(claim, self.clock())
        if not claimed:
            self.close()
        return len(claimed)

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            with self._process:
                self._process = None

    def _handle(self, claim: Any, now: datetime) -> None:
        desk = self.desk
        code = self._handled(claim, now)
        for bell in (desk.sending.bell, *self.bells):
            bell.set()
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

    def _handled(self, claim: Any, now: datetime) -> int | None:
        """Have the message handled. Return 0, or how the process ended; None if three in a row were killed over it."""
        for _ in range(work_queue.MOST):
            code = self._exit_code(claim.id, now)
            if code >= 0 or code in STOPPED:
                return code
            log.warning("mail in", incoming=claim.id, verdict="ended its process", code=code)
            self.desk.services.vitals.counts.mails_in.labels("failed", "").inc()
        return None

    def _exit_code(self, number: int, now: datetime) -> int:
        """Return 0 once the process has handled the message, or its exit code: negative if a signal ended it over that.

        It is killed if it takes too long. What happens before it begins with the message isn't held against that.
        """
        begun = False
        try:
            process = self._process or self._started()
        except OSError:
            return os.EX_OSERR
        assert process.stdin is not None  # noqa: S101 - both are pipes
        assert process.stdout is not None  # noqa: S101
        try:
            process.stdin.write(pickle.dumps((number, now)))
            while select.select([process.stdout], [], [], SECONDS)[0]:
                answer = process.stdout.read(1)
                if answer == DONE:
                    return 0
                if answer != BEGUN:
                    break
                begun = True
            else:
                process.kill()
        except BrokenPipeError:
            pass
        code = process.wait()
        self.close()
        return code if begun or code > 0 else os.EX_TEMPFAIL

    def _started(self) -> subprocess.Popen[bytes]:
        """Start the process. Raises OSError."""
        services, queue = self.desk.services, self.desk.queue
        settings = (services.server, services.checks, services.limits, services.house, queue.holder)
        self._process = start()
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        self._process.stdin.write(pickle.dumps(settings))
        return self._process


def start() -> subprocess.Popen[bytes]:
    """Start the process. Raises OSError."""
    return subprocess.Popen(  # noqa: S603 - nothing but our own module
        COMMAND,
        env=os.environ | {"PYTHONPATH": str(Path(pbem.__file__).parent.parent)},
        stdin=subprocess.PIPE,
        bufsize=0,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C at a terminal is for the server alone
    )


def main() -> None:
    """Handle the messages that standard input names, as the daemon that claimed them; answer BEGUN and DONE to each."""
    server, checks, limits, house, holder = pickle.load(sys.stdin.buffer)  # noqa: S301 - our own server's
    tasks: SimpleQueue[tuple[int, datetime]] = SimpleQueue()
    threading.Thread(target=_hear, args=(tasks,), daemon=True).start()
    answers = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what is logged is no answer
    sandboxing.limit_resources(MEGABYTES)
    try:
        engine, parser = database.connect(server.database), Sandbox()
        authentication.prepare(checks)
        services = Services(server, server.keyring(), checks, limits, house, parser, FEATURES)
        desk = Desk(work_queue.work_queue(engine, holder), send_queue(engine, holder), services)
        parser.prepare()
        while True:
            number, now = tasks.get()
            claim = work_queue.begin_again(desk.queue, number)
            os.write(answers, BEGUN)
            if claim is not None:  # otherwise another daemon has it, or has handled it
                worker.handle(desk, claim, now)
            os.write(answers, DONE)
    finally:
        os._exit(os.EX_TEMPFAIL)  # the interpreter can't end while a thread reads standard input


def _hear(tasks: SimpleQueue[tuple[int, datetime]]) -> None:
    """Pass on what standard input names; end this process, whatever it is doing, when that ends: the server has."""
    try:
        while True:
            tasks.put(pickle.load(sys.stdin.buffer))  # noqa: S301 - our own server's
    finally:
        os._exit(os.EX_TEMPFAIL)


if __name__ == "__main__":
    main()
