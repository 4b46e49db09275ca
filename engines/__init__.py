"""The rules of the games: values in, values out; no time, chance, files, mail, SQL or logging."""

from collections.abc import Mapping

from engines.core import Game
from engines.kvadratik import KVADRATIK
from engines.phages import HEXAPHAGES, QUADRAPHAGES
from engines.quadrature import QUADRATURE
from engines.quadrupel import QUADRUPEL

GAMES: Mapping[str, Game] = {
    "quadraphages": QUADRAPHAGES,
    "hexaphages": HEXAPHAGES,
    "quadrature": QUADRATURE,
    "quadrupel": QUADRUPEL,
    "kvadratik": KVADRATIK,
}
