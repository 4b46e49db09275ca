"""Searchers: who finds the turns of the house. The server's search in a process, which is killed if it takes too much.

Each search has a process of its own. It starts in a fraction of a second, and nothing of a search is left behind.
"""

import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from pbem.features.house.protocol import Examination, Findings, Question, SearchAnswer, dumps
from pbem.mail import sandboxing

Answer = TypeVar("Answer")
SECONDS, MEGABYTES = 60.0, 200
"""How long a search may compute, and how much memory it may use beyond what its process starts with."""
WALL_FACTOR = 3
"""How many times longer than it may compute a search may take: on a busy machine, others compute in the meantime."""
WORKER = (sys.executable, "-P", "-m", "pbem.features.house.worker")
"""The command that starts the process."""


class SearchFailed(Exception):
    """A search that found nothing: it took too much time or memory, crashed, or answered what makes no sense."""


class SearchStopped(Exception):
    """The server is stopping, so there is no answer."""


class Searcher(Protocol):
    """Answers questions, one at a time."""

    def search(self, question: Question) -> SearchAnswer:
        """Return the answer. Raises SearchFailed and SearchStopped."""

    def examine(self, asked: Examination) -> Findings:
        """Return what is found for the positions. Raises SearchFailed and SearchStopped."""

    def close(self) -> None:
        """End the present search, and answer none any more. Never raises."""


class SandboxedSearcher:
    """A Searcher with a process for each search."""

    def __init__(
        self,
        command: Sequence[str] = WORKER,
        lost: Callable[[], object] = lambda: None,
        *,
        seconds: float = SECONDS,
        megabytes: int = MEGABYTES,
    ) -> None:
        """`lost` is called whenever a process ends without an answer."""
        self._lost = lost
        self._seconds, self._megabytes = seconds, megabytes
        self._command = command
        self._starting = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_closed = False

    def search(self, question: Question) -> SearchAnswer:
        """See Searcher."""
        return self._ask(question, SearchAnswer.loads)

    def examine(self, asked: Examination) -> Findings:
        """See Searcher."""
        return self._ask(asked, Findings.loads)

    def _ask(self, asked: Question | Examination, loads: Callable[[bytes], Answer]) -> Answer:
        """Return the answer of the process, as `loads` reads it; raise SearchFailed for anything else."""
        said, code = self._said(dumps(asked))
        try:
            return loads(said)
        except ValueError as error:
            raise _without_answer(code) from error

    def _said(self, question: bytes) -> tuple[bytes, int]:
        """Return what the process says, and its exit status."""
        process = self._started()
        try:
            said, _ = process.communicate(question, WALL_FACTOR * self._seconds)
        except subprocess.TimeoutExpired as error:
            self._lost()
            raise SearchFailed("the process gave no answer") from error
        finally:
            process.kill()
            process.wait()
        if self._is_closed:
            raise SearchStopped
        if process.returncode:
            self._lost()
        return said, process.returncode

    def close(self) -> None:
        """See Searcher."""
        with self._starting:
            self._is_closed = True
            if self._process is not None:
                self._process.kill()

    def _started(self) -> "subprocess.Popen[bytes]":
        with self._starting:
            if self._is_closed:
                raise SearchStopped
            limits = (str(self._seconds), str(self._megabytes))
            try:
                self._process = subprocess.Popen(  # noqa: S603 - nothing but our own module and two numbers
                    [*self._command, *limits],
                    env=sandboxing.environment(),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,  # Ctrl-C at a terminal is for the server alone
                )
            except OSError as error:
                raise SearchFailed(f"the process can't be started: {error.strerror}") from error
            return self._process


def _without_answer(code: int) -> SearchFailed:
    return SearchFailed(f"the process ended without an answer ({code})")
