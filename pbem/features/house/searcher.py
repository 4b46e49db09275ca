"""Searchers: who finds the turns of the house. Those of the server search apart, in a process for each search."""

import time
from collections.abc import Callable
from typing import Protocol, TypeVar

from pbem.features.house import protocol
from pbem.features.house.protocol import Examination, Findings, Question, SearchAnswer
from pbem.isolated import Isolated, Lost, Unavailable

Asked = TypeVar("Asked", Question, Examination)
Answer = TypeVar("Answer")
SECONDS, MEGABYTES = 60.0, 200
"""How long a search may compute, and how much memory it may use beyond what its process starts with."""
WALL_FACTOR = 3
"""How many times longer than it may compute a search may take: on a busy machine, others compute in the meantime."""
NICENESS = 10
"""So that everything else of the server goes first."""
IN_TIME = 0.5
"""After this share of its time, a search of a game that it knows only by its rules answers with what it has."""


class SearchFailed(Exception):
    """A search that found nothing: it took too much time or memory, crashed, or answered what makes no sense."""


class SearchStopped(Exception):
    """The server is stopping, so there is no answer."""


class Searcher(Protocol):
    def search(self, question: Question) -> SearchAnswer:
        """Return the answer. Raises SearchFailed and SearchStopped."""

    def examine(self, asked: Examination) -> Findings:
        """Return what is found for the positions. Raises SearchFailed and SearchStopped."""

    def close(self) -> None:
        """End the present search, and answer none any more. Never raises."""


class IsolatedSearcher:
    """A Searcher that leaves nothing of a search behind."""

    def __init__(
        self, lost: Callable[[], object] = lambda: None, *, seconds: float = SECONDS, megabytes: int = MEGABYTES
    ) -> None:
        """`lost` is called whenever a process ends without an answer."""
        self._seconds = seconds
        self._is_closed = False
        self._isolated = Isolated(__name__, megabytes=megabytes, niceness=NICENESS, most_calls=1, lost=lost)

    def search(self, question: Question) -> SearchAnswer:
        return self._ask(_search, question)

    def examine(self, asked: Examination) -> Findings:
        return self._ask(_examine, asked)

    def _ask(self, search: Callable[[Asked, float], Answer], asked: Asked) -> Answer:
        in_time, longest = IN_TIME * self._seconds, WALL_FACTOR * self._seconds
        try:
            return self._isolated.call(search, asked, in_time, seconds=self._seconds, longest=longest)
        except Lost as lost:
            raise SearchFailed(str(lost)) from lost
        except Unavailable as error:
            raise (SearchStopped if self._is_closed else SearchFailed)(str(error)) from error

    def close(self) -> None:
        self._is_closed = True
        self._isolated.close()


def _search(question: Question, in_time: float) -> SearchAnswer:
    return protocol.respond(question, lambda: time.process_time() > in_time)


def _examine(asked: Examination, in_time: float) -> Findings:
    return protocol.findings(asked, lambda: time.process_time() > in_time)
