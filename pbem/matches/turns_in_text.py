"""The squares that a text names, and the legal turns that it means by them, as people write them in sentences."""

import re
from collections.abc import Sequence

from notation.resemblance import resembling
from pbem.matches import turn_parsing
from pbem.matches.replayed_match import Snapshot

CELL = re.compile(r"[a-z]\d{1,2}", re.IGNORECASE)  # also within a turn: "c1b1"
TURN = re.compile(rf"(?<!\w)(?:{CELL.pattern}){{2,4}}(?!\w)", re.IGNORECASE)
_CELL_ALONE = re.compile(rf"(?<!\w){CELL.pattern}(?!\w)", re.IGNORECASE)
KEYS = str.maketrans("фисвуапршолде", "abcdefghijkle")  # of a Russian keyboard; and a letter that looks Latin
JUMP = 3  # how many squares a jump names: where it begins, what it jumps over, and where it ends


def cells(text: str) -> int:
    """Return how many cells a text names, also within a turn: 4 in "1 c1b1 g9h9"."""
    return len(CELL.findall(text))


def cells_in(text: str) -> tuple[str, ...]:
    """Return the squares that stand alone in a text."""
    return tuple(cell.lower() for cell in _CELL_ALONE.findall(text))


def apart(text: str) -> str:
    """Return a text with the squares of its turns apart."""
    return TURN.sub(lambda turn: CELL.sub(r"\g<0> ", turn[0]), text)


def turns_meant(snapshot: Snapshot, text: str) -> tuple[str, ...]:
    """Return the legal turns that a text resembles, or whose squares it names two by two."""
    latin = text.lower().translate(KEYS)
    named = cells_in(latin)
    if len(named) == JUMP:
        return turn_resembling(snapshot, f"{named[0]}{named[2]}")
    pairs = ("".join(named[at : at + 2]) for at in range(0, len(named) - 1, 2))
    whole = turn_resembling(snapshot, text) or (turn_resembling(snapshot, latin) if latin != text.lower() else ())
    return whole or tuple(dict.fromkeys(turn for pair in pairs for turn in turn_resembling(snapshot, pair)))


def turn_resembling(snapshot: Snapshot, text: str) -> tuple[str, ...]:
    set_up = turn_parsing.set_up_in(snapshot.notation, snapshot.position, text)
    return (set_up,) if set_up is not None else resembling(snapshot.notation, snapshot.position, text)


def prepared(snapshot: Snapshot, turn: str, named: Sequence[str]) -> str:
    """Return the condition behind a turn whose squares are named; empty where it isn't the one legal reading."""
    played = [turn]
    position = turn_parsing.after(snapshot.notation, snapshot.position, turn)
    for squares in zip(named[::2], named[1::2], strict=True):
        found = resembling(snapshot.notation, position, "".join(squares)) if position is not None else ()
        position = turn_parsing.after(snapshot.notation, position, found[0]) if position and len(found) == 1 else None
        played += found
    return f"if {played[1]} then {played[2]}" if position is not None and len(played) > 1 else ""
