"""What can be asked of a search, and what it answers. The process that searches imports nothing else of pbem."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

from engines.core import Position
from engines.search import choose, examine
from notation.games import GAMES
from notation.record import Record, replay

IsLate = Callable[[], bool]
"""Returns whether the time is nearly over, so that the search is to answer with what it has."""
NOBODY = ("", "")
"""The players in a record that is only replayed."""


class AboutMatch:
    """What all questions have: a match, and by which rules it is played."""

    __slots__ = ()

    game: str
    options: Mapping[str, str]
    turns: tuple[str, ...]
    version: int

    @property
    def record(self) -> Record:
        """The match."""
        return Record(self.game, self.options, NOBODY, self.turns, version=self.version)


@dataclass(frozen=True, slots=True)
class Question(AboutMatch):
    """A match between two turns, in which the seat to move asks for its turn."""

    game: str
    options: Mapping[str, str]
    turns: tuple[str, ...]
    """The turns so far."""
    level: int
    seed: int
    careful: bool = False
    """Whether it is for a hint, which has no lapses."""
    version: int = 1
    """The version of the rules."""


@dataclass(frozen=True, slots=True)
class Examination(AboutMatch):
    """A match that is over, and some of its positions, which are to be judged."""

    game: str
    options: Mapping[str, str]
    turns: tuple[str, ...]
    """All turns of the match."""
    first: int
    """The number of turns before the first of the positions."""
    last: int
    """The number of turns before the last of them."""
    nodes: int
    """The budget for each."""
    seed: int
    version: int = 1
    """The version of the rules."""


def dumps(told: "Question | Examination | SearchAnswer") -> bytes:
    """Return a question or an answer as one line of JSON."""
    return json.dumps(asdict(told)).encode()


def loads(line: bytes) -> Question | Examination:
    """Return the question in a line of JSON.

    >>> asked = Examination("kvadratik", {}, ("setup +x+x",), 0, 1, 300, seed=7)
    >>> loads(dumps(asked)) == asked
    True
    """
    fields = json.loads(line)
    fields["turns"] = tuple(fields["turns"])
    kind = Examination if "nodes" in fields else Question
    return kind(**fields)


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """A turn, and what the seat to move can expect: from -1, lost, to 1, won."""

    turn: str
    value: float
    is_solved: bool
    """Whether that is certain."""
    nodes: int

    def dumps(self) -> bytes:
        """Return the answer as one line of JSON."""
        return dumps(self)

    @classmethod
    def loads(cls, line: bytes) -> "SearchAnswer":
        """Return the answer in a line of JSON; raise ValueError for anything else."""
        fields = _from_json(line)
        try:
            answer = cls(str(fields["turn"]), float(fields["value"]), bool(fields["is_solved"]), int(fields["nodes"]))
        except (KeyError, TypeError, OverflowError) as error:
            raise ValueError(line[:60]) from error
        _check_value(answer.value)
        return answer


@dataclass(frozen=True, slots=True)
class SearchFinding:
    """What was found for one position of a match."""

    value: float
    """What the first player can expect: from -1, lost, to 1, won."""
    is_solved: bool
    """Whether that is certain."""
    turn: str | None
    """What the house would play there; None where the rules have ended the match."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found for some positions, in their order."""

    each: tuple[SearchFinding, ...]

    def dumps(self) -> bytes:
        """Return the findings as one line of JSON."""
        return json.dumps([asdict(each) for each in self.each]).encode()

    @classmethod
    def loads(cls, line: bytes) -> "Findings":
        """Return the findings in a line of JSON; raise ValueError for anything else."""
        said = _from_json(line)
        return cls.restored(said if isinstance(said, list) else None)

    @classmethod
    def restored(cls, stored: Any) -> "Findings":
        """Return the findings from what JSON can hold; raise ValueError for anything else."""
        try:
            found = cls(tuple(_finding(fields) for fields in stored))
        except (KeyError, TypeError, OverflowError) as error:
            raise ValueError("these are no findings") from error
        for each in found.each:
            _check_value(each.value)
        return found


def _finding(fields: Mapping[str, Any]) -> SearchFinding:
    turn = fields["turn"]
    return SearchFinding(float(fields["value"]), bool(fields["is_solved"]), None if turn is None else str(turn))


def _from_json(line: bytes) -> Any:
    """Return what a line of JSON says; raise ValueError for anything else, however deep."""
    try:
        return json.loads(line)
    except RecursionError as error:
        raise ValueError("too deep") from error


def _check_value(value: float) -> None:
    if not isfinite(value) or abs(value) > 1:
        raise ValueError(f"{value} is no value of a position")


def seed(match: int, ply: int) -> int:
    """Return the seed for a turn of a match, so that whoever searches again finds the same.

    >>> seed(42, 7) == seed(42, 7), seed(42, 7) == seed(42, 8)
    (True, False)
    """
    return (match << 16) + ply


def respond(question: Question, is_late: IsLate = lambda: False) -> SearchAnswer:
    """Return the answer, computed in this process; it may take a while."""
    position = _positions(question)[-1]
    found = choose(position, question.level, question.seed, careful=question.careful, is_late=is_late)
    turn = question.record.pack.notation.format(found.turn, position)
    return SearchAnswer(turn, found.value, found.is_solved, found.nodes)


def findings(asked: Examination, is_late: IsLate = lambda: False) -> Findings:
    """Return what is found for the positions, computed in this process; it may take a while."""
    return Findings(tuple(_examined(asked, each, is_late) for each in _positions(asked)[asked.first : asked.last + 1]))


def _examined(asked: Examination, position: Position[Any], is_late: IsLate) -> SearchFinding:
    if position.turn is None:
        winner = position.outcome.winner if position.outcome else None
        return SearchFinding(0.0 if winner is None else 1.0 if winner == 0 else -1.0, is_solved=True, turn=None)
    found = examine(position, asked.nodes, asked.seed, is_late)
    value = found.value if position.turn == 0 else -found.value
    return SearchFinding(
        round(value, 3),
        found.is_solved,
        asked.record.pack.notation.format(found.turn, position),
    )


def _positions(question: Question | Examination) -> "tuple[Position[Any], ...]":
    if question.game not in GAMES:
        GAMES.enable([question.game])  # whoever asks offers it
    return replay(question.record)
