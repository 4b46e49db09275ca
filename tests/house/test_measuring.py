"""Whether the house can play a game: measured in processes like the server's."""

from pathlib import Path

from notation.games import GAMES
from pbem.features.house.measuring import measured
from pbem.features.house.searcher import SandboxedSearcher
from tests import toys


def test_a_game_that_the_house_knows_is_played() -> None:
    found = measured(GAMES["kvadratik"], SandboxedSearcher(seconds=3600))

    assert str(found).startswith("The house plays Kvadratik: up to ")
    assert not found.failed


def test_a_game_that_it_cannot_play_is_told(tmp_path: Path) -> None:
    """Nothing is installed by that name, so the process ends; it does the same where time or memory runs out."""
    found = measured(toys.toy(tmp_path, "toy", "Toy"))

    assert str(found) == "The house can't play Toy: the process ended without an answer (1), after 0 turns."
    assert found.is_weak


def test_a_process_that_says_nothing_is_told() -> None:
    assert measured(GAMES["kvadratik"], SandboxedSearcher(("true",))).failed
