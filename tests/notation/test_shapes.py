"""Boards of every shape as text and in words. PBEM_GOLDEN=write rewrites shapes.txt."""

import os
from pathlib import Path

import pytest

from notation.board import format_board
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
def test_no_line_of_the_words_acts_when_it_is_quoted_without_marks(name: str) -> None:
    reader = Reader(FEATURES.commands, lambda number: GAMES["quadrature"], 1)
    for line in describe(SHAPES[name], ("alice", "bob"), width=72).splitlines():
        found = reader.read("", [line]).commands
        assert not [each for each in found if each.command.changes and not each.malformed], line
        assert len(line) <= 72
