"""Positions that are reached in different ways are equal in every way."""

from typing import Any

import pytest

from engines.core import Position
from notation.games import GAMES

OTHERWISE = [
    ("quadraphages", {}, ("2 a7a9 i3i1", "c1c3 g9g7 4 c3g3 g7c7"), ("2 a7a9 i3i1", "c1c3 g9g7 4 c3c7 g7g3")),
    ("hexaphages", {}, ("1 k3j4 k7m7", "g3f2 g7f8 3 f2i5 f8c5"), ("1 k3j4 k7m7", "g3f2 g7f8 3 f2c5 f8i5")),
    ("quadrupel", {}, ("d3f3", "d4d5", "c3c5", "c2b2", "c4c2"), ("c3c5", "d4d5", "d3f3", "c2b2", "c4c2")),
    (
        "quadrupel",
        {"variant": "combination"},
        ("setup 3124", "setup 3142", "d2b2", "b3a3", "d3b5", "d4d2", "c3a5"),
        ("setup 3124", "setup 3142", "d3b5", "b3a3", "d2b2", "d4d2", "c3a5"),
    ),
    (
        "kvadratik",
        {},
        ("setup xxxx", "setup ++xx", "~c4 ~d4 c4b4", "~b1 ~d1 c1b2", "~a4 a4b4", "~b1 ~d1 b2a3 @c1+ c1c2"),
        ("setup xxxx", "setup ++xx", "~a4 a4b4", "~b1 ~d1 c1b2", "~c4 ~d4 c4b4", "~b1 ~d1 b2a3 @c1+ c1c2"),
    ),
]
"""Turns that lead to the same position. Quadrature has none, as a position there knows every arrangement before it."""


def after(game: str, options: dict[str, str], texts: tuple[str, ...]) -> Position[Any]:
    """Return the position after these turns."""
    position = GAMES[game].game.position(options)
    for text in texts:
        position = position.play(GAMES[game].notation.parse(text))
    return position


@pytest.mark.parametrize(("game", "options", "one", "other"), OTHERWISE)
def test_positions_reached_in_different_ways_are_equal(
    game: str, options: dict[str, str], one: tuple[str, ...], other: tuple[str, ...]
) -> None:
    here, there = after(game, options, one), after(game, options, other)

    assert here == there
    assert hash(here) == hash(there)
    assert len({here, there}) == 1
    assert here != after(game, options, one[:-1])
