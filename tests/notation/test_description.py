"""Boards in words: they contain the whole position, in lines that can't act as a turn when they are quoted."""

import re

import pytest

from engines.diagram import Diagram
from engines.step import vacated
from notation.description import describe
from notation.games import GAMES
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
                    where = re.sub(r" in zone \d", "", where)
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

        assert heard(words, diagram) == {cell: mark for _, row in diagram.rows for cell, mark in row}
        assert {diagram.told, *diagram.legend.said, *diagram.remarks} - {""} <= set(words.splitlines())


@pytest.mark.parametrize("name", NAMES)
def test_the_last_turn_is_told_from_where_to_where(name: str) -> None:
    """Who hears it knows which cells are lit, and which of them a piece has left."""
    seen = 0
    for diagram in diagrams(name):
        steps = re.findall(r"(\w\d+) to (\w\d+)", diagram.told)
        named = {cell for step in steps for cell in step}
        figure = len(diagram.lit) == 4 and name.startswith("quadrupel")
        if named and diagram.lit and not figure:
            seen += 1
            others = {*re.findall(r"(\w\d+) flipped|put on (\w\d+)", diagram.told)}
            squared = {*re.findall(r"\w\d+", " ".join(r for r in diagram.remarks if "squared" in r))}
            assert named | {cell for pair in others for cell in pair if cell} | squared == diagram.lit
            assert diagram.left == vacated(steps)
    assert seen > 3


def test_players_are_named_where_they_are_known() -> None:
    diagram = GAMES["quadrature"].game.position({}).diagram()

    assert "\nBlack: men on b3, c3" in describe(diagram)
    assert "\nBlack (alice): men on b3, c3" in describe(diagram, WHO)
    assert "\nBlack: men on b3, c3" in describe(diagram, ("Black", "White"))
