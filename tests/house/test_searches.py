"""Searches of the house: who waits for whom, what happens to those that fail, and that each turn is played once."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from pbem.features.house.levels_and_new_matches import MOST_MATCHES
from pbem.features.house.search_process import Examination, Findings, Question, SearchAnswer, SearchFailed
from pbem.features.house.search_tasks import Thinker
from pbem.server.daemon import void_leases
from tests import scenes
from tests.correspondence import Correspondence, said, text
from tests.house.scenes import challenged, searching
from tests.scenes import after
from tests.searchers import FirstTurn

pytestmark = pytest.mark.server(server='admin = "admin@pbem.example"')


class Failing(FirstTurn):
    """A searcher that notes the turns it is asked for, and whose processes all end without an answer."""

    def __init__(self) -> None:
        self.asked: list[Question] = []

    def search(self, question: Question) -> SearchAnswer:
        self.asked.append(question)
        raise SearchFailed("killed")

    def examine(self, asked: Examination) -> Findings:
        raise SearchFailed("killed")


class Answering(FirstTurn):
    """A searcher that answers with this turn, or with the first legal one."""

    def __init__(self, turn: str = "") -> None:
        self.turn = turn

    def search(self, question: Question) -> SearchAnswer:
        if self.turn:
            return SearchAnswer(self.turn, 0.0, is_solved=False, nodes=1)
        return super().search(question)


class Interrupted(FirstTurn):
    """A searcher during whose searches something happens."""

    def __init__(self, what: Callable[[], object]) -> None:
        self.what = what

    def search(self, question: Question) -> SearchAnswer:
        self.what()
        return super().search(question)


def thinker(letters: Correspondence, searcher: FirstTurn) -> Thinker:
    """Return the thinker of the server with another searcher."""
    return replace(letters.server.thinker, searcher=searcher)


def waiting(letters: Correspondence, name: str, number: int, game: str = "quadrupel") -> None:
    """Let a player begin that many matches in which it is the turn of the house."""
    letters.say(name, "\n".join(f"play {game} begin=you level=1" for _ in range(number)))


@after(scenes.two_players)
def test_nobody_starves_others_with_many_matches(letters: Correspondence) -> None:
    searching(letters, Failing())
    waiting(letters, "alice", 3)
    waiting(letters, "bob", 1)
    letters.execute("delete from search")

    assert thinker(letters, FirstTurn()).step() == 2
    assert letters.rows("select match from ply order by match") == [1, 4]


@after(scenes.two_players)
def test_one_player_s_turns_are_limited_in_an_hour_and_matches_at_a_time(letters: Correspondence) -> None:
    letters.server = replace(letters.server, thinker=replace(letters.server.thinker, turns_per_hour=2))

    waiting(letters, "alice", MOST_MATCHES + 1)
    assert letters.rows("select count(*) from match") == [MOST_MATCHES]
    told = map(said, letters.received["alice@mail.example"])
    assert any("as many matches against the house as a player can (10)" in each for each in told)
    assert letters.rows("select count(*) from ply") == [2]

    letters.wait(hours=1, minutes=1)
    assert letters.rows("select count(*) from ply") == [4]


class Killed(BaseException):
    """The server is killed."""


@after(scenes.two_players)
def test_kills_during_a_search_cost_the_turn_no_time(letters: Correspondence) -> None:
    def kill() -> None:
        raise Killed

    searching(letters, Interrupted(kill))
    with pytest.raises(Killed):
        waiting(letters, "alice", 1)
    for _ in range(2):
        void_leases(letters.server.engine)
        with pytest.raises(Killed):
            thinker(letters, Interrupted(kill)).step()

    void_leases(letters.server.engine)
    assert thinker(letters, FirstTurn()).step() == 1
    assert letters.rows("select match from ply") == [1]


@after(scenes.two_players)
def test_a_search_that_fails_is_tried_again_and_the_admin_hears_of_it(letters: Correspondence) -> None:
    failing = Failing()
    searching(letters, failing)
    waiting(letters, "alice", 1)
    assert len(failing.asked) == 1

    for minutes, asked in ((0.5, 1), (1, 2), (5, 2), (10, 3), (30, 3), (60, 4), (59, 4), (2, 5)):
        letters.wait(minutes=minutes)
        assert len(failing.asked) == asked, minutes

    (alert,) = letters.received["admin@pbem.example"][:1]
    assert "The house finds no turn" in text(alert)
    assert {question.seed for question in failing.asked} == {failing.asked[0].seed}
    searching(letters, FirstTurn())
    letters.wait(hours=1)
    assert letters.rows("select count(*), max(number) from ply") == [(1, 1)]
    assert letters.rows("select troubled from search") == [None]


@pytest.mark.parametrize(
    ("game", "turn"), [("kvadratik", "z9z8"), ("hexaphages", "1")], ids=["illegal", "the beginning of a turn"]
)
@after(scenes.two_players)
def test_nothing_but_a_legal_turn_is_played(letters: Correspondence, game: str, turn: str) -> None:
    searching(letters, Answering(turn))

    waiting(letters, "alice", 1, game)
    letters.wait(minutes=12)

    assert letters.played == []
    assert letters.rows("select part, state from match") == [(None, "running")]
    searching(letters, FirstTurn())
    letters.wait(hours=1)
    assert len(letters.played) == 1


@after(challenged)
def test_a_receipt_does_not_wait_for_long(letters: Correspondence) -> None:
    searching(letters, Failing())

    assert letters.reply(letters.last("alice"), "setup +x+x") == []
    assert letters.wait(seconds=10) == []
    (receipt,) = letters.wait(seconds=10)
    assert "You played setup +x+x" in text(receipt)
    searching(letters, FirstTurn())
    (answer,) = letters.wait(minutes=1)
    assert "You played" not in text(answer)


@pytest.mark.parametrize("searcher", [Failing(), Answering("z9z8")], ids=["failed", "illegal"])
@after(challenged)
def test_a_hint_that_is_not_found_is_answered_too(letters: Correspondence, searcher: FirstTurn) -> None:
    searching(letters, searcher)

    assert letters.reply(letters.last("alice"), "hint") == []
    (told,) = letters.wait(seconds=20)

    assert "Ask again in some minutes" in text(told)
    assert "z9z8" not in text(told)


@after(scenes.two_players)
def test_what_was_found_for_a_turn_that_was_taken_back_is_not_played(letters: Correspondence) -> None:
    searching(letters, Failing())
    waiting(letters, "alice", 1)
    letters.execute("delete from search")

    thinker(letters, Interrupted(lambda: letters.execute("update match set shift = 2"))).step()

    assert letters.played == []
