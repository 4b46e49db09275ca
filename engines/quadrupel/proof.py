"""The basic variant is solved: turns that win by force, which bench/prove_quadrupel.cpp found.

Black wins in nine of its own turns after three of its first turns, whatever White answers; the proof has a turn for
each position that can follow. With the swap these turns are White's gain, so Black begins with one that isn't solved.
"""

from functools import cache
from math import comb
from pathlib import Path

from engines.quadrupel.board import SIZE

WINNING = ("d2b2", "d2e2", "c4b4")
"""Black's first turns that win."""
OPEN = ("d2d1", "d2b4", "d2f4", "d3f3", "c4a2", "c4e2", "c4e4", "c4c5")
"""Those that neither win nor lose within nine turns of the winner's own."""
RECORD, SQUARES = 5, SIZE * SIZE


@cache
def _proof() -> dict[bytes, int]:
    data = (Path(__file__).parent / "proof.bin").read_bytes()
    return {data[at : at + RECORD - 1]: data[at + RECORD - 1] for at in range(0, len(data), RECORD)}


def proven(own: tuple[int, ...], theirs: tuple[int, ...]) -> tuple[int, int] | None:
    """Return from where to where a stone goes to win, by the sorted squares of the stones; None if that isn't known."""
    found = _proof().get(_number(own) + _number(theirs))
    return None if found is None else (own[found // SQUARES], found % SQUARES)


def _number(squares: tuple[int, ...]) -> bytes:
    """Return which of all sets of four squares this is, as two bytes."""
    return sum(comb(cell, place) for place, cell in enumerate(squares, start=1)).to_bytes(2, "big")
