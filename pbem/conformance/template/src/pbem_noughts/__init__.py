"""Noughts as a game of pbem."""

from pathlib import Path

from pbem.gamekit import GamePack
from pbem_noughts.engine import GAME
from pbem_noughts.notation import NoughtsNotation

NOUGHTS = GamePack(game=GAME, notation=NoughtsNotation(), rules=Path(__file__).parent / "rules")
