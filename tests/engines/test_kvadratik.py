"""The ends of Kvadratik, what it shows, and every refusal.

Which turns are legal, and where they lead, is what the brute force says (test_agreement_kvadratik.py).
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from engines.core import IllegalMove, Outcome, Over
from engines.kvadratik import Bonus, Disc, KvadratikPosition, Move, Reason, Setup, Turn
from engines.kvadratik.board import INDEX, MARKS, NAMES
from engines.step import Step
from notation.board import format_board
from notation.games import GAMES
from notation.steps import choices
from tests.cases import quick_where

NOTATION = GAMES["kvadratik"].notation


def after(*texts: str, setup: str = "row", flip: str = "any") -> KvadratikPosition:
    """Return the position after these turns."""
    position: Any = GAMES["kvadratik"].game.position({"setup": setup, "flip": flip})
    for text in texts:
        position = play(position, text)
    assert isinstance(position, KvadratikPosition)
    return position


def play(position: KvadratikPosition, *texts: str) -> KvadratikPosition:
    for text in texts:
        position = position.play(NOTATION.parse(text))
    return position


def board(
    turn: int,
    towers: str,
    reserves: tuple[int, int] = (0, 0),
    rights: tuple[int, int] = (0, 0),
    flip: str = "any",
) -> KvadratikPosition:
    """Return an invented position; a tower is its square, then its discs from bottom to top: "a4:B+Gx"."""
    letters = {mark: letter for letter, mark in MARKS.items()}
    stand = [""] * 16
    for word in towers.split():
        cell, discs = word.split(":")
        stand[INDEX[cell]] = "".join(letters[discs[n : n + 2]] for n in range(0, len(discs), 2))
    return KvadratikPosition(
        "row",
        "any" if flip == "any" else "none",
        0 if turn == 0 else 1,
        setting_up=False,
        towers=tuple(stand),
        reserves=reserves,
        rights=rights,
    )


def shown(position: KvadratikPosition) -> dict[str, str]:
    """Return the towers, written as for `board`."""
    return {
        name: "".join(MARKS[disc] for disc in position.towers[INDEX[name]])
        for name in sorted(NAMES)
        if position.towers[INDEX[name]]
    }


def texts(position: KvadratikPosition, *, flips: bool = False) -> set[str]:
    """Return the legal turns as text, with or without those that flip discs."""
    found = (NOTATION.format(move, position) for move in position.moves())
    return {text for text in found if flips or "~" not in text}


# Twins: turns that differ only in the sides of discs ----------------------------------------------


TWINS = [
    board(0, "a4:B+ b4:Bx c4:B+ d4:Bx a1:G+ b1:Gx", (4, 4)),
    board(0, "a2:B+ b3:Bx c3:B+ a1:G+ b1:Gx", (3, 4), (2, 0)),
    board(1, "a1:G+ b2:BxG+ c2:Gx a4:B+", (0, 0)),
]


@pytest.mark.parametrize("position", quick_where(lambda twins: twins is not TWINS[1], TWINS))
def test_of_turns_that_come_to_the_same_one_is_listed(position: KvadratikPosition) -> None:
    def futures(moves: Iterable[Move]) -> set[object]:
        return {position.play(move).state().key for move in moves}

    legal, distinct = set(position.moves()), list(position.distinct_moves())

    assert len(set(distinct)) == len(distinct) < len(legal) / 2
    assert legal.issuperset(distinct)
    assert futures(distinct) == futures(legal)
    assert distinct == list(NOTATION.listed(position))


def test_where_discs_are_not_turned_over_every_turn_is_listed() -> None:
    position = replace(TWINS[1], flip="none")

    assert list(position.distinct_moves()) == list(position.moves())


def test_a_turn_that_is_not_listed_can_be_put_together() -> None:
    assert choices(NOTATION, TWINS[0], "~a4 ~b4").turns or choices(NOTATION, TWINS[0], "~a4 ~b4").steps
    assert "~b4 a4a3" not in [NOTATION.format(move, TWINS[0]) for move in NOTATION.listed(TWINS[0])]
    assert play(TWINS[0], "~b4 a4a3").turn == 1


# Capturing ------------------------------------------------------------------------------------------


def test_two_own_discs_that_are_laid_bare_capture_nothing() -> None:
    position = board(1, "b3:BxGxG+B+ b4:GxG+G+ c1:B+")

    assert shown(play(position, "b4a4"))["b4"] == "GxG+"
    uncovered = board(0, "b3:BxGxBxBxG+ b4:B+ a1:G+", (4, 4))
    assert shown(play(play(uncovered, "b4a4"), "b3b2"))["b3"] == "BxGxBxBx"


# The end --------------------------------------------------------------------------------------------


def test_who_has_no_uncovered_disc_has_lost() -> None:
    over = play(board(0, "b3:B+ b2:G+ c2:GxB+"), "b3b2")

    assert over.turn is None
    assert over.outcome == Outcome(0, "Green has no move left")
    assert list(over.moves()) == []


def test_who_can_put_a_disc_down_by_right_goes_on() -> None:
    """The covered disc can be in either half, as long as one in the other half was covered since."""
    position = board(1, "b2:B+ b1:G+ a1:G+", (1, 0))
    on = play(position, "b1b2")

    assert on.turn == 0
    assert {text.split()[0] for text in texts(on)} == {f"@{c}4{s}" for c in "abcd" for s in "+x"}
    assert play(replace(position, reserves=(0, 0)), "b1b2").outcome == Outcome(1, "Blue has no move left")
    crowded = replace(position, towers=board(1, "b2:B+ b1:G+ a4:G+ b4:G+ c4:BxG+ d4:G+").towers)
    assert play(crowded, "b1b2").outcome == Outcome(1, "Blue has no move left")


ROUND = ("a4a3", "a1a2", "a3a4", "a2a1")


def test_a_position_that_occurs_a_third_time_is_a_draw() -> None:
    start = after("setup ++++", "setup ++++")
    twice = play(start, *ROUND, *ROUND[:3])

    assert twice.outcome is None
    over = play(twice, "a2a1")
    assert (over.turn, over.outcome) == (None, Outcome(None, "the position has occurred three times"))


def test_a_position_is_another_where_somebody_has_another_right() -> None:
    """The board occurs for the third time, but the first time Blue had a right."""
    first = play(board(0, "b2:B+ c2:B+ a4:B+ a1:G+", (1, 1)), "c2b2")
    around = ("a1a2", "a4a3", "a2a1", "a3a4")
    third = play(first, *around, *around)

    assert (first.towers, first.reserves, first.turn) == (third.towers, third.reserves, third.turn)
    assert (first.rights, third.rights, third.outcome) == ((1, 0), (0, 0), None)
    assert play(third, "a1a2").outcome is None  # for the second time without the right
    assert play(third, "a1a2", "a4a3").outcome == Outcome(None, "the position has occurred three times")


# The picture ----------------------------------------------------------------------------------------


def test_the_board_shows_top_discs_and_heights_and_beside_it_the_towers() -> None:
    position = board(0, "a4:B+ b3:GxB+ b2:Bx d1:GxG+GxBx c4:Bx", (2, 0), (1, 3))

    assert format_board(position.diagram(), notes=True).splitlines() == [
        ".   .   .   Bx4  1    Blue: 2 in reserve, may add 1",
        ".   Bx  .   .    2    Green: 0 in reserve",
        ".   B+2 .   .    3    Towers, from the bottom to the top:",
        "B+  .   Bx  .    4    * b3: Gx B+",
        "a   b   c   d         * d1: Gx G+ Gx Bx",
    ]


# Every refusal: the position, the turn, the reason, words of the sentence, the token ------------------

ROW, HALF = after(), after(setup="half")
BEGUN = after("setup +x+x", "setup x+x+")
STILL = after("setup +x+x", "setup x+x+", flip="none")
FULL = board(0, "a4:B+ b4:Bx c4:GxB+ d4:B+ b3:B+ a1:G+", (1, 0), (2, 0))
RIGHT = board(0, "a4:B+ b3:B+ c3:BxG+ d3:G+ a1:Gx", (2, 0), (1, 0))
BARE = board(0, "a4:B+ b3:B+ c3:BxG+ d2:Bx a1:Gx")
ONLY = board(0, "c3:BxG+ a1:Gx", (1, 0), (1, 0))
OVER = play(board(0, "b3:B+ b2:G+"), "b3b2")
REFUSALS: list[tuple[KvadratikPosition, str | Move, Reason, str, str | None]] = [
    (OVER, "b2b3", Over.GAME_OVER, "the game is over: Green has no move left", None),
    (ROW, "a4a3", Reason.SETUP_DUE, "Blue has to set up four discs first, for example setup +x+x", None),
    (HALF, "a4a3", Reason.SETUP_DUE, "for example setup a4+ b4x c4+ d4x", None),
    (BEGUN, "setup +x+x", Reason.SETUP_DONE, "a turn is now a move, for example a4a3", None),
    (ROW, "setup a4+ b4x c4x d4x", Reason.SETUP_ROW, "for example setup +xxx", None),
    (HALF, "setup +xxx", Reason.SETUP_HALF, "for example setup a4+ b4x c4x d4x", None),
    (ROW, Setup((), "+x+"), Reason.SETUP_COUNT, "four discs are set up, not 3, for example", None),
    (HALF, Setup(("a4", "b4", "c4"), "++++"), Reason.SETUP_COUNT, "not 3, for example", None),
    (HALF, "setup a4+ b4x b4+ d4x", Reason.SETUP_TWICE, "two discs can't both be set up on b4", "b4x"),
    (HALF, "setup a4+ b2x c4+ d4x", Reason.SETUP_OUTSIDE, "b2 is not in Blue's half, rows 3 and 4", "b2x"),
    (play(HALF, "setup a3+ b3+ c3+ d3+"), "setup a1+ b1x c3+ d1x", Reason.SETUP_OUTSIDE, "rows 1 and 2", "c3+"),
    (HALF, Setup(("a4", "b4", "c4", "e4"), "++++"), Reason.OFF_BOARD, "e4 is not on this board", "e4+"),
    (ROW, Setup((), "+x-x"), Reason.SIDE_UNKNOWN, "+x-x says neither", "+x-x"),
    (BEGUN, "@a4+ a4a3", Reason.NO_RIGHT, "Blue can't put a disc on a4 first: none of Blue's", "@a4+"),
    (RIGHT, "@b4+ @c4x a4a3", Reason.RIGHT_SPENT, "@c4x is one disc too many: 1 of Blue's", "@c4x"),
    (replace(RIGHT, reserves=(0, 0)), "@b4+ a4a3", Reason.NO_RESERVE, "no disc left in reserve for b4", "@b4+"),
    (BARE, "b3b2 @b4x b4c3", Reason.NO_RESERVE, "no disc left in reserve for b4", "@b4x"),
    (RIGHT, "@b3+ a4a3", Reason.NOT_FIRST_ROW, "b3 is not in Blue's first row, a4 to d4; b4, c4 or d4", "@b3+"),
    (FULL, "b3b2 @c2x c2d1", Reason.NOT_FIRST_ROW, "no square of that row is empty now", "@c2x"),
    (RIGHT, "@a4x b3b4", Reason.NOT_EMPTY, "but B+ is on a4; b4, c4 or d4 would do", "@a4x"),
    (FULL, "@c4x b3b4", Reason.NOT_EMPTY, "but Gx B+ is on c4; no square of that row is empty", "@c4x"),
    (
        replace(RIGHT, rights=(2, 0)),
        Turn((Disc("b4", "+"), Disc("b4", "x")), (), Step("a4", "a3")),
        Reason.PLACED_TWICE,
        "two discs from the reserve can't both go to b4; c4 or d4 would do",
        "@b4x",
    ),
    (RIGHT, Turn((Disc("b4", "-"),), (), Step("a4", "a3")), Reason.SIDE_UNKNOWN, "@b4- says neither", "@b4-"),
    (RIGHT, Turn((Disc("e4", "+"),), (), Step("a4", "a3")), Reason.OFF_BOARD, "e4 is not on this board", "@e4+"),
    (STILL, "~a4 a4b3", Reason.NO_FLIPPING, "~a4 turns a disc over, but discs are never flipped in this match", "~a4"),
    (BEGUN, Turn((), ("a4", "a4"), Step("a4", "b3")), Reason.FLIPPED_TWICE, "a4 is flipped twice", "~a4"),
    (BEGUN, "~a3 a4a3", Reason.EMPTY, "there is no disc on a3; Blue's uncovered discs are on a4, b4, c4 and d4", "~a3"),
    (ONLY, "b3b2", Reason.EMPTY, "Blue has no uncovered disc", "b3b2"),
    (RIGHT, "~c3 a4a3", Reason.COVERED, "Green's is on top on c3; Blue's uncovered discs are on a4 and b3", "~c3"),
    (BEGUN, "a1b2", Reason.OPPONENT, "the disc on a1 is Green's; Blue's uncovered discs are on a4", "a1b2"),
    (BEGUN, Turn((), ("e5",), Step("a4", "a3")), Reason.OFF_BOARD, "e5 is not on this board", "~e5"),
    (BEGUN, Turn((), (), Step("a4", "a5")), Reason.OFF_BOARD, "a5 is not on this board", "a4a5"),
    (BEGUN, "a4b3", Reason.NO_STEP, "a4 can go to a3 or b4, or a4b3 if ~a4 flips it first", "a4b3"),
    (STILL, "a4b3", Reason.NO_STEP, "which a4b3 is not; a4 can go to a3 or b4", "a4b3"),
    (BEGUN, "~a4 a4a3", Reason.NO_STEP, "which a4a3 is not; a4 can go to b3", "a4a3"),
    (BEGUN, "a4a3 b4a3", Reason.NOT_ENTERED, "a4a3 does not go from Blue's half into Green's, so b4a3", "b4a3"),
    (RIGHT, "b3c3 @b4+ b4b3", Reason.NOT_ENTERED, "so @b4+ b4b3 can't follow", "@b4+"),
    (RIGHT, "b3b2 a4a3", Reason.RESERVE_FIRST, "a4a3 can't follow while Blue has discs in reserve", "a4a3"),
    (FULL, "b3b2 a4a3", Reason.RESERVE_FIRST, "no square of the first row is empty now", "a4a3"),
    (RIGHT, "b3b2 @b4+ a4a3", Reason.OTHER_DISC, "and a4a3 moves another; b4a4, b4b3 or b4c4 would do", "a4a3"),
    (BARE, "b3b2 b2b1", Reason.OUTSIDE_HALF, "b2b1 is not a step inside Blue's half, rows 3 and 4", "b2b1"),
    (BARE, Turn((), (), Step("b3", "b2"), Bonus(None, Step("a4", "a5"))), Reason.OFF_BOARD, "a5 is not", "a4a5"),
    (RIGHT, Turn((), (), Step("b3", "b2"), Bonus(Disc("b4", "?"), Step("b4", "b3"))), Reason.SIDE_UNKNOWN, "", "@b4?"),
]


@pytest.mark.parametrize(("position", "move", "reason", "words", "token"), REFUSALS)
def test_a_refusal_says_what_is_wrong_and_what_would_work(
    position: KvadratikPosition, move: str | Move, reason: Reason, words: str, token: str | None
) -> None:
    wanted = NOTATION.parse(move) if isinstance(move, str) else move
    with pytest.raises(IllegalMove) as refusal:
        position.play(wanted)

    assert refusal.value.reason is reason
    assert words in str(refusal.value)
    assert refusal.value.details.get("token") == token
    assert token is None or token in NOTATION.format(wanted, position)
    assert wanted not in set(position.moves())
    if fits := refusal.value.details.get("fits"):
        position.play(NOTATION.parse(str(fits)))


def test_every_reason_is_raised_by_some_example() -> None:
    assert {reason for _, _, reason, _, _ in REFUSALS} == {*Reason, *Over}
