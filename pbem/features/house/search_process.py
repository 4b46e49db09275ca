"""Searches of the house: what can be asked of one, and what it answers; and who finds that, in a process for each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from time import process_time
from typing import Annotated, Any, TypeVar

from pydantic import Field, TypeAdapter

from engines.core import Position
from engines.search import LEVELS, choose, examine
from notation.games import GAMES
from notation.record import Record, replay
from pbem.isolated import Isolated, Lost, Unavailable

Value = Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]  # what a player can expect: from -1, lost, to 1, won
NOBODY = ("", "")  # the players in a record that is only replayed


@dataclass(frozen=True, slots=True)
class AboutMatch:
    game: str
    options: Mapping[str, str]
    turns: tuple[str, ...]
    version: int = field(default=1, kw_only=True)

    @property
    def record(self) -> Record:
        return Record(self.game, self.options, NOBODY, self.turns, version=self.version)


@dataclass(frozen=True, slots=True)
class Question(AboutMatch):
    """A match between two turns, in which the seat to move asks for its turn."""

    level: int
    seed: int
    careful: bool = False  # whether it is for a hint, which has no lapses


@dataclass(frozen=True, slots=True)
class Examination(AboutMatch):
    """A match that is over, and some of its positions, which are to be judged."""

    first: int  # `first` and `last` are the numbers of turns before the first and the last of the positions
    last: int
    nodes: int  # per position
    seed: int


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    turn: str
    value: Value
    is_solved: bool  # whether the value is certain
    nodes: int


@dataclass(frozen=True, slots=True)
class SearchFinding:
    value: Value  # what the first player can expect
    is_solved: bool
    turn: str | None  # what the house would play there; None where the rules have ended the match


Findings = tuple[SearchFinding, ...]  # in the order of the positions
FINDINGS: TypeAdapter[Findings] = TypeAdapter(Findings)


def respond(question: Question, in_time: float = inf) -> SearchAnswer:
    """Return the turn to play, found within that many seconds of computing."""
    position = _positions(question)[-1]
    choice = choose(
        *(position, question.level, question.seed), careful=question.careful, is_late=lambda: process_time() > in_time
    )
    turn = question.record.pack.notation.format(choice.turn, position)
    return SearchAnswer(turn, choice.value, choice.is_solved, choice.nodes)


def findings(examination: Examination, in_time: float = inf) -> Findings:
    """Return what each position is worth, found within that many seconds of computing."""
    positions = _positions(examination)[examination.first : examination.last + 1]
    return tuple(_finding(examination, position, in_time) for position in positions)


def _finding(examination: Examination, position: Position[Any], in_time: float) -> SearchFinding:
    if position.turn is None:
        winner = position.outcome.winner if position.outcome else None
        return SearchFinding(0.0 if winner is None else 1.0 if winner == 0 else -1.0, is_solved=True, turn=None)
    choice = examine(position, examination.nodes, examination.seed, lambda: process_time() > in_time)
    value = choice.value if position.turn == 0 else -choice.value
    turn = examination.record.pack.notation.format(choice.turn, position)
    return SearchFinding(round(value, 3), choice.is_solved, turn)


def _positions(question: Question | Examination) -> "tuple[Position[Any], ...]":
    if question.game not in GAMES:
        GAMES.enable([question.game])  # whoever asks offers it
    return replay(question.record)


Asked = TypeVar("Asked", Question, Examination)
Answer = TypeVar("Answer")
SECONDS, MEGABYTES = 60.0, 200
"""How long a search may compute, and how much memory it may use beyond what its process starts with."""
LONGER = 4  # how many times as long a search at the highest level may compute
WALL_FACTOR = 3
"""How many times longer than it may compute a search may take: on a busy machine, others compute in the meantime."""
NICENESS = 10  # so that everything else of the server goes first
IN_TIME = 0.5  # after this share of its time, a search answers with what it has


class SearchFailed(Exception):
    """A search that found nothing: it took too much time or memory, crashed, or answered what makes no sense."""


class SearchStopped(Exception):
    """The server is stopping, so there is no answer."""


class Searcher:
    """Answers questions, each in a process that leaves nothing of a search behind."""

    def __init__(
        self, lost: Callable[[], object] = lambda: None, *, seconds: float = SECONDS, megabytes: int = MEGABYTES
    ) -> None:
        """`lost` is called whenever a process ends without an answer."""
        self._seconds = seconds
        self._is_closed = False
        self._isolated = Isolated(__name__, megabytes=megabytes, niceness=NICENESS, most_calls=1, lost=lost)

    def search(self, question: Question) -> SearchAnswer:
        """Return the answer. Raises SearchFailed and SearchStopped."""
        return self._ask(respond, question, LONGER if question.level == LEVELS[-1].number else 1)

    def examine(self, examination: Examination) -> Findings:
        """Return what is found for the positions. Raises SearchFailed and SearchStopped."""
        return self._ask(findings, examination)

    def _ask(self, search: Callable[[Asked, float], Answer], question: Asked, times: int = 1) -> Answer:
        seconds, in_time = self._seconds * times, IN_TIME * self._seconds * times
        try:
            return self._isolated.call(search, question, in_time, seconds=seconds, longest=WALL_FACTOR * seconds)
        except Lost as lost:
            raise SearchFailed(str(lost)) from lost
        except Unavailable as error:
            raise (SearchStopped if self._is_closed else SearchFailed)(str(error)) from error

    def close(self) -> None:
        """End the present search, and answer none any more. Never raises."""
        self._is_closed = True
        self._isolated.close()
