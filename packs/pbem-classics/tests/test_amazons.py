"""The Game of the Amazons: every rule, every refusal, and how turns are read."""

from typing import Any

import pytest

from pbem import gamekit as kit
from pbem_classics.amazons import AMAZONS
from pbem_classics.amazons.engine import AmazonsPosition, Reason, Turn

read = AMAZONS.notation.parse
TURN = Turn(kit.Step("d1", "d7"), "g7")


def after(*turns: str) -> Any:
    """Return the position after these turns, or parts of them."""
    position = AMAZONS.game.position({})
    for turn in turns:
        position = position.play(read(turn))
    return position


def test_a_turn_moves_an_amazon_and_leaves_an_arrow_perhaps_where_she_was() -> None:
    assert after("d1d7 g7") == AmazonsPosition(1, (("a4", "d7", "g1", "j4"), after().amazons[1]), frozenset({"g7"}))
    assert after("d1d7 d1").arrows == {"d1"}
    assert after("d1d3 d8", "a7a6 a7", "d3d5 d1").arrows == {"d8", "a7", "d1"}


def test_a_turn_sent_in_parts_is_the_same_turn() -> None:
    part = after("d1d7")

    assert (part.turn, part.part, list(part.parts())) == (0, read("d1d7"), [])
    assert part.play(read("g7")) == part.play(read("d1d7 g7")) == after("d1d7 g7")
    assert part.play(read("d1d7")) == part


def test_a_side_that_cannot_move_loses_and_then_nobody_moves() -> None:
    end = AmazonsPosition(0, (("d4",), ("a1",)), frozenset({"a2", "b2"})).play(read("d4e4 b1"))

    assert end.outcome == kit.Outcome(0, "no amazon of Black can move")
    assert list(end.moves()) == list(end.parts()) == []
    with pytest.raises(kit.IllegalMove, match="the game is over: no amazon of Black can move"):
        end.play(TURN)


@pytest.mark.parametrize(
    ("turns", "move", "reason", "words", "token"),
    [
        ("", Turn(kit.Step("d1", "k1"), "d1"), Reason.OFF_BOARD, "k1 is not on this board; .* a1 to j10", "d1k1"),
        ("", Turn(kit.Step("d1", "d7"), "d11"), Reason.OFF_BOARD, "d11 is not on this board", "d11"),
        ("", read("g7"), Reason.NO_STEP, "g7 alone is no turn: first an amazon moves, .* as in a4a5 a6", "g7"),
        ("d1d7", read("g1g3 g4"), Reason.OTHER_STEP, "moved d1 to d7, .* from d7 there is a way to d8, d9", "g1g3"),
        ("", read("d2d3 d4"), Reason.NO_AMAZON, "White has no amazon on d2, but on a4, d1, g1 and j4", "d2d3"),
        ("", read("d1e3 c7"), Reason.NOT_STRAIGHT, "an amazon can't go from d1 to e3, .* from d1 .* d2", "d1e3"),
        ("", read("d1d7 e9"), Reason.NOT_STRAIGHT, "an arrow can't go from d7 to e9, .* from d7 .* d8", "e9"),
        ("", read("d1h1 c7"), Reason.BLOCKED, "from d1 to h1, because g1 is taken; from d1 .* d2", "d1h1"),
        ("", read("d1d7 d10"), Reason.BLOCKED, "from d7 to d10, because d10 is taken", "d10"),
    ],
)
def test_every_refusal(turns: str, move: Turn, reason: Reason, words: str, token: str) -> None:
    with pytest.raises(kit.IllegalMove, match=words) as refusal:
        after(*turns.split()).play(move)

    assert (refusal.value.reason, refusal.value.token) == (reason, token)


@pytest.mark.parametrize(
    ("said", "at", "expected"),
    [
        ("", 0, "a turn such as d1d7 g7"),
        ("d1 d7 now", 6, "a turn such as d1d7 g7"),
        ("d1k7 g7", 2, "a letter from a to j"),
        ("d1d11 g7", 3, "a row from 1 to 10"),
        ("d1d7 g7 g8", 8, "the end of the turn"),
        ("d1" * 200, 300, "the end of the turn: none is longer"),
    ],
)
def test_what_cannot_be_read_is_pointed_at(said: str, at: int, expected: str) -> None:
    with pytest.raises(kit.BadNotation, match=expected) as bad:
        read(said)

    assert bad.value.at == at
