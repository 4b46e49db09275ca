"""The turns of the house: who waits for whom, what happens to searches that fail, and that each turn is played once."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.features.house import worker
from pbem.features.house.commands import MOST_MATCHES
from pbem.features.house.protocol import (
    Examination,
    Findings,
    ProofAnswer,
    ProofQuestion,
    Question,
    SearchAnswer,
    findings,
    proof,
    respond,
)
from pbem.features.house.searcher import SandboxedSearcher, SearchFailed, SearchStopped
from pbem.features.house.thinker import Thinker
from pbem.server.daemon import void_leases
from tests.correspondence import Correspondence, correspondence, text

ALICE = "alice@mail.example"
ADMIN = "admin@pbem.example"
WITHOUT_END = """
import sys
from itertools import count
from pbem.features.house import worker
worker.respond = lambda _question: sum(count())
worker.main(float(sys.argv[1]), int(sys.argv[2]))
"""
"""The process as it is, but for its search, which takes longer than any machine has."""


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    with correspondence(tmp_path, server=f'admin = "{ADMIN}"') as letters:
        yield letters


class Broken:
    """A searcher whose processes all end without an answer, and one that notes what it is asked otherwise."""

    def __init__(self, answers: bool) -> None:
        self.answers = answers
        self.asked: list[Question] = []

    def search(self, question: Question) -> SearchAnswer:
        self.asked.append(question)
        if not self.answers:
            raise SearchFailed("killed")
        return respond(question)

    def examine(self, asked: Examination) -> Findings:
        if not self.answers:
            raise SearchFailed("killed")
        return findings(asked)

    def prove(self, asked: ProofQuestion) -> ProofAnswer:
        if not self.answers:
            raise SearchFailed("killed")
        return proof(asked)

    def close(self) -> None:
        pass


def thinker(letters: Correspondence, searcher: Broken, **limits: int) -> Thinker:
    """Return the thinker of the server with another searcher and other limits."""
    ours = letters.server.thinker
    return replace(ours, searcher=searcher, **limits)


def without_thinking(letters: Correspondence, searcher: Broken, **limits: int) -> None:
    """Let the server go on with that searcher."""
    letters.server = replace(letters.server, thinker=thinker(letters, searcher, **limits))


def waiting(letters: Correspondence, name: str, number: int) -> None:
    """Let a player begin that many matches in which it is the turn of the house."""
    personal = letters.join(name)
    lines = "\n".join("play quadrupel begin=you level=1" for _ in range(number))
    letters.write(f"{name}@mail.example", lines, to=personal)


def test_nobody_starves_others_with_many_matches(letters: Correspondence) -> None:
    searcher = Broken(answers=False)
    without_thinking(letters, searcher)
    waiting(letters, "alice", 3)
    waiting(letters, "bob", 1)
    letters.execute("delete from search")
    working = Broken(answers=True)

    served = thinker(letters, working).step()

    assert served == 2
    assert letters.execute("select match from ply order by match") == [(1,), (4,)]


def test_one_player_s_turns_are_limited_in_an_hour(letters: Correspondence) -> None:
    without_thinking(letters, Broken(answers=True), turns_per_hour=2)

    waiting(letters, "alice", 3)
    assert letters.execute("select count(*) from ply") == [(2,)]

    letters.wait(hours=1, minutes=1)
    assert letters.execute("select count(*) from ply") == [(3,)]


def test_one_player_s_matches_are_limited(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        waiting(letters, "alice", MOST_MATCHES + 1)

        assert letters.execute("select count(*) from match") == [(MOST_MATCHES,)]
        told = " ".join(" ".join(map(text, letters.received[ALICE])).split())
        assert "as many matches against the house as a player can (10)" in told


class Killed(BaseException):
    """The server is killed."""


class Deadly(Broken):
    """A searcher during whose searches the server is killed."""

    def search(self, question: Question) -> SearchAnswer:
        raise Killed


def test_kills_during_a_search_cost_the_turn_no_time(letters: Correspondence) -> None:
    without_thinking(letters, Deadly(answers=True))
    with pytest.raises(Killed):
        waiting(letters, "alice", 1)
    for _ in range(2):
        void_leases(letters.server.engine)
        with pytest.raises(Killed):
            thinker(letters, Deadly(answers=True)).step()

    void_leases(letters.server.engine)
    assert thinker(letters, Broken(answers=True)).step() == 1
    assert letters.execute("select match from ply") == [(1,)]


def test_a_search_that_fails_is_tried_again_and_the_admin_hears_of_it(letters: Correspondence) -> None:
    broken = Broken(answers=False)
    without_thinking(letters, broken)
    waiting(letters, "alice", 1)
    assert len(broken.asked) == 1

    for minutes, asked in ((0.5, 1), (1, 2), (5, 2), (10, 3), (30, 3), (60, 4), (59, 4), (2, 5)):
        letters.wait(minutes=minutes)
        assert len(broken.asked) == asked, minutes

    (alert,) = letters.received[ADMIN][:1]
    assert "The house finds no turn" in text(alert)
    assert "match 1" in text(alert)
    assert {question.seed for question in broken.asked} == {broken.asked[0].seed}
    without_thinking(letters, Broken(answers=True))
    letters.wait(hours=1)
    assert letters.execute("select count(*), max(number) from ply") == [(1, 1)]
    assert letters.execute("select troubled from search") == [(None,)]


def test_a_receipt_does_not_wait_for_long(letters: Correspondence) -> None:
    without_thinking(letters, Broken(answers=False))
    personal = letters.join("alice")
    letters.write(ALICE, "play kvadratik level=1", to=personal)
    start = letters.last("alice")

    assert letters.reply(start, "setup +x+x") == []
    assert letters.wait(seconds=10) == []
    (receipt,) = letters.wait(seconds=10)
    assert "You played setup +x+x" in text(receipt)
    without_thinking(letters, Broken(answers=True))
    (answer,) = letters.wait(minutes=1)
    assert "You played" not in text(answer)


def test_a_receipt_is_sent_before_what_the_player_asks_next(letters: Correspondence) -> None:
    without_thinking(letters, Broken(answers=False))
    personal = letters.join("alice")
    letters.write(ALICE, "play kvadratik level=1", to=personal)
    start = letters.last("alice")
    letters.reply(start, "setup +x+x")

    receipt, shown = letters.reply(start, "show")

    assert "You played setup +x+x" in text(receipt)
    assert "Kvadratik" in text(shown)


def test_a_hint_that_is_not_found_is_answered_too(letters: Correspondence) -> None:
    without_thinking(letters, Broken(answers=False))
    personal = letters.join("alice")
    letters.write(ALICE, "play kvadratik level=1", to=personal)

    assert letters.reply(letters.last("alice"), "hint") == []
    (told,) = letters.wait(seconds=20)

    assert "Ask again in some minutes" in text(told)


def test_a_stuck_match_can_be_cancelled(letters: Correspondence) -> None:
    without_thinking(letters, Broken(answers=False))
    waiting(letters, "alice", 1)
    letters.wait(minutes=1)

    letters.reply(letters.last("alice"), "cancel")

    assert letters.execute("select termination from match") == [("cancelled",)]


def test_what_was_found_for_a_turn_that_was_taken_back_is_not_played(letters: Correspondence) -> None:
    class Undoing(Broken):
        """The player takes their turn back while the house thinks."""

        def search(self, question: Question) -> SearchAnswer:
            letters.execute("update match set shift = 2")
            return super().search(question)

    without_thinking(letters, Broken(answers=False))
    waiting(letters, "alice", 1)
    letters.execute("delete from search")

    thinker(letters, Undoing(answers=True)).step()

    assert letters.execute("select count(*) from ply") == [(0,)]


def question(game: str = "kvadratik", level: int = 1) -> Question:
    return Question(game, {}, (), level, 7)


@pytest.mark.slow
def test_a_process_answers_as_this_one_does() -> None:
    assert SandboxedSearcher().search(question()) == respond(question())


@pytest.mark.slow
def test_a_process_that_computes_for_too_long_is_ended() -> None:
    command = (sys.executable, "-P", "-c", WITHOUT_END)
    with pytest.raises(SearchFailed, match="ended without an answer"):
        SandboxedSearcher(command, seconds=1).search(question())


@pytest.mark.slow
def test_a_process_that_takes_too_much_memory_is_ended() -> None:
    with pytest.raises(SearchFailed, match="ended without an answer"):
        SandboxedSearcher(megabytes=32).search(Question("kvadratik", {}, ("x" * 100_000_000,), 1, 7))


def test_a_process_searches_where_it_may_not_change_its_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_by: int) -> int:
        raise PermissionError("Operation not permitted")

    monkeypatch.setattr("os.nice", refuse)

    worker.give_way()


def test_nothing_is_searched_once_it_is_closed() -> None:
    searcher = SandboxedSearcher()
    searcher.close()

    with pytest.raises(SearchStopped):
        searcher.search(question())
