"""The levels of the house: what to call them, and what to expect of them."""

from dataclasses import dataclass

from engines import search


@dataclass(frozen=True, slots=True)
class Level:
    number: int
    name: str
    description: str
    nodes: int
    """How many moves it tries before it plays one."""


_NAMED = (
    ("Beginner", "sees little beyond your next turn, and often not even that"),
    ("Casual", "takes what you leave, and has no plan"),
    ("Regular", "punishes plain mistakes; a first win takes some practice"),
    ("Strong", "sees most short combinations before you do"),
    ("Strongest", "the best it can in a few seconds; no master of any game"),
)
LEVELS = tuple(
    Level(each.number, name, description, each.nodes)
    for each, (name, description) in zip(search.LEVELS, _NAMED, strict=True)
)
DEFAULT = 2
"""The level of a challenge that names none: a newcomer should have a chance."""
