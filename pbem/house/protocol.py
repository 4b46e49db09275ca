"""What can be asked of a search, and what it answers. The process that searches imports nothing else of pbem."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from engines.search import choose
from notation import NOTATIONS
from notation.record import Record, replay

NOBODY = ("", "")
"""The players in a record that is only replayed."""


@dataclass(frozen=True, slots=True)
class Question:
    """A match between two turns, in which the seat to move asks for its turn."""

    game: str
    options: Mapping[str, str]
    turns: tuple[str, ...]
    """The turns so far."""
    level: int
    seed: int

    def dumps(self) -> bytes:
        """Return the question as one line of JSON."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def loads(cls, line: bytes) -> "Question":
        """Return the question in a line of JSON."""
        fields = json.loads(line)
        return cls(**{**fields, "turns": tuple(fields["turns"])})


@dataclass(frozen=True, slots=True)
class Answer:
    """A turn, and what the seat to move can expect: from -1, lost, to 1, won."""

    turn: str
    value: float
    is_solved: bool
    """Whether that is certain."""
    nodes: int

    def dumps(self) -> bytes:
        """Return the answer as one line of JSON."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def loads(cls, line: bytes) -> "Answer":
        """Return the answer in a line of JSON; raise ValueError for anything else."""
        fields = json.loads(line)
        try:
            return cls(str(fields["turn"]), float(fields["value"]), bool(fields["is_solved"]), int(fields["nodes"]))
        except (KeyError, TypeError) as error:
            raise ValueError(line[:60]) from error


def seed(match: int, ply: int) -> int:
    """Return the seed for a turn of a match, so that whoever searches again finds the same.

    >>> seed(42, 7) == seed(42, 7), seed(42, 7) == seed(42, 8)
    (True, False)
    """
    return (match << 16) + ply


def respond(question: Question) -> Answer:
    """Return the answer, computed in this process; it may take a while."""
    record = Record(question.game, question.options, NOBODY, question.turns)
    position = replay(record)[-1]
    found = choose(position, question.level, question.seed)
    turn = NOTATIONS[question.game].format(found.turn, position)
    return Answer(turn, found.value, found.is_solved, found.nodes)
