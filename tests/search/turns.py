"""The turns that a state of the search offers."""

from collections.abc import Iterator
from typing import Any

from engines.search.state import State


def turns_of(state: State, made: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], State]]:
    """Yield the choices of every complete turn, and the state after it."""
    assert made == () or state.choices(), "a turn that has begun can be completed"
    for choice in state.choices():
        after, choices = state.after(choice), (*made, choice)
        if after.is_between_turns or after.turn is None:
            yield choices, after
        else:
            yield from turns_of(after, choices)
