"""Every check of the conformance kit holds for every game of pbem itself."""

import pytest

from notation.games import GAMES
from pbem.conformance.checks import CHECKS, Check
from tests.cases import quick_where

BY_MAIL = "a match goes by mail"  # tests/stories plays every game by mail, so the long run has this one
CASES = [(game, check, seed) for game in GAMES for check in CHECKS for seed in (0, 1)]


def is_quick(case: tuple[str, Check, int]) -> bool:
    game, check, seed = case
    return seed == 0 and (check.name != BY_MAIL or game == "quadraphages")


@pytest.mark.sampled(150)
@pytest.mark.parametrize(
    ("game", "check", "seed"), quick_where(is_quick, CASES), ids=lambda each: getattr(each, "name", None)
)
def test_a_game_keeps_every_promise(game: str, check: Check, seed: int) -> None:
    check.run(GAMES[game], seed)
