"""Tournaments that come again each month or week, until their host or the operator ends that."""

import pytest

from tests.correspondence import Correspondence, said
from tests.scenes import after
from tests.tournaments.scenes import THREE, told


def monthly(letters: Correspondence) -> None:
    """Let alice, whom the operator trusts, host a monthly Swiss."""
    for name in THREE:
        letters.join(name)
    letters.operate("player", "trust", "alice")
    letters.say("alice", "host swiss kvadratik time=3d/move rated places=8 days=5 every=month called Monthly Cup")


pytestmark = after(monthly)


def seasons(letters: Correspondence) -> list[int]:
    return letters.rows("select season from tournament order by id")


def test_each_month_another_season_opens_on_the_same_terms(letters: Correspondence) -> None:
    assert 'The next one opens by itself on 2 Apr. "host stop 1" ends that.' in said(letters.last("alice"))
    letters.run_for(days=30)
    assert seasons(letters) == [1]
    letters.run_for(days=1)
    letters.run_for(days=30)

    assert seasons(letters) == [1, 2, 3]
    assert list(map(bool, letters.rows("select ended is not null from tournament order by id"))) == [True, True, False]
    terms = "title, kind, game, time, rated, places, host, every, entry_days"
    assert len(letters.rows(f"select distinct {terms} from tournament")) == 1
    assert "season 3" in told(letters, "bob", "tournament 3")
    assert letters.rows("select count(*) from tournament where reopens is not null") == [1]


def test_after_a_long_outage_one_season_opens(letters: Correspondence) -> None:
    letters.run_for(days=100)
    letters.run_for(hours=1)

    assert seasons(letters) == [1, 2]
    (opens,) = letters.rows("select reopens from tournament where reopens is not null")
    assert str(opens).startswith("2026-07-02")


@pytest.mark.parametrize("who", ["its host", "the operator"])
def test_it_is_ended_by_its_host_or_the_operator(letters: Correspondence, who: str) -> None:
    assert "Tournament 1 isn't yours." in told(letters, "bob", "host stop 1")
    assert "There is no tournament 9." in told(letters, "alice", "host stop 9")
    letters.run_for(days=31)
    assert seasons(letters) == [1, 2]

    if who == "its host":
        ended = told(letters, "alice", "host stop 1")
    else:
        ended = " ".join(letters.operate("tournament", "end", "1").output.split())
    assert "no other season of tournament 1 will open" in ended.lower()
    letters.run_for(days=100)

    assert seasons(letters) == [1, 2]


def test_none_opens_for_a_host_who_is_not_trusted_any_more(letters: Correspondence) -> None:
    letters.operate("player", "trust", "alice", "--end")
    letters.run_for(days=31)

    assert seasons(letters) == [1]
    assert letters.rows("select reopens from tournament") == [None]
