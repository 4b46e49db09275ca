"""Turns that are a word, and ends that concern both sides at once."""

import pytest

from engines.core import IllegalMove, Outcome
from engines.special import Special
from notation.hints import format_hint
from notation.steps import choices
from tests.special_turns import NOTATION, ROW, Reason, Row


def after(*texts: str) -> Row:
    """Return the position of the toy after these turns."""
    position = ROW.position({})
    for text in texts:
        position = position.play(NOTATION.parse(text))
    assert isinstance(position, Row)
    return position


def test_swapping_makes_the_first_stone_the_second_player_s_and_the_first_is_to_move() -> None:
    swapped = after("c1", "swap")

    assert swapped.stones == (frozenset(), frozenset({"c1"}))
    assert swapped.turn == 0
    assert Special.SWAP not in swapped.moves()


@pytest.mark.parametrize("before", [(), ("c1", "d1"), ("c1", "swap"), ("pass",), ("c1", "pass", "pass")])
def test_swapping_is_refused_in_any_other_turn(before: tuple[str, ...]) -> None:
    with pytest.raises(IllegalMove) as refused:
        after(*before).play(Special.SWAP)

    assert refused.value.reason in (Reason.NO_SWAP, Reason.OVER)


def test_two_passes_in_a_row_end_a_game_and_one_does_not() -> None:
    assert after("c1", "pass", "d1", "pass").outcome is None
    assert after("c1", "pass", "d1", "pass", "pass").outcome == Outcome(0, "2 to 0")


def test_both_sides_can_reach_their_goal_at_once_and_draw() -> None:
    assert after("a1", "b1", "c1", "d1", "e1", "f1").outcome == Outcome(None, "3 to 3")


def test_they_are_offered_in_hints_and_among_the_turns_only_where_they_are_legal() -> None:
    for before, word, offered in (((), "swap", False), (("c1",), "swap", True), ((), "pass", True)):
        position = after(*before)

        assert (f"* {word}" in format_hint(NOTATION.hint(position)).splitlines()) is offered
        assert (word in choices(NOTATION, position).turns) is offered
        assert (word in {str(move) for move in position.moves()}) is offered
