"""The processes that search: as good as this one, bounded, and failed if they crash or answer nonsense."""

import sys
from pathlib import Path

import pytest

from notation.games import GAMES
from pbem.features.house.measuring import measured
from pbem.features.house.protocol import Examination, Findings, Question, respond
from pbem.features.house.replies import read_turn
from pbem.features.house.searcher import SandboxedSearcher, SearchFailed, SearchStopped
from tests import toys

WITHOUT_END = """
import sys
from itertools import count
from pbem.features.house import worker
worker.respond = lambda _question: sum(count())
worker.main(float(sys.argv[1]), int(sys.argv[2]))
"""
"""The process as it is, but for its search, which takes longer than any machine has."""
QUESTION = Question("kvadratik", {}, (), 1, 7)
SAYS = "import sys; sys.stdin.read(); sys.stdout.write({!r})"
NONSENSE = {
    "crashed": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "stopped reading": "import sys; sys.stdin.close(); sys.exit(1)",
    "silent": SAYS.format(""),
    "no JSON": SAYS.format("a3a4\n"),
    "other JSON": SAYS.format("[1, 2]"),
    "no value": SAYS.format('{"turn": "a3a4", "value": NaN, "is_solved": false, "nodes": 1}'),
    "too good": SAYS.format('{"turn": "a3a4", "value": 1e9, "is_solved": false, "nodes": 1}'),
    "no text": "import sys; sys.stdin.read(); sys.stdout.buffer.write(b'\\xff\\xfe')",
    "deep": "import sys; sys.stdin.read(); sys.stdout.write('[' * 100_000)",
}


@pytest.mark.slow
def test_a_process_answers_as_this_one_does() -> None:
    assert SandboxedSearcher().search(QUESTION) == respond(QUESTION)


@pytest.mark.slow
def test_a_process_that_computes_for_too_long_or_takes_too_much_memory_is_ended() -> None:
    command = (sys.executable, "-P", "-c", WITHOUT_END)
    with pytest.raises(SearchFailed, match="ended without an answer"):
        SandboxedSearcher(command, seconds=1).search(QUESTION)
    with pytest.raises(SearchFailed, match="ended without an answer"):
        SandboxedSearcher(megabytes=32).search(Question("kvadratik", {}, ("x" * 100_000_000,), 1, 7))


@pytest.mark.parametrize("program", NONSENSE.values(), ids=NONSENSE)
@pytest.mark.slow
def test_what_is_no_answer_is_a_search_that_failed(program: str) -> None:
    searcher = SandboxedSearcher((sys.executable, "-S", "-E", "-c", program))

    with pytest.raises(SearchFailed):
        searcher.search(QUESTION)
    with pytest.raises(SearchFailed):
        searcher.examine(Examination("kvadratik", {}, (), 0, 0, 100, 7))


@pytest.mark.parametrize("stored", [b"{}", b'[{"value": NaN, "is_solved": true, "turn": null}]', b"null", b""])
def test_what_is_no_finding_is_refused(stored: bytes) -> None:
    with pytest.raises(ValueError, match=r"findings|Expecting|no value"):
        Findings.loads(stored)


def test_the_beginning_of_a_turn_is_no_turn() -> None:
    with pytest.raises(SearchFailed, match="no complete turn"):
        read_turn(GAMES["hexaphages"].notation, GAMES["hexaphages"].game.position({}), "1")


def test_a_process_that_cannot_be_started_is_a_search_that_failed() -> None:
    with pytest.raises(SearchFailed, match="can't be started"):
        SandboxedSearcher(("/nonexistent/python",)).search(QUESTION)


def test_nothing_is_searched_once_it_is_closed() -> None:
    searcher = SandboxedSearcher()
    searcher.close()

    with pytest.raises(SearchStopped):
        searcher.search(QUESTION)


# Whether the house can play a game ------------------------------------------------------------------


@pytest.mark.slow
def test_a_game_that_the_house_knows_is_played() -> None:
    found = measured(GAMES["kvadratik"], SandboxedSearcher(seconds=3600))

    assert str(found).startswith("The house plays Kvadratik: up to ")
    assert not found.failed


def test_a_game_that_it_cannot_play_is_told(tmp_path: Path) -> None:
    """Nothing is installed by that name, so the process ends; it does the same where time or memory runs out."""
    found = measured(toys.toy(tmp_path, "toy", "Toy"))

    assert str(found) == "The house can't play Toy: the process ended without an answer (1), after 0 turns."
    assert found.is_weak
