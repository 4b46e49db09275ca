"""Why a turn of chess is refused, and what would work instead."""

import re

import chess

from pbem import gamekit as kit

_SAN = re.compile(r"([NBRQK]?)([a-h]?)([1-8]?)x?([a-h][1-8])=?([NBRQ]?)[+#]?")
NAMES = {letter: chess.piece_name(kind) for kind, letter in enumerate("PNBRQK", start=1)}


class Reason(kit.Reason):
    """Why a turn is refused."""

    EMPTY = "there is no piece on {origin}; {instead}"
    OTHERS = "the {piece} on {origin} isn't yours; {instead}"
    BLOCKED = "a {piece} can't go from {origin} to {target}; {instead}"
    NOBODY = "no {piece} of yours can go to {target}; {instead}"
    AMBIGUOUS = "{token} could be {instead}"
    PROMOTES = "a pawn that reaches {target} becomes another piece: {instead}"
    NO_PROMOTION = "only a pawn that reaches the last rank becomes another piece; {instead}"
    CHECK = "{token} would leave your king on {king} in check; {instead}"
    CASTLING = "you can't castle on that side now: {why}; {instead}"


def refusal(board: chess.Board, text: str, squares: chess.Move | None) -> kit.IllegalMove:
    """Return why the turn that a text says can't be played. `squares` are those of a turn like g1f3."""
    if text.startswith("O-O"):
        return kit.IllegalMove(Reason.CASTLING, token=text, why=_no_castling(board, text), instead=_instead(board))
    if squares is not None:
        return _by_squares(board, text, squares)
    found = _SAN.fullmatch(text)
    letter, file, rank, target, becomes = found.groups() if found else ("", "", "", text, "")
    names = {"token": text, "piece": NAMES[letter or "P"], "target": target}
    meant = [
        move
        for move in board.pseudo_legal_moves
        if board.piece_type_at(move.from_square) == chess.PIECE_SYMBOLS.index((letter or "p").lower())
        and chess.square_name(move.to_square) == target
        and chess.square_name(move.from_square).startswith(file)
        and chess.square_name(move.from_square).endswith(rank)
    ]
    legal = [move for move in meant if board.is_legal(move)]
    if any(move.promotion for move in legal) and not becomes:
        return kit.IllegalMove(Reason.PROMOTES, **names, instead=_written(board, legal))
    if becomes and legal:
        return kit.IllegalMove(Reason.NO_PROMOTION, **names, instead=f"you can play {_written(board, legal)}")
    if len(legal) > 1:
        return kit.IllegalMove(Reason.AMBIGUOUS, **names, instead=_written(board, legal))
    if meant:
        return _in_check(board, names)
    kind = chess.PIECE_SYMBOLS.index((letter or "p").lower())
    return kit.IllegalMove(Reason.NOBODY, **names, instead=_instead(board, kind=kind))


def _by_squares(board: chess.Board, text: str, move: chess.Move) -> kit.IllegalMove:
    origin, target = chess.square_name(move.from_square), chess.square_name(move.to_square)
    piece = board.piece_at(move.from_square)
    names = {"token": text, "origin": origin, "target": target}
    if piece is None:
        return kit.IllegalMove(Reason.EMPTY, **names, instead=_instead(board))
    names["piece"] = chess.piece_name(piece.piece_type)
    if piece.color != board.turn:
        return kit.IllegalMove(Reason.OTHERS, **names, instead=_instead(board))
    promoted = [
        each for each in board.legal_moves if (each.from_square, each.to_square) == (move.from_square, move.to_square)
    ]
    if promoted and promoted[0].promotion:
        return kit.IllegalMove(Reason.PROMOTES, **names, instead=_written(board, promoted))
    if promoted:
        return kit.IllegalMove(Reason.NO_PROMOTION, **names, instead=f"you can play {_written(board, promoted)}")
    if board.is_pseudo_legal(move):
        return _in_check(board, names)
    return kit.IllegalMove(Reason.BLOCKED, **names, instead=_instead(board, origin=move.from_square))


def _in_check(board: chess.Board, names: dict[str, str]) -> kit.IllegalMove:
    king = board.king(board.turn)
    where = "?" if king is None else chess.square_name(king)
    return kit.IllegalMove(Reason.CHECK, **names, king=where, instead=_instead(board))


def _no_castling(board: chess.Board, text: str) -> str:
    """Return why the king can't castle on a side."""
    right = chess.BB_FILE_A if text.startswith("O-O-O") else chess.BB_FILE_H
    if not board.castling_rights & right & (chess.BB_RANK_1 if board.turn else chess.BB_RANK_8):
        return "the king or that rook has moved"
    if board.is_check():
        return "the king is in check"
    rank = 0 if board.turn else 7
    between = (1, 2, 3) if text.startswith("O-O-O") else (5, 6)
    taken = [chess.square(file, rank) for file in between if board.piece_at(chess.square(file, rank))]
    if taken:
        names = kit.together([chess.square_name(square) for square in taken])
        return f"{names} {'is' if len(taken) == 1 else 'are'} taken"
    return "the king would cross or reach a square that is attacked"


def _instead(board: chess.Board, *, kind: int = 0, origin: int | None = None) -> str:
    """Return in words what can be played: by a piece, by pieces of a kind, or at all."""
    moves = list(board.legal_moves)
    if origin is not None:
        moves = [move for move in moves if move.from_square == origin]
    elif kind:
        moves = [move for move in moves if board.piece_type_at(move.from_square) == kind]
    if moves:
        return f"{'it' if origin is not None else 'you'} can play {_written(board, moves)}"
    some = next(iter(board.legal_moves))
    return (
        f"it can't go anywhere now; {board.san(some)} would do" if origin is not None else f"{board.san(some)} would do"
    )


def _written(board: chess.Board, moves: list[chess.Move], most: int = 6) -> str:
    texts = sorted(board.san(move) for move in moves)
    return kit.either(texts) if len(texts) <= most else f"{', '.join(texts[:most])} and more"
