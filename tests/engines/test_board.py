"""Boards with any outline: their cells, their neighbours, and what can't be one."""

from collections.abc import Callable

import pytest

from engines import hex as hexagonal
from engines import square
from engines.board import DIAGONAL, QUEEN, BadBoard, Board, hexagon, rectangle, rhombus, triangle
from engines.diagram import Diagram
from tests.shapes import SHAPES, TEXTS


def test_rectangles_and_hexagons_are_the_boards_of_the_games() -> None:
    assert rectangle(9, 9).rows == square.rows(9)
    assert rectangle(11, 11, first_on_top=False).rows == square.rows(11, first_on_top=False)
    assert rectangle(9, 9).rays() == square.rays(9)
    assert hexagon(5).rows == hexagonal.rows(5)
    assert hexagon(5).rays() == hexagonal.rays(5)
    assert hexagon(5).columns == hexagonal.columns(5)


def test_a_diagram_of_a_usual_board_is_the_one_that_a_game_writes_by_hand() -> None:
    rows = tuple((label, tuple((cell, ".") for cell in cells)) for label, cells in square.rows(9))
    legend = SHAPES["rectangle 7x6"].legend

    assert rectangle(9, 9).diagram({}, legend) == Diagram("square", square.columns(9), rows, legend=legend)


def test_lines_of_a_rectangle_end_at_its_edges_and_holes() -> None:
    assert square.rays(7, height=6)["g5"] == (
        ("g4", "g3", "g2", "g1"),
        (),
        ("g6",),
        ("f5", "e5", "d5", "c5", "b5", "a5"),
    )
    assert rectangle(4, 1, without=("c1",)).rays()["a1"] == ((), ("b1",), (), ())
    assert rectangle(3, 3).neighbours(DIAGONAL)["b2"] == ("c1", "c3", "a3", "a1")
    assert len(rectangle(3, 3).neighbours(QUEEN)["b2"]) == 8


@pytest.mark.parametrize("board", [rhombus(11, 11), triangle(6), hexagon(7), rectangle(16, 3)])
def test_neighbours_are_mutual(board: Board) -> None:
    near = board.neighbours()

    assert {(one, other) for one in near for other in near[one]} == {
        (one, other) for other in near for one in near[other]
    }


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: rectangle(27, 2), "1 to 26 columns, one for each letter, not 27"),
        (lambda: rectangle(3, 3, without=("d1",)), "there is no d1 on a board of 3 by 3 cells"),
        (lambda: rhombus(26, 26), "takes 81 columns, and 72 fit"),
        (lambda: rectangle(16, 3).diagram({}, TEXTS), "takes 83 columns, and 72 fit; its widest mark takes 4"),
        (lambda: Board.of("hex", {}), "a board needs a cell"),
        (lambda: Board.of("hex", {"a1": (0, 0), "b1": (1, 0)}), "a1 and b1 overlap"),
        (lambda: Board.of("hex", {"a1": (0, 0), "b2": (3, 0)}), "row 1 from the top has cells with different numbers"),
        (lambda: Board.of("hex", {"a1": (0, 0), "a3": (1, 2)}), "row 2 from the top has no cells"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_a_sentence(make: Callable[[], object], words: str) -> None:
    with pytest.raises(BadBoard, match=words):
        make()
