"""The sandbox: mails are taken apart in a process of their own, which is ended where one takes too much.

The process (see worker) is started when the first mail comes, kept for the next ones, and replaced after a while.
A mail for which it was ended is unreadable, and no other mail suffers. Where it ends without our doing, it is tried
once more: the kernel or an operator may have ended it for a reason that has nothing to do with the mail.
"""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from datetime import datetime
from pathlib import Path
from typing import NoReturn

import structlog
from pydantic import ValidationError

import pbem
from pbem.config import ChecksSettings, ReadingSettings
from pbem.reading.authentication import Checked, Finding
from pbem.reading.limits import Unreadable, header_block
from pbem.reading.message import Message
from pbem.reading.protocol import (
    REQUESTS,
    RESPONSES,
    BounceRequest,
    CheckRequest,
    ReadRequest,
    Request,
    Response,
    Unavailable,
)
from pbem.reading.worker import HEAD, LENGTH, READY, receive

log = structlog.get_logger()

START_SECONDS = 30.0
MOST_MAILS = 1_000
"""After so many questions the process is replaced, whatever they have left behind in it."""
LARGEST_ANSWER = 64 << 20
TOO_LONG = "it takes too long to read"
BREAKS = "it breaks what reads it"
LATE = (-signal.SIGALRM, -signal.SIGXCPU)
"""How the process ends itself, where we were held up in doing it."""
CLOSE_SECONDS = 1.0
KEPT = ("PATH", "LD_LIBRARY_PATH", "PYTHONHOME", "TZ")
"""What the process gets to know of the environment; passwords may be in the rest."""


class Stopped(Exception):
    """The process was ended, or has ended, over a mail; and why the mail can't be read."""


class _Gone(Exception):
    """The process is no more, for a reason of its own."""


class Sandbox:
    """Examines mails in a process of its own, one at a time."""

    def __init__(self, settings: ReadingSettings) -> None:
        self._settings = settings
        self._turn = threading.Lock()
        self._process: _Process | None = None
        self._is_closed = False

    def read(self, raw: bytes, sender: str | None, recipients: tuple[str, ...]) -> Message:
        """As MailParser has it; a mail for which the process ends is read once more, its header alone."""
        try:
            answer = self._ask(ReadRequest(sender, recipients), raw)
        except Stopped as stopped:
            answer = self._ask_again(ReadRequest(sender, recipients, error=str(stopped)), header_block(raw))
        if answer.message is None:
            raise Unreadable(answer.unreadable or BREAKS)
        return answer.message

    def is_final(self, raw: bytes) -> bool:
        """As MailParser has it; what can't be examined is no report."""
        try:
            return bool(self._ask(BounceRequest(), raw).is_final)
        except Stopped:
            return False

    def check(self, raw: bytes, ours: str, settings: ChecksSettings, now: datetime) -> Checked:
        """As MailParser has it; a mail that is made so that it can't be checked has failed."""
        more = settings.dns_seconds if settings.dkim else 0
        try:
            checked = self._ask(CheckRequest(ours, settings, now), raw, more).checked
        except Stopped:
            checked = None
        return checked or Checked(Finding.FAILED)

    def close(self) -> None:
        """End the process, also over a mail; whoever waits for that gets Unavailable."""
        self._is_closed = True
        if self._process is not None:
            self._process.kill()
        if self._turn.acquire(timeout=CLOSE_SECONDS):
            if self._process is not None:
                self._process.end()
            self._turn.release()

    def _ask_again(self, request: Request, head: bytes) -> Response:
        """The answer about the header alone; raises Unreadable where even that is too much."""
        try:
            return self._ask(request, head)
        except Stopped as stopped:
            raise Unreadable(str(stopped)) from stopped

    def _ask(self, request: Request, raw: bytes, more_seconds: float = 0) -> Response:
        """The answer; raises Stopped where the mail was too much, Unavailable where no process can be had."""
        seconds = self._settings.seconds + more_seconds
        with self._turn:
            for _ in range(2):
                process = self._running()
                try:
                    answer = process.ask(request, raw, seconds)
                except TimeoutError:
                    self._stop(process, TOO_LONG, raw)
                except _Gone:
                    code = process.end()
                    if code in LATE:
                        self._stop(process, TOO_LONG, raw)
                    self._drop(process, f"the process ended ({code})", raw)
                else:
                    if answer.is_last:
                        self._stop(process, answer.unreadable or BREAKS, raw)
                    return answer
        raise Stopped(BREAKS)

    def _running(self) -> "_Process":
        """The process, a new one where there is none or it has served long enough."""
        if self._process is not None and self._process.asked >= MOST_MAILS:
            self._process.end()
            self._process = None
        if self._is_closed:
            raise Unavailable("the server is stopping")
        if self._process is None:
            self._process = _Process(self._settings.megabytes)
        return self._process

    def _stop(self, process: "_Process", why: str, raw: bytes) -> NoReturn:
        self._drop(process, why, raw)
        raise Stopped(why)

    def _drop(self, process: "_Process", why: str, raw: bytes) -> None:
        """End the process; raises Unavailable where that is nobody's fault but ours."""
        process.end()
        self._process = None
        if self._is_closed:
            raise Unavailable("the server is stopping")
        log.warning("reading stopped", why=why, size=len(raw))


class _Process:
    """A running parser, and the socket over which it is asked."""

    def __init__(self, megabytes: int) -> None:
        self.asked = 0
        self._socket, theirs = socket.socketpair()
        with theirs:
            descriptor = theirs.fileno()
            try:
                self._process = subprocess.Popen(  # noqa: S603 - nothing but our own module and two numbers
                    [sys.executable, "-P", "-m", "pbem.reading.worker", str(descriptor), str(megabytes)],
                    env=_environment(),
                    pass_fds=(descriptor,),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,  # what libraries write there quotes the mail
                    start_new_session=True,  # Ctrl-C at a terminal is for the server alone
                )
            except OSError as error:
                self._socket.close()
                raise Unavailable(f"no process to read mail in can be started: {error.strerror}") from error
        self._await()

    def _await(self) -> None:
        """Return once it can be asked; raises Unavailable."""
        try:
            if self._received(time.monotonic() + START_SECONDS) == READY:
                return
            why = "says something else"
        except TimeoutError:
            why = "does not answer"
        except _Gone:
            why = "has ended"
        raise Unavailable(f"the process to read mail in {why} (exit code {self.end()})")

    def ask(self, request: Request, raw: bytes, seconds: float) -> Response:
        """The answer; raises TimeoutError, and _Gone where the process has ended or talks nonsense."""
        self.asked += 1
        until = time.monotonic() + seconds
        asked = REQUESTS.dump_json(request)
        try:
            self._socket.settimeout(seconds)
            self._socket.sendall(HEAD.pack(seconds, len(asked), len(raw)) + asked + raw)
            return RESPONSES.validate_json(self._received(until))
        except TimeoutError:
            raise
        except (OSError, ValidationError) as error:
            raise _Gone from error

    def _received(self, until: float) -> bytes:
        """One answer; raises TimeoutError and _Gone."""
        try:
            head = receive(self._socket, LENGTH.size, until)
            size = LENGTH.unpack(head)[0] if head else 0
            answer = receive(self._socket, size, until) if 0 < size <= LARGEST_ANSWER else b""
        except TimeoutError:
            raise
        except OSError as error:
            raise _Gone from error
        if not answer:
            raise _Gone
        return answer

    def kill(self) -> None:
        """End the process, if it still runs; whoever waits for its answer notices."""
        self._process.kill()

    def end(self) -> int:
        """End the process, if it still runs, and let go of it; the exit code."""
        self.kill()
        code = self._process.wait()
        self._socket.close()
        return code


def _environment() -> dict[str, str]:
    """What the process finds around it: where Python and we are, and nothing else."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    return kept | {"PYTHONPATH": str(Path(pbem.__file__).parent.parent)}
