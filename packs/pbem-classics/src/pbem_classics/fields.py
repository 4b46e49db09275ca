"""Boards of the shelf and what their marks mean; groups of cells; and the swap as an option."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from pbem import gamekit as kit

SWAPS = kit.Option("swap", ("yes", "no"), "whether the second player can take over the first stone")


def size_in(rules: str) -> int:
    """Return the size in the name of a game of OpenSpiel.

    >>> size_in("havannah(board_size=8)")
    8
    """
    return int(rules.rstrip(")").rpartition("=")[2])


def groups(cells: Collection[str], near: Mapping[str, Collection[str]]) -> list[frozenset[str]]:
    """Return the cells in groups of neighbours."""
    found: list[frozenset[str]] = []
    left = set(cells)
    while left:
        waiting = [left.pop()]
        group = {*waiting}
        while waiting:
            new = left.intersection(near[waiting.pop()])
            left -= new
            group |= new
            waiting += new
        found.append(frozenset(group))
    return found


class Field(NamedTuple):
    """What all positions of a size share: the board, and what its marks mean, those of the two sides first."""

    board: kit.Board
    legend: kit.Legend


def two_sides(
    sides: tuple[str, str],
    pieces: str,
    words: tuple[str, str],
    tones: tuple[kit.Tone, kit.Tone],
    *,
    is_turned: bool = False,
) -> kit.Legend:
    """Return the legend of a game in which each side has one kind of piece, with these marks."""
    own = (kit.Mark(mark, "piece", seat, words) for mark, seat in zip(pieces, kit.SEATS, strict=True))
    return kit.Legend(sides, (kit.Mark(".", "empty", None, ("empty", "empty")), *own), tones, is_turned=is_turned)
