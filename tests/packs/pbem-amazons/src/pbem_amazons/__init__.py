"""The Game of the Amazons (Walter Zamkauskas, 1988) as a game of pbem."""

from pathlib import Path

from pbem.gamekit import GamePack
from pbem_amazons.engine import GAME
from pbem_amazons.notation import AmazonsNotation

AMAZONS = GamePack(game=GAME, notation=AmazonsNotation(), rules=Path(__file__).parent / "rules")
