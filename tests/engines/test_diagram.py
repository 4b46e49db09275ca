"""What every diagram contains besides its cells: the meaning of each mark, its owner, and notes in sentences."""

import re

import pytest

from engines.diagram import Diagram
from notation.games import GAMES
from tests.diagrams import NAMES, diagrams

FACT = re.compile(r"\b[a-q]\d+\b|\d+")


@pytest.mark.parametrize("name", NAMES)
def test_every_mark_has_a_meaning_and_means_one_thing(name: str) -> None:
    for diagram in diagrams(name):
        marks = diagram.legend.by_text()
        assert len(marks) == len(diagram.legend.marks)
        assert {mark for _, cells in diagram.rows for _, mark in cells} <= marks.keys()
        assert diagram.legend.marks[0].kind == "empty"
        for mark in marks.values():
            assert (mark.side is None) == (mark.kind == "empty")
            assert all(mark.words)
        called = [(mark.kind == "empty", mark.side, mark.words) for mark in marks.values()]
        assert len(called) == len(set(called)), "two marks are called the same"


@pytest.mark.parametrize("name", NAMES)
def test_the_remarks_say_what_the_notes_say_in_sentences_without_marks(name: str) -> None:
    for diagram in diagrams(name):
        zones = [note for note in diagram.notes if note.startswith("empty squares")]  # the words name zones themselves
        noted = " ".join(note for note in diagram.notes if note not in zones)
        said = " ".join(diagram.remarks)

        assert set(FACT.findall(said)) == set(FACT.findall(noted))
        for remark in diagram.remarks:
            assert remark.endswith(".")
            assert remark[0].isupper()
            assert "|" not in remark
            assert "#" not in remark


@pytest.mark.parametrize("name", NAMES)
def test_areas_are_cells_of_the_board_and_the_sides_are_the_game_s(name: str) -> None:
    first = diagrams(name)[0]
    cells = {cell for _, row in first.rows for cell, _ in row}

    assert first.legend.sides == GAMES[name.split("-")[0]].game.sides
    assert all(area and area <= cells for area in first.legend.areas)


def test_diagrams_are_hashable_and_equal_where_they_show_the_same() -> None:
    one, other = (GAMES["kvadratik"].game.position({}).diagram() for _ in range(2))

    assert len({one, other}) == 1


def test_a_diagram_needs_no_legend_to_be_printed() -> None:
    assert Diagram("square", ("a",), (("1", (("a1", "."),)),)).legend.by_text() == {}
