"""The rules of Quadrature one by one, and every refusal."""

from dataclasses import replace
from typing import Any

import pytest

from engines.core import IllegalMove, Outcome, Over
from engines.diagram import Diagram
from engines.quadrature import QuadraturePosition, Reason
from engines.quadrature.board import men_on
from engines.repetition import History
from engines.step import Step
from notation.games import GAMES
from tests.diagrams import diagram_after


def after(*texts: str, men: str = "18") -> QuadraturePosition:
    """Return the position after these turns."""
    position: Any = GAMES["quadrature"].game.position({"men": men})
    for text in texts:
        position = play(position, text)
    assert isinstance(position, QuadraturePosition)
    return position


def play(position: QuadraturePosition, *texts: str) -> QuadraturePosition:
    for text in texts:
        position = position.play(GAMES["quadrature"].notation.parse(text))
    return position


def drawn(position: QuadraturePosition, text: str) -> Diagram:
    return diagram_after("quadrature", position, text)


def board(black: str, white: str, turn: str = "black", markers: tuple[int, int] = (0, 0)) -> QuadraturePosition:
    """Return an invented position, given the squares of the men."""
    men = (men_on(black.split()), men_on(white.split()))
    return QuadraturePosition(18, 0 if turn == "black" else 1, men, markers, History.of([men]))


def turns(position: QuadraturePosition, origin: str) -> set[str]:
    """Return where the man on a square can go."""
    return {turn.target for turn in position.moves() if turn.origin == origin}


# Squaring, beside what the brute force shows ---------------------------------------------------------


def test_with_16_men_the_reserve_ends_when_the_opponent_has_two_men_left() -> None:
    black = "a1 a3 c1 c2 e1 g1 i1 k1 b11 d11 f11 h11 j11 k11 h4"
    white = "a5 e3 g3"
    position = replace(board(black, white), each=16)
    assert position.reserve(0) == 1
    won = play(position, "c2c3")

    assert len(drawn(position, "c2c3").lit) == 2 + 1
    assert won.reserve(0) == 0
    assert won.outcome == Outcome(0, "White has only two men left on the board")
    more = play(replace(position, each=18), "c2c3")
    assert len(drawn(replace(position, each=18), "c2c3").lit) == 2 + 2
    assert more.outcome == Outcome(0, "White has only one man left on the board")


# The end -------------------------------------------------------------------------------------------------


def test_two_men_left_lose() -> None:
    position = board("b2 b5 e4 a1", "e2 i9 k9")

    assert play(position, "e4e5").outcome == Outcome(0, "White has only two men left on the board")
    assert play(board("b2 b5 e4 a1", "e2 i9 k9 k10"), "e4e5").outcome is None


def test_three_men_on_the_far_goal_win() -> None:
    white = "a9 c9 h9"
    over = play(board("e10 f11 g11", white), "e10e11")

    assert over.outcome == Outcome(0, "Black has men on e11, f11 and g11")
    assert over.turn is None
    assert play(board("e9 f11 g11", white), "e9e10").outcome is None
    assert play(board("e2 f1 g1 a2", white), "e2d2").outcome is None


def test_white_wins_on_the_lower_goal() -> None:
    over = play(board("a9 c9 h9", "e2 f1 g1", "white"), "e2e1")

    assert over.outcome == Outcome(1, "White has men on e1, f1 and g1")


def test_the_same_arrangement_a_second_time_is_a_draw() -> None:
    """The start counts, and neither the markers nor the side to move matter."""
    over = after("b3a3", "b9a9", "a3b3", "a9b9")

    assert over.outcome == Outcome(None, "the men are where they were once before")
    assert over.markers == (2, 2)
    assert after("b3a3", "b9a9", "a3b3", "c9c8").outcome is None


def test_a_player_without_a_turn_sits_out_and_the_other_goes_again() -> None:
    position = board("a10 c5 e5", "k1 j1 i1 k2", "black", (0, 2))
    again = play(position, "c5c6")

    assert again.turn == 0
    assert again.sitting_out == 1
    assert "White has no move and sits out" in again.diagram().notes
    assert again.markers == (0, 2)
    assert play(again, "c6c7").turn == 0


def test_when_neither_can_move_it_is_a_draw() -> None:
    """Men on their last row go sideways only, and both markers show 2 in the end."""
    over = play(board("a11 c11 h11", "k1 i1 g1", "black", (1, 2)), "c11d11")

    assert over.turn is None
    assert over.outcome == Outcome(None, "neither side can move")
    assert play(board("a11 c11 h11", "k1 i1 g1", "black", (1, 1)), "c11d11").turn == 1
    assert play(board("a11 c11 h11", "k1 i1 g1", "black", (0, 2)), "c11d11").turn == 0


# Notes beside the board -----------------------------------------------------------------------------------


def test_the_notes_say_markers_reserves_and_what_was_squared() -> None:
    assert drawn(after("b3a3"), "e9e8").notes == ("Black #  |1|  reserve 9", "White O  |0|  reserve 9")
    position = board("b2 b5 e4 c2 i2 c8", "e2 i5 e8 f9 k9 j9")
    assert drawn(position, "e4e5").notes[2:] == ("squared e2, i5 and e8",)


# Every refusal: the position, the turn, the reason, words of the sentence -----------------------------------------

SQUARE = board("e4 a1 b1 c1", "b5 b8 e8")
BUSY = board("e4 d4 d5 e5 f4 f5 a1", "b9 c9 e9")
QUIET = board("b2 b5 d5 a1", "g9 i9 k9", markers=(2, 0))
REFUSALS = [
    (after("b3a3", "b9a9", "a3b3", "a9b9"), "e3e4", Over.GAME_OVER, "over: the men are where they were once"),
    (
        after(),
        Step("e3", "e12"),
        Reason.OFF_BOARD,
        "e12 is not on this board; its columns are a to k, its rows 1 to 11",
    ),
    (after(), "e5e6", Reason.EMPTY, "there is no man on e5; b3a4 would be legal"),
    (after("e3e4"), "e4e5", Reason.OPPONENT, "the man on e4 is Black's; b9a8 would be legal"),
    (after(), "e3e5", Reason.NOT_A_STEP, "e3e5 is not a step: a man goes one square forward, diagonally forward or"),
    (after(), "e3h2", Reason.NOT_A_STEP, "e3 can go to d4, e4 or f4"),
    (after(), "e3e2", Reason.BACKWARD, "e3e2 goes backward, but Black's men go up or sideways; e3 can go to"),
    (after("e3e4"), "e9f10", Reason.BACKWARD, "White's men go down or sideways; e9 can go to d8, e8 or f8"),
    (after(), "e3f3", Reason.OCCUPIED, "Black already has a man on f3; e3 can go to d4, e4 or f4"),
    (BUSY, "e4e5", Reason.OCCUPIED, "Black already has a man on e5; e4 cannot move now, and a1a2 would be legal"),
    (board("e4 a1 b1", "e5 a9 b9"), "e4e5", Reason.OCCUPIED, "White already has a man on e5; e4 can go to"),
    (SQUARE, "e4e5", Reason.SQUARED, "e5 would complete a rectangle with White's men on b5, b8 and e8; e4 can go to"),
    (
        QUIET,
        "d5e5",
        Reason.MARKER,
        "sideways and squares nothing, but Black's marker already shows 2; d5 can go to c6,",
    ),
]


@pytest.mark.parametrize(("position", "move", "reason", "words"), REFUSALS)
def test_a_refusal_says_what_is_wrong_and_what_would_work(
    position: QuadraturePosition, move: str | Step, reason: Reason, words: str
) -> None:
    turn = GAMES["quadrature"].notation.parse(move) if isinstance(move, str) else move
    with pytest.raises(IllegalMove) as refusal:
        position.play(turn)

    assert refusal.value.reason is reason
    assert words in str(refusal.value)
    assert refusal.value.details.get("token", str(turn)) == str(turn)


def test_what_a_refusal_offers_is_legal() -> None:
    for position, move, reason, _ in REFUSALS:
        if reason in (Over.GAME_OVER, Reason.OFF_BOARD):
            continue
        with pytest.raises(IllegalMove) as refusal:
            play(position, str(move))
        instead = str(refusal.value.details["instead"])
        legal = {str(turn) for turn in position.moves()}
        if " would be legal" in instead:
            assert instead.split(" would")[0].split()[-1] in legal
        else:
            left, right = (side.replace(",", " ").replace(" or ", " ").split() for side in instead.split(" can go to "))
            assert all(origin + target in legal for origin in left for target in right)


def test_every_reason_is_raised_by_some_example() -> None:
    assert {reason for _, _, reason, _ in REFUSALS} == {*Reason, *Over}
