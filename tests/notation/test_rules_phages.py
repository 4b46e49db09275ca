"""The rules pages of Quadraphages and Hexaphages: their boards are the results of their example turns."""

from pathlib import Path

import pytest

from notation.board import format_board
from notation.games import GAMES

RULES = Path(__file__).parents[2] / "templates" / "rules"
EXAMPLES = {
    "quadraphages": ({"first": "o"}, "1 c1b1 g9h9", ("a7b7", "i3i2", "3", "b7b4", "i2f2")),
    "hexaphages": ({}, "1 e5g5 k7l8", ("g7h8", "m5n6", "6", "n6b6", "h8n2")),
}


def boards(page: str) -> list[str]:
    """Return the boards on a page: at least ten consecutive lines indented by six."""
    found: list[list[str]] = [[]]
    for line in page.splitlines():
        if line.startswith("      ") and not line.lstrip().startswith('"'):
            found[-1].append(line.removeprefix("      "))
        elif found[-1]:
            found.append([])
    return ["\n".join(board) for board in found if len(board) >= 10]


@pytest.mark.parametrize("game", EXAMPLES)
def test_the_example_of_the_page_leads_to_its_board(game: str) -> None:
    options, first, second = EXAMPLES[game]
    page = (RULES / f"{game}.md").read_text(encoding="utf-8")
    start = GAMES[game].game.position({})
    after = GAMES[game].game.position(options)
    for turn in (first, " ".join(second)):
        after = after.play(GAMES[game].notation.parse(turn))

    assert boards(page) == [format_board(start.diagram()), format_board(after.diagram())]
    assert all(word in " ".join(page.split()) for word in (first, *second))


@pytest.mark.parametrize("game", EXAMPLES)
def test_the_turn_that_shows_the_notation_can_be_read(game: str) -> None:
    page = (RULES / f"{game}.md").read_text(encoding="utf-8")
    (shown,) = (line.strip().strip('"') for line in page.splitlines() if line.startswith('      "'))

    assert GAMES[game].notation.parse(shown).second is not None
