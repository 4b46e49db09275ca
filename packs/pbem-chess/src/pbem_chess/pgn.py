"""Matches of chess as PGN, the form that other chess programs read and write."""

import io
from collections.abc import Sequence

import chess.pgn

TAG = "["
"""What a game in PGN begins with."""


def written(turns: Sequence[str], players: tuple[str, str] = ("?", "?"), result: str = "*") -> str:
    """Return the turns of a match, as pbem writes them, as PGN."""
    white, black = players
    game = chess.pgn.Game({"Event": "pbem", "Site": "email", "White": white, "Black": black, "Result": result})
    node: chess.pgn.GameNode = game
    for turn in turns:
        node = node.add_variation(node.board().parse_san(turn))
    return f"{game}\n"


def read(text: str) -> tuple[tuple[str, str], tuple[str, ...]] | None:
    """Return the players and turns of the first game in a PGN file; None if it is none. Raise ValueError.

    Its comments, variations and times are left out.
    """
    if not text.lstrip("\ufeff \r\n\t").startswith(TAG):
        return None
    game = chess.pgn.read_game(io.StringIO(text))
    if game is None:
        raise ValueError("there is no game in it")
    if game.errors:
        raise ValueError(str(game.errors[0]))
    board = game.board()
    if board.fen() != chess.STARTING_FEN:
        raise ValueError("it begins at another position than a match here")
    turns = []
    for move in game.mainline_moves():
        turns.append(board.san(move))
        board.push(move)
    return (game.headers["White"], game.headers["Black"]), tuple(turns)
