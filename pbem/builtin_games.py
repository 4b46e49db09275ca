"""The games of pbem itself as packs; they are found by the same entry points as everybody's."""

from engines import kvadratik, phages, quadrature, quadrupel
from notation import kvadratik as kvadratik_notation
from notation import phages as phages_notation
from notation import quadrature as quadrature_notation
from notation import quadrupel as quadrupel_notation
from notation.games import GamePack
from pbem.messages.template_files import templates_folder

_RULES = templates_folder() / "rules"
_TOLERANT = phages_notation.play_tolerantly

QUADRAPHAGES = GamePack(
    game=phages.QUADRAPHAGES, notation=phages_notation.QUADRAPHAGES, rules=_RULES, tolerant=_TOLERANT
)
HEXAPHAGES = GamePack(game=phages.HEXAPHAGES, notation=phages_notation.HEXAPHAGES, rules=_RULES, tolerant=_TOLERANT)
QUADRATURE = GamePack(game=quadrature.QUADRATURE, notation=quadrature_notation.QUADRATURE, rules=_RULES)
QUADRUPEL = GamePack(game=quadrupel.QUADRUPEL, notation=quadrupel_notation.QUADRUPEL, rules=_RULES)
KVADRATIK = GamePack(game=kvadratik.KVADRATIK, notation=kvadratik_notation.KVADRATIK, rules=_RULES)
