"""A searcher for tests, so that no test changes when the search finds better turns."""

from notation import NOTATIONS
from notation.record import Record, replay
from pbem.house.protocol import Answer, Question


class FirstTurn:
    """A Searcher that answers with the first legal turn."""

    def search(self, question: Question) -> Answer:
        """Return the first legal turn, as if the position were even."""
        position = replay(Record(question.game, question.options, ("", ""), question.turns))[-1]
        return Answer(NOTATIONS[question.game].format(next(position.moves()), position), 0.0, is_solved=False, nodes=1)

    def close(self) -> None:
        """Do nothing."""
