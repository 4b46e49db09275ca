"""Analyses of finished matches: who gets one, what it says, what becomes of one that fails; each is told once."""

from dataclasses import replace

import pytest

from pbem.features.house import analyses
from pbem.features.house.search_process import Examination, Findings, SearchFailed
from pbem.storage.leases import new_holder
from pbem.storage.models import Analysis, Match
from tests import spent
from tests.correspondence import MORNING, Correspondence, said
from tests.house.scenes import over, searching
from tests.scenes import after
from tests.searchers import FirstTurn

ALICE, ADMIN = "alice@mail.example", "admin@pbem.example"

pytestmark = pytest.mark.server(server=f'admin = "{ADMIN}"')


class Counting(FirstTurn):
    """A searcher that notes what it is to examine, and fails while it is told to."""

    def __init__(self, fails: bool = False) -> None:
        self.fails = fails
        self.asked: list[Examination] = []

    def examine(self, asked: Examination) -> Findings:
        """Note what is asked."""
        self.asked.append(asked)
        if self.fails:
            raise SearchFailed("killed")
        return super().examine(asked)


def several(letters: Correspondence) -> None:
    """Let alice and bob begin two matches and end the second at once; carol plays the house."""
    letters.match("challenge bob kvadratik")
    letters.reply(letters.last("alice"), "setup +x+x")
    letters.say("alice", "challenge bob quadrupel")
    letters.reply(letters.last("bob"), "accept")
    letters.resign("bob", "resign 2")
    letters.join("carol")
    letters.say("carol", "play kvadratik level=1")


@after(over)
def test_what_was_found_is_told_to_the_opponent_at_once(letters: Correspondence) -> None:
    searching(letters, searcher := Counting())
    letters.reply(letters.last("alice"), "analyse")
    searched = len(searcher.asked)

    (again,) = letters.reply(letters.last("alice"), "analyse")
    (other,) = letters.reply(letters.last("bob"), "analyze 1")

    assert searched > 0
    assert len(searcher.asked) == searched
    assert "What the house thinks" in said(again)
    assert "What the house thinks" in said(other)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("analyse 1", "isn't over"),
        ("analyse 2", "Nobody has played a turn"),
        ("analyse 3", "You don't play in match #3"),
        ("analyse 9", "There is no match #9"),
    ],
)
@after(several)
def test_only_own_matches_that_are_over_are_analysed(letters: Correspondence, line: str, says: str) -> None:
    (answer,) = letters.say("alice", line)

    assert says in said(answer)
    assert letters.rows("select count(*) from analysis") == [0]


@after(over)
def test_a_match_that_is_still_played_is_not_analysed_by_way_of_another(letters: Correspondence) -> None:
    """A match replayed from it is over, and would tell what the house thinks of its position."""
    letters.execute("update match set state = 'running' where id = 1")
    letters.say("alice", "challenge bob kvadratik")
    letters.reply(letters.last("bob"), "accept")
    letters.reply(letters.last("alice"), "setup +x+x")
    letters.resign("bob", "resign 2")
    letters.execute("update match set begun_from = 1 where id = 2")

    (answer,) = letters.say("alice", "analyse 2")

    assert "The house doesn't help in a match that isn't over yet." in said(answer)


@after(over)
def test_nobody_has_two_analyses_at_a_time_or_too_many_in_a_day(letters: Correspondence) -> None:
    searching(letters, searcher := Counting(fails=True))
    letters.reply(letters.last("bob"), "rematch")
    letters.reply(letters.last("alice"), "accept")
    letters.reply(letters.last("bob"), "setup +x+x")
    letters.resign("bob")
    letters.say("alice", "analyse 1")
    for number in (3, 4):
        spent.copies(letters, Match, 1, 1, id=number)
        spent.copies(letters, Analysis, 1, 1, match=number, done=letters.clock())

    (waiting,) = letters.say("alice", "analyse 2")
    searcher.fails = False
    letters.wait(minutes=2)
    (enough,) = letters.say("alice", "analyse 2")
    letters.wait(days=1)
    asked, _ = letters.say("alice", "analyse 2")

    assert "still analysing match #1" in said(waiting)
    assert "for 3 analyses today" in said(enough)
    assert "The house looks at match #2" in said(asked)


@after(over)
def test_an_analysis_that_fails_is_given_up_and_told_once(letters: Correspondence) -> None:
    searching(letters, searcher := Counting(fails=True))

    letters.reply(letters.last("alice"), "analyse")
    told = [mail for minutes in (1, 9, 2, 120) for mail in letters.wait(minutes=minutes)]

    ours = [mail for mail in told if mail["To"] == ALICE]
    assert len(searcher.asked) == 3
    assert ["No analysis of match #1" in said(mail) for mail in ours] == [True]
    assert any("given up an analysis" in said(mail) for mail in letters.received[ADMIN])

    searcher.fails = False
    _, found = letters.reply(letters.last("alice"), "analyse")
    assert "What the house thinks" in said(found)


@after(over)
def test_what_two_daemons_found_is_kept_and_told_once(letters: Correspondence) -> None:
    others = replace(letters.server.thinker, searcher=FirstTurn(), holder=new_holder())

    class Slow(FirstTurn):
        def examine(self, asked: Examination) -> Findings:
            others.step()  # meanwhile another daemon, which hasn't noticed that we search, finds the same
            return super().examine(asked)

    searching(letters, Slow())
    _, *told = letters.reply(letters.last("alice"), "analyse")

    assert len(told) == 1
    (stored,) = letters.rows("select findings from analysis")
    assert str(stored).count("is_solved") == 5


def test_an_analysis_is_no_more_work_at_a_time_than_a_turn() -> None:
    for plies in (1, 7, 30, 150, 299, 300, 2_000):
        match = Match(id=1, game="kvadratik", options={}, seat0=1, seat1=2, challenger=1, plies=plies, created=MORNING)
        known, nodes = 0, 0
        while not analyses.is_complete(match, range(known)):
            asked = analyses.next_question(match, (), known)
            positions = asked.last - asked.first + 1
            assert positions * asked.nodes <= analyses.AT_ONCE
            known, nodes = known + positions, nodes + positions * asked.nodes
        assert nodes <= analyses.NODES
        assert asked.last == plies


@after(over)
def test_who_leaves_leaves_no_analysis(letters: Correspondence) -> None:
    searching(letters, Counting(fails=True))
    letters.reply(letters.last("alice"), "analyse")

    letters.say("alice", "delete me")
    letters.reply(letters.last("alice"), "yes")
    letters.wait(hours=3)

    assert letters.rows("select count(*) from analysis") == [0]
