"""Functions of ours that run apart: in a process that is killed when a call takes too much, without harm to the server.

The process has neither settings nor secrets unless a call brings them, and ends when the server does. Calls go to it
pickled; what comes back is JSON, checked against what the function says it returns: pickle would hand the server to
anyone who takes over a process that reads hostile bytes.
"""

import os
import pickle
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import Enum
from functools import cache
from importlib import import_module
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any, TypeVar, TypeVarTuple, get_type_hints

import structlog
from pydantic import TypeAdapter, ValidationError

import pbem

log = structlog.get_logger()
Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")

KEPT_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "PYTHONHOME", "TZ")
"""The environment variables that a process gets; the others may hold passwords."""
START_SECONDS, CLOSE_SECONDS = 30.0, 1.0
PATIENCE = 12
"""How many times longer than it may compute a call may take: on a busy machine, others compute in the meantime."""
MOST_CALLS = 1_000  # a process is replaced after this many calls, in case they have left something behind in it
LARGEST_ANSWER, MOST_FILES = 64 << 20, 32
MEMORY = Path("/proc/self/statm")
OUT_OF_MEMORY = 77  # the exit code of a process whose call needed too much memory


class Unavailable(Exception):
    """Nothing can run apart at the moment, through no fault of what is called: no process starts, or we are closed."""


class Why(Enum):
    TOO_SLOW = "it took too long"
    NO_ANSWER = "it gave no answer for a long time"
    TOO_MUCH_MEMORY = "it needed too much memory"
    ENDED = "it ended without an answer"


REASONS = {OUT_OF_MEMORY: Why.TOO_MUCH_MEMORY, -signal.SIGPROF: Why.TOO_SLOW}


class Lost(Exception):
    """A call that got no answer, and ended its process: by that exit code, negative if a signal ended it."""

    def __init__(self, why: Why, code: int) -> None:
        self.why, self.code = why, code
        super().__init__(f"{why.value} ({code})")


class Isolated:
    """A process that runs functions, one call at a time; it starts with the first call, and again after it was lost."""

    def __init__(
        self,
        *modules: str,
        megabytes: int,
        niceness: int = 0,
        most_calls: int = MOST_CALLS,
        environment: Mapping[str, str] | None = None,
        lost: Callable[[], object] = lambda: None,
    ) -> None:
        """The `modules` are imported before memory is limited to that much more; `lost` is called after each loss."""
        kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
        checkout = str(Path(pbem.__file__).parent.parent)
        self._environment = {**(kept if environment is None else environment), "PYTHONPATH": checkout}
        self._start = (str(megabytes), str(niceness), *modules)
        self._most_calls, self._lost = most_calls, lost
        self._turn = threading.Lock()
        self._process: _Process | None = None
        self._is_closed = False

    def prepare(self) -> None:
        """Start the process if none is running. Raises Unavailable."""
        with self._turn:
            self._running()

    def call(
        self, function: Callable[[*Arguments], Result], *arguments: *Arguments, seconds: float, longest: float = 0.0
    ) -> Result:
        """Return what a function of a module returns, which may compute that long. Raises Lost, and Unavailable."""
        with self._turn:
            process = self._running()
            try:
                return process.call(function, arguments, seconds, longest or PATIENCE * seconds)
            except Lost as lost:
                self._process = None
                if self._is_closed:
                    raise Unavailable("the server is stopping") from lost
                log.warning("process lost", function=function.__name__.lstrip("_"), why=lost.why.value, code=lost.code)
                self._lost()
                raise
            finally:
                if process.calls >= self._most_calls:
                    process.end()
                    self._process = None

    def release(self) -> None:
        """End the process, which is idle; the next call starts another."""
        with self._turn:
            if self._process is not None:
                self._process.end()
            self._process = None

    def close(self) -> None:
        """Kill the process, even during a call, which raises Unavailable then, like all that follow. Never raises."""
        self._is_closed = True
        if self._process is not None:
            self._process.kill()
        if self._turn.acquire(timeout=CLOSE_SECONDS):
            self._turn.release()
            self.release()

    def _running(self) -> "_Process":
        if self._process is None and not self._is_closed:
            self._process = _Process(self._start, self._environment)
        if self._process is None or self._is_closed:  # perhaps only since the process has started
            raise Unavailable("the server is stopping")
        return self._process


class _Process:
    def __init__(self, arguments: tuple[str, ...], environment: Mapping[str, str]) -> None:
        self.calls = 0
        self._connection, theirs = Pipe()
        with theirs:
            try:
                self._process = subprocess.Popen(  # noqa: S603 - nothing but our own modules and numbers
                    [sys.executable, "-P", "-m", "pbem.isolated", str(theirs.fileno()), *arguments],
                    env=environment,
                    pass_fds=(theirs.fileno(),),
                    stdin=subprocess.PIPE,  # its end tells the process that the server has ended
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,  # what libraries write there quotes mail
                    start_new_session=True,  # Ctrl-C at a terminal is for the server alone
                )
            except OSError as error:
                self._connection.close()
                raise Unavailable(f"a process can't be started: {error.strerror}") from error
        try:
            self._exchanged(None, START_SECONDS)
        except Lost as lost:
            raise Unavailable(f"a process can't be started: {lost}") from lost

    def call(
        self, function: Callable[..., Result], arguments: tuple[object, ...], seconds: float, most: float
    ) -> Result:
        self.calls += 1
        answer = self._exchanged(pickle.dumps((function, arguments, seconds)), most)
        try:
            answers: TypeAdapter[Result] = _answers(function)
            return answers.validate_json(answer)
        except ValidationError as error:
            raise Lost(Why.ENDED, self.end()) from error

    def _exchanged(self, request: bytes | None, longest: float) -> bytes:
        """Send a request, and return the answer; raises Lost, and then the process has ended."""
        timer, begun = threading.Timer(longest, self.kill), time.monotonic()
        timer.daemon = True
        timer.start()
        try:
            if request is not None:
                self._connection.send_bytes(request)
            return self._connection.recv_bytes(LARGEST_ANSWER)
        except (OSError, EOFError) as error:
            code = self.end()
            is_late = time.monotonic() - begun >= longest
            raise Lost(Why.NO_ANSWER if is_late else REASONS.get(code, Why.ENDED), code) from error
        finally:
            timer.cancel()

    def kill(self) -> None:
        self._process.kill()  # a thread that waits for its answer notices

    def end(self) -> int:
        self._process.kill()
        with self._process:
            self._connection.close()
        return self._process.returncode


@cache
def _answers(function: Callable[..., Result]) -> TypeAdapter[Result]:
    return TypeAdapter(get_type_hints(function)["return"])


def main(descriptor: int, megabytes: int, niceness: int, *modules: str) -> None:
    """Be the process: answer calls until the server ends. A call that fails ends it; the server tries again or not."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)  # sent to us too when the server is stopped, maybe during a call
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    for module in modules:
        import_module(module)
    with suppress(OSError):  # a filter of system calls may not allow it
        os.nice(niceness)
    _limit(megabytes)
    server: Connection[Any, bytes] = Connection(descriptor)
    try:
        server.send_bytes(b"ready")
        while True:
            function, arguments, seconds = pickle.loads(server.recv_bytes())  # noqa: S301 - our own server's
            signal.setitimer(signal.ITIMER_PROF, seconds)  # when it is over, the kernel ends this process
            answer = _answers(function).dump_json(function(*arguments))
            signal.setitimer(signal.ITIMER_PROF, 0)
            server.send_bytes(answer)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    finally:
        os._exit(os.EX_SOFTWARE)  # the interpreter can't end while a thread reads standard input


def _end_with_the_server() -> None:
    sys.stdin.buffer.read()
    os._exit(os.EX_OK)


def _limit(megabytes: int) -> None:
    """Allow this process only that much memory beyond what it uses now, few open files, and no core dump."""
    if MEMORY.exists():  # a system without it doesn't enforce the limit either
        pages = int(MEMORY.read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + (megabytes << 20)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_NOFILE, (MOST_FILES, MOST_FILES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])
