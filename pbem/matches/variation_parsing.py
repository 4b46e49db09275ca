"""Variations: turns that could be played from a position, the last of them perhaps unfinished.

For previews; nothing here knows of matches, players or rows.
"""

from dataclasses import dataclass
from typing import Any

from engines.core import IllegalMove, Position
from notation.core import BadNotation, Notation
from notation.steps import begun
from pbem.errors import Refused
from pbem.matches import turn_parsing as single
from pbem.matches.turn_parsing import ReadTurn

BETWEEN = "/"
MOST_TURNS = 20
MOST_WORDS = 40  # the most words in one turn, however it is spaced


@dataclass(frozen=True, slots=True)
class Variation:
    turns: tuple[str, ...] = ()  # canonical texts
    part: str | None = None  # the beginning of the next turn, where it can be played by itself
    chosen: str = ""  # the steps chosen beyond that, on the way to the next square

    @property
    def unfinished(self) -> bool:
        return bool(self.part or self.chosen) or not self.turns


def read(notation: Notation[Any], base: Position[Any], part: str | None, text: str) -> Variation:
    """Return the variation that a text spells, from a position between turns; `part` of the first turn is kept.

    Turns follow one another, with or without a / between them. Raises Refused.
    """
    turns: list[str] = []
    pieces = [piece.split() for piece in text.split(BETWEEN)]
    for number, words in enumerate(pieces, start=1):
        rest = words
        while rest:
            leading = _leading(notation, base, part, rest)
            if leading is None or leading[1] < len(rest):
                written = " ".join(rest)
                if begins := _unfinished(notation, base, part, written):
                    if number < len(pieces):
                        sentence = f'"{written}" is not a complete turn, so no other can follow it.'
                        raise _in_turn(Refused(sentence, read=written), len(turns))
                    return Variation(tuple(turns), *begins)
            if leading is None:
                raise _in_turn(_refusal(notation, base, part, written), len(turns))
            if len(turns) == MOST_TURNS:
                raise Refused(f"You can preview at most {MOST_TURNS} turns at once.", read=text)
            turn, used = leading
            turns.append(turn.text)
            base, part, rest = turn.position, None, rest[used:]
    return Variation(tuple(turns), part)


def _leading(
    notation: Notation[Any], base: Position[Any], part: str | None, words: list[str]
) -> tuple[ReadTurn, int] | None:
    for used in range(min(len(words), MOST_WORDS), 0, -1):
        try:
            turn = single.read(notation, base, part, single.parse(notation, " ".join(words[:used])))
        except Refused:
            continue
        if turn.complete:
            return turn, used
    return None


def _unfinished(
    notation: Notation[Any], base: Position[Any], part: str | None, text: str
) -> tuple[str | None, str] | None:
    """Return the beginning of a turn that the text spells: a part that can be played, and the steps beyond it."""
    try:
        turn = single.read(notation, base, part, single.parse(notation, text))
    except Refused:
        return _chosen(notation, base, part, text)
    return None if turn.complete else (turn.text, "")


def _chosen(notation: Notation[Any], base: Position[Any], part: str | None, text: str) -> tuple[str | None, str] | None:
    """Return the same for a text that ends within a step, for instance between a piece and its square."""
    here = base if part is None else base.play(notation.parse(part))
    chosen = begun(notation, here, text.removeprefix(part or "").strip())
    if chosen is None:
        return None
    return (part, chosen) if part else _parted(notation, base, chosen)


def _refusal(notation: Notation[Any], base: Position[Any], part: str | None, text: str) -> Refused:
    try:
        single.read(notation, base, part, single.parse(notation, text))
    except Refused as refusal:
        if refusal.at == len(text):  # it could be read, and only lacks what must follow
            return Refused(f'No legal turn starts with "{text}".', read=text)
        return refusal
    raise AssertionError(f"{text!r} is a turn")


def _parted(notation: Notation[Any], base: Position[Any], chosen: str) -> tuple[str | None, str]:
    """Split the chosen steps into a part that can be played by itself and the rest."""
    words = chosen.split(" ")
    for used in range(len(words), 0, -1):
        try:
            part = notation.parse(" ".join(words[:used]))
            if base.play(part).part is not None:
                return notation.format(part, base), " ".join(words[used:])
        except (BadNotation, IllegalMove):
            continue
    return None, chosen


def _in_turn(refusal: Refused, before: int) -> Refused:
    if before:
        refusal.sentence = f"In turn {before + 1} of that line: {refusal.sentence}"
    return refusal
