"""The worked example of docs/new-game.md: a variant of Quadrupel in less than 150 lines, with its tests.

In the variant `no-square` a Square is too easy: it can't be announced, and any other figure wins.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from engines import quadrupel
from engines.core import IllegalMove, Outcome
from engines.quadrupel.board import INDEX, KINDS
from engines.quadrupel.first_figure import Basic
from engines.quadrupel.variant import Formed, Score, Stone
from engines.wording import either
from notation.games import GAMES, GamePack
from notation.hints import format_hint
from pbem.conformance import engine, turn_texts

CHECKS = (
    engine.random_play_ends,
    engine.moves_are_listed_once,
    engine.play_agrees_with_moves,
    turn_texts.turns_are_read_as_they_are_written,
    turn_texts.hints_help,
)
OTHERS = f"a {either(KINDS[1:])} of all four stones"


@dataclass(frozen=True, slots=True)
class NoSquare(Basic):
    """The first announced figure wins, but a Square doesn't count."""

    def meets(self, formed: Formed, score: Score) -> bool:
        """Return whether the figure is not a Square."""
        return formed.figure.name != KINDS[0]

    def claim(self, score: Score) -> str:
        """Return what can be announced."""
        return OTHERS

    def aim(self, score: Score) -> str:
        """Return the aim: to be the first with another figure than a Square."""
        return f"The first player to announce {OTHERS} wins; a Square does not count."


@pytest.fixture(autouse=True)
def no_square(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add the variant to those of Quadrupel; a real one has a line in VARIANTS instead."""
    pack, variants = GAMES["quadrupel"], quadrupel.VARIANTS
    game = pack.game
    assert isinstance(variants, dict)
    monkeypatch.setitem(variants, "no-square", lambda _: NoSquare())
    variant = replace(game.options[0], choices=(*game.options[0].choices, "no-square"))
    game = replace(game, options=(variant, *game.options[1:]))
    monkeypatch.setitem(GAMES.packs, "quadrupel", replace(pack, game=game))


def after(*texts: str) -> Any:
    """Return the position after these turns."""
    position = GAMES["quadrupel"].game.position({"variant": "no-square"})
    for each in texts:
        position = position.play(GAMES["quadrupel"].notation.parse(each))
    return position


def test_a_square_cannot_be_announced() -> None:
    with pytest.raises(IllegalMove, match="b4d4 does not end in a Straight, Diamond or Diagonal of all four stones"):
        after("d2b4", "d4f4", "b4d4 quadrupel")

    assert after("d2b4", "d4f4", "b4d4").turn == 1


def test_a_diamond_wins() -> None:
    sides = [tuple(sorted(Stone(INDEX[name]) for name in side.split())) for side in ("b1 a2 c2 b4", "f1 f3 f5 e6")]
    over = replace(after(), stones=tuple(sides)).play(GAMES["quadrupel"].notation.parse("b4b3 quadrupel"))

    assert over.outcome == Outcome(0, "Black's Diamond on b1, a2, c2 and b3")


def test_the_hint_says_so() -> None:
    hint = " ".join(format_hint(GAMES["quadrupel"].notation.hint(after())).split())

    assert "a Square does not count" in hint


@pytest.mark.parametrize("check", CHECKS)
def test_it_keeps_the_promises_of_every_game(check: Callable[[GamePack], None]) -> None:
    pack = GAMES["quadrupel"]
    variant, *others = pack.game.options
    alone = (replace(variant, choices=("no-square",)), *(replace(each, choices=each.choices[:1]) for each in others))
    check(replace(pack, game=replace(pack.game, options=alone)))
