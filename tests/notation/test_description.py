"""Boards in words: they contain the whole position, in lines that can't act as a turn when they are quoted."""

import re

import pytest

from engines import GAMES
from engines.diagram import Diagram
from notation.description import describe
from pbem.commands import COMMANDS
from pbem.commands.syntax.mail import Reader
from tests.diagrams import NAMES, diagrams

WHO = ("alice", "bob")


def heard(words: str, diagram: Diagram) -> dict[str, str]:
    """Return the cells with their marks as someone who only hears the words would set them up."""
    named = {
        (mark.side, form): mark.text for mark in diagram.legend.marks for form in mark.words if mark.kind != "empty"
    }
    special = {form.capitalize(): mark.text for mark in diagram.legend.marks[1:] for form in mark.words}
    cells: dict[str, str] = {}
    for line in words.splitlines():
        for seat, side in enumerate(diagram.legend.sides):
            if line.startswith(f"{side} (") and "nothing on the board" not in line:
                for group in line.split(": ", 1)[1].rstrip(".").split("; "):
                    what, where = group.rsplit(" on ", 1)
                    cells |= dict.fromkeys(where.split(", "), named[(seat, what)])
        what, _, where = line.rstrip(".").partition(": ")
        if what in special:
            cells |= dict.fromkeys(where.split(", "), special[what])
    if "All other cells are empty." in words:
        plain = diagram.legend.marks[0].text
        cells |= {name: plain for _, row in diagram.rows for name, _ in row if name not in cells}
    return cells


@pytest.mark.parametrize("name", NAMES)
def test_the_words_hold_the_whole_position(name: str) -> None:
    for diagram in diagrams(name):
        words = describe(diagram, WHO)
        lit = re.search(r"^The last move: (.*)\.$", words, re.MULTILINE)

        assert heard(words, diagram) == {cell: mark for _, row in diagram.rows for cell, mark in row}
        assert frozenset(lit[1].split(", ") if lit else ()) == diagram.lit
        assert set(diagram.remarks) <= set(words.splitlines())


@pytest.mark.parametrize("name", NAMES)
def test_wrapped_words_fit_and_are_the_same_words(name: str) -> None:
    for diagram in diagrams(name):
        wrapped = describe(diagram, WHO, width=72).splitlines()

        assert max(map(len, wrapped)) <= 72
        assert " ".join(wrapped).replace(", and ", ", ") == " ".join(describe(diagram, WHO).splitlines()).replace(
            ", and ", ", "
        )


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NAMES)
def test_no_line_of_them_acts_when_it_is_quoted_without_marks(name: str) -> None:
    game = name.split("-")[0]
    readers = [Reader(COMMANDS, lambda number: game, match) for match in (1, None)]
    for line in {line for diagram in diagrams(name) for line in describe(diagram, WHO, width=72).splitlines()}:
        for reader in readers:
            acting = [
                found for found in reader.read("", [line]).commands if found.command.changes and not found.malformed
            ]
            assert not acting, line


def test_players_are_named_where_they_are_known() -> None:
    diagram = GAMES["quadrature"].position({}).diagram()

    assert "\nBlack: men on b3, c3" in describe(diagram)
    assert "\nBlack (alice): men on b3, c3" in describe(diagram, WHO)
    assert "\nBlack: men on b3, c3" in describe(diagram, ("Black", "White"))


def test_an_empty_board_and_a_hexagon_are_said_as_such() -> None:
    assert "Blue (alice): nothing on the board." in describe(GAMES["kvadratik"].position({}).diagram(), WHO)
    assert describe(GAMES["hexaphages"].position({}).diagram()).startswith(
        "A hexagonal board of columns a to q, and rows 1 to 9 from the top.\n"
    )
