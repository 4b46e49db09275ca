"""Chess by the rules of python-chess, as positions that are values."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self

import chess

from pbem import gamekit as kit
from pbem_chess.refusals import refusal
from pbem_chess.search import ChessState

SIDES = ("White", "Black")
BOARD = kit.rectangle(8, 8, first_on_top=False)
NOTHING_SEEN: kit.History[str] = kit.History()
BEGUN = NOTHING_SEEN.with_(" ".join(chess.STARTING_FEN.split()[:4]))
FIFTY_MOVES = 100
"""So many turns of both sides without a capture or a move of a pawn are a draw."""
OCCURRENCES = 3
"""So often the same position is a draw."""
PIECES = {"P": "pawn", "N": "knight", "B": "bishop", "R": "rook", "Q": "queen", "K": "king"}


_SIGNS = re.compile(r"[x=+#]")
_RANKED = frozenset(f"B{rank}" for rank in range(1, 9))
"""How a bishop begins that is told by its rank from another, as in B2c4; or a square with the capital of a phone."""


def _marks() -> Iterator[kit.Mark]:
    yield kit.Mark(".", "empty", None, ("empty", "empty"))
    for seat in kit.SEATS:
        for letter, name in PIECES.items():
            yield kit.Mark(letter if seat == 0 else letter.lower(), "piece", seat, (name, f"{name}s"), letter)


LEGEND = kit.Legend(SIDES, tuple(_marks()), ("light", "dark"), areas=(BOARD.dark,), is_turned=True)


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn as it was written: "Nf3" or "g1f3". Signs that needn't be written make no difference: exd5, ed5, exd5+."""

    text: str = field(compare=False)
    key: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Note what tells this turn from others."""
        object.__setattr__(self, "key", _SIGNS.sub("", self.text))


def board_of(fen: str) -> chess.Board:
    return chess.Board(fen)


def played(board: chess.Board, turn: Turn) -> chess.Move:
    """Return the move that a turn means; raise IllegalMove."""
    try:
        squares = chess.Move.from_uci(turn.text)
    except ValueError:
        squares = None
    try:
        return board.parse_san(turn.text) if squares is None else board.parse_uci(turn.text)
    except ValueError as error:
        if turn.key[:2] in _RANKED:
            with suppress(ValueError):
                return board.parse_uci(turn.key.lower())
        raise refusal(board, turn.text, squares) from error


@dataclass(frozen=True, slots=True)
class ChessPosition(kit.PlayedWhole):
    """The state of a game: Forsyth-Edwards notation, and the positions that can still recur."""

    fen: str = chess.STARTING_FEN
    seen: kit.History[str] = BEGUN
    turn: kit.Seat | None = 0
    outcome: kit.Outcome | None = None

    @property
    def board(self) -> chess.Board:
        return board_of(self.fen)

    def moves(self) -> Iterator[Turn]:
        """Yield every legal turn once."""
        if self.turn is not None:
            board = self.board
            yield from (Turn(board.san(move)) for move in board.legal_moves)

    def play(self, move: Turn) -> Self:
        """Return the position after the turn; raise IllegalMove."""
        if self.turn is None:
            raise kit.GameOver(self.outcome)
        board = self.board
        board.push(played(board, move))
        key = board.epd(en_passant="legal")
        seen = (self.seen if board.halfmove_clock else NOTHING_SEEN).with_(key)
        outcome = _outcome(board, seen.count(key))
        seat = kit.other(self.turn) if outcome is None else None
        return type(self)(board.fen(en_passant="legal"), seen, seat, outcome)

    def state(self) -> ChessState:
        """Return this position as the house searches it."""
        return ChessState(self.board, self.seen, self.turn, self.outcome.winner if self.outcome else None)

    def diagram(self, last: kit.Played[Self, Turn] | None = None) -> kit.Diagram:
        """Return the board with white pieces as capitals and black ones as small letters."""
        board = self.board
        marks = {chess.square_name(square): piece.symbol() for square, piece in board.piece_map().items()}
        notes = (f"{SIDES[not board.turn]} is in check",) if board.is_check() else ()
        remarks = tuple(f"{note}." for note in notes)
        if last is None:
            return BOARD.diagram(marks, LEGEND, notes=notes, remarks=remarks)
        before = last.before.board
        move = played(before, last.move)
        ends = _ends(before, move)
        left, lit = {origin for origin, _ in ends}, {square for step in ends for square in step}
        return BOARD.diagram(marks, LEGEND, lit=lit, left=left, told=_told(before, move), notes=notes, remarks=remarks)


def _ends(board: chess.Board, move: chess.Move) -> list[tuple[str, str]]:
    """Return the steps of a move: two if it castles."""
    steps = [(move.from_square, move.to_square)]
    if board.is_castling(move):
        rank = chess.square_rank(move.to_square)
        files = (7, 5) if board.is_kingside_castling(move) else (0, 3)
        steps.append((chess.square(files[0], rank), chess.square(files[1], rank)))
    return [(chess.square_name(origin), chess.square_name(target)) for origin, target in steps]


def _told(board: chess.Board, move: chess.Move) -> str:
    """Return a move in words, from where to where."""
    if board.is_castling(move):
        side = "king" if board.is_kingside_castling(move) else "queen"
        return (
            f"castling on the {side}'s side, {' and '.join(f'{one} to {other}' for one, other in _ends(board, move))}"
        )
    piece, (step, *_) = board.piece_at(move.from_square), _ends(board, move)
    words = f"{chess.piece_name(piece.piece_type) if piece else 'piece'} from {step[0]} to {step[1]}"
    if board.is_en_passant(move):
        words += ", taking a pawn in passing"
    elif taken := board.piece_at(move.to_square):
        words += f", taking a {chess.piece_name(taken.piece_type)}"
    return f"{words}, now a {chess.piece_name(move.promotion)}" if move.promotion else words


def _outcome(board: chess.Board, occurred: int) -> kit.Outcome | None:
    """Return how the game has ended; None if it goes on."""
    side = SIDES[not board.turn]
    if board.is_checkmate():
        return kit.Outcome(1 if board.turn else 0, f"{side} is checkmated")
    if board.is_stalemate():
        return kit.Outcome(None, f"{side} has no legal move and isn't in check")
    if board.is_insufficient_material():
        return kit.Outcome(None, "neither side has enough pieces to checkmate")
    if occurred >= OCCURRENCES:
        return kit.Outcome(None, "the position has occurred three times")
    if board.halfmove_clock >= FIFTY_MOVES:
        return kit.Outcome(None, "fifty moves of each side without a capture or a move of a pawn")
    return None


def start(_: Mapping[str, str]) -> ChessPosition:
    """Return the position before the first turn."""
    return ChessPosition()


GAME = kit.Game("chess", "Chess", (), start, SIDES, "8x8: checkmate the king; the classic", difficulty=3, in_pairs=True)
