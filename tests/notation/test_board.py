"""Boards as text."""

from typing import Any

import pytest

from engines.diagram import Diagram
from notation.board import format_board
from notation.games import GAMES
from tests.diagrams import NAMES, diagrams


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
