"""The two seats of a match, and pairs that hold one entry for each seat."""

from typing import TypeVar

from engines.core import Seat

Entry = TypeVar("Entry")

SEATS: tuple[Seat, Seat] = (0, 1)
"""Both seats."""


def other(seat: Seat) -> Seat:
    """Return the opponent's seat."""
    return 1 if seat == 0 else 0


def seat_of(number: int) -> Seat:
    """Return the seat that a number stands for: 0 for 0, 1 for any other.

    >>> seat_of(0), seat_of(1)
    (0, 1)
    """
    return 1 if number else 0


def with_entry(pair: tuple[Entry, Entry], seat: Seat, entry: Entry) -> tuple[Entry, Entry]:
    """Return the pair with the entry of one seat replaced.

    >>> with_entry(("a", "b"), 1, "c")
    ('a', 'c')
    """
    return (entry, pair[1]) if seat == 0 else (pair[0], entry)
