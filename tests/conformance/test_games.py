"""Every check of the conformance kit holds for every game of pbem itself."""

from dataclasses import replace

import pytest

from notation.games import GAMES, GamePack
from pbem.conformance import rules_page
from pbem.conformance.checks import CHECKS, Check
from tests.cases import quick_where

IN_THE_LONG_RUN = {
    "a match goes by mail": tuple(GAMES),  # the stories play every game by mail
    "boards are drawn as pictures": ("quadraphages", "hexaphages", "quadrature", "kvadratik"),
    "boards are drawn in text": ("hexaphages", "quadrature", "quadrupel", "kvadratik"),
    "moves are listed once": ("hexaphages", "kvadratik"),
    "play agrees with moves": ("hexaphages", "quadrature", "quadrupel", "kvadratik"),
    "play leaves the old position": ("hexaphages",),
    "random play ends": ("hexaphages", "quadrupel", "kvadratik"),
    "the end is final": ("hexaphages",),
    "turns are read as they are written": ("hexaphages", "kvadratik"),
}
"""What takes long in games of which tests/engines and tests/notation show it in other ways."""
CASES = [
    (game, check, seed)
    for game in GAMES
    for check in CHECKS
    for seed in (0, 1)
    if seed == 1 or game not in IN_THE_LONG_RUN.get(check.name, ())
]


def is_quick(case: tuple[str, Check, int]) -> bool:
    return case[-1] == 0


@pytest.mark.parametrize(
    ("game", "check", "seed"), quick_where(is_quick, CASES), ids=lambda each: getattr(each, "name", None)
)
def test_a_game_keeps_every_promise(game: str, check: Check, seed: int) -> None:
    is_whole = seed == 1 or check.holds.__module__ == rules_page.__name__
    check.run(GAMES[game] if is_whole else with_its_variants(GAMES[game]), seed)


def with_its_variants(pack: GamePack) -> GamePack:
    """Return the game with other choices for its variant alone; the second seed has all combinations."""
    options = tuple(o if o.name == "variant" else replace(o, choices=o.choices[:1]) for o in pack.game.options)
    return replace(pack, game=replace(pack.game, options=options))
