"""How turns that are a word are written and hinted at: `pass` and `swap`."""

import re
from collections.abc import Callable

from engines.special import Special
from notation.hints import Passage

_WORD = re.compile(r"[\s.!]*+([A-Za-z]{4})[\s.!]*+")
SWAP_PASSAGE = Passage(
    "You can also take over your opponent's first stone instead of placing one:", (str(Special.SWAP),)
)
"""What a hint says where the player can swap."""
PASS_PASSAGE = Passage("You can also pass:", (str(Special.PASS),))
"""What a hint says where the player can pass."""


def swap_passage(cell: str, place: Callable[[str], str] | None = None) -> Passage:
    """Return what a hint says where the player can take over the stone on a cell; `place` is as in `taken_over`.

    >>> from engines.special import mirrored
    >>> swap_passage("c2", mirrored).text
    'You can also take over the stone on c2 instead of placing one. It moves to b3:'
    """
    moves = f". It moves to {place(cell)}" if place else ""
    return Passage(f"You can also take over the stone on {cell} instead of placing one{moves}:", (str(Special.SWAP),))


def read_special(text: str, *known: Special) -> Special | None:
    """Return which of the known turns a text is; None if it is none of them.

    >>> read_special("Swap!", Special.SWAP), read_special("pass", Special.SWAP)
    (<Special.SWAP: 'swap'>, None)
    """
    found = _WORD.fullmatch(text)
    return next((turn for turn in known if found and found[1].lower() == turn.value), None)
