"""Chess as the house searches it: captures first, and material with a little for where pieces stand."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import chess

from pbem import gamekit as kit

VALUES = (0, 100, 320, 330, 500, 900, 0)
"""By the type of a piece, as python-chess numbers them."""
CENTRE = tuple(
    6 - int(abs(2 * chess.square_file(square) - 7) + abs(2 * chess.square_rank(square) - 7)) // 2
    for square in chess.SQUARES
)
"""How near each square is to the centre: from 6 there to -1 in a corner."""
NEARER = (0, 2, 5, 3, 1, 1, -2)
"""What it is worth to a piece of each type to be one nearer."""
AHEAD = 8
"""What a pawn is worth more for each rank."""
SCALE = 1_200
FIFTY_MOVES, TWICE = 100, 2


@dataclass(slots=True, eq=False)
class ChessState:
    """A position for the search; `seen` are the positions of the match that can recur."""

    board: chess.Board
    seen: kit.History[str]
    turn: kit.Seat | None
    winner: kit.Seat | None = None
    _choices: list[chess.Move] | None = field(default=None)

    @property
    def is_between_turns(self) -> bool:
        """True: each choice is a complete turn."""
        return True

    @property
    def key(self) -> Any:
        """Everything that matters but for how often positions have occurred, and how long nothing was taken."""
        board = self.board
        passing = board.ep_square if board.has_legal_en_passant() else None
        pieces = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
        return board.turn, *pieces, board.occupied_co[True], board.clean_castling_rights(), passing

    def choices(self) -> Sequence[chess.Move]:
        """Captures come first, of the most valuable piece by the least valuable one."""
        if self.turn is None:
            return ()
        if self._choices is None:
            self._choices = sorted(self.board.legal_moves, key=self._promise)
        return self._choices

    def _promise(self, move: chess.Move) -> int:
        board, worth = self.board, VALUES[move.promotion or 0]
        taken = board.piece_type_at(move.to_square)
        if taken:
            worth += 10 * VALUES[taken] - VALUES[board.piece_type_at(move.from_square) or 0]
        return -worth or CENTRE[move.from_square] - CENTRE[move.to_square]

    def after(self, choice: chess.Move) -> "ChessState":
        """Return the state after a choice."""
        board = self.board.copy(stack=False)
        board.push(choice)
        seat: kit.Seat = 0 if board.turn else 1
        after = ChessState(board, self.seen if board.halfmove_clock else kit.History(), seat)
        if not after.choices():
            after.turn, after.winner = None, kit.other(seat) if board.is_check() else None
        elif board.is_insufficient_material() or board.halfmove_clock >= FIFTY_MOVES or after._occurs_again():
            after.turn = None
        return after

    def _occurs_again(self) -> bool:
        return len(self.seen) > 0 and self.seen.count(self.board.epd(en_passant="legal")) >= TWICE

    def estimate(self, seat: kit.Seat) -> float:
        """Return who has more, between -0.9 and 0.9."""
        board, sum_ = self.board, 0
        for square, piece in board.piece_map().items():
            kind = piece.piece_type
            worth = VALUES[kind] + NEARER[kind] * CENTRE[square]
            if kind == chess.PAWN:
                rank = chess.square_rank(square)
                worth += AHEAD * ((rank if piece.color else 7 - rank) - 1)
            sum_ += worth if piece.color else -worth
        value = 0.9 * sum_ / (SCALE + abs(sum_))
        return value if seat == 0 else -value

    def turn_of(self, choices: Sequence[chess.Move]) -> Any:
        """Return the turn that a choice is."""
        from pbem_chess.engine import Turn  # which imports this module

        return Turn(self.board.san(choices[0]))
