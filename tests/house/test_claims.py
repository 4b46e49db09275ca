"""Claims that a result is proven: they end the match, or are answered without a word about the position."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest

from engines.search import prove
from notation.ending import Ending, Termination
from notation.record import Record, loads, replay
from pbem.features.house import claims
from pbem.features.house.protocol import Examination, Findings, ProofAnswer, ProofQuestion, Question, SearchAnswer
from pbem.features.house.searcher import SearchFailed
from pbem.matches import lifecycle
from pbem.matches.queries import locked
from pbem.storage.database import transaction
from pbem.storage.leases import new_holder
from tests.correspondence import Correspondence, correspondence, text
from tests.searchers import FirstTurn

PLAYED = Path(__file__).parent.parent / "playthroughs" / "quadrupel.txt"
TURNS = tuple(line[8:] for line in PLAYED.read_text(encoding="utf-8").splitlines() if line.startswith("played: "))
WON, OPEN = 29, 30
"""After how many turns of the match its second player wins by force, and after how many nothing is certain."""
ALICE, BOB = "alice@mail.example", "bob@mail.example"
TABLES = ("match", "ply", "claim", "clockevent")


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    with correspondence(tmp_path, more="[limits]\nanswers_per_hour = 1000") as letters:
        yield letters


def proven(letters: Correspondence, after: str = "29", more: str = "") -> None:
    """Let alice and bob agree on proofs, and play that many turns; bob is the second player."""
    letters.match(f"challenge bob quadrupel proofs=on {more}")
    for number, turn in enumerate(TURNS[: int(after)]):
        letters.reply(letters.last(("alice", "bob")[number % 2]), turn)


QUIET = ("e3f4", "e9f8", "b3b4", "b9b8", "c3c4", "c9c8")
"""The first turns of a match of Quadrature, in which nothing is certain for long."""


def begun(letters: Correspondence) -> None:
    """Let alice and bob agree on proofs, and play three turns."""
    letters.match("challenge bob quadrature proofs=on")
    for number, turn in enumerate(QUIET[:3]):
        letters.reply(letters.last(("alice", "bob")[number % 2]), turn)


def words(mail: EmailMessage) -> str:
    return " ".join(text(mail).split())


def standing(letters: Correspondence) -> list[tuple[object, ...]]:
    """Return all that a claim can change."""
    return [row for table in TABLES for row in letters.execute(f'select * from "{table}"')]


class Failing(FirstTurn):
    """A searcher whose proofs all fail."""

    def prove(self, asked: ProofQuestion) -> ProofAnswer:
        """Fail."""
        raise SearchFailed("killed")


class Noting(FirstTurn):
    """A searcher that notes in which order it is asked, and proves nothing."""

    def __init__(self) -> None:
        self.order: list[str] = []

    def search(self, question: Question) -> SearchAnswer:
        """Note a turn, or a hint."""
        self.order.append("turn")
        return super().search(question)

    def examine(self, asked: Examination) -> Findings:
        """Note an analysis."""
        self.order.append("analysis")
        return super().examine(asked)

    def prove(self, asked: ProofQuestion) -> ProofAnswer:
        """Note a claim."""
        self.order.append("claim")
        return ProofAnswer((), is_whole=False)


def searching(letters: Correspondence, searcher: FirstTurn) -> None:
    """Let the server search with that one."""
    letters.server = replace(letters.server, thinker=replace(letters.server.thinker, searcher=searcher))


# Agreeing -------------------------------------------------------------------------------------------


def test_both_read_of_proofs_before_they_agree_and_a_rematch_keeps_them(letters: Correspondence) -> None:
    letters.match("challenge bob quadrupel proofs=on")
    challenge = next(mail for mail in letters.received[BOB] if mail["X-PBeM-Event"] == "challenge")

    assert "proofs=on" in words(challenge)
    assert "claim that is proven" in words(challenge)
    assert all("proofs=on" in words(letters.last(name)) for name in ("alice", "bob"))
    letters.resign("alice")
    letters.reply(letters.last("bob"), "rematch")
    assert "proofs=on" in words(letters.last("alice"))
    personal = str(letters.received[ALICE][1]["Reply-To"])
    letters.write(ALICE, "challenge carol@mail.example quadrupel proofs=on", to=personal)
    assert "claim that is proven" in words(letters.last("carol"))
    assert letters.execute("select id from match where proofs order by id") == [(1,), (2,), (3,)]


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        ("challenge bob quadrupel proofs=maybe", "proofs=maybe is not a choice; use proofs=on or proofs=off."),
        ("play quadrupel proofs=on", "against the house, nothing is claimed as proven"),
        ("seek quadrupel proofs=on", "proofs"),
    ],
)
def test_proofs_are_agreed_on_in_a_challenge_between_two_people(
    letters: Correspondence, line: str, refusal: str
) -> None:
    letters.join("bob")
    personal = letters.join("alice")

    (answer,) = letters.write(ALICE, line, to=personal)

    assert refusal in words(answer)
    assert letters.execute("select * from match") == letters.execute("select * from seek") == []


# Claiming -------------------------------------------------------------------------------------------


@pytest.mark.sampled(2)
@pytest.mark.parametrize("line", ["claim proven", "claim win", "claim it is won", "#1 claim a win"])
def test_what_is_proven_ends_the_match_and_both_get_the_line(letters: Correspondence, line: str) -> None:
    letters.play(proven)

    told = letters.reply(letters.last("bob"), line)

    assert {str(mail["To"]) for mail in told} == {ALICE, BOB}
    for name, headline in (("alice", "bob won."), ("bob", "You won!")):
        mail = letters.last(name)
        assert headline in words(mail)
        assert "The match is over: proven by " in words(mail)
        assert (mail["X-PBeM-Termination"], mail["X-PBeM-Winner"]) == ("proven", "bob")
        assert "Thank you for playing!" in words(mail)
    assert letters.execute("select state, winner, termination, termination_seat from match") == [
        ("over", 1, "proven", 1)
    ]
    ((line,),) = letters.execute("select reason from match")
    ends = replay(Record("quadrupel", {}, ("", ""), (*TURNS[:WON], *str(line).split(", "))))[-1]
    assert ends.outcome is not None
    assert ends.outcome.winner == 1


def test_the_record_tells_the_line(letters: Correspondence) -> None:
    letters.play(proven)
    letters.reply(letters.last("bob"), "claim proven")
    ((line,),) = letters.execute("select reason from match")

    files = {str(part.get_filename())[-3:]: part.get_content() for part in letters.last("alice").iter_attachments()}
    assert loads(files["txt"]).ending == Ending(Termination.PROVEN, 1, str(line))
    assert f"bob wins by force: {line}" in str(json.loads(files["son"]))


def test_the_claimant_need_not_be_to_move(letters: Correspondence) -> None:
    letters.play(proven, "27")
    assert prove(replay(Record("quadrupel", {}, ("", ""), TURNS[:27]))[-1], 0, claims.NODES, 1) is not None

    letters.reply(letters.last("bob"), "say hm")
    letters.reply(letters.last("alice"), "claim proven")

    assert letters.execute("select winner, termination from match") == [(0, "proven")]


def test_a_rated_match_that_ends_so_counts(letters: Correspondence) -> None:
    letters.play(proven, "29", "rated")

    letters.reply(letters.last("bob"), "claim proven")

    assert letters.execute("select counted is not null from match") in ([(1,)], [(True,)])
    assert "It counts on " in words(letters.last("alice"))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("after", "name", "line"),
    [
        (WON, "alice", "claim proven"),  # lost
        (OPEN, "alice", "claim proven"),  # undecided
        (OPEN, "bob", "claim proven"),
        (WON, "alice", "claim draw"),
        (WON, "bob", "claim draw"),  # won
    ],
)
def test_what_is_not_shown_is_answered_alike_and_at_the_same_time(
    letters: Correspondence, after: int, name: str, line: str
) -> None:
    letters.play(proven, str(after))
    address, begun, before = f"{name}@mail.example", letters.clock(), letters.execute("select * from ply, match")

    (asked,) = letters.write(address, f"#1 {line}", to=str(letters.last(name)["Reply-To"]))
    early = letters.wait(minutes=4, seconds=50)
    (told,) = letters.wait(seconds=15)

    assert "is being looked at" in words(asked)
    assert early == []
    assert letters.clock() - begun < claims.ANSWERED_AFTER + timedelta(seconds=30)
    assert str(told["To"]) == address
    said = words(told).partition("#1 (quadrupel)")[0].partition(" You can also")[0]
    assert said.startswith(
        "Your claim in match #1 was not shown The search found no proof within its limits. That tells nothing about who"
        " is better: it may just not have looked far enough. You have 2 more claims in this match, each for another"
        " position."
    )
    assert letters.execute("select * from ply, match") == before


@pytest.mark.slow
def test_how_the_search_ended_is_told_by_nothing_but_the_claim_itself(letters: Correspondence) -> None:
    """The messages about a lost position and an undecided one are the same but for the board."""
    said = set()
    for after in (str(WON), str(OPEN)):
        with correspondence(letters.folder / after) as other:
            other.play(proven, after)
            other.reply(other.last("alice"), "claim proven")
            (told,) = other.wait(minutes=5, seconds=1)
            said.add(" ".join(text(told).partition("Quadrupel against")[0].split()))
            assert told.get_body(("html",)) is not None
    assert len(said) == 1


def test_a_turn_before_the_house_has_looked_makes_a_claim_void(letters: Correspondence) -> None:
    letters.play(proven)
    searching(letters, Failing())
    letters.reply(letters.last("bob"), "claim proven")

    letters.reply(letters.last("bob"), TURNS[WON])
    told = [mail for mail in letters.wait(minutes=2) if "Your claim" in words(mail)]

    assert [str(mail["To"]) for mail in told] == [BOB]
    assert "Your claim in match #1 is void" in words(told[0])
    assert "You have 3 more claims" in words(told[0])


def test_a_claim_counts_once_the_house_has_looked_whatever_is_played_then(letters: Correspondence) -> None:
    letters.play(proven, str(OPEN))
    letters.reply(letters.last("alice"), "claim proven")

    letters.reply(letters.last("alice"), TURNS[OPEN])
    told = [mail for mail in letters.wait(minutes=6) if "Your claim" in words(mail)]

    assert len(told) == 1
    assert "was not shown" in words(told[0])
    assert "You have 2 more claims" in words(told[0])


class Interrupted(FirstTurn):
    """A searcher in whose time the second player resigns."""

    def __init__(self, letters: Correspondence) -> None:
        self.letters = letters

    def prove(self, asked: ProofQuestion) -> ProofAnswer:
        """Let them resign, and return the proof."""
        with transaction(self.letters.server.engine) as session:
            match = locked(session, 1)
            assert match is not None
            lifecycle.resign(session, match, 1, self.letters.clock())
        return super().prove(asked)


def test_a_match_that_ends_while_the_house_looks_ends_once(letters: Correspondence) -> None:
    letters.play(proven)
    searching(letters, Interrupted(letters))

    letters.reply(letters.last("bob"), "claim proven")

    assert letters.execute("select winner, termination from match") == [(0, "resignation")]
    assert "Your claim in match #1 is void The match is over." in words(letters.last("bob"))


def test_a_search_that_fails_again_and_again_does_not_count(letters: Correspondence) -> None:
    letters.play(proven)
    searching(letters, Failing())
    letters.reply(letters.last("bob"), "claim proven")

    told = [mail for _ in range(4) for mail in letters.wait(minutes=2)]

    assert len(told) == 1
    assert "couldn't be looked at" in words(told[0])
    searching(letters, FirstTurn())
    letters.reply(letters.last("bob"), "#1 claim proven")
    assert letters.execute("select termination from match") == [("proven",)]


def test_turns_of_the_house_and_hints_go_before_claims_and_claims_before_analyses(letters: Correspondence) -> None:
    letters.play(begun)
    personal = str(letters.received[ALICE][1]["Reply-To"])
    noting = Noting()
    letters.write(ALICE, "play kvadratik level=1", to=personal)
    searching(letters, noting)
    letters.write(ALICE, "#1 claim proven\n#2 setup +x+x", to=personal)

    assert noting.order == ["turn", "claim"]


# What is refused ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_position_is_claimed_once_and_a_match_three_times(letters: Correspondence) -> None:
    letters.play(begun)
    personal = str(letters.received[ALICE][1]["Reply-To"])
    for number in range(claims.PER_MATCH):
        letters.write(ALICE, "#1 claim proven", to=personal)
        before = standing(letters)
        (again,) = letters.write(ALICE, "#1 claim draw", to=personal)
        assert "Your claim on this position is still being looked at." in words(again)
        assert standing(letters) == before
        letters.wait(minutes=6)
        (again,) = letters.write(ALICE, "#1 claim proven", to=personal)
        assert "Your claim on this position has been answered." in words(again)
        who = ("bob", "alice")[number % 2]
        letters.write(f"{who}@mail.example", f"#1 {QUIET[3 + number]}", to=str(letters.last(who)["Reply-To"]))

    before = standing(letters)
    (refused,) = letters.write(ALICE, "#1 claim proven", to=personal)

    assert "You've made 3 claims in match #1, and that's the limit." in words(refused)
    assert standing(letters) == before
    (other,) = letters.write(BOB, "#1 claim proven", to=str(letters.received[BOB][1]["Reply-To"]))
    assert "is being looked at" in words(other)


def test_claims_have_a_limit_a_day(letters: Correspondence, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "PER_DAY", 1)
    letters.play(begun)
    personal = str(letters.received[ALICE][1]["Reply-To"])
    letters.write(ALICE, "#1 claim proven", to=personal)
    letters.wait(minutes=6)
    letters.write(BOB, f"#1 {QUIET[3]}", to=str(letters.last("bob")["Reply-To"]))

    (refused,) = letters.write(ALICE, "#1 claim proven", to=personal)

    assert "You've made 1 claims today" in words(refused)


def without(letters: Correspondence) -> None:
    """Let alice and bob begin a match without proofs, one with proofs that is paused, and one that is over."""
    letters.match("challenge bob quadrupel")
    personal = str(letters.received[ALICE][1]["Reply-To"])
    for end in ("pause", "resign"):
        letters.write(ALICE, "challenge bob quadrupel proofs=on", to=personal)
        letters.reply(letters.last("bob"), "accept")
        letters.reply(letters.last("alice"), end)
        letters.reply(letters.last("bob" if end == "pause" else "alice"), "accept" if end == "pause" else "yes")
    letters.write(ALICE, "play quadrupel", to=personal)
    letters.join("carol")


@pytest.mark.parametrize(
    ("name", "line", "refusal"),
    [
        ("alice", "#1 claim proven", "was begun without proofs, so no claim can end it."),
        ("bob", "#1 claim draw", "was begun without proofs"),
        ("alice", "#2 claim proven", "Match #2 is paused."),
        ("alice", "#3 claim proven", "Match #3 is over"),
        ("alice", "#4 claim proven", "Match #4 has no proofs"),
        ("carol", "#2 claim proven", "You don't play in match #2."),
        ("alice", "#9 claim proven", "There is no match #9"),
        ("alice", "#1 claim", "Your opponent hasn't run out of time in match #1."),
    ],
)
def test_a_claim_where_there_is_nothing_to_claim_is_refused(
    letters: Correspondence, name: str, line: str, refusal: str
) -> None:
    letters.play(without)
    before = standing(letters)

    answers = letters.write(
        f"{name}@mail.example", line, to=str(letters.received[f"{name}@mail.example"][1]["Reply-To"])
    )

    assert [refusal in words(answer) for answer in answers] == [True], words(answers[0])
    assert standing(letters) == before


def test_a_claim_on_an_older_position_is_refused(letters: Correspondence) -> None:
    letters.play(begun)
    older = letters.last("bob")
    letters.reply(older, QUIET[3])
    before = standing(letters)

    (answer,) = letters.reply(older, "claim proven")

    assert "You replied to an older message, and the match has moved on." in words(answer)
    assert standing(letters) == before


def test_claims_work_where_the_house_takes_no_new_matches(tmp_path: Path) -> None:
    with correspondence(tmp_path, more="[house]\nenabled = false") as letters:
        personal = letters.join("alice")
        letters.join("bob")
        (refused,) = letters.write(ALICE, "challenge bob quadrupel proofs=on", to=personal)
        assert 'Leave out "proofs=on".' in words(refused)
    with correspondence(tmp_path / "more") as letters:
        letters.play(proven)
        house = letters.server.services.house.model_copy(update={"enabled": False})
        letters.server = replace(letters.server, services=replace(letters.server.services, house=house))
        letters.reply(letters.last("bob"), "claim proven")
        assert letters.execute("select termination from match") == [("proven",)]


def test_two_daemons_look_at_a_claim_once(letters: Correspondence) -> None:
    letters.play(begun)
    ours = letters.server.thinker
    noting = Noting()
    searching(letters, noting)
    another = replace(ours, holder=new_holder(), searcher=noting)
    letters.reply(letters.last("bob"), "claim proven")

    while another.step():
        pass

    assert noting.order == ["claim"]


def test_who_leaves_leaves_no_claims(letters: Correspondence) -> None:
    letters.play(begun)
    letters.reply(letters.last("bob"), "claim proven")
    (question,) = letters.write(BOB, "delete me", to=str(letters.received[BOB][1]["Reply-To"]))

    letters.reply(question, "yes")

    assert letters.execute("select * from claim") == []
