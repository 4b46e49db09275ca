"""The rules page of Kvadratik: its turns are played, its boards are drawn and its examples are read."""

import re
from pathlib import Path
from typing import Any

import pytest

from notation.board import format_board
from notation.games import GAMES

PAGE = Path(__file__).parents[2] / "templates" / "rules" / "kvadratik.md"
LINES = PAGE.read_text(encoding="utf-8").splitlines()
TURN = re.compile(r" {6}\d+\. (Blue|Green) (.+)")


def test_the_match_of_the_page_is_legal_and_its_boards_are_drawn_so() -> None:
    position: Any = GAMES["kvadratik"].game.position({})
    turns = boards = 0
    for number, line in enumerate(LINES):
        if turn := TURN.fullmatch(line):
            turns += 1
            assert line.split()[0] == f"{turns}."
            assert turn[1] == GAMES["kvadratik"].game.sides[position.turn]
            move = GAMES["kvadratik"].notation.parse(turn[2])
            assert GAMES["kvadratik"].notation.format(move, position) == turn[2]
            position = position.play(move)
        elif re.fullmatch(r" {6}a +b +c +d", line):
            boards += 1
            assert [row[6:] for row in LINES[number - 4 : number + 1]] == format_board(position.diagram()).splitlines()
    assert (turns, boards) == (9, 4)


@pytest.mark.parametrize("text", re.findall(r'"((?:setup|@|b3)[^"]+)"', PAGE.read_text(encoding="utf-8")))
def test_every_turn_in_quotation_marks_can_be_read(text: str) -> None:
    assert GAMES["kvadratik"].notation.format(GAMES["kvadratik"].notation.parse(text), None) == text  # type: ignore[arg-type]
