"""Records with one line per turn."""

from dataclasses import replace

import pytest

from notation.ending import Ending, Termination
from notation.plain import BadPlain, Plain, read_plain, write_plain
from notation.record import dumps, loads
from tests.diagrams import NAMES, played

SIDES = ("Black", "White")
PLAIN = Plain("Quadrature men=18", ("alice", "Bob B."), ((0, "e3e4"), (1, "e9e8"), (1, "d9d8")), 0)


@pytest.mark.parametrize("name", [name for name in NAMES if not name.endswith("phages")])
def test_a_match_of_every_variant_is_read_as_it_is_written(name: str) -> None:
    record = replace(played(name), ending=Ending(Termination.RESIGNATION, 1))

    assert loads(dumps(record)) == record


@pytest.mark.parametrize("plain", [PLAIN, Plain("X", ("a", "b")), Plain("X", ("a", "b"), ((0, "c1 d2 quadrupel"),))])
def test_what_is_written_is_read_again(plain: Plain) -> None:
    assert plain == read_plain(write_plain(plain, SIDES), plain.title, SIDES)


def test_a_quoted_record_with_prose_and_a_board_is_read() -> None:
    text = "".join(f"> {line}\n" for line in write_plain(PLAIN, SIDES).splitlines())

    assert read_plain(f"Look at this:\n{text}\n# . . O  11\n", PLAIN.title, SIDES) == PLAIN


@pytest.mark.parametrize(
    ("text", "line"),
    [("1. Black e3e4\n3. White e9e8", 2), ("1. Blue e3e4", 1), ("1. Black resigned\n2. White e9e8", 2)],
)
def test_a_row_out_of_order_is_named(text: str, line: int) -> None:
    with pytest.raises(BadPlain) as raised:
        read_plain(text, "X", SIDES)

    assert raised.value.line == line
