"""Boards of every shape as text and in words. PBEM_GOLDEN=write rewrites shapes.txt."""

import os
from pathlib import Path

import pytest

from notation.board import SIGNS, format_board
from notation.description import describe
from notation.games import GAMES
from pbem.conversation.syntax.mail import Reader
from pbem.features.all import FEATURES
from tests.shapes import SHAPES

GOLDEN = Path(__file__).parent / "shapes.txt"
WRITE = os.environ.get("PBEM_GOLDEN") == "write"


def all_of_them() -> str:
    """Return every board in every form of text."""
    return "\n".join(
        "\n".join(
            (
                f"== {name}",
                format_board(diagram),
                format_board(diagram, lit=True, notes=True),
                format_board(diagram, lit=True, charset="unicode"),
                describe(diagram, width=72),
                "",
            )
        )
        for name, diagram in SHAPES.items()
    )


def test_the_boards_come_out_the_same() -> None:
    if WRITE:
        GOLDEN.write_text(all_of_them(), encoding="utf-8")

    assert all_of_them() == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SHAPES)
def test_every_board_keeps_to_72_columns_with_its_notes_and_brackets(name: str) -> None:
    for charset in ("ascii", "unicode"):
        for line in format_board(SHAPES[name], lit=True, notes=True, charset=charset).splitlines():
            assert len(line) <= 72
            assert line == line.rstrip()


@pytest.mark.parametrize("name", SHAPES)
def test_every_row_ends_in_its_label_and_has_its_marks_in_order(name: str) -> None:
    diagram = SHAPES[name]
    lines = {line.split()[-1]: line.split()[:-1] for line in format_board(diagram).splitlines()}

    for label, cells in diagram.rows:
        assert lines[label] == [mark for _, mark in cells]


@pytest.mark.parametrize("name", SHAPES)
def test_letters_stand_where_their_columns_begin(name: str) -> None:
    diagram = SHAPES[name]
    lines = format_board(diagram).splitlines()
    last, letters = lines[-2], lines[-1]

    for cell, mark in diagram.rows[-1][1]:
        column = letters.index(cell[0])
        assert last[column : column + len(mark)] == mark


def test_kinds_of_pieces_keep_their_letters_where_signs_would_not_tell_them_apart() -> None:
    diagram = SHAPES["kinds of pieces"]

    assert format_board(diagram, charset="unicode") == format_board(diagram)


def test_what_belongs_to_neither_side_has_a_sign_of_its_own() -> None:
    board = format_board(SHAPES["square with edges"], charset="unicode")

    assert SIGNS["piece"][2] in board
    assert SIGNS["trace"][2] in board
    assert "*" not in board


def test_the_words_name_neutral_pieces_edges_and_neighbours() -> None:
    words = describe(SHAPES["rhombus 11x11 with edges"]).splitlines()

    assert "Of neither side: arrow on d9." in words
    assert {"X's edges: top, bottom.", "O's edges: left, right."} <= {*words}
    assert "A cell touches up to six others: b2 touches a2, a3, b1, b3, c1 and c2." in words


@pytest.mark.parametrize("name", SHAPES)
def test_no_line_of_the_words_acts_when_it_is_quoted_without_marks(name: str) -> None:
    reader = Reader(FEATURES.commands, lambda number: GAMES["quadrature"], 1)
    for line in describe(SHAPES[name], ("alice", "bob"), width=72).splitlines():
        found = reader.read("", [line]).commands
        assert not [each for each in found if each.command.changes and not each.malformed], line
        assert len(line) <= 72


def test_the_words_name_every_cell_of_a_board_with_holes() -> None:
    assert (
        "Row 1 has a and c to e, rows 2 and 4 have a to e, row 3 has a to b and d to e, row 5 has a to d."
        in describe(SHAPES["holes"]).splitlines()
    )
