"""Everything that the author of a game imports: one module, which only re-exports.

Its names keep their meaning as long as API, the version of the interface, stays the same.
"""

from engines.board import DIAGONAL, WAYS, BadBoard, Board, hexagon, rectangle, rhombus, triangle
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
from engines.diagram import Diagram, Edge, Legend, Mark, Tone, Towards, last_move
from engines.seats import SEATS, other, with_entry
from engines.special import Special, mirrored, taken_over
from engines.step import Step
from engines.wording import either, together
from notation.core import BadNotation, Notation
from notation.games import API, GamePack
from notation.hints import Hint, Passage
from notation.special import PASS_PASSAGE, SWAP_PASSAGE, read_special
from notation.steps import steps_of
from notation.tokens import ARROW, check_length, refuse_cell, skip

__all__ = [
    "API",
    "ARROW",
    "DIAGONAL",
    "PASS_PASSAGE",
    "SEATS",
    "SWAP_PASSAGE",
    "WAYS",
    "BadBoard",
    "BadNotation",
    "Board",
    "Diagram",
    "Edge",
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
    "Special",
    "Step",
    "Tone",
    "Towards",
    "check_length",
    "either",
    "hexagon",
    "last_move",
    "mirrored",
    "other",
    "read_special",
    "rectangle",
    "refuse_cell",
    "rhombus",
    "skip",
    "steps_of",
    "taken_over",
    "together",
    "triangle",
    "with_entry",
]
