"""What every diagram contains besides its cells: the meaning of each mark, its owner, and notes in sentences."""

import re

import pytest

from tests.diagrams import NAMES, diagrams

FACT = re.compile(r"\b[a-q]\d+\b|\d+")


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
