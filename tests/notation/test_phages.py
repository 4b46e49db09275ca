"""Turns are read in many spellings, garbage is explained, and hints tell the player what to write."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.phages import Turn
from engines.step import Step
from notation.core import BadNotation
from notation.games import GAMES
from notation.hints import format_hint

QUADRAPHAGES = GAMES["quadraphages"].notation


@pytest.mark.parametrize(
    "text",
    [
        "a7b7 i3i2 3 b7b4 i2f2",
        "A7B7 I3I2 3 B7B4 I2F2",
        "a7-b7 i3-i2 3 b7-b4 i2-f2",
        "a7 to b7, i3 to i2, 3, b7 to b4, i2 to f2",
        "a7 b7 i3 i2 3 b7 b4 i2 f2",
        "a7b7i3i2 3 b7b4i2f2",
        "i3i2 a7b7 3 i2f2 b7b4",
        "  a7b7\ti3i2\n3\r\n b7b4\xa0i2f2  ",
        "a7\u2013b7 i3\u2014i2 3 b7 - b4 i2 -- f2",
        "a7b7 i3i2 ---- 3 b7b4 i2f2",
    ],
)
def test_a_turn_is_read_however_it_is_written(text: str) -> None:
    assert QUADRAPHAGES.parse(text) == Turn(
        (Step("a7", "b7"), Step("i3", "i2")), 3, (Step("b7", "b4"), Step("i2", "f2"))
    )


@pytest.mark.parametrize(
    ("text", "turn"),
    [
        ("1 c1b1 g9h9", Turn((), 1, (Step("c1", "b1"), Step("g9", "h9")))),
        (".... .... 1 c1b1 g9h9", Turn((), 1, (Step("c1", "b1"), Step("g9", "h9")))),
        ("---- ---- 5 d9i9 c4h4", Turn((), 5, (Step("c4", "h4"), Step("d9", "i9")))),
        ("5 d9i9 c4h4", Turn((), 5, (Step("c4", "h4"), Step("d9", "i9")))),
        ("c1b1 g9h9 3", Turn((Step("c1", "b1"), Step("g9", "h9")), 3, None)),
        ("---- g9h9 3", Turn((Step("g9", "h9"),), 3, None)),
        ("3", Turn((), 3, None)),
        ("3 ----", Turn((), 3, ())),
        ("---- ---- 3 ---- ----", Turn((), 3, ())),
        ("b7b4 i2f2", Turn((), None, (Step("b7", "b4"), Step("i2", "f2")))),
        ("----", Turn((), None, ())),
    ],
)
def test_parts_are_told_from_whole_turns(text: str, turn: Turn) -> None:
    assert QUADRAPHAGES.parse(text) == turn


@pytest.mark.parametrize(
    ("game", "text", "at", "expected"),
    [
        ("quadraphages", "", 0, "a turn such as a7b7 i3i2 3 b7b4 i2f2"),
        ("quadraphages", "hello", 0, "a move such as a7b7, ---- for a stone that stays, or a number"),
        ("quadraphages", "c1b1 3 hello", 7, "a move such as a7b7, ---- for a stone that stays, or the end"),
        ("quadraphages", "c1b1 g9 3", 8, "the cell to which g9 goes, as in a7b7"),
        ("quadraphages", "c1j1", 2, "a letter from a to i"),
        ("quadraphages", "c1b13", 4, "a space or the end after the move"),
        ("quadraphages", "c1b1 g9h9 9", 10, "a number from 1 to 8"),
        ("quadraphages", "1 c1b1 3 b1c1", 7, "no second number: a turn announces one"),
        ("quadraphages", "1 c1b1 g9h9 resign", 12, "or the end"),
        ("hexaphages", "6 i2n8", 2, "a cell of row 2: d2, f2, h2, j2, l2 or n2"),
        ("hexaphages", "6 h2n9", 4, "a cell of row 9: e9, g9, i9, k9 or m9"),
    ],
)
def test_what_cannot_be_read_is_pointed_at(game: str, text: str, at: int, expected: str) -> None:
    with pytest.raises(BadNotation) as bad:
        GAMES[game].notation.parse(text)

    assert (bad.value.text, bad.value.at) == (text, at)
    assert expected in bad.value.expected


PHAGES = ("quadraphages", "hexaphages")
CELLS = {game: [name for _, row in GAMES[game].game.position({}).diagram().rows for name, _ in row] for game in PHAGES}


@st.composite
def spelled_turns(draw: st.DrawFn) -> tuple[str, Turn]:
    """Draw any turn that can be written, legal or not."""
    game = draw(st.sampled_from(sorted(CELLS)))
    step = st.builds(Step, st.sampled_from(CELLS[game]), st.sampled_from(CELLS[game]))
    operation = st.lists(step, max_size=4).map(lambda steps: tuple(sorted(steps)))
    kind = draw(st.sampled_from(["whole", "part", "completion"]))
    first = () if kind == "completion" else draw(operation)
    number = None if kind == "completion" else draw(st.integers(1, 8))
    return game, Turn(first, number, None if kind == "part" else draw(operation))


@given(spelled=spelled_turns())
def test_every_spellable_turn_is_read_as_it_is_written(spelled: tuple[str, Turn]) -> None:
    game, turn = spelled
    notation = GAMES[game].notation
    start = GAMES[game].game.position({})
    middle = start.play(next(start.moves()))
    for position in (start, middle):
        text = notation.format(turn, position)

        assert notation.parse(text) == turn
        assert notation.parse(text.upper().replace(" ", " , ")) == turn


def test_a_turn_is_written_in_one_way() -> None:
    start: Any = GAMES["quadraphages"].game.position({"first": "o"})
    first = QUADRAPHAGES.parse("1 g9h9 c1b1")
    middle = start.play(first)
    forms = {
        "i3i2 a7b7 3 i2f2 b7b4": "a7b7 i3i2 3 b7b4 i2f2",
        "5 d9i9": "---- ---- 5 d9i9 ----",
        "3": "---- ---- 3",
        "---- d9i9 3 ----": "d9i9 ---- 3 ---- ----",
        "b7b4": "b7b4 ----",
        "----": "---- ----",
    }

    assert QUADRAPHAGES.format(first, start) == "1 c1b1 g9h9"
    assert QUADRAPHAGES.format(QUADRAPHAGES.parse("3"), start) == "3"
    assert {text: QUADRAPHAGES.format(QUADRAPHAGES.parse(text), middle) for text in forms} == forms


# The hint ------------------------------------------------------------------------------------------


def hint(game: str, *texts: str, first: str = "x") -> str:
    """Return the hint after these turns."""
    position = GAMES[game].game.position({"first": first})
    for text in texts:
        position = position.play(GAMES[game].notation.parse(text))
    return format_hint(GAMES[game].notation.hint(position))


def test_the_hint_of_a_part_lists_what_completes_it() -> None:
    told = hint("quadraphages", "1 c1b1 g9h9", "a7b7 i3i2 3", first="o")

    assert told.startswith("The turn so far is a7b7 i3i2 3. What's left is operation 3, by 3.")
    assert told.splitlines()[-1].removeprefix("* ") == "b7b4 i2i5 | b7b4 i2f2 | b7e7 i2i5 | b7e7 i2f2"


def test_the_hint_of_a_part_with_very_many_completions_shows_some() -> None:
    told = hint("hexaphages", "1")

    assert "some of the many ways" in told.replace("\n", " ")
    assert told.count("|") == 3
