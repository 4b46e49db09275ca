"""Kvadratik: turns are read in many spellings, garbage is explained, and hints tell the player what to write."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.kvadratik import Bonus, Disc, Move, Setup, Turn
from engines.kvadratik.board import NAMES
from engines.step import Step
from notation.core import BadNotation
from notation.games import GAMES
from notation.hints import format_hint

KVADRATIK = GAMES["kvadratik"].notation
START = GAMES["kvadratik"].game.position({})
WHOLE = Turn((Disc("a4", "+"),), ("b4",), Step("b3", "b2"), Bonus(Disc("c4", "x"), Step("c4", "d3")))


@pytest.mark.parametrize(
    "text",
    [
        "@a4+ ~b4 b3b2 @c4x c4d3",
        "@a4+, ~b4, b3-b2, @c4x, c4-d3.",
        "~b4; @a4+; b3 to b2; @c4x; c4 to d3;",
        "@a4+~b4b3b2@c4xc4d3",
        "  @ a4 +\t~ b4\nb3 b2\r\n@c4 x\xa0c4:d3  ",
    ],
)
def test_a_turn_is_read_however_it_is_written(text: str) -> None:
    assert KVADRATIK.parse(text) == WHOLE
    assert KVADRATIK.format(KVADRATIK.parse(text), START) == "@a4+ ~b4 b3b2 @c4x c4d3"


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("b4b3", Turn((), (), Step("b4", "b3"))),
        ("~c4 ~a4 a4a3", Turn((), ("a4", "c4"), Step("a4", "a3"))),
        ("@c4x @a4+ a4a3", Turn((Disc("a4", "+"), Disc("c4", "x")), (), Step("a4", "a3"))),
        ("b3b2 c3c4", Turn((), (), Step("b3", "b2"), Bonus(None, Step("c3", "c4")))),
        ("b3b2 @c4x c4d3", Turn((), (), Step("b3", "b2"), Bonus(Disc("c4", "x"), Step("c4", "d3")))),
        ("setup +x+x", Setup((), "+x+x")),
        ("Setup: + X + x.", Setup((), "+x+x")),
        ("setup+x+x", Setup((), "+x+x")),
        ("setup a4+ b4x c3+ d4x", Setup(("a4", "b4", "c3", "d4"), "+x+x")),
        ("setup D4x, C3+, B4x, A4+", Setup(("a4", "b4", "c3", "d4"), "+x+x")),
    ],
)
def test_every_kind_of_turn_is_read(text: str, move: Move) -> None:
    assert KVADRATIK.parse(text) == move
    assert KVADRATIK.parse(KVADRATIK.format(move, START)) == move


@pytest.mark.parametrize(
    ("text", "at", "expected"),
    [
        ("", 0, "a turn such as ~a3 b3b2 @c4x c4d3"),
        ("hello", 0, "a move such as b3b2, a flip such as ~b4, a disc such as @a4+"),
        ("~b4", 3, "the move, such as b3b2"),
        ("@a4 b3b2", 4, "the side that the disc on a4 shows, as in @a4+ or @a4x"),
        ("@ b", 2, "a square, as in @a4+"),
        ("b4", 2, "the square to which b4 goes, as in b3b2"),
        ("e4b3", 0, "a letter from a to d"),
        ("b4b5", 3, "a row from 1 to 4"),
        ("b4b33", 4, "a space or the end after the move"),
        ("~b4 ~b4 b4b3", 8 - 4, "another square than b4: its disc is flipped once"),
        ("@b4+ @b4x b4b3", 5, "another square than b4: one disc is put there"),
        ("b4b3 ~a4", 5, "no flip behind b4b3: flips come before the move"),
        ("b3b2 @c4x", 9, "the move of the disc put on c4, such as c4b3"),
        ("b3b2 hello", 5, "the end, or what entering adds: @c4x c4d3 or c3c4"),
        ("b3b2 @c4x c4d3 b4b3", 15, "the end: nothing follows c4d3"),
        ("setup", 5, "four discs, as in setup +x+x or setup a4+ b4x c3+ d4x"),
        ("setup +x+", 9, "four discs, as in setup +x+x"),
        ("setup +x+x+", 10, "the end: four discs are set up"),
        ("setup +x-x", 8, "the side that a disc shows, + or x, as in setup +x+x"),
        ("setup a4+ b4x c3 d4x", 14, "a square and the side that its disc shows"),
    ],
)
def test_what_cannot_be_read_is_pointed_at(text: str, at: int, expected: str) -> None:
    with pytest.raises(BadNotation) as bad:
        KVADRATIK.parse(text)

    assert (bad.value.text, bad.value.at) == (text, at)
    assert expected in bad.value.expected


CELLS = st.sampled_from(sorted(NAMES))
SIDES = st.sampled_from("+x")
STEPS = st.builds(Step, CELLS, CELLS)
DISCS = st.builds(Disc, CELLS, SIDES)
BONUSES = st.builds(Bonus, st.none() | DISCS, STEPS)
TURNS = st.builds(
    Turn,
    st.lists(DISCS, max_size=16, unique_by=lambda disc: disc.cell).map(lambda discs: tuple(sorted(discs))),
    st.lists(CELLS, max_size=16, unique=True).map(lambda cells: tuple(sorted(cells))),
    STEPS,
    st.none() | BONUSES,
)
FOUR = st.text("+x", min_size=4, max_size=4)
SETUPS = st.builds(Setup, st.just(()), FOUR) | st.builds(
    Setup, st.lists(CELLS, min_size=4, max_size=4, unique=True).map(lambda cells: tuple(sorted(cells))), FOUR
)


@given(move=TURNS | SETUPS)
def test_every_spellable_turn_is_read_as_it_is_written(move: Move) -> None:
    text = KVADRATIK.format(move, START)

    assert KVADRATIK.parse(text) == move
    assert KVADRATIK.parse(text.upper().replace(" ", " , ")) == move


# The hint ------------------------------------------------------------------------------------------


def hint(*texts: str, **options: str) -> str:
    """Return the hint after these turns."""
    position = GAMES["kvadratik"].game.position(options)
    for text in texts:
        position = position.play(KVADRATIK.parse(text))
    return format_hint(KVADRATIK.hint(position))


def test_the_hint_of_a_set_up_says_where_the_discs_go() -> None:
    assert hint().splitlines() == [
        "Before your first move, set up four discs on a4, b4, c4 and d4: write",
        "setup and the side that each shows, + for orthogonal or x for diagonal",
        "steps.",
        "For example: setup ++++",
    ]
    assert "on a1, b1, c1 and d1" in hint("setup ++++")
    assert "anywhere in rows 3 and 4" in hint(setup="half")
    assert hint(setup="half").splitlines()[-1] == "For example: setup a3+ a4+ b3+ b4+"


TURNS_PLAYED = ("setup +x+x", "setup x+x+", "a4a3", "b1b2", "a3b3", "b2b1")


def test_the_hint_of_a_turn_says_where_every_disc_can_go_and_what_else_there_is() -> None:
    basics, _, turn = hint(*TURNS_PLAYED).partition(" diagonally.\n")
    assert basics.startswith("Write where a disc stands")
    assert turn.splitlines() == [
        "What your uncovered discs can do, before any flips:",
        "* B+ on b3 to a3, b2, b4 or c3 | Bx on b4 to a3 or c3",
        "* B+ on c4 to b4, c3 or d4 | Bx on d4 to c3",
        "* before the move: ~b3 turns a disc over",
        "* after a move from row 3 to row 2: a new disc from the reserve",
        "* it moves at once: @a4+ a4a3",
        "For example: b3a3",
    ]
    assert "flips" not in hint(*TURNS_PLAYED, flip="none")
