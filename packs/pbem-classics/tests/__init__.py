"""Tests of the shelf. GAMES has its packs by their keys."""

import tomllib
from importlib import import_module
from pathlib import Path

from pbem.gamekit import GamePack

POINTS = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]["entry-points"]


def _named(point: str) -> GamePack:
    module, _, name = point.partition(":")
    pack = getattr(import_module(module), name)
    assert isinstance(pack, GamePack)
    return pack


GAMES = {key: _named(point) for key, point in POINTS["pbem.games"].items()}
"""The games of the shelf by key."""
