"""Noughts as a game of the server that can vanish, return, and be played by other rules."""

from dataclasses import replace

import pytest
from pbem_noughts import NOUGHTS as PACK

from notation.games import GAMES, GamePack


class Offered:
    """Which pack of the game the server has."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch
        self.install(PACK)

    def install(self, pack: GamePack) -> None:
        """Let the server have that pack."""
        self._patch.setitem(GAMES.packs, "noughts", pack)

    def remove(self) -> None:
        """Let the server have none."""
        self._patch.delitem(GAMES.packs, "noughts")

    def second_version(self, *older: GamePack) -> GamePack:
        """Install version 2 of the rules, in which a line loses, with those older ones. Return it."""
        game = replace(PACK.game, start=lambda _: PACK.game.start({"goal": "avoid"}))
        pack = replace(PACK, game=game, version=2, older=older)
        self.install(pack)
        return pack


@pytest.fixture(autouse=True)
def noughts(monkeypatch: pytest.MonkeyPatch) -> Offered:
    """Let the server have the game before it starts."""
    return Offered(monkeypatch)
