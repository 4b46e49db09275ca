"""What is read as a condition, and what stays prose."""

import textwrap

import pytest

from notation.games import GAMES
from pbem.conversation.syntax.mail import Reader
from pbem.features.all import FEATURES

LONG = "if a7b7 i3i2 3 b7b4 i2f2 then c1c4 g9g6 2 c4c6 g6g8"


def read(*lines: str) -> tuple[list[tuple[str, str]], tuple[str, ...]]:
    """Return the commands of a message about a match of Quadraphages with their words, and its prose."""
    parsed = Reader(FEATURES.commands, lambda _: GAMES["quadraphages"], 1).read("", lines)
    return [(line.command.name, line.words) for line in parsed.commands], parsed.prose


@pytest.mark.parametrize("width", range(65, 79))
def test_it_may_be_wrapped_anywhere(width: int) -> None:
    further = "if b4b7 f2f5 1 b7b8 f5f6 then c6c7 g8g9 2 ---- g9i9 then if b8d8 f6d6 1 d8d9 d6d5"
    whole = f"{LONG} then {further} then else c7a7 i9i7 2 a7a9 i7g7"
    found, prose = read("1 c1b1 g9h9", *textwrap.wrap(whole, width, break_on_hyphens=False), "", "Good luck!")

    assert (found[1:], prose) == ([("if", whole)], ("Good luck!",))


@pytest.mark.parametrize("line", ["1 c1b1 g9h9 if a7b7 then c1c4", "1 c1b1 g9h9, if a7b7 then c1c4"])
def test_a_turn_and_its_condition_can_stand_on_one_line(line: str) -> None:
    assert read(f"#1 {line}")[0] == read(line)[0]
    assert read(line)[0] == [("move", "1 c1b1 g9h9"), ("if", "if a7b7 then c1c4")]


@pytest.mark.parametrize("below", ["c1b1 g9h9 3", "Good luck!", "3 cheers for a7!", "if a7b9 then c1c4", "#2 c1b1"])
def test_a_line_below_a_short_condition_is_another_one(below: str) -> None:
    found, prose = read("if a7b7 then c1c4", below)

    assert found[0] == ("if", "if a7b7 then c1c4")
    assert len(found) + len(prose) == 2


def test_a_line_with_a_number_belongs_to_no_condition_above() -> None:
    above = f"#1 {LONG} then if b4b7 f2f5 1 b7b8 f5f6 then c6c7 g8g9 2 c7c8 g9i9"

    assert [name for name, _ in read(above, "#2 1 c1b1 g9h9")[0]] == ["if", "move"]


@pytest.mark.parametrize(
    "line",
    [
        "If you like, then let's play again.",
        "If I had seen that, I would have played elsewhere.",
        "Else nothing new here.",
        "queue up for the next one",
    ],
)
def test_prose_is_no_condition(line: str) -> None:
    assert read("1 c1b1 g9h9", line) == ([("move", "1 c1b1 g9h9")], (line,))


@pytest.mark.parametrize("line", ["if a7b7 then c1c4", "else c1c4 g9g6 2 c4c6 g6g8", "queue c1c4 g9g6 2 c4c6 g6g8"])
def test_a_condition_below_words_is_not_for_the_opponent(line: str) -> None:
    found, prose = read("1 c1b1 g9h9", "", "Good luck!", line)

    assert [name for name, _ in found] == ["move", "queue" if line.startswith("queue") else "if"]
    assert prose == ("Good luck!",)


@pytest.mark.parametrize("line", ["cancel conditions", "cancel conditions 1", "cancel 1 conditions", "Cancel my queue"])
def test_conditions_are_cancelled_and_the_match_is_not(line: str) -> None:
    assert read(line) == ([("cancel", "conditions")], ())
