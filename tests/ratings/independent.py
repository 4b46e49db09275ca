"""Glicko-2 a second time, from the paper and as slowly as it likes: the volatility is found by halving an interval."""

import itertools
import math
from collections.abc import Sequence

Triple = tuple[float, float, float]
"""Rating, deviation and volatility."""


class SeveralVolatilities(Exception):
    """Results so unlikely that several volatilities explain them."""


def updated(player: Triple, results: Sequence[tuple[Triple, float]], tau: float = 0.5) -> Triple:
    """Return the player's triple after a period with the results: the opponents' triples, and the points.

    Raises SeveralVolatilities.
    """
    rating, deviation, sigma = player
    mu, phi = (rating - 1500) / 173.7178, deviation / 173.7178
    terms = []
    for (other_rating, other_deviation, _), score in results:
        g = 1 / math.sqrt(1 + 3 * (other_deviation / 173.7178) ** 2 / math.pi**2)
        e = 1 / (1 + math.exp(-g * (mu - (other_rating - 1500) / 173.7178)))
        terms.append((g, e, score))
    v = 1 / math.fsum(g * g * e * (1 - e) for g, e, _ in terms)
    delta = v * math.fsum(g * (score - e) for g, e, score in terms)

    def f(x: float) -> float:
        return math.exp(x) * (delta**2 - phi**2 - v - math.exp(x)) / (2 * (phi**2 + v + math.exp(x)) ** 2) - (
            x - math.log(sigma**2)
        ) / (tau**2)

    signs = [f(step / 50) > 0 for step in range(-2000, 2000)]
    if sum(one != other for one, other in itertools.pairwise(signs)) != 1:
        raise SeveralVolatilities  # the paper's step 5 finds one of them, and doesn't say which
    low, high = -40.0, 40.0
    for _ in range(200):
        middle = (low + high) / 2
        if f(middle) > 0:
            low = middle
        else:
            high = middle
    new_sigma = min(0.1, math.exp(low / 2))
    new_phi = 1 / math.sqrt(1 / (phi**2 + new_sigma**2) + 1 / v)
    gained = 173.7178 * new_phi**2 * math.fsum(g * (score - e) for g, e, score in terms)
    return rating + min(700, max(-700, gained)), min(350.0, 173.7178 * new_phi), new_sigma


def rested(player: Triple, periods: int) -> Triple:
    """Return the player's triple after periods without a result, one at a time."""
    rating, deviation, sigma = player
    for _ in range(periods):
        deviation = min(350.0, 173.7178 * math.hypot(deviation / 173.7178, sigma))
    return rating, deviation, sigma
