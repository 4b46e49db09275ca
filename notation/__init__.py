"""Between text and values: how moves, boards and records are written; no time, mail or SQL."""

from collections.abc import Mapping
from typing import Any

from notation.core import Notation, TolerantReader
from notation.kvadratik import KVADRATIK
from notation.phages import HEXAPHAGES, QUADRAPHAGES, play_tolerantly
from notation.quadrature import QUADRATURE
from notation.quadrupel import QUADRUPEL

NOTATIONS: Mapping[str, Notation[Any]] = {
    "quadraphages": QUADRAPHAGES,
    "hexaphages": HEXAPHAGES,
    "quadrature": QUADRATURE,
    "quadrupel": QUADRUPEL,
    "kvadratik": KVADRATIK,
}

# Only games with records that were typed by hand, with slips, need one.
TOLERANT_READERS: Mapping[str, TolerantReader] = {
    "quadraphages": play_tolerantly,
    "hexaphages": play_tolerantly,
}
