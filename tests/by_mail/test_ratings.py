"""Ratings by mail: a challenge says whether a match is rated, and its end what that does to the ratings."""

import pytest

from tests.correspondence import Correspondence, said, text
from tests.ratings import scenes
from tests.ratings.scenes import counted
from tests.scenes import after


@pytest.mark.slow
@after(scenes.two_turns)
def test_who_ends_a_match_that_counts_reads_when_and_what_it_may_do_to_the_ratings(letters: Correspondence) -> None:
    letters.resign("bob")

    for name, own, other, theirs in (("alice", 1662, "bob", 1338), ("bob", 1338, "alice", 1662)):
        told = f"It counts on Monday, 9 March: your rating may become about {own}, and {other}'s about {theirs}."
        assert told in said(letters.last(name))
    assert counted(letters) == [(1, 1)]
    (answer,) = letters.say("alice", "standings quadrature")
    assert "The first ratings come on Monday, 9 March." in said(answer)
    letters.run_for(days=8)
    assert letters.rows("select round(rating) from playerrating order by player") == [1662, 1338]


@pytest.mark.slow
@after(scenes.rated)
def test_a_challenge_tells_the_rating_of_who_offers_it_and_how_the_two_have_fared(letters: Correspondence) -> None:
    letters.say("alice", "challenge bob rated quadrature")

    assert "Match #2, men=18 rated" in text(letters.last("bob"))
    assert "alice (1662?) challenges you to Quadrature" in said(letters.last("bob"))
    assert "Against each other, you have won 0 and lost 1." in said(letters.last("bob"))
