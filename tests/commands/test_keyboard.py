"""Two people at one keyboard."""

from collections.abc import Iterator

import pytest

from engines.core import BadOption
from notation.ending import Ending, Termination
from notation.record import Record
from pbem.cli import hotseat


def played(*lines: str, key: str = "quadraphages", **options: str) -> tuple[Record, str]:
    """Return the record of a game in which those lines are typed, and all output."""
    typed: Iterator[str] = iter(lines)
    said: list[str] = []

    def ask(prompt: str) -> str:
        said.append(prompt)
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    return hotseat.play(key, options, ask, said.append), "\n".join(said)


def test_turns_whole_and_in_parts_make_the_record() -> None:
    record, said = played("1 a7b7 i3i2", "c1d1 g9h9 2", "D1-F1, h9 to h7", "resign")

    assert record.moves == ("1 a7b7 i3i2", "c1d1 g9h9 2 d1f1 h9h7")
    assert record.ending == Ending(Termination.RESIGNATION, 0)
    assert "O, turn 2> " in said
    assert "X resigned." in said


def test_a_refusal_is_the_one_of_the_mails_and_changes_nothing() -> None:
    record, said = played("c1b1 g9h9 3", "1 a7a9 i3i2")

    assert record.moves == ()
    assert "no operation 1" in said
    assert "  |   ^^^^" in said


def test_a_part_can_be_undone() -> None:
    record, _ = played("1 a7b7 i3i2", "c1d1 g9h9 2", "undo", "c1b1 g9f9 1 b1a1 f9f8")

    assert record.moves[1] == "c1b1 g9f9 1 b1a1 f9f8"


def test_what_explains_is_at_hand() -> None:
    _, said = played("help", "rules", "1 a7b7 i3i2", "record", "quit")

    assert "QUADRAPHAGES" in said
    assert "_X_" in said
    assert "The game is not over." in said


def test_a_wrong_option_is_refused() -> None:
    with pytest.raises(BadOption, match="first=x or first=o"):
        played(first="z")
