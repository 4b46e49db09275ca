"""Quadrupel: turns are read in many spellings, garbage is explained, and hints tell the player what to write."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.quadrupel import Dots, Move, Ones, Turn
from engines.quadrupel.board import NAMES
from notation.core import BadNotation
from notation.games import GAMES
from notation.hints import format_hint

NOTATION = GAMES["quadrupel"].notation


@pytest.mark.parametrize(
    "text",
    [
        *("c3e5", "C3E5", "c3-e5", "c3 e5", "c3:e5", "c3 to e5", "c3toe5", "c3->e5", "c3=e5", "c3, e5", "c3;e5."),
        *("c3 \u2013 e5", "c3 \u2192 e5", "  c3\te5\r\n", "c3\xa0e5", "c3 -- e5", "C3 TO E5,"),
    ],
)
def test_a_turn_is_read_however_it_is_written(text: str) -> None:
    assert NOTATION.parse(text) == Turn("c3", "e5")


@pytest.mark.parametrize(
    "text",
    [
        *("c3e5 quadrupel", "c3e5!", "c3e5 !", "C3E5 QUADRUPEL!", "c3-e5, Quadrupel.", "c3e5 quadruple"),
        *("c3e5quadrupel", "c3 to e5: quadrupel!!", "c3e5 - quadrupel", "c3e5 quadrupels", "c3-e3-e5 quadrupel"),
    ],
)
def test_an_announcement_is_read_however_it_is_written(text: str) -> None:
    assert NOTATION.parse(text) == Turn("c3", "e5", announced=True)


@pytest.mark.parametrize("text", ["c3-e3-e5", "c3e3e5", "c3 e3 e5", "c3 to e3 to e5", "c3->e3->e5", "c3, e3, e5"])
def test_the_way_may_be_told_and_is_not_written(text: str) -> None:
    turn: Any = NOTATION.parse(text)

    assert turn.via == ("e3",)
    assert turn == Turn("c3", "e5")
    assert NOTATION.format(turn, GAMES["quadrupel"].game.position({})) == "c3e5"


@pytest.mark.parametrize(
    ("text", "move", "written"),
    [
        ("setup 4123", Dots((4, 1, 2, 3)), "setup 4123"),
        ("SETUP 4 1 2 3", Dots((4, 1, 2, 3)), "setup 4123"),
        ("set-up: 4,1,2,3.", Dots((4, 1, 2, 3)), "setup 4123"),
        ("setup d2 c3", Ones(("d2", "c3")), "setup d2 c3"),
        ("setup c3, D2", Ones(("d2", "c3")), "setup d2 c3"),
        ("setup a1a1", Ones(("a1", "a1")), "setup a1 a1"),
    ],
)
def test_a_set_up_is_read_however_it_is_written(text: str, move: Move, written: str) -> None:
    assert NOTATION.parse(text) == move
    assert NOTATION.format(move, GAMES["quadrupel"].game.position({})) == written


@pytest.mark.parametrize(
    ("text", "at", "expected"),
    [
        ("", 0, "a turn such as c3e5 quadrupel, or a set-up such as setup 4123"),
        ("quadrupel", 9, "a turn such as"),
        ("c3", 2, "the square to which c3 goes, as in c3e5"),
        ("c3g5", 2, "a letter from a to f"),
        ("c3e7", 3, "a row from 1 to 6"),
        ("c3e55", 4, "a space or the end after the square"),
        ("c3e5 hello", 5, "a further square of the way, quadrupel, or the end"),
        ("c3e5 quadrupel c4", 15, "the end of the turn"),
        ("setup", 5, "four digits (setup 4123) or two squares (setup d2 c3)"),
        ("setup d2", 8, "two squares, as in setup d2 c3"),
        ("setup d2 c3 c4", 14, "two squares, as in setup d2 c3"),
        ("setup 5123", 6, "four digits from 1 to 4"),
        ("setup 41234", 10, "four digits from 1 to 4"),
        ("setup 4123 d2", 11, "the end of the set-up"),
    ],
)
def test_what_cannot_be_read_is_pointed_at(text: str, at: int, expected: str) -> None:
    with pytest.raises(BadNotation) as bad:
        NOTATION.parse(text)

    assert (bad.value.text, bad.value.at) == (text, at)
    assert expected in bad.value.expected


squares = st.sampled_from(NAMES)
moves = st.one_of(
    st.builds(Turn, squares, squares, st.booleans(), st.lists(squares, max_size=4).map(tuple)),
    st.builds(Dots, st.tuples(*[st.integers(1, 4)] * 4)),
    st.builds(Ones, st.tuples(squares, squares).map(lambda pair: tuple(sorted(pair, key=NAMES.index)))),
)


@given(move=moves)
def test_every_spellable_turn_is_read_as_it_is_written(move: Move) -> None:
    text = NOTATION.format(move, GAMES["quadrupel"].game.position({}))

    assert NOTATION.parse(text) == move
    assert NOTATION.parse(text.upper().replace(" ", " , ")) == move


# The hint ------------------------------------------------------------------------------------------


def hint(*texts: str, **options: str) -> str:
    """Return the hint after these turns in one line."""
    position = GAMES["quadrupel"].game.position(options)
    for text in texts:
        position = position.play(NOTATION.parse(text))
    return format_hint(NOTATION.hint(position)).replace("\n", " ")


def test_the_hint_says_how_to_set_up() -> None:
    dots = hint(variant="minimum-points", minimum="25")
    ones = hint("setup d2 c3", variant="position")

    assert dots.startswith(
        "Before the first move, Black sets up: write setup and the dots of the stones on d2, c3, d3 and c4 in"
    )
    assert "at least 25 points" in dots
    assert dots.endswith("For example: setup 1234")
    assert ones.startswith(
        "Before the first move, White sets up: write setup and the squares of two of the stones on c2, b3, e3 and d4;"
    )
    assert ones.endswith("For example: setup c2 b3")


@pytest.mark.parametrize(
    ("texts", "options", "words"),
    [
        ([], {}, 'When your turn completes a figure, add "quadrupel": unannounced, it doesn\'t win.'),
        ([], {"announce": "auto"}, "The server announces figures for you."),
        ([], {"variant": "added-value"}, "only their opponent moves, in extra turns"),
        (
            ["d2b4", "d4f4", "b4d4!", "c2c1"],
            {"variant": "added-value"},
            "This is extra turn 2 of 3. A figure now has 2 taken off its value: more than 1 wins, 1 draws",
        ),
        (
            ["setup 4123", "setup 1234", "d2b4", "d4f4", "b4d4!"],
            {"variant": "combination"},
            "A figure now has 1 taken off its value, which is then multiplied by its points: more than 30 wins",
        ),
        (
            ["setup 4123", "setup 1234", "d2b4", "d4f4", "b4d4!"],
            {"variant": "maximum-points"},
            "This is game 2. The first player to announce a figure in it scores its points.",
        ),
        (
            ["setup d2 c3", "setup c2 b3"],
            {"variant": "position", "zone2": "ban"},
            "figure with no 1-stone in zone 2 wins. A turn that ends in any other figure loses, announced or not.",
        ),
    ],
)
def test_the_hint_says_what_wins(texts: list[str], options: dict[str, str], words: str) -> None:
    assert words in hint(*texts, **options)
