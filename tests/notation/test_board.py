"""Boards as text."""

import unicodedata
from typing import Any

import pytest

from engines.diagram import Diagram
from notation.board import SIGNS, format_board
from notation.games import GAMES
from tests.diagrams import NAMES, diagrams


def test_a_hexagon_stands_between_its_letters() -> None:
    assert format_board(GAMES["hexaphages"].game.position({}).diagram()) == (
        "abcdefghijklmnopq\n"
        "    . . . . .     1\n"
        "   . . . . . .    2\n"
        "  . . O . X . .   3\n"
        " . . . . . . . .  4\n"
        ". . X . . . O . . 5\n"
        " . . . . . . . .  6\n"
        "  . . O . X . .   7\n"
        "   . . . . . .    8\n"
        "    . . . . .     9\n"
        "abcdefghijklmnopq"
    )


def test_a_square_board_has_its_letters_below() -> None:
    lines = format_board(GAMES["quadraphages"].game.position({}).diagram()).splitlines()

    assert lines[0] == ". . O . . . . . .  1"
    assert lines[6] == "X . . . . . . . .  7"
    assert lines[-1] == "a b c d e f g h i"
    assert len(lines) == 10


def test_row_numbers_of_two_digits_stand_under_each_other() -> None:
    rows: Any = tuple((str(n), ((f"a{n}", "."),)) for n in (11, 10, 9))

    assert format_board(Diagram("square", ("a",), rows)) == ".  11\n.  10\n.   9\na"


def test_cells_are_as_wide_as_the_widest_mark_and_brackets_stand_close() -> None:
    rows: Any = (
        ("1", (("a1", "B+"), ("b1", "Gx2"), ("c1", "."))),
        ("2", (("a2", "."), ("b2", "B+10"), ("c2", "Bx"))),
    )
    diagram = Diagram("square", ("a", "b", "c"), rows, frozenset({"a1", "b1", "c2"}), ("a note",))

    assert format_board(diagram).splitlines() == [
        "B+   Gx2  .     1",
        ".    B+10 Bx    2",
        "a    b    c",
    ]
    assert format_board(diagram, lit=True, notes=True).splitlines() == [
        "[B+   Gx2] .     1    a note",
        " .    B+10[Bx]   2",
        " a    b    c",
    ]


def test_a_unicode_board_has_signs_for_marks_in_its_notes_too() -> None:
    rows: Any = (("1", (("a1", "#"), ("b1", "O"), ("c1", "."))),)
    legend = GAMES["quadrature"].game.position({}).diagram().legend
    diagram = Diagram("square", ("a", "b", "c"), rows, frozenset({"b1"}), ("Black #  |0|", "O #1"), legend=legend)

    assert format_board(diagram, lit=True, notes=True, charset="unicode").splitlines() == [
        " \N{FISHEYE}[\N{LOZENGE}].  1    Black \N{FISHEYE}  |0|",
        " a b c       \N{LOZENGE} #1",
    ]


@pytest.mark.parametrize("name", NAMES)
def test_the_unicode_board_stands_as_the_ascii_board_does_and_tells_the_same_marks_apart(name: str) -> None:
    for diagram in diagrams(name):
        plain = format_board(diagram, lit=True, notes=True)
        board = format_board(diagram, lit=True, notes=True, charset="unicode")

        assert [len(line) for line in board.splitlines()] == [len(line) for line in plain.splitlines()]
        assert [[sign in "[]" for sign in line] for line in board.splitlines()] == [
            [mark in "[]" for mark in line] for line in plain.splitlines()
        ]
        changed = {(mark, sign) for mark, sign in zip(plain, board, strict=True) if mark != sign}
        assert len({sign for _, sign in changed}) == len({mark for mark, _ in changed})


def test_no_sign_can_make_a_board_crooked() -> None:
    emoji = {0x25AA, 0x25AB, 0x25B6, 0x25C0, *range(0x25FB, 0x25FF)}  # of this block, by emoji-data.txt
    signs = [sign for pair in SIGNS.values() for sign in pair]

    assert len(signs) == len(set(signs))
    for sign in signs:
        assert unicodedata.east_asian_width(sign) == "N"
        assert not unicodedata.combining(sign)
        assert 0x25A0 <= ord(sign) <= 0x25FF
        assert ord(sign) not in emoji
