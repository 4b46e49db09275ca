"""A variation: turns as they might be played from a position, the last of them perhaps not chosen to its end.

For previews; nothing here knows of matches, players or rows.
"""

from dataclasses import dataclass
from typing import Any

from engines.core import IllegalMove, Position
from notation.core import BadNotation, Notation
from notation.steps import begun
from pbem.errors import Refused
from pbem.matches import turns as single
from pbem.matches.turns import ReadTurn

BETWEEN = "/"
"""What may stand between two turns."""
MOST_TURNS = 20
"""So far ahead nobody has to look at once."""
MOST_WORDS = 40
"""No turn has more words, however generously it is spaced."""


@dataclass(frozen=True, slots=True)
class Variation:
    """What a text comes to: whole turns, and what is begun of the next."""

    turns: tuple[str, ...] = ()
    """Canonical texts."""
    part: str | None = None
    """What is begun of the next turn and can stand by itself."""
    chosen: str = ""
    """What is chosen beyond that, on the way to the next square."""

    @property
    def unfinished(self) -> bool:
        """Whether the turn that it ends with has to be completed, or even begun."""
        return bool(self.part or self.chosen) or not self.turns


def read(notation: Notation[Any], base: Position[Any], part: str | None, text: str) -> Variation:
    """The variation that a text says, from the position between turns; `part` was begun of the first turn before.

    Several turns follow one another, with or without a / between them. Raises Refused.
    """
    turns: list[str] = []
    pieces = [piece.split() for piece in text.split(BETWEEN)]
    for number, words in enumerate(pieces, start=1):
        rest = words
        while rest:
            found = _leading(notation, base, part, rest)
            if found is None or found[1] < len(rest):
                written = " ".join(rest)
                if begins := _unfinished(notation, base, part, written):
                    if number < len(pieces):
                        sentence = f'"{written}" is not a complete turn, so no other can follow it.'
                        raise _in_turn(Refused(sentence, read=written), len(turns))
                    return Variation(tuple(turns), *begins)
            if found is None:
                raise _in_turn(_refusal(notation, base, part, written), len(turns))
            if len(turns) == MOST_TURNS:
                raise Refused(f"You can preview at most {MOST_TURNS} turns at once.", read=text)
            taken, used = found
            turns.append(taken.text)
            base, part, rest = taken.position, None, rest[used:]
    return Variation(tuple(turns), part)


def _leading(
    notation: Notation[Any], base: Position[Any], part: str | None, words: list[str]
) -> tuple[ReadTurn, int] | None:
    """The longest whole turn with which the words begin, and how many of them it takes."""
    for used in range(min(len(words), MOST_WORDS), 0, -1):
        try:
            taken = single.read(notation, base, part, " ".join(words[:used]))
        except Refused:
            continue
        if taken.complete:
            return taken, used
    return None


def _unfinished(
    notation: Notation[Any], base: Position[Any], part: str | None, text: str
) -> tuple[str | None, str] | None:
    """What the text begins of one turn: a part that can stand by itself, and what is chosen beyond it."""
    try:
        taken = single.read(notation, base, part, text)
    except Refused:
        return _chosen(notation, base, part, text)
    return None if taken.complete else (taken.text, "")


def _chosen(notation: Notation[Any], base: Position[Any], part: str | None, text: str) -> tuple[str | None, str] | None:
    """What the text begins of one turn, where it ends between a stone and its square, or the like."""
    here = base if part is None else base.play(notation.parse(part))
    chosen = begun(notation, here, text.removeprefix(part or "").strip())
    if chosen is None:
        return None
    return (part, chosen) if part else _parted(notation, base, chosen)


def _refusal(notation: Notation[Any], base: Position[Any], part: str | None, text: str) -> Refused:
    """Why the text is no turn, nor the beginning of one."""
    try:
        single.read(notation, base, part, text)
    except Refused as refusal:
        if refusal.at == len(text):  # it could be read, and only lacks what must follow
            return Refused(f'No legal turn starts with "{text}".', read=text)
        return refusal
    raise AssertionError(f"{text!r} is a turn")


def _parted(notation: Notation[Any], base: Position[Any], chosen: str) -> tuple[str | None, str]:
    """What is chosen, as a part that can stand by itself and the rest."""
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
    """The refusal, with the number of the turn that is meant where others come before it."""
    if before:
        refusal.sentence = f"In turn {before + 1} of that line: {refusal.sentence}"
    return refusal
