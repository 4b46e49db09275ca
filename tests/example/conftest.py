"""Noughts and Crosses as a game of the server, for a test; a real game has a line in each registry instead."""

from pathlib import Path
from typing import Any

import pytest
from jinja2 import FileSystemLoader

from engines import GAMES
from notation import NOTATIONS
from pbem.messages.templating import HTML, TEXT, templates
from tests.example import engine, notation

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def noughts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add the game to both registries, and its rules to the templates."""
    games: Any = GAMES
    notations: Any = NOTATIONS
    monkeypatch.setitem(games, "noughts", engine.NOUGHTS)
    monkeypatch.setitem(notations, "noughts", notation.NOUGHTS)
    for face in (TEXT, HTML):
        loader = templates(face).loader
        assert isinstance(loader, FileSystemLoader)
        monkeypatch.setattr(loader, "searchpath", [*loader.searchpath, str(HERE / "templates")])
