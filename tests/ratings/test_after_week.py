"""What the results of a week make of ratings: who wins gains, who loses loses, from either seat."""

from datetime import date

import pytest

from pbem.matches.ratings.glicko2 import Rating
from pbem.matches.ratings.weekly_rating import Contest, after_week

WEEK = date(2026, 2, 2)
FIRST, SECOND = 7, 3
USUAL = Rating().rating


@pytest.mark.parametrize(("score", "winner", "loser"), [(1, FIRST, SECOND), (0, SECOND, FIRST)])
def test_who_wins_gains_what_who_loses_loses(score: float, winner: int, loser: int) -> None:
    after = after_week(WEEK, [Contest((FIRST, SECOND), score)], {})

    assert after[winner].rating.rating > USUAL > after[loser].rating.rating
    assert after[winner].rating.rating - USUAL == pytest.approx(USUAL - after[loser].rating.rating)
    assert [(each.wins, each.draws, each.losses) for each in (after[winner], after[loser])] == [(1, 0, 0), (0, 0, 1)]


def test_a_draw_of_equals_changes_nothing_but_how_sure_it_is() -> None:
    after = after_week(WEEK, [Contest((FIRST, SECOND), 0.5)], {})

    for held in after.values():
        assert held.rating.rating == pytest.approx(USUAL)
        assert held.rating.deviation < Rating().deviation
        assert (held.wins, held.draws, held.losses) == (0, 1, 0)
