"""Hex (Piet Hein, 1942; John Nash, 1948) as a game of pbem."""

from pbem.gamekit import GamePack
from pbem_classics import RULES
from pbem_classics.hex.engine import GAME
from pbem_classics.hex.notation import HexNotation

HEX = GamePack(game=GAME, notation=HexNotation(), rules=RULES)
