"""The processes that search: as good as this one, bounded, and failed if they crash or answer nonsense."""

import sys

import pytest

from notation.games import GAMES
from pbem.features.house.search_process import FINDINGS, Question, Searcher, SearchFailed, SearchStopped, respond
from pbem.features.house.search_tasks import read_turn

QUESTION = Question("kvadratik", {}, (), 1, 7)


@pytest.mark.slow
def test_a_process_answers_as_this_one_does() -> None:
    assert Searcher().search(QUESTION) == respond(QUESTION)


@pytest.mark.slow
def test_a_search_that_takes_too_long_or_too_much_memory_fails() -> None:
    with pytest.raises(SearchFailed, match=r"took too long|no answer"):
        Searcher(seconds=0.01).search(Question("quadraphages", {}, (), 3, 7))
    with pytest.raises(SearchFailed, match="too much memory"):
        Searcher(megabytes=32).search(Question("kvadratik", {}, ("x" * 100_000_000,), 1, 7))


FINDING = {"value": 1, "is_solved": True, "turn": None}


@pytest.mark.parametrize(
    "stored", [{}, None, "", [FINDING | {"value": float("nan")}], [FINDING | {"value": 1e9}], [{}]]
)
def test_what_is_no_finding_is_refused(stored: object) -> None:
    assert FINDINGS.validate_python([FINDING])
    with pytest.raises(ValueError, match="validation error"):
        FINDINGS.validate_python(stored)


def test_the_beginning_of_a_turn_is_no_turn() -> None:
    with pytest.raises(SearchFailed, match="no complete turn"):
        read_turn(GAMES["hexaphages"].notation, GAMES["hexaphages"].game.position({}), "1")


def test_a_process_that_cannot_be_started_is_a_search_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    with pytest.raises(SearchFailed, match="can't be started"):
        Searcher().search(QUESTION)


def test_nothing_is_searched_once_it_is_closed() -> None:
    searcher = Searcher()
    searcher.close()

    with pytest.raises(SearchStopped):
        searcher.search(QUESTION)
