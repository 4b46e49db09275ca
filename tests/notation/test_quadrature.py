"""Quadrature: turns are read and written, garbage is explained, and hints tell the player what to write."""

from typing import Any

import pytest

from engines.quadrature import QuadraturePosition
from engines.quadrature.board import PLACES, men_on
from engines.repetition import History
from engines.step import Step
from notation.core import BadNotation
from notation.games import GAMES
from notation.hints import format_hint
from notation.record import BadRecord, Record, dumps, loads, replay

QUADRATURE = GAMES["quadrature"].notation


@pytest.mark.parametrize(
    "text",
    [
        "e3f4",
        "E3F4",
        "e3-f4",
        "e3 f4",
        "e3 to f4",
        "e3\u2192f4",
        "e3\u2013f4",
        "  e3\tf4 \r\n",
        "e3f4!",
        "e3f4 x c4 a4",
        "e3f4, x c4 and a4",
        "e3-f4 \u00d7 c4; d10",
    ],
)
def test_a_turn_is_read_however_it_is_written(text: str) -> None:
    assert QUADRATURE.parse(text) == Step("e3", "f4")


@pytest.mark.parametrize(
    ("text", "at", "expected"),
    [
        ("", 0, "a turn such as e3f4"),
        ("hello", 0, "a turn such as e3f4"),
        ("e3", 2, "the square to which e3 goes, as in e3f4"),
        ("e3l4", 2, "a letter from a to k"),
        ("e3f12", 3, "a row from 1 to 11"),
        ("e3f4 x", 5, "the end of the turn, or x and the squares of exchanged men"),
        ("e3f4 x c4 z4", 10, "a letter from a to k"),
        ("e3f4 x c4 and", 10, "the end of the turn"),
        ("e3f4 x c4 resign", 10, "an exchanged square"),
        ("e3f4 f4g5", 5, "the end of the turn"),
    ],
)
def test_what_cannot_be_read_is_pointed_at(text: str, at: int, expected: str) -> None:
    with pytest.raises(BadNotation) as bad:
        QUADRATURE.parse(text)

    assert (bad.value.text, bad.value.at) == (text, at)
    assert expected in bad.value.expected


def test_every_spellable_turn_is_read_as_it_is_written() -> None:
    start = GAMES["quadrature"].game.position({})
    for origin in PLACES:
        for target in PLACES:
            turn = Step(origin, target)

            assert QUADRATURE.format(turn, start) == origin + target
            assert QUADRATURE.parse(origin + target) == turn


# The hint ------------------------------------------------------------------------------------------------


def after(*texts: str) -> Any:
    position = GAMES["quadrature"].game.position({})
    for text in texts:
        position = position.play(QUADRATURE.parse(text))
    return position


def board(black: str, white: str, markers: tuple[int, int] = (0, 0)) -> QuadraturePosition:
    men = (men_on(black.split()), men_on(white.split()))
    return QuadraturePosition(18, 0, men, markers, History.of([men]))


OPENING = ("b3a3", "e9e8", "a3b3", "f9f8")


def test_the_hint_says_which_way_and_gives_an_example() -> None:
    assert format_hint(QUADRATURE.hint(after())).splitlines() == [
        "Black moves up, towards row 11. Write where a man stands and where it",
        "goes: one square forward, diagonally forward or sideways.",
        "For example: b3a4",
    ]
    assert format_hint(QUADRATURE.hint(after("e3e4"))).startswith("White moves down, towards row 1. ")


def test_the_hint_says_what_the_marker_means() -> None:
    one, two = (format_hint(QUADRATURE.hint(after(*OPENING[:plies]))) for plies in (2, 4))

    assert "The marker shows |1|: a man may go sideways without squaring once more." in one.replace("\n", " ")
    assert "The marker shows |2|, so going sideways must square something." in two.replace("\n", " ")


def test_the_hint_warns_of_turns_that_draw() -> None:
    lines = format_hint(QUADRATURE.hint(after("b3a3", "b9a9", "a3b3"))).splitlines()

    assert lines[-3:] == ["they once did.", "* a9b9", "For example: a9a8"]


def test_the_hint_lists_the_turns_where_they_are_few_and_says_who_sits_out() -> None:
    here = board("a10 c5", "k1 i1 g1", (0, 2)).play(Step("c5", "c6"))
    lines = format_hint(QUADRATURE.hint(here)).splitlines()

    assert "White can't move and sits out, so Black moves again." in lines
    assert lines[-3:] == [
        "Here are all the legal turns:",
        "* a10a11 | a10b11 | a10b10 | c6b7 | c6c7 | c6d7 | c6b6 | c6d6",
        "For example: a10a11",
    ]


# Records --------------------------------------------------------------------------------------------------


def test_a_record_has_a_line_a_turn_and_keeps_the_words_of_the_players() -> None:
    turns = ("b3a3", "e9e8", "a3b3 x c4", "E8-E7")
    record = Record("quadrature", {"men": "16"}, ("alice", "bob"), turns)
    text = "Quadrature men=16\n\nBlack: alice\nWhite: bob\n\n1. Black b3a3\n2. White e9e8\n3. Black a3b3 x c4\n"

    assert dumps(record) == text + "4. White E8-E7\n"
    assert loads(dumps(record)) == record


def test_an_illegal_turn_of_a_record_is_named() -> None:
    with pytest.raises(BadRecord, match="turn 2, White, e9e7: e9e7 is not a step: a man goes one square forward"):
        replay(Record("quadrature", {}, ("Black", "White"), ("e3e4", "e9e7")))
