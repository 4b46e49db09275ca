"""The rating formula: Glickman's own example, a second implementation, and what must hold for all results."""

import math

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from pbem.matches.ratings.glicko2 import RatedResult, Rating, rate
from tests.ratings.independent import SeveralVolatilities, rested, updated

ratings = st.builds(Rating, st.floats(500, 2800), st.floats(25, 350), st.floats(0.03, 0.1))
results = st.lists(st.builds(RatedResult, ratings, st.sampled_from((0.0, 0.5, 1.0))), min_size=1, max_size=12)


def triple(rating: Rating) -> tuple[float, float, float]:
    return rating.rating, rating.deviation, rating.volatility


def test_the_example_of_the_paper() -> None:
    """The paper has 1464.06, 151.52 and 0.05999: it goes on with rounded numbers between its steps."""
    opponents = (Rating(1400, 30), Rating(1550, 100), Rating(1700, 300))
    after = rate(Rating(1500, 200, 0.06), [RatedResult(*each) for each in zip(opponents, (1, 0, 0), strict=True)])
    assert after.rating == pytest.approx(1464.06, abs=0.01)
    assert after.deviation == pytest.approx(151.52, abs=0.005)
    assert after.volatility == pytest.approx(0.05999, abs=0.00001)


@given(ratings, results)
@example(  # seven wins against much stronger players, which two volatilities explain
    Rating(500, 25, 0.09375),
    [RatedResult(Rating(each, 25, 0.0625), 1.0) for each in (919, 1918, 1542, 1227, 1227, 1701, 1798)],
)
def test_a_second_implementation_agrees(player: Rating, played: list[RatedResult]) -> None:
    try:
        expected = updated(triple(player), [(triple(each.opponent), each.score) for each in played])
    except SeveralVolatilities:
        assume(False)
    assert triple(rate(player, played)) == pytest.approx(expected, rel=1e-5)


@given(ratings, st.integers(0, 600))
def test_rest_widens_the_deviation_as_if_period_after_period(player: Rating, periods: int) -> None:
    assert triple(player.after_rest(periods)) == pytest.approx(rested(triple(player), periods), rel=1e-9)


@given(ratings, results)
def test_what_was_won_never_lowers_and_what_was_lost_never_raises(player: Rating, played: list[RatedResult]) -> None:
    won = rate(player, [RatedResult(each.opponent, 1) for each in played])
    lost = rate(player, [RatedResult(each.opponent, 0) for each in played])
    assert lost.rating <= player.rating <= won.rating
    assert lost.rating - 1e-9 <= rate(player, played).rating <= won.rating + 1e-9


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_the_greatest_upset_leaves_sane_numbers(score: float) -> None:
    """The search for the volatility ends, where the result was expected least as well."""
    played = [RatedResult(Rating(3000 if score else 0, 30), score)] * 200
    after = rate(Rating(1500, 350, 0.06), played)
    assert all(map(math.isfinite, triple(after)))
    assert 0 < after.deviation <= 350
    assert 0 < after.volatility <= 0.1
    assert abs(after.rating - 1500) <= 700
