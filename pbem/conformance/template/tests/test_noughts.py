"""Noughts: every end, every refusal, and how turns are read. What holds for every game is checked by pbem."""

from typing import Any

import pytest

from pbem import gamekit as kit
from pbem_noughts import NOUGHTS
from pbem_noughts.engine import Reason, Turn


def after(turns: str = "", **options: str) -> Any:
    """Return the position after these turns."""
    position = NOUGHTS.game.position(options)
    for turn in turns.split():
        position = position.play(NOUGHTS.notation.parse(turn))
    return position


@pytest.mark.parametrize(
    ("goal", "turns", "outcome"),
    [
        ("line", "a1 a2 b1 b2 c1", kit.Outcome(0, "X has a line on a1, b1 and c1")),
        ("line", "a1 c3 b1 b2 a3 a2 c2 c1 b3", kit.Outcome(None, "the board is full")),
        ("line", "a1 a3 b1 b2 c2 c1", kit.Outcome(1, "O has a line on a3, b2 and c1")),
        ("avoid", "a1 a2 b1 b2 c1", kit.Outcome(1, "X has a line on a1, b1 and c1")),
    ],
)
def test_a_match_ends(goal: str, turns: str, outcome: kit.Outcome) -> None:
    assert after(turns, goal=goal).outcome == outcome


@pytest.mark.parametrize(
    ("turns", "move", "reason", "words"),
    [
        ("b2", "b2", Reason.TAKEN, "X has b2 already; a1, b1, c1, a2, c2, a3, b3 or c3 would do"),
        ("", "d4", Reason.OFF_BOARD, "d4 is not on this board"),
    ],
)
def test_every_refusal(turns: str, move: str, reason: Reason, words: str) -> None:
    with pytest.raises(kit.IllegalMove, match=words) as refusal:
        after(turns).play(Turn(move))

    assert refusal.value.reason is reason
    assert refusal.value.token in (move, "")


def test_the_last_turn_is_lit() -> None:
    assert after("b2 a1").diagram(kit.Played(after("b2"), Turn("a1"))).lit == {"a1"}


@pytest.mark.parametrize(
    ("said", "at", "expected"),
    [("", 0, "a square such as b2"), ("2b", 0, "a square such as b2"), ("b2 c3", 3, "the end of the turn")],
)
def test_what_cannot_be_read_is_pointed_at(said: str, at: int, expected: str) -> None:
    with pytest.raises(kit.BadNotation, match=expected) as bad:
        NOUGHTS.notation.parse(said)

    assert bad.value.at == at


def test_the_hint_says_what_a_line_does() -> None:
    won, lost = (NOUGHTS.notation.hint(after(goal=goal)) for goal in ("line", "avoid"))

    assert won is not None
    assert won.passages[0].text.endswith("three in a line wins.")
    assert lost is not None
    assert lost.passages[0].text.endswith("three in a line loses.")
