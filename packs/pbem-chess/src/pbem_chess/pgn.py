"""Matches of chess as PGN, the form that other chess programs read and write."""

import io
import json
import sys
from collections.abc import Sequence
from itertools import chain

import chess.pgn

RESULTS = {0: "1-0", 1: "0-1", None: "1/2-1/2"}


def written(turns: Sequence[str], white: str = "?", black: str = "?", result: str = "*") -> str:
    """Return the turns of a match, as pbem writes them, as PGN."""
    game = chess.pgn.Game({"Event": "pbem", "Site": "email", "White": white, "Black": black, "Result": result})
    node: chess.pgn.GameNode = game
    for turn in turns:
        node = node.add_variation(node.board().parse_san(turn))
    return f"{game}\n"


def read(text: str) -> list[str]:
    """Return the turns of the first game in a PGN file, as pbem writes them; raise ValueError."""
    game = chess.pgn.read_game(io.StringIO(text))
    if game is None:
        raise ValueError("there is no game in that text")
    if game.errors:
        raise ValueError(str(game.errors[0]))
    turns, board = [], game.board()
    for move in game.mainline_moves():
        turns.append(board.san(move))
        board.push(move)
    return turns


def of_record(text: str) -> str:
    """Return a record of pbem, as the file pbem-42-chess.json has it, as PGN."""
    record = json.loads(text)
    white, black = record["header"]["players"]
    winner = 0 if white["result"] else 1 if black["result"] else None
    texts = [each if isinstance(each, str) else each["move"] for each in chain(*record["moves"]) if each]
    return written(texts, white["name"], black["name"], RESULTS[winner])


if __name__ == "__main__":
    sys.stdout.write(of_record(sys.stdin.read()))
