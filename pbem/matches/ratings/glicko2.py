"""The Glicko-2 rating system: how a rating, its deviation and its volatility change by the results of a period.

Source: Mark E. Glickman, "Example of the Glicko-2 system" (2012). The steps are those of the paper. What its variables
are called there is in parentheses. Values that are passed in and returned are on the scale that players see.

The steps go straight on from where a player stands, and far too far after many results that nobody expected: 200 wins
in a week against somebody far better would give a rating of nearly a million. So two bounds are added: `STEADY` and
`STEP`, which ordinary weeks don't touch. Lichess has the same ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, pi, sqrt

SCALE = 173.7178
CENTRE = 1500.0
TAU = 0.5  # how much the volatility may change (tau); the paper advises 0.3 to 1.2
EPSILON = 0.000001  # how exactly the volatility is found
WIDEST = 350.0  # the deviation of a player of whom nothing is known, and the widest that there is
STEADY = 0.1  # the greatest volatility that there is
STEP = 700.0  # the most by which a rating changes in a period


@dataclass(frozen=True, slots=True)
class Rating:
    """How strong a player is thought to be (r), how uncertain that is (RD), how unsteady the results are (sigma)."""

    rating: float = CENTRE
    deviation: float = WIDEST
    volatility: float = 0.06

    def after_rest(self, periods: int) -> "Rating":
        """Return the rating after so many periods without a result: it is the same, but less certain."""
        deviation = SCALE * sqrt((self.deviation / SCALE) ** 2 + periods * self.volatility**2)
        return Rating(self.rating, min(deviation, WIDEST), self.volatility)


@dataclass(frozen=True, slots=True)
class RatedResult:
    """A match against somebody: their rating before the period, and 1 for a win, a half for a draw or 0 for a loss."""

    opponent: Rating
    score: float


def rate(player: Rating, results: Sequence[RatedResult]) -> Rating:
    """Return the rating after a period with these results, of which there is at least one.

    The same results in the same order give the same rating to the last bit.

    >>> before = Rating(1500, 200, 0.06)
    >>> opponents = Rating(1400, 30), Rating(1550, 100), Rating(1700, 300)
    >>> after = rate(before, [RatedResult(opponent, score) for opponent, score in zip(opponents, (1, 0, 0))])
    >>> f"{after.rating:.2f} {after.deviation:.2f} {after.volatility:.5f}"
    '1464.05 151.52 0.06000'
    """
    mu, phi = (player.rating - CENTRE) / SCALE, player.deviation / SCALE  # step 2
    information = gain = 0.0
    for result in results:
        opponent_mu = (result.opponent.rating - CENTRE) / SCALE
        weight = _weight(result.opponent.deviation / SCALE)
        expected = 1 / (1 + exp(-weight * (mu - opponent_mu)))
        information += weight**2 * expected * (1 - expected)
        gain += weight * (result.score - expected)
    variance = 1 / information  # step 3 (v)
    improvement = variance * gain  # step 4 (delta)
    volatility = min(_volatility(player.volatility, phi, variance, improvement), STEADY)  # step 5
    before = phi**2 + volatility**2  # step 6
    after = 1 / (1 / before + 1 / variance)  # step 7
    step = max(-STEP, min(SCALE * after * gain, STEP))
    return Rating(player.rating + step, min(SCALE * sqrt(after), WIDEST), volatility)


def _weight(deviation: float) -> float:
    """Return how much a result counts against an opponent whose rating is that uncertain (g)."""
    return 1 / sqrt(1 + 3 * deviation**2 / pi**2)


def _volatility(sigma: float, phi: float, variance: float, improvement: float) -> float:
    """Return the new volatility: step 5, by the Illinois algorithm."""
    start = log(sigma**2)

    def excess(x: float) -> float:
        square = phi**2 + variance + exp(x)
        return exp(x) * (improvement**2 - square) / (2 * square**2) - (x - start) / TAU**2

    low = start
    if improvement**2 > phi**2 + variance:
        high = log(improvement**2 - phi**2 - variance)
    else:
        steps = 1
        while excess(start - steps * TAU) < 0:
            steps += 1
        high = start - steps * TAU
    at_low, at_high = excess(low), excess(high)
    while abs(high - low) > EPSILON:
        between = low + (low - high) * at_low / (at_high - at_low)
        at_between = excess(between)
        if at_between * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = between, at_between
    return exp(low / 2)
