"""Where the lines of a chart of ratings go; the templates draw it, and the style sheet colours it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from math import ceil, floor

WIDTH, HEIGHT = 320, 150
"""The size of a chart, in the units of its drawing."""
LEFT, RIGHT, TOP, BOTTOM = 38.0, 308.0, 12.0, 124.0
"""The edges of the area with the line."""
STEPS = (10, 20, 50, 100, 200, 500, 1000)
MOST_LINES = 4
"""Between how many lines across the ratings lie at most."""


@dataclass(frozen=True, slots=True)
class Chart:
    line: str
    """The points of the line, as SVG writes them."""
    last: tuple[float, float]
    across: tuple[tuple[float, int], ...]
    """How high there is a line across, and the rating that it stands for."""


def rating_chart(weeks: Sequence[tuple[date, float]]) -> Chart:
    """Return the chart of the ratings after some weeks, of which there are at least two, in their order.

    >>> rating_chart([(date(2026, 3, 2), 1500), (date(2026, 3, 9), 1520), (date(2026, 3, 30), 1540)])
    Chart(line='38,124 105.5,68 308,12', last=(308.0, 12.0), across=((124.0, 1500), (68.0, 1520), (12.0, 1540)))
    """
    ratings = [rating for _, rating in weeks]
    step = next((each for each in STEPS if max(ratings) - min(ratings) <= each * (MOST_LINES - 1)), STEPS[-1])
    low = floor(min(ratings) / step) * step
    high = max(ceil(max(ratings) / step) * step, low + step)
    (first, _), (last, _) = weeks[0], weeks[-1]

    def height(rating: float) -> float:
        return round(BOTTOM - (rating - low) / (high - low) * (BOTTOM - TOP), 1)

    def across(week: date) -> float:
        return round(LEFT + (week - first).days / (last - first).days * (RIGHT - LEFT), 1)

    points = [(across(week), height(rating)) for week, rating in weeks]
    return Chart(
        " ".join(f"{x:g},{y:g}" for x, y in points),
        points[-1],
        tuple((height(rating), rating) for rating in range(low, high + 1, step)),
    )
