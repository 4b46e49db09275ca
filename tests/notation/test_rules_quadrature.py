"""The rules page of Quadrature is correct: its boards, turns, refusal and options."""

import re
from pathlib import Path
from typing import Any

import pytest

from engines.core import IllegalMove
from engines.quadrature import QuadraturePosition, Reason
from engines.quadrature.board import PLACES, men_on
from engines.repetition import History
from notation.board import format_board
from notation.games import GAMES
from tests.diagrams import diagram_after

PAGE = (Path(__file__).parents[2] / "templates/rules/quadrature.md").read_text(encoding="utf-8")
QUADRATURE = GAMES["quadrature"].notation
BOARDS = [
    board.replace("\n      ", "\n") for board in re.findall(r"(?<=\n\n {6})\S.*11\n(?: {6}.*\n)+? {6}a b.*", PAGE)
]
TURNS = re.findall(r'"([a-k][^"]*)"', PAGE)


def position(drawn: str) -> QuadraturePosition:
    """Return the position with the men of a drawn board, Black to move."""
    rows = {int(words[-1]): words[:-1] for words in (line.split() for line in drawn.splitlines()[:-1])}
    shown = {name: rows[row + 1][column] for name, (column, row) in PLACES.items()}
    black, white = (men_on([name for name, mark in shown.items() if mark == side]) for side in "#O")
    return QuadraturePosition(18, 0, (black, white), seen=History.of([(black, white)]))


def test_the_page_shows_the_start_and_the_boards_before_and_after_its_example() -> None:
    start, before, after = BOARDS
    turn: Any = QUADRATURE.parse(TURNS[0])

    assert start == format_board(GAMES["quadrature"].game.position({}).diagram())
    assert format_board(position(before).diagram()) == before
    assert format_board(position(before).play(turn).diagram()) == after


def test_the_example_says_what_is_squared_and_what_is_forbidden() -> None:
    here = position(BOARDS[1])
    drawn = diagram_after("quadrature", here, TURNS[0])
    with pytest.raises(IllegalMove, match="with White's men on f6, f9 and j9") as refusal:
        here.play(QUADRATURE.parse(TURNS[1]))

    assert drawn.notes[-1] == "squared e2, i5 and e8"
    assert refusal.value.reason is Reason.SQUARED


def test_every_turn_on_the_page_is_read() -> None:
    assert [str(QUADRATURE.parse(turn)) for turn in TURNS] == ["e4e5", "k5j6", "e3f4", "e4e5", "e4e5"]
    for text in ("e3-f4", "E3F4", "e3 to f4"):
        assert text in PAGE
        assert str(QUADRATURE.parse(text)) == "e3f4"
