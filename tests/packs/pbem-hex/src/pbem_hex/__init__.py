"""Hex (Piet Hein, 1942; John Nash, 1948) as a game of pbem."""

from pathlib import Path

from pbem.gamekit import GamePack
from pbem_hex.engine import GAME
from pbem_hex.notation import HexNotation

HEX = GamePack(game=GAME, notation=HexNotation(), rules=Path(__file__).parent / "rules")
