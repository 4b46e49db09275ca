"""Turns of Quadraphages and Hexaphages in old records: read word by word, slips and all."""

import re
from typing import Any

from engines.core import Position, Seat
from engines.phages import PhagesPosition
from engines.phages.tolerant import Correction, corrected
from engines.phages.turns import NUMBERS
from engines.step import Step
from notation.core import BadNotation

_STEP = re.compile(r"([A-Za-z][0-9])[-:]?([A-Za-z][0-9])")
_NOTHING = re.compile(r"-+|\.+|\u2026+|[\u2010-\u2015]+")


def play_tolerantly(position: Position[Any], seat: Seat, text: str) -> tuple[PhagesPosition, tuple[Correction, ...]]:
    """Return the position after a turn of an old record as it was meant, and every slip in it.

    Raise BadNotation if there is no number, because then nobody can tell the operations apart.
    """
    assert isinstance(position, PhagesPosition)  # noqa: S101 - the registries pair games and readers
    slips: list[Correction] = []
    before: list[Step] = []
    steps = before
    number: int | None = None
    for word in text.split():
        if step := _STEP.fullmatch(word):
            steps.append(Step(step[1].lower(), step[2].lower()))
        elif word in map(str, NUMBERS) and number is None:
            number, steps = int(word), []
        elif not _NOTHING.fullmatch(word):
            slips.append(Correction(word, f"{word} says nothing; it is left out"))
    if number is None:
        raise BadNotation(text, len(text), f"a number from {NUMBERS[0]} to {NUMBERS[-1]} somewhere")
    after, more = corrected(position, seat, before, number, steps)
    return after, (*slips, *more)
