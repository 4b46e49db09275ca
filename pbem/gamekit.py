"""Everything that the author of a game imports: one module, whose names stay while API stays the same."""

from engines.core import (
    Game,
    IllegalMove,
    Move,
    Option,
    Outcome,
    Played,
    PlayedWhole,
    Position,
    Reason,
    Seat,
)
from engines.diagram import Diagram, Legend, Mark, Tone, last_move
from engines.seats import other, with_entry
from engines.step import Step
from engines.wording import either, together
from notation.core import BadNotation, Notation
from notation.games import API, GamePack
from notation.hints import Hint, Passage
from notation.steps import steps_of
from notation.tokens import ARROW, check_length, refuse_cell, skip

__all__ = [
    "API",
    "ARROW",
    "BadNotation",
    "Diagram",
    "Game",
    "GamePack",
    "Hint",
    "IllegalMove",
    "Legend",
    "Mark",
    "Move",
    "Notation",
    "Option",
    "Outcome",
    "Passage",
    "Played",
    "PlayedWhole",
    "Position",
    "Reason",
    "Seat",
    "Step",
    "Tone",
    "check_length",
    "either",
    "last_move",
    "other",
    "refuse_cell",
    "skip",
    "steps_of",
    "together",
    "with_entry",
]
