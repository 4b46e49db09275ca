"""The sandbox: messages are parsed in a process of its own, which is killed when one takes too much time or memory.

The process (see `worker`) starts with the first message, serves the following ones, and is replaced after a while. It
ends itself when it has computed for too long: that message is unreadable, and no other message suffers. If it ends for
another reason, or gives no answer for a long time, the message is tried once more: the machine may be busy, and the
kernel or an operator may have killed the process for something that has nothing to do with the message.
"""

import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime
from typing import NoReturn, Protocol

import structlog
from pydantic import ValidationError

from pbem.checks import ChecksSettings
from pbem.mail import sandboxing
from pbem.mail.reading.authentication import Authenticity, Checked
from pbem.mail.reading.dkim_verify import DNS_SECONDS
from pbem.mail.reading.limits import Problem, ReadError, Unreadable, header_block
from pbem.mail.reading.message import Message
from pbem.mail.reading.protocol import (
    REQUESTS,
    RESPONSES,
    BounceRequest,
    CheckRequest,
    ReadRequest,
    Request,
    Response,
    Unavailable,
)
from pbem.mail.reading.text.ours import NOBODY, Ours
from pbem.mail.reading.worker import HEAD, LENGTH, READY, receive

log = structlog.get_logger()

WORKER = "pbem.mail.reading.worker"
"""The module that runs as the process."""
SECONDS, MEGABYTES = 5.0, 128
"""How long a process may compute for one message, and how much memory it may use beyond what it starts with.

A hostile message can take thirty times its size. Two processes fit into what the unit in deploy/ allows (MemoryMax)."""
START_SECONDS = 30.0
MOST_REQUESTS = 1_000
"""The process is replaced after this many requests, in case they have left something behind in it."""
LARGEST_RESPONSE = 64 << 20
WALL_FACTOR = 12
"""How many times longer than it may compute a message may take: on a busy machine, others compute in the meantime."""
TOO_SLOW = (-signal.SIGPROF, -signal.SIGXCPU)
"""The exit codes of a process that computed for too long."""
CLOSE_SECONDS = 1.0


class _Stopped(Exception):
    """The process was killed, or ended, because of a message."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.value)


class _Gone(Exception):
    """The process ended for a reason of its own."""


class Sandbox:
    """A MailParser that parses messages in a process of its own, one at a time."""

    def __init__(
        self, dropped: Callable[[], object] = lambda: None, *, seconds: float = SECONDS, megabytes: int = MEGABYTES
    ) -> None:
        """`dropped` is called whenever the process is lost over a message."""
        self._seconds, self._megabytes = seconds, megabytes
        self._dropped = dropped
        self._turn = threading.Lock()
        self._process: _Process | None = None
        self._is_closed = False

    def prepare(self) -> None:
        """See MailParser: start the process if none is running."""
        with self._turn:
            self._running()

    def read(self, raw: bytes, sender: str | None, recipients: tuple[str, ...], ours: Ours = NOBODY) -> Message:
        """See MailParser; if the process is stopped because of a message, its headers alone are read."""
        try:
            response = self._send(ReadRequest(sender, recipients, ours), raw)
        except _Stopped as stopped:
            request = ReadRequest(sender, recipients, error=ReadError(stopped.problem))
            response = self._send_headers(request, header_block(raw))
        if response.message is None:
            error = response.error or ReadError(Problem.CRASHES_READER)
            raise Unreadable(error.problem, error.detail)
        return response.message

    def is_final(self, raw: bytes) -> bool:
        """See MailParser; a message that can't be parsed is no report."""
        try:
            return bool(self._send(BounceRequest(), raw).is_final)
        except _Stopped:
            return False

    def check(self, raw: bytes, ours: str, settings: ChecksSettings, now: datetime) -> Checked:
        """See MailParser; a message that is built so that it can't be checked has failed."""
        more = DNS_SECONDS if settings.dkim else 0
        try:
            checked = self._send(CheckRequest(ours, settings, now), raw, more).checked
        except _Stopped:
            checked = None
        return checked or Checked(Authenticity.FAILED)

    def close(self) -> None:
        """Kill the process, even during a message; a thread that waits for its response gets Unavailable."""
        self._is_closed = True
        if self._process is not None:
            self._process.kill()
        if self._turn.acquire(timeout=CLOSE_SECONDS):
            if self._process is not None:
                self._process.end()
            self._turn.release()

    def _send_headers(self, request: Request, block: bytes) -> Response:
        """Return the response about the headers alone; raises Unreadable if even that is too much."""
        try:
            return self._send(request, block)
        except _Stopped as stopped:
            raise Unreadable(stopped.problem) from stopped

    def _send(self, request: Request, raw: bytes, more_seconds: float = 0) -> Response:
        """Return the response; raises _Stopped if the message was too much, Unavailable if no process can start."""
        cpu_seconds = self._seconds
        problem = Problem.CRASHES_READER
        with self._turn:
            for _ in range(2):
                process = self._running()
                try:
                    response = process.send(request, raw, cpu_seconds, WALL_FACTOR * cpu_seconds + more_seconds)
                except TimeoutError:
                    problem = Problem.TOO_SLOW
                    self._drop(process, "the process gave no answer", raw)
                except _Gone:
                    code = process.end()
                    if code in TOO_SLOW:
                        self._stop(process, Problem.TOO_SLOW, raw)
                    self._drop(process, f"the process ended ({code})", raw)
                else:
                    if response.is_last:
                        problem = response.error.problem if response.error else Problem.CRASHES_READER
                        self._stop(process, problem, raw)
                    return response
        raise _Stopped(problem)

    def _running(self) -> "_Process":
        """Return the process; start a new one if there is none or it has served long enough."""
        if self._process is not None and self._process.requests >= MOST_REQUESTS:
            self._process.end()
            self._process = None
        if self._is_closed:
            raise Unavailable("the server is stopping")
        if self._process is None:
            self._process = _Process(self._megabytes)
        return self._process

    def _stop(self, process: "_Process", problem: Problem, raw: bytes) -> NoReturn:
        self._drop(process, problem.value, raw)
        raise _Stopped(problem)

    def _drop(self, process: "_Process", why: str, raw: bytes) -> None:
        """End the process; raises Unavailable if that happened because the server is stopping."""
        process.end()
        self._process = None
        if self._is_closed:
            raise Unavailable("the server is stopping")
        log.warning("reading stopped", why=why, size=len(raw))
        self._dropped()


class _Process:
    """A running parser process, and the socket to it."""

    def __init__(self, megabytes: int) -> None:
        self.requests = 0
        self._socket, theirs = socket.socketpair()
        with theirs:
            descriptor = theirs.fileno()
            try:
                self._process = start(descriptor, megabytes)
            except OSError as error:
                self._socket.close()
                raise Unavailable(f"the parser process can't be started: {error.strerror}") from error
        self._await_ready()

    def _await_ready(self) -> None:
        """Return once the process takes requests; raises Unavailable."""
        try:
            if self._received(time.monotonic() + START_SECONDS) == READY:
                return
            why = "says something unexpected"
        except TimeoutError:
            why = "doesn't answer"
        except _Gone:
            why = "has ended"
        raise Unavailable(f"the parser process {why} (exit code {self.end()})")

    def send(self, request: Request, raw: bytes, cpu_seconds: float, seconds: float) -> Response:
        """Return the response; raises TimeoutError, and _Gone if the process has ended or sends nonsense."""
        self.requests += 1
        until = time.monotonic() + seconds
        encoded = REQUESTS.dump_json(request)
        try:
            self._socket.settimeout(seconds)
            self._socket.sendall(HEAD.pack(cpu_seconds, seconds, len(encoded), len(raw)) + encoded + raw)
            return RESPONSES.validate_json(self._received(until))
        except TimeoutError:
            raise
        except (OSError, ValidationError) as error:
            raise _Gone from error

    def _received(self, until: float) -> bytes:
        """Return one encoded response; raises TimeoutError and _Gone."""
        try:
            head = receive(self._socket, LENGTH.size, until)
            size = LENGTH.unpack(head)[0] if head else 0
            response = receive(self._socket, size, until) if 0 < size <= LARGEST_RESPONSE else b""
        except TimeoutError:
            raise
        except OSError as error:
            raise _Gone from error
        if not response:
            raise _Gone
        return response

    def kill(self) -> None:
        """Kill the process if it still runs; a thread that waits for its response notices."""
        self._process.kill()

    def end(self) -> int:
        """Kill the process if it still runs, close the socket, and return the exit code."""
        self.kill()
        code = self._process.wait()
        self._socket.close()
        return code


class Running(Protocol):
    """A process, as `subprocess` has it."""

    def kill(self) -> None:
        """Send it SIGKILL."""

    def wait(self) -> int:
        """Wait until it ends and return its exit code, negative if a signal ended it."""


def start(descriptor: int, megabytes: int) -> Running:
    """Start a parser process that has the socket with that descriptor. Raises OSError."""
    return subprocess.Popen(  # noqa: S603 - nothing but our own module and two numbers
        [sys.executable, "-P", "-m", WORKER, str(descriptor), str(megabytes)],
        env=sandboxing.environment(),
        pass_fds=(descriptor,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,  # what libraries write there quotes the message
        start_new_session=True,  # Ctrl-C at a terminal is for the server alone
    )
