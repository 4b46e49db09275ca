"""Hex: every rule, every refusal, and how turns are read."""

from typing import Any

import pytest

from pbem import gamekit as kit
from pbem_classics.hex import HEX
from pbem_classics.hex.engine import Reason

read = HEX.notation.parse
RED_WINS = "e1 a1 e2 b1 e3 c1 e4 d1 e5 f1 e6 g1 e7 h1 d8 i1 d9"
BLUE_WINS = "a1 a5 b1 b5 c1 c5 d1 d5 e1 e4 f1 f4 g1 g4 h1 h4 a9 i3"


def after(turns: str = "", **options: str) -> Any:
    """Return the position after these turns."""
    position = HEX.game.position(options)
    for turn in turns.split():
        position = position.play(read(turn))
    return position


@pytest.mark.parametrize(
    ("turns", "outcome"),
    [
        (RED_WINS, kit.Outcome(0, "Red joined top and bottom")),
        (BLUE_WINS, kit.Outcome(1, "Blue joined left and right")),
        (RED_WINS.replace("d8", "f8").replace("d9", "f9"), None),  # e7 and f8 aren't neighbours
    ],
)
def test_a_side_that_joins_its_edges_wins(turns: str, outcome: kit.Outcome | None) -> None:
    assert after(turns.rpartition(" ")[0], size="9").outcome is None
    assert after(turns, size="9").outcome == outcome


def test_a_swap_mirrors_the_first_stone_and_red_goes_on() -> None:
    before, position = after("c11"), after("c11 swap")
    diagram = position.diagram(kit.Played(before, kit.Special.SWAP))

    assert (position.stones, position.turn) == ((frozenset(), frozenset({"k3"})), 0)
    assert (diagram.lit, diagram.told) == ({"k3"}, "The last move: Blue took over the stone, now on k3.")


@pytest.mark.parametrize(
    ("turns", "options", "can"),
    [("", {}, False), ("f6", {}, True), ("f6", {"swap": "no"}, False), ("f6 swap e6", {}, False)],
)
def test_only_the_second_turn_can_be_a_swap(turns: str, options: dict[str, str], can: bool) -> None:
    hint = HEX.notation.hint(after(turns, **options))

    assert (kit.Special.SWAP in after(turns, **options).moves()) is can
    assert hint is not None
    assert ("swap" in hint.texts) is can


@pytest.mark.parametrize(
    ("turns", "options", "move", "reason", "words"),
    [
        ("f6", {}, "f6", Reason.TAKEN, "Red has a stone on f6 already; f5, g5, g6, f7, e7 or e6 is free"),
        ("a1 b1 b2 a2", {}, "a1", Reason.TAKEN, "Red has a stone on a1 already; c1 is free, for example"),
        ("", {"size": "9"}, "a10", Reason.OFF_BOARD, "a10 is not on this board; its cells are a1 to i9"),
        ("", {}, "swap", Reason.NO_SWAP_NOW, "only Blue can swap, and only in answer to Red's first stone; a1 is free"),
        ("a1 b1 c1", {}, "swap", Reason.NO_SWAP_NOW, "only Blue can swap"),
        ("a1", {"swap": "no"}, "swap", Reason.NO_SWAP, "played without the swap .swap=no.; b1 is free, for example"),
    ],
)
def test_every_refusal(turns: str, options: dict[str, str], move: str, reason: Reason, words: str) -> None:
    with pytest.raises(kit.IllegalMove, match=words) as refusal:
        after(turns, **options).play(read(move))

    assert refusal.value.reason is reason
    assert refusal.value.token in (move, "")


@pytest.mark.parametrize("said", ["f11", "F11", " f11. ", "f11!"])
def test_a_turn_is_read_however_it_is_written(said: str) -> None:
    assert read(said) == "f11"
