"""The games once more, plainly and from their rules: nothing here knows OpenSpiel, or our engine."""

import tomllib
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

from pbem.gamekit import GamePack

from .breakthrough import Breakthrough
from .checkers import Checkers
from .clobber import Clobber
from .connectfour import ConnectFour
from .go import Go
from .loa import Lines
from .morris import Morris
from .othello import Othello
from .oware import Oware
from .source import Source
from .stones import Gomoku, Havannah, Y
from .ultimate import Ultimate

SOURCES: Mapping[str, Callable[[Mapping[str, str]], Source]] = {
    "breakthrough": Breakthrough.start,
    "checkers": Checkers.start,
    "clobber": Clobber.start,
    "connectfour": ConnectFour.start,
    "go9": Go.start,
    "gomoku": Gomoku.start,
    "havannah": Havannah.start,
    "loa": Lines.start,
    "morris": Morris.start,
    "othello": Othello.start,
    "oware": Oware.start,
    "ultimate": Ultimate.start,
    "ygame": Y.start,
}
"""The second source of each game."""

POINTS = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]["entry-points"]


def _named(point: str) -> GamePack:
    module, _, name = point.partition(":")
    pack = getattr(import_module(module), name)
    assert isinstance(pack, GamePack)
    return pack


GAMES = {key: _named(point) for key, point in POINTS["pbem.games"].items()}
"""The games of the shelf by key."""
