"""A process that crashes, or answers nonsense: a search that failed, tried again, and told to the admin."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from notation.games import GAMES
from pbem.features.house.protocol import Examination, Question, SearchAnswer
from pbem.features.house.replies import read_turn
from pbem.features.house.searcher import SandboxedSearcher, SearchFailed
from tests.correspondence import Correspondence, correspondence, text
from tests.house.test_thinker import ADMIN, ALICE, question

CRASHES = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
SAYS = "import sys; sys.stdin.read(); sys.stdout.write({!r})"
ILLEGAL = SearchAnswer("z9z8", 0.0, is_solved=False, nodes=1).dumps().decode()
UNFINISHED = SearchAnswer("1", 0.0, is_solved=False, nodes=1).dumps().decode()
"""The beginning of a turn of Hexaphages."""
NONSENSE = {
    "crashed": CRASHES,
    "stopped reading": "import sys; sys.stdin.close(); sys.exit(1)",
    "silent": SAYS.format(""),
    "no JSON": SAYS.format("a3a4\n"),
    "other JSON": SAYS.format("[1, 2]"),
    "a number": SAYS.format("7"),
    "no value": SAYS.format('{"turn": "a3a4", "value": NaN, "is_solved": false, "nodes": 1}'),
    "too good": SAYS.format('{"turn": "a3a4", "value": 1e9, "is_solved": false, "nodes": 1}'),
    "no text": "import sys; sys.stdin.read(); sys.stdout.buffer.write(b'\\xff\\xfe')",
    "deep": "import sys; sys.stdin.read(); sys.stdout.write('[' * 100_000)",
}


def broken(letters: Correspondence, program: str) -> SandboxedSearcher:
    """Return a searcher whose process runs that program."""
    return SandboxedSearcher((sys.executable, "-S", "-E", "-c", program))


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    with correspondence(tmp_path, server=f'admin = "{ADMIN}"') as letters:
        yield letters


def searching(letters: Correspondence, program: str) -> None:
    """Let the server search with a process that runs that program."""
    thinker = replace(letters.server.thinker, searcher=broken(letters, program))
    letters.server = replace(letters.server, thinker=thinker)


@pytest.mark.parametrize("program", NONSENSE.values(), ids=NONSENSE)
@pytest.mark.sampled(2)
def test_what_is_no_answer_is_a_search_that_failed(letters: Correspondence, program: str) -> None:
    with pytest.raises(SearchFailed):
        broken(letters, program).search(question())
    with pytest.raises(SearchFailed):
        broken(letters, program).examine(Examination("kvadratik", {}, (), 0, 0, 100, 7))


def waiting(letters: Correspondence, game: str) -> None:
    """Let alice begin a match in which it is the turn of the house."""
    letters.write(ALICE, f"play {game} begin=you level=1", to=letters.join("alice"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "program"),
    [("kvadratik", SAYS.format(ILLEGAL)), ("hexaphages", SAYS.format(UNFINISHED)), ("kvadratik", CRASHES)],
    ids=["illegal", "unfinished", "crashed"],
)
def test_nothing_but_a_legal_turn_is_played(letters: Correspondence, game: str, program: str) -> None:
    sound = letters.server
    searching(letters, program)

    waiting(letters, game)
    for minutes in (1, 11, 1):
        letters.wait(minutes=minutes)

    assert letters.execute("select count(*) from ply") == [(0,)]
    assert letters.execute("select part, state from match") == [(None, "running")]
    assert letters.execute("select attempts, done, troubled is not null from search") in (
        [(3, None, 1)],
        [(3, None, True)],
    )
    assert "The house finds no turn" in text(letters.received[ADMIN][0])

    letters.server = sound
    letters.wait(hours=1)
    assert letters.execute("select count(*) from ply") == [(1,)]


def test_the_beginning_of_a_turn_is_no_turn() -> None:
    with pytest.raises(SearchFailed, match="no complete turn"):
        read_turn(GAMES["hexaphages"].notation, GAMES["hexaphages"].game.position({}), "1")


def test_an_illegal_hint_is_not_told(letters: Correspondence) -> None:
    letters.write(ALICE, "play kvadratik level=1", to=letters.join("alice"))
    searching(letters, SAYS.format(ILLEGAL))

    assert letters.reply(letters.last("alice"), "hint") == []
    (told,) = letters.wait(seconds=20)

    assert "z9z8" not in text(told)
    assert "so there is no hint" in text(told)


def test_a_question_that_no_process_can_be_started_for_is_a_search_that_failed(letters: Correspondence) -> None:
    searcher = SandboxedSearcher(("/nonexistent/python",))

    with pytest.raises(SearchFailed, match="can't be started"):
        searcher.search(Question("kvadratik", {}, (), 1, 7))
