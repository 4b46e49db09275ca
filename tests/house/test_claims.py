"""Claims that a result is proven: they end the match, or are answered without a word about the position."""

from dataclasses import replace

import pytest

from notation.record import Record, replay
from pbem.features.house.protocol import ProofAnswer, ProofQuestion
from pbem.features.house.searcher import SearchFailed
from pbem.matches import lifecycle
from pbem.matches.queries import locked
from pbem.storage.database import transaction
from pbem.storage.leases import new_holder
from tests.correspondence import Correspondence, said
from tests.house.scenes import OPEN, TURNS, WON, proofs, searching
from tests.scenes import after
from tests.searchers import FirstTurn

STANDING = "select ply.*, state, winner, to_move, plies from ply join match on match.id = match"


class Failing(FirstTurn):
    """A searcher whose proofs all fail."""

    def prove(self, asked: ProofQuestion) -> ProofAnswer:
        """Fail."""
        raise SearchFailed("killed")


@after(proofs)
def test_the_line_of_a_proof_leads_to_the_win(letters: Correspondence) -> None:
    letters.say("bob", "#1 claim proven")

    (line,) = letters.rows("select reason from match")
    ends = replay(Record("quadrupel", {}, ("", ""), (*TURNS[:WON], *line.split(", "))))[-1]
    assert ends.outcome is not None
    assert ends.outcome.winner == 1


@pytest.mark.parametrize("turns", [WON, OPEN], ids=["lost", "undecided"])
def test_what_is_not_shown_is_answered_alike_and_at_the_same_time(letters: Correspondence, turns: int) -> None:
    letters.play(proofs, str(turns))
    before = letters.rows(STANDING)

    (asked,) = letters.say("alice", "#1 claim proven")
    early = letters.wait(minutes=4, seconds=50)
    (told,) = letters.wait(seconds=15)

    assert "is being looked at" in said(asked)
    assert early == []
    assert (
        said(told)
        .partition(" You can also")[0]
        .startswith(
            "Your claim in match #1 was not shown The search found no proof within its limits. That tells nothing "
            "about who is better: it may just not have looked far enough. You have 2 more claims in this match, "
            "each for another position."
        )
    )
    assert letters.rows(STANDING) == before
    (again,) = letters.say("alice", "#1 claim proven")
    assert "Your claim on this position has been answered." in said(again)


@after(proofs)
def test_a_turn_before_the_house_has_looked_makes_a_claim_void(letters: Correspondence) -> None:
    searching(letters, Failing())
    letters.say("bob", "#1 claim proven")

    letters.say("bob", f"#1 {TURNS[WON]}")
    (told,) = [mail for mail in letters.wait(minutes=2) if "Your claim" in said(mail)]

    assert told["To"] == "bob@mail.example"
    assert "Your claim in match #1 is void" in said(told)


@after(proofs)
def test_a_search_that_fails_again_and_again_does_not_count(letters: Correspondence) -> None:
    searching(letters, Failing())
    letters.say("bob", "#1 claim proven")

    (told,) = [mail for _ in range(4) for mail in letters.wait(minutes=2)]

    assert "couldn't be looked at" in said(told)
    searching(letters, FirstTurn())
    letters.say("bob", "#1 claim proven")
    assert letters.rows("select termination from match") == ["proven"]


@after(proofs)
def test_a_match_that_ends_while_the_house_looks_ends_once(letters: Correspondence) -> None:
    class Interrupted(FirstTurn):
        """A searcher in whose time the second player resigns."""

        def prove(self, asked: ProofQuestion) -> ProofAnswer:
            with transaction(letters.server.engine) as session:
                match = locked(session, 1)
                assert match is not None
                lifecycle.resign(session, match, 1, letters.clock())
            return super().prove(asked)

    searching(letters, Interrupted())

    letters.say("bob", "#1 claim proven")

    assert letters.rows("select winner, termination from match") == [(0, "resignation")]
    assert "Your claim in match #1 is void The match is over." in said(letters.last("bob"))


@after(proofs)
def test_two_daemons_look_at_a_claim_once(letters: Correspondence) -> None:
    asked: list[ProofQuestion] = []
    another = letters.server.thinker

    class Noting(FirstTurn):
        def prove(self, question: ProofQuestion) -> ProofAnswer:
            asked.append(question)
            return ProofAnswer((), is_whole=False)

    searching(letters, Noting())
    letters.say("bob", "#1 claim proven")
    while replace(another, holder=new_holder(), searcher=Noting()).step():
        pass

    assert len(asked) == 1
