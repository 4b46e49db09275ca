"""Chess as a game of pbem."""

from pathlib import Path

from pbem.gamekit import GamePack
from pbem_chess.engine import GAME
from pbem_chess.notation import ChessNotation

CHESS = GamePack(game=GAME, notation=ChessNotation(), rules=Path(__file__).parent / "rules")
