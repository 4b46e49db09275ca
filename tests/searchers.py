"""A searcher for tests, so that no test changes when the search finds better turns."""

from notation.games import GAMES
from notation.record import Record, replay
from pbem.features.house.search_process import Examination, Findings, Question, SearchAnswer, SearchFinding, respond


class FirstTurn:
    """A Searcher that answers with the first legal turn."""

    def search(self, question: Question) -> SearchAnswer:
        """Return the first legal turn, as if the position were even."""
        position = replay(Record(question.game, question.options, ("", ""), question.turns))[-1]
        return SearchAnswer(
            GAMES[question.game].notation.format(next(position.moves()), position), 0.0, is_solved=False, nodes=1
        )

    def examine(self, asked: Examination) -> Findings:
        """Return the first legal turn of each position, as if the match had swung to and fro."""
        positions = replay(Record(asked.game, asked.options, ("", ""), asked.turns))
        found = []
        for ply in range(asked.first, asked.last + 1):
            turn = next(positions[ply].moves(), None)
            text = None if turn is None else GAMES[asked.game].notation.format(turn, positions[ply])
            found.append(SearchFinding((-0.8, -0.1, 0.0, 0.2, 0.5)[ply % 5], is_solved=False, turn=text))
        return tuple(found)

    def close(self) -> None:
        """Do nothing."""


class Searching(FirstTurn):
    """A searcher that searches as the server's processes do, but in this one."""

    def search(self, question: Question) -> SearchAnswer:
        """Return what a process would."""
        return respond(question)
