"""The rules page of Quadrupel is correct: its figures, boards, turns and options."""

import re
from pathlib import Path
from typing import Any

from engines.quadrupel import Dots, Ones, Turn
from engines.special import Special
from notation.board import format_board
from notation.games import GAMES

PAGE = (Path(__file__).parents[2] / "templates/rules/quadrupel.md").read_text(encoding="utf-8")
QUADRUPEL = GAMES["quadrupel"].notation
START: Any = GAMES["quadrupel"].game.position({})
BOARDS = [
    [line[6:] for line in board.splitlines()]
    for board in re.findall(r"(?:^ {6}\S.* \d\n){6} {6}a .*", PAGE, re.MULTILINE)
]
TURNS = re.findall(r'"([^"]+)"', PAGE)


def drawn(options: dict[str, str], *turns: str) -> list[str]:
    """Return the lines of the board after these turns."""
    position = GAMES["quadrupel"].game.position(options)
    for turn in turns:
        position = position.play(QUADRUPEL.parse(turn))
    return format_board(position.diagram()).splitlines()


def test_the_page_shows_the_start_and_the_boards_before_and_after_its_example() -> None:
    start, both, _ = BOARDS

    assert start == drawn({})
    assert [line[:14].rstrip() for line in both] == drawn({}, "d2b4", "d4f4")
    assert [line[22:] for line in both] == drawn({}, "d2b4", "d4f4", "b4d4 quadrupel")


def test_every_turn_on_the_page_is_read() -> None:
    read = {text: QUADRUPEL.parse(text) for text in TURNS}

    assert read == {
        "d2b4": Turn("d2", "b4"),
        "d2 to b4": Turn("d2", "b4"),
        "d4-d2-f4": Turn("d4", "f4"),
        "b4d4 quadrupel": Turn("b4", "d4", announced=True),
        "b4d4!": Turn("b4", "d4", announced=True),
        "d4f4": Turn("d4", "f4"),
        "setup 4123": Dots((4, 1, 2, 3)),
        "setup d2 c3": Ones(("d2", "c3")),
        "swap": Special.SWAP,
    }
    for text in ("d2-b4", "D2B4"):
        assert text in PAGE
        assert QUADRUPEL.parse(text) == Turn("d2", "b4")
