"""The rules of Quadraphages and Hexaphages one by one, and every refusal."""

from dataclasses import replace
from typing import Any

import pytest

from engines.bitboard import bits
from engines.core import IllegalMove, Outcome, Over
from engines.phages import PhagesPosition, Reason, Turn
from engines.phages.board import BOARDS
from engines.step import Step
from notation.games import GAMES
from tests.diagrams import diagram_after


def after(*texts: str, game: str = "quadraphages", first: str = "x") -> PhagesPosition:
    """Return the position after these turns."""
    position: Any = GAMES[game].game.position({"first": first})
    for text in texts:
        position = play(position, text)
    assert isinstance(position, PhagesPosition)
    return position


def play(position: PhagesPosition, text: str) -> PhagesPosition:
    return position.play(GAMES[position.game].notation.parse(text))


def board(game: str, turn: int, number: int, x: str, o: str, marked: str) -> PhagesPosition:
    """Return an invented position: the stones, and the marks (`x:a1 o:b1`, or a colour for all the rest: `x:*`)."""
    index = BOARDS[game].index
    stones = (tuple(sorted(index[c] for c in x.split())), tuple(sorted(index[c] for c in o.split())))
    marks = [0, 0]
    rest = set(index.values()) - set(stones[0]) - set(stones[1])
    for word in marked.split():
        side, name = word.split(":")
        cells = rest - {index[c] for c in name[1:].split(",") if c} if name[0] == "*" else {index[name]}
        marks["xo".index(side)] |= bits(cells)
    return PhagesPosition(game, 0 if turn == 0 else 1, stones, (marks[0], marks[1]), number)


OPENING = "1 c1b1 g9h9"
SECOND = "a7b7 i3i2 3 b7b4 i2f2"


def test_the_cells_of_the_last_turn_are_lit() -> None:
    diagram = diagram_after("quadraphages", after(OPENING, first="o"), SECOND)

    assert diagram.lit == {"a7", "b7", "b4", "i3", "i2", "f2"}
    assert diagram.left == {"a7", "b7", "i3", "i2"}
    assert diagram.told == "The last move: a7 to b7, i3 to i2, number 3, b7 to b4, i2 to f2."
    assert diagram.notes == ("last number 3", "X has marked 4", "O has marked 2")


def test_the_game_is_over_when_operation_3_and_the_next_operation_1_move_nothing() -> None:
    """Ruling, end: it doesn't matter that the opponent could move by another number."""
    position = board("quadraphages", 0, 8, "a1 b1", "i8 i9", "o:*i6")
    over = play(position, "---- ---- 1 ---- ----")

    assert over.turn is None
    assert over.outcome == Outcome(1, "76 marked cells to 0")


def test_equally_many_marked_cells_are_a_draw() -> None:
    position = board("quadraphages", 0, 8, "a1 b1", "i8 i9", "o:*i6")
    cells = [cell for cell in range(81) if position.marks[1] >> cell & 1]
    even = replace(position, marks=(bits(cells[::2]), bits(cells[1::2])))

    assert play(even, "1 ----").outcome == Outcome(None, "38 marked cells each")


# Parts ---------------------------------------------------------------------------------------------


def test_operation_1_and_the_number_are_a_part_of_a_turn() -> None:
    part = after(OPENING, "a7b7 i3i2 3", first="o")

    assert part.turn == 0
    assert part.part == Turn((Step("a7", "b7"), Step("i3", "i2")), 3, None)
    assert part.marked(0) == 2
    for rest in ("b7b4 i2f2", "a7b7 i3i2 3 b7b4 i2f2", "i3i2 a7b7 3 i2f2 b7b4"):
        assert play(part, rest) == after(OPENING, SECOND, first="o")


# Every refusal: the turns before, the text, the reason, words of the sentence, the token ---------------

BLOCKED = board("quadraphages", 0, 3, "a1 b1", "a3 i9", "o:c1 x:b4")
IDLE = board("quadraphages", 0, 8, "a1 b1", "i8 i9", "o:*a2,b3")
NEAR = board("quadraphages", 0, 4, "a1 i1", "c9 g9", "x:a5")
HEX = after(game="hexaphages")
OVER = board("quadraphages", 0, 8, "a1 b1", "i8 i9", "o:*i6").play(Turn((), 1, ()))
MIDDLE = after(OPENING, first="o")
REFUSALS = [
    (OVER, "1", Over.GAME_OVER, "76 marked cells to 0", None),
    (after(), "c1b1 3", Reason.NO_FIRST_OPERATION, "1 a7a6 i3i2", "c1b1"),
    (after(), "a7b7 i3i2 3 b7b4 i2f2", Reason.NO_FIRST_OPERATION, "1 a7b7 i3i2", "a7b7"),
    (after(), "a7b7 i3i2", Reason.NUMBER_MISSING, "1 a7b7 i3i2", None),
    (MIDDLE, "a7b7 i3i2", Reason.NUMBER_MISSING, "a7b7 i3i2 1 b7", None),
    (MIDDLE, "b7b4 i2f2", Reason.NOT_BEGUN, "a number comes before b7b4 i2f2", None),
    (after(OPENING, "a7b7 i3i2 3", first="o"), "a7b7 i3i2 4", Reason.BEGUN_OTHERWISE, "undo", "4"),
    (after(OPENING, "a7b7 i3i2 3", first="o"), "3 b7b4 i2f2", Reason.BEGUN_OTHERWISE, "a7b7 i3i2 3;", "3"),
    (MIDDLE, Turn((Step("a7", "b7"), Step("i3", "i2")), 9, None), Reason.NUMBER_RANGE, "1 to 8", "9"),
    (IDLE, "---- ---- 3", Reason.NUMBER_IDLE, "with 3, no stone of X could move; it could with 1 or 2", "3"),
    (HEX, Turn((), 1, (Step("e5", "e6"),)), Reason.OFF_BOARD, "e6 is not on this board", "e5e6"),
    (MIDDLE, "b5b4 i3i2 1", Reason.EMPTY, "there is no stone on b5; X's stones are on a7 and i3", "b5b4"),
    (MIDDLE, "b1c1 i3i2 1", Reason.OPPONENT, "the stone on b1 is O's", "b1c1"),
    (MIDDLE, "a7a6 a7b7 1", Reason.TWICE, "move the one from a7 again", "a7b7"),
    (MIDDLE, "a7a6 a6a5 1", Reason.TWICE, "a6a5 would move the one from a7 again", "a6a5"),
    (MIDDLE, "a7b6 i3i2 1", Reason.NOT_STRAIGHT, "a7 can go to a6, a8 or b7", "a7b6"),
    (MIDDLE, "a7c7 i3i2 1", Reason.DISTANCE, "goes 2, but stones move exactly 1 in operation 1; a7 can", "a7c7"),
    (BLOCKED, "a1a4 b1e1 1", Reason.BLOCKED, "jumps over O's stone on a3; a1 can go to d1", "a1a4"),
    (BLOCKED, "b1b4 a1d1 1", Reason.MARKED, "b4 is marked already; b1 can go to e1", "b1b4"),
    (board("quadraphages", 0, 1, "a1 b1", "i8 i9", ""), "a1b1 1", Reason.OCCUPIED, "X already has a stone", "a1b1"),
    (NEAR, "a1e1 i1e1 1", Reason.SAME_TARGET, "both go to e1; i1 can go to i5", "i1e1"),
    (HEX, "1 e5g5 k3m3 k7m7", Reason.TOO_MANY, "k7m7 would be the third", "k7m7"),
    (
        MIDDLE,
        "a7b7 ---- 3",
        Reason.MUST_MOVE,
        "operation 1 is incomplete: the stone on i3 can still move 1, for example to i2",
        None,
    ),
    (
        MIDDLE,
        "3",
        Reason.MUST_MOVE,
        "operation 1 is incomplete: the stone on a7 can still move 1, for example to a6",
        None,
    ),
    (MIDDLE, "a7b7 i3i2 3 b7b4", Reason.MUST_MOVE, "operation 3 is incomplete: the stone on i2 can still move 3", None),
]


@pytest.mark.parametrize(("position", "move", "reason", "words", "token"), REFUSALS)
def test_a_refusal_says_what_is_wrong_and_what_would_work(
    position: PhagesPosition, move: str | Turn, reason: Reason, words: str, token: str | None
) -> None:
    with pytest.raises(IllegalMove) as refusal:
        position.play(GAMES[position.game].notation.parse(move) if isinstance(move, str) else move)

    assert refusal.value.reason is reason
    assert words in str(refusal.value)
    assert refusal.value.details.get("token") == token
    if token is not None and isinstance(move, str):
        assert token in GAMES[position.game].notation.format(GAMES[position.game].notation.parse(move), position)


def test_every_reason_is_raised_by_some_example() -> None:
    assert {reason for _, _, reason, _, _ in REFUSALS} == {*Reason, *Over}
