"""The pictures of the rules pages show positions that legal turns reach, and mark what the engine calls legal."""

import re
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engines.core import IllegalMove
from notation.board import format_board
from notation.games import GAMES
from notation.illustrations import CAN_GO, BadIllustration, Illustration, loads
from pbem_classics.amazons import AMAZONS

RULES = Path(__file__).parents[2] / "templates" / "rules"


def source(game: str) -> str:
    return (RULES / f"{game}.toml").read_text(encoding="utf-8")


def entries(game: str) -> list[tuple[dict[str, Any], Illustration]]:
    """Return each picture as it is written, and as it is shown; a turn that isn't legal raises."""
    return list(zip(tomllib.loads(source(game))["picture"], loads(GAMES[game], source(game)), strict=True))


def test_each_picture_belongs_to_a_section_of_the_page(game: str) -> None:
    page = (RULES / f"{game}.md").read_text(encoding="utf-8")
    headings = re.findall(r"^(.+)\n=+$", page, re.MULTILINE)

    for _, shown in entries(game):
        assert shown.below in headings
        if shown.instead:
            section = page.partition(f"\n{shown.below}\n=")[2].partition("\n=")[0]
            board = format_board(replace(shown.diagram, lit=frozenset(), notes=())).splitlines()
            drawn = "\n".join(line.split("      ")[-1].strip() for line in section.splitlines())
            assert "\n".join(line.strip() for line in board) in drawn, shown.caption


def test_what_a_picture_marks_is_where_the_engine_lets_the_stone_go(game: str) -> None:
    notation = GAMES[game].notation
    for entry, shown in entries(game):
        assert (shown.highlight == CAN_GO) == ("chosen" in entry)
        if "chosen" in entry:
            texts = (notation.format(move, shown.position) for move in shown.position.moves())
            begun = [text.removeprefix(entry["chosen"]) for text in texts if text.startswith(entry["chosen"])]
            assert shown.diagram.lit == {re.match(r"[a-z][0-9]{1,2}", text)[0] for text in begun}  # type: ignore[index]
            assert f"Highlighted: {', '.join(sorted(shown.diagram.lit))}." in shown.in_words


def test_the_engine_refuses_what_a_caption_calls_forbidden(game: str) -> None:
    for entry, shown in entries(game):
        assert ("can't go to" in shown.caption) <= bool(shown.refused), shown.caption
        for turn in shown.refused:
            with pytest.raises(IllegalMove):
                shown.position.play(GAMES[game].notation.parse(turn))
            assert turn[2:4] in shown.caption or "chosen" in entry


def test_a_picture_of_the_end_shows_the_end(game: str) -> None:
    ends = [shown for _, shown in entries(game) if shown.position.outcome is not None]

    assert ends
    for shown in ends:
        outcome, sides = shown.position.outcome, GAMES[game].game.sides
        assert outcome is not None
        assert outcome.winner is not None
        assert re.search(r"\bwins?\b|\bloses\b", shown.caption)
        assert sides[outcome.winner] in shown.caption or f"{sides[1 - outcome.winner]} has no disc" in shown.caption
        for number in re.findall(r"(\d+) (?:marked cells|points) to (\d+)", shown.caption):
            assert all(each in outcome.reason for each in number)


@pytest.mark.parametrize(
    ("wrong", "raised"),
    [
        ('turns = ["c3c9"]', Exception),
        ('turns = ["c3d4"]', IllegalMove),
        ('chosen = "a1"', BadIllustration),
        ('turn = ["d2b4"]', BadIllustration),
    ],
)
def test_a_picture_that_is_wrong_is_not_drawn(wrong: str, raised: type[Exception]) -> None:
    with pytest.raises(raised):
        loads(GAMES["quadrupel"], f'[[picture]]\nbelow = "Goal"\ncaption = "Wrong."\n{wrong}\n')


def test_a_picture_shows_the_part_of_a_turn_that_is_chosen() -> None:
    (shown,) = loads(AMAZONS, '[[picture]]\nbelow = "A turn"\ncaption = "Then she shoots."\nchosen = "d1d7"')
    marks = {name: mark for _, cells in shown.diagram.rows for name, mark in cells}

    assert (marks["d1"], marks["d7"]) == (".", "W")
    assert {"d1", "d10", "d8"} & shown.diagram.lit == {"d1", "d8"}
