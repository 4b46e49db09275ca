"""The Game of the Amazons (Walter Zamkauskas, 1988) as a game of pbem."""

from pbem.gamekit import GamePack
from pbem_classics import RULES
from pbem_classics.amazons.engine import GAME
from pbem_classics.amazons.notation import AmazonsNotation

AMAZONS = GamePack(game=GAME, notation=AmazonsNotation(), rules=RULES)
