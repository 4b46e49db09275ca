"""Between text and values: how moves, boards and records are written; no time, mail or SQL."""

from collections.abc import Mapping
from typing import Any

from notation.core import Arbiter, Notation
from notation.kvadratik import KVADRATIK
from notation.phages import HEXAPHAGES, QUADRAPHAGES, arbitrate_text
from notation.quadrature import QUADRATURE
from notation.quadrupel import QUADRUPEL

NOTATIONS: Mapping[str, Notation[Any]] = {
    "quadraphages": QUADRAPHAGES,
    "hexaphages": HEXAPHAGES,
    "quadrature": QUADRATURE,
    "quadrupel": QUADRUPEL,
    "kvadratik": KVADRATIK,
}

# Only games of which records were typed by hand, with slips, need one.
ARBITERS: Mapping[str, Arbiter] = {
    "quadraphages": arbitrate_text,
    "hexaphages": arbitrate_text,
}
