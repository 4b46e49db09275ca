"""The words for games: a key or a title that means something else already isn't offered, and the operator is told."""

from dataclasses import replace
from functools import partial
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from notation import games
from notation.games import BUILT_IN, GAMES, Games
from pbem.features.accounts.name_rules import can_be_named
from pbem.features.all import FEATURES
from tests import toys

USABLE = partial(can_be_named, features=FEATURES)


@pytest.mark.parametrize(
    ("key", "title", "is_offered"),
    [
        ("hex", "Hex", True),
        ("go", "Go", True),
        ("loa", "Lines of Action", True),
        ("take", "Take", False),
        ("rule", "The Rule", True),
        ("tk", "Take", False),
        ("swiss", "Swiss", False),
        ("hello", "Hello", False),
    ],
)
def test_a_word_of_ours_is_no_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, title: str, is_offered: bool
) -> None:
    pack = toys.toy(tmp_path, key, title)
    monkeypatch.setattr(toys, "PACK", pack, raising=False)
    point = EntryPoint(key, "tests.toys:PACK", games.GROUP)
    found = games._installed()
    monkeypatch.setattr(games, "_installed", lambda: found | {key: [point]})

    offered = Games()
    offered.enable([key], USABLE)

    assert (key in offered) is is_offered
    assert (key in offered.missing) is not is_offered
    assert is_offered or title in offered.missing[key]


def test_one_entry_point_has_several_games_and_easy_ones_are_listed_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hard, easy = (
        replace(pack, game=replace(pack.game, difficulty=difficulty))
        for pack, difficulty in ((toys.toy(tmp_path, "go-small", "Small Go"), 3), (toys.toy(tmp_path, "hex", "Hex"), 1))
    )
    monkeypatch.setattr(toys, "PACKS", (hard, easy), raising=False)
    point = EntryPoint("go-small hex", "tests.toys:PACKS", games.GROUP)
    ours = games.entry_points(group=games.GROUP)
    monkeypatch.setattr(games, "entry_points", lambda *, group: [*ours, point])

    offered = Games()
    offered.enable(["go-small", "hex"], USABLE)

    assert list(offered) == ["hex", *BUILT_IN, "go-small"]
    assert offered.first_in("Shall we play go-small?") == "go-small"
    assert offered.first_in("A quick hex-match?") == "hex"
    assert offered["hex"].game.introduction.endswith("; easy to begin with")


def test_the_games_of_pbem_itself_can_be_named() -> None:
    assert all(USABLE(GAMES[key].game) for key in BUILT_IN)
    assert not USABLE(replace(GAMES["quadrupel"].game, title="Resign"))
