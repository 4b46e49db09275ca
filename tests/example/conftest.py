"""Noughts and Crosses as a game of the server, for a test; a real one is a package with an entry point."""

from pathlib import Path

import pytest

from notation.games import GAMES, GamePack
from tests.example import engine, notation

PACK = GamePack(game=engine.NOUGHTS, notation=notation.NOUGHTS, rules=Path(__file__).parent / "templates/rules")


@pytest.fixture(autouse=True)
def noughts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add the game to the registry."""
    monkeypatch.setitem(GAMES.packs, "noughts", PACK)
