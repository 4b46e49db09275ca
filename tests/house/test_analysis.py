"""Analyses of finished matches: who gets one, what it says, what becomes of one that fails; each is told once."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.features.house import analyses
from pbem.features.house.protocol import Examination, Findings, Question, SearchAnswer, SearchFinding, findings
from pbem.features.house.searcher import SearchFailed
from pbem.messages.analysis import Estimate
from pbem.storage.leases import new_holder
from pbem.storage.models import Analysis, Match
from tests import spent
from tests.correspondence import MORNING, Correspondence, correspondence, text
from tests.searchers import FirstTurn

PLAYED = Path(__file__).parent.parent / "playthroughs" / "quadrupel.txt"
WON = tuple(line[8:] for line in PLAYED.read_text(encoding="utf-8").splitlines() if line.startswith("played: "))
"""A match that the second player wins."""
ALICE, BOB, ADMIN = "alice@mail.example", "bob@mail.example", "admin@pbem.example"


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    with correspondence(tmp_path, server=f'admin = "{ADMIN}"') as letters:
        yield letters


class Counting(FirstTurn):
    """A searcher that notes what it is to examine, and fails while it is told to."""

    def __init__(self, fails: bool = False) -> None:
        self.fails = fails
        self.asked: list[Examination] = []

    def search(self, question: Question) -> SearchAnswer:
        """Return the first legal turn."""
        return super().search(question)

    def examine(self, asked: Examination) -> Findings:
        """Note what is asked."""
        self.asked.append(asked)
        if self.fails:
            raise SearchFailed("killed")
        return super().examine(asked)


def searching(letters: Correspondence, fails: bool = False) -> Counting:
    """Let the server search with a searcher that counts; return it."""
    searcher = Counting(fails)
    thinker = replace(letters.server.thinker, searcher=searcher)
    letters.server = replace(letters.server, thinker=thinker)
    return searcher


def over(letters: Correspondence) -> None:
    """Let alice and bob play four turns; then alice resigns."""
    letters.match("challenge bob kvadratik")
    for name, turn in (("alice", "setup +x+x"), ("bob", "setup ++++"), ("alice", "a4a3"), ("bob", "b1b2")):
        letters.reply(letters.last(name), turn)
    letters.resign("alice")


def words(mail: object) -> str:
    return " ".join(text(mail).split())  # type: ignore[arg-type]


def test_an_analysis_follows_in_a_message_of_its_own(letters: Correspondence) -> None:
    letters.play(over)

    asked, told = letters.reply(letters.last("alice"), "analyse")

    assert "The house looks at match #1" in words(asked)
    assert "What the house thinks of match #1 Kvadratik" in words(told)
    assert "Turn 3, a4a3?? by alice." not in words(told)
    assert told["Subject"] == letters.last("alice")["Subject"]
    assert told["X-PBeM-Event"] == "analysis"
    assert letters.execute("select done is not null, troubled from analysis") in ([(1, None)], [(True, None)])


def test_each_turn_is_judged_by_what_it_gave_away(letters: Correspondence) -> None:
    letters.play(over)

    _, told = letters.reply(letters.last("alice"), "analyse")

    said = words(told)
    # The searcher's values: -0.8, -0.1, 0.0, 0.2, 0.5 for the first player.
    assert "Turn 4, b1b2? by bob. Before it, alice was slightly ahead; after it, alice was ahead." in said
    assert "The house would have played" in said
    assert "[     *    |          ] 4. b1b2 ?" in text(told)
    html = told.get_body(("html",))
    assert html is not None
    assert "cid:board1" in html.get_content()


def test_the_course_is_told_in_words_to_those_who_want_no_drawings(letters: Correspondence) -> None:
    letters.play(over)
    letters.reply(letters.received[ALICE][1], "set board words")

    _, told = letters.reply(letters.last("bob"), "analyse")
    letters.reply(letters.received[ALICE][1], "analyse 1")

    assert "4. b1b2" in words(told)
    assert "* After turn 4: alice was ahead." in words(letters.last("alice"))


def test_what_was_found_is_told_to_the_opponent_at_once(letters: Correspondence) -> None:
    letters.play(over)
    searcher = searching(letters)
    letters.reply(letters.last("alice"), "analyse")
    searched = len(searcher.asked)

    (again,) = letters.reply(letters.last("alice"), "analyse")
    (other,) = letters.reply(letters.last("bob"), "analyze 1")

    assert searched > 0
    assert len(searcher.asked) == searched
    assert "What the house thinks" in words(again)
    assert "What the house thinks" in words(other)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("analyse 1", "isn't over"),
        ("analyse 2", "Nobody has played a turn"),
        ("analyse 3", "You don't play in match #3"),
        ("analyse 9", "There is no match #9"),
    ],
)
@pytest.mark.sampled(2)
def test_only_own_matches_that_are_over_are_analysed(letters: Correspondence, line: str, says: str) -> None:
    letters.play(several)

    (answer,) = letters.reply(letters.received[ALICE][1], line)

    assert says in words(answer)
    assert letters.execute("select count(*) from analysis") == [(0,)]


def test_a_match_that_is_still_played_is_not_analysed_by_way_of_another(letters: Correspondence) -> None:
    """A match replayed from it is over, and would tell what the house thinks of its position."""
    letters.play(over)
    letters.execute("update match set state = 'running' where id = 1")
    letters.write(ALICE, "challenge bob kvadratik", to=str(letters.received[ALICE][1]["Reply-To"]))
    letters.reply(letters.last("bob"), "accept")
    letters.reply(letters.last("alice"), "setup +x+x")
    letters.resign("bob", "resign 2")
    letters.execute("update match set begun_from = 1 where id = 2")

    (answer,) = letters.reply(letters.received[ALICE][1], "analyse 2")

    assert "The house doesn't help in a match that isn't over yet." in words(answer)


def several(letters: Correspondence) -> None:
    """Let alice and bob begin two matches and end the second at once; carol plays the house."""
    letters.match("challenge bob kvadratik")
    letters.reply(letters.last("alice"), "setup +x+x")
    letters.write(ALICE, "challenge bob quadrupel", to=str(letters.received[ALICE][1]["Reply-To"]))
    letters.reply(letters.last("bob"), "accept")
    letters.resign("bob", "resign 2")
    letters.write("carol@mail.example", "play kvadratik level=1", to=letters.join("carol"))


@pytest.mark.slow
def test_nobody_has_two_analyses_at_a_time_or_too_many_in_a_day(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        letters.play(over)
        searcher = searching(letters, fails=True)
        letters.reply(letters.last("bob"), "rematch")
        letters.reply(letters.last("alice"), "accept")
        letters.reply(letters.last("bob"), "setup +x+x")
        letters.resign("bob")
        letters.reply(letters.received[ALICE][1], "analyse 1")
        spent.copies(letters, Match, 1, 2)
        for number in (3, 4):
            spent.copies(letters, Analysis, 1, 1, match=number, done=letters.clock())

        (waiting,) = letters.reply(letters.received[ALICE][1], "analyse 2")
        searcher.fails = False
        letters.wait(minutes=2)
        (enough,) = letters.reply(letters.received[ALICE][1], "analyse 2")
        letters.wait(days=1)
        asked, _ = letters.reply(letters.received[ALICE][1], "analyse 2")

        assert "still analysing match #1" in words(waiting)
        assert "for 3 analyses today" in words(enough)
        assert "The house looks at match #2" in words(asked)


def test_an_analysis_that_fails_is_given_up_and_told_once(letters: Correspondence) -> None:
    letters.play(over)
    searcher = searching(letters, fails=True)

    letters.reply(letters.last("alice"), "analyse")
    told = [mail for minutes in (1, 9, 2, 120) for mail in letters.wait(minutes=minutes)]

    ours = [mail for mail in told if mail["To"] == ALICE]
    assert len(searcher.asked) == 3
    assert ["No analysis of match #1" in words(mail) for mail in ours] == [True]
    assert any("given up an analysis" in words(mail) for mail in letters.received[ADMIN])

    searcher.fails = False
    _, found = letters.reply(letters.last("alice"), "analyse")
    assert "What the house thinks" in words(found)


def test_turns_go_before_analyses(letters: Correspondence) -> None:
    """Between two searches for an analysis, the turns of the house are found that wait."""
    letters.play(over)
    letters.write("carol@mail.example", "play kvadratik level=1", to=letters.join("carol"))
    order: list[str] = []

    class Noting(FirstTurn):
        def search(self, question: Question) -> SearchAnswer:
            order.append("turn")
            return super().search(question)

        def examine(self, asked: Examination) -> Findings:
            if not order:
                letters.execute("update match set to_move = 1 where id = 2")  # as if carol had played meanwhile
            order.append("analysis")
            return super().examine(asked)

    thinker = replace(letters.server.thinker, searcher=Noting())
    letters.server = replace(letters.server, thinker=thinker)
    letters.reply(letters.last("alice"), "analyse")

    assert order[:2] == ["analysis", "turn"]
    assert order.count("analysis") > 1


def test_what_two_daemons_found_is_kept_and_told_once(letters: Correspondence) -> None:
    letters.play(over)
    ours = letters.server.thinker
    others = replace(ours, searcher=FirstTurn(), holder=new_holder())

    class Slow(FirstTurn):
        def examine(self, asked: Examination) -> Findings:
            others.step()  # meanwhile another daemon, which hasn't noticed that we search, finds the same
            return super().examine(asked)

    letters.server = replace(letters.server, thinker=replace(ours, searcher=Slow()))
    _, *told = letters.reply(letters.last("alice"), "analyse")

    assert len(told) == 1
    (stored,) = letters.execute("select findings from analysis")
    assert str(stored[0]).count("is_solved") == 5


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


def test_who_leaves_leaves_no_analysis(letters: Correspondence) -> None:
    letters.play(over)
    searching(letters, fails=True)
    letters.reply(letters.last("alice"), "analyse")

    letters.write(ALICE, "delete me", to=str(letters.received[ALICE][1]["Reply-To"]))
    letters.reply(letters.last("alice"), "yes")
    letters.wait(hours=3)

    assert letters.execute("select count(*) from analysis") == [(0,)]


def test_findings_are_what_the_first_player_can_expect() -> None:
    turns = ("setup +x+x", "setup ++++")
    found = findings(Examination("kvadratik", {}, turns, 0, 2, 300, 7))

    assert len(found.each) == 3
    assert all(each.turn is not None for each in found.each)
    assert found == Findings.loads(found.dumps())
    ended = findings(Examination("quadrupel", {}, WON, len(WON) - 1, len(WON), 300, 7))
    assert ended.each[-1] == SearchFinding(-1.0, is_solved=True, turn=None)
    assert ended.each[0].is_solved
    assert ended.each[0].value < -0.9


@pytest.mark.parametrize("said", [b"{}", b"[1]", b'[{"value": NaN, "is_solved": true, "turn": null}]', b"null", b""])
@pytest.mark.sampled(2)
def test_what_is_no_finding_is_refused(said: bytes) -> None:
    with pytest.raises(ValueError, match=r"findings|Expecting|no value"):
        Findings.loads(said)


def test_an_estimate_is_what_is_told_of_a_finding() -> None:
    match = Match(id=1, game="kvadratik", options={}, seat0=1, seat1=2, challenger=1, plies=0, created=MORNING)
    stored = analyses.stored(Findings((SearchFinding(0.5, is_solved=False, turn="a4a3"),)))

    assert analyses.told(match, stored).estimates == (Estimate(value=0.5, turn="a4a3"),)
