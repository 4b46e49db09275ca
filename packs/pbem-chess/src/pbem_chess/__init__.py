"""Chess as a game of pbem."""

from pathlib import Path

from pbem.gamekit import Form, GamePack
from pbem_chess import pgn
from pbem_chess.engine import GAME
from pbem_chess.notation import ChessNotation

CHESS = GamePack(
    game=GAME,
    notation=ChessNotation(),
    rules=Path(__file__).parent / "rules",
    form=Form("pgn", pgn.written, pgn.read),
)
