"""What the author of a game imports; docs/game-api.md says what each name is for, and what changes when."""

from engines.bitboard import bits, cells_in
from engines.board import DIAGONAL, ORTHOGONAL, QUEEN, WAYS, BadBoard, Board, hexagon, rectangle, rhombus, triangle
from engines.core import (
    BadOption,
    Game,
    GameOver,
    IllegalMove,
    Option,
    Outcome,
    Played,
    PlayedWhole,
    Position,
    Reason,
    Seat,
)
from engines.diagram import Diagram, Edge, Kind, Legend, Mark, Shape, Tone, Towards, last_move
from engines.repetition import History
from engines.search.state import WON, Searchable, State
from engines.seats import SEATS, other, seat_of, with_entry
from engines.special import Special, mirrored, taken_over
from engines.square import Rows, Steps
from engines.step import Step, vacated
from engines.wording import either, together
from notation.core import BadNotation, Correction, Notation, TolerantReader
from notation.games import API, Form, GamePack
from notation.hints import PASS_PASSAGE, SWAP_PASSAGE, Hint, Passage, swap_passage
from notation.steps import steps_of
from notation.tokens import (
    ARROW,
    CELL,
    DASH,
    STEP,
    check_end_of_cell,
    check_length,
    read_cell,
    read_special,
    refuse_cell,
    skip,
)

# The pack
__all__ = ["API", "Form", "GamePack"]
# The rules
__all__ += ["BadOption", "Game", "GameOver", "IllegalMove", "Option", "Outcome"]
__all__ += ["Played", "PlayedWhole", "Position", "Reason", "Seat"]
# Helpers for the rules
__all__ += ["SEATS", "History", "Special", "Step", "bits", "cells_in", "either"]
__all__ += ["mirrored", "other", "seat_of", "taken_over", "together", "vacated", "with_entry"]
# Boards
__all__ += ["DIAGONAL", "ORTHOGONAL", "QUEEN", "WAYS", "BadBoard", "Board", "Diagram", "Edge", "Kind", "Legend"]
__all__ += ["Mark", "Rows", "Shape", "Steps", "Tone", "Towards"]
__all__ += ["hexagon", "last_move", "rectangle", "rhombus", "triangle"]
# The notation
__all__ += ["ARROW", "CELL", "DASH", "PASS_PASSAGE", "STEP", "SWAP_PASSAGE"]
__all__ += ["BadNotation", "Correction", "Hint", "Notation", "Passage", "TolerantReader"]
__all__ += ["check_end_of_cell", "check_length", "read_cell", "read_special", "refuse_cell", "skip"]
__all__ += ["steps_of", "swap_passage"]
# What the house can search
__all__ += ["WON", "Searchable", "State"]
