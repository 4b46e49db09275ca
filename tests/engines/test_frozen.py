"""Positions are values: nothing changes one, nothing is hidden in one, and equal ones are equal in every way."""

import dataclasses
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from engines.core import Position
from engines.search.state import state_of
from notation.games import GAMES
from tests.engines.test_contract import SEEDS, played

SOME = 12
"""The number of turns of a match that are looked at; a set-up and the first captures are among them."""
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


def values_in(value: Any) -> Iterator[Any]:
    """Yield the value and every dataclass in its fields, and in tuples of these."""
    if isinstance(value, tuple):
        for entry in value:
            yield from values_in(entry)
    elif dataclasses.is_dataclass(value):
        yield value
        for field in dataclasses.fields(value):
            yield from values_in(getattr(value, field.name))


def after(game: str, options: dict[str, str], texts: tuple[str, ...]) -> Position[Any]:
    """Return the position after these turns."""
    position = GAMES[game].game.position(options)
    for text in texts:
        position = position.play(GAMES[game].notation.parse(text))
    return position


def questioned(position: Position[Any]) -> Position[Any]:
    """Return the position after everything that it can answer has been asked."""
    for move in (*islice(position.moves(), 40), *islice(position.parts(), 40)):
        position.play(move)
    state_of(position).choices()
    assert position.diagram()
    return position


@pytest.mark.parametrize(("game", "seed"), SEEDS)
def test_nothing_changes_a_position_and_nothing_is_hidden_in_it(game: str, seed: int) -> None:
    match = [position for position, _ in played(game, seed)]
    parts = [match[1].play(part) for part in islice(match[1].parts(), 3)]
    for value in values_in((*match[:SOME], *parts, match[-1])):
        names = {field.name for field in dataclasses.fields(value)}
        slots = {name for each in type(value).__mro__ for name in each.__dict__.get("__slots__", ())}

        assert (slots, hasattr(value, "__dict__")) == (names, False)
        for name in names:
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(value, name, getattr(value, name))
            with pytest.raises(dataclasses.FrozenInstanceError):
                delattr(value, name)


@pytest.mark.parametrize(("game", "seed"), SEEDS)
def test_what_was_asked_of_a_position_makes_no_difference(game: str, seed: int) -> None:
    match = played(game, seed)[:SOME]
    asked = silent = match[0][0]
    for _, move in match:
        assert asked == silent
        assert hash(asked) == hash(silent)
        assert repr(asked) == repr(silent)
        if move is not None:
            asked, silent = questioned(asked).play(move), silent.play(move)


@pytest.mark.parametrize(("game", "options", "one", "other"), OTHERWISE)
def test_positions_reached_in_different_ways_are_equal(
    game: str, options: dict[str, str], one: tuple[str, ...], other: tuple[str, ...]
) -> None:
    here, there = after(game, options, one), after(game, options, other)

    assert here == there
    assert hash(here) == hash(there)
    assert len({here, there}) == 1
    assert here != after(game, options, one[:-1])
