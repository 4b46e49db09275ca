"""Hints are data, and formatted in lines that can't be mistaken for a turn."""

from notation.hints import WIDTH, Hint, Passage, format_hint

HINT = Hint(
    (
        Passage("Write two squares, the one that a man leaves and the one it goes to, without a blank.", ("e3f4",)),
        Passage("", ("e3e4 " * 20, "e3d4"), ("a man goes one square", "a long note " * 9)),
    ),
    "e3f4",
)


def test_a_hint_is_laid_out_in_short_lines() -> None:
    lines = format_hint(HINT).splitlines()

    assert max(map(len, lines)) <= WIDTH
    assert lines[:3] == [
        "Write two squares, the one that a man leaves and the one it goes to,",
        "without a blank.",
        "* e3f4",
    ]
    assert "* a man goes one square" in lines
    assert lines[-1] == "For example: e3f4"
