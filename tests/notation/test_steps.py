"""Choosing a turn step by step: every path ends in a legal turn, and every legal turn can be reached."""

import random
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engines.core import Position
from notation.core import BadNotation
from notation.games import GAMES
from notation.steps import FEW, LISTED, ROWS, begun, cells_of, choices, grouped
from pbem_classics.hex import HEX
from tests.cases import quick_where

PLAYTHROUGHS = sorted((Path(__file__).parent.parent / "playthroughs").glob("*.txt"))
SOME_FIRST = quick_where(lambda path: path.stem in ("hexaphages", "kvadratik-flip-none"), PLAYTHROUGHS)
WALKED = 300
"""In positions with more turns, only some of the paths are tried."""
MOST_STEPS = 24
"""The maximum number of choices at once, few enough to look through."""

Where = tuple[str, Position[Any]]


@cache
def positions(path: Path) -> tuple[Where, ...]:
    """Return every position of a playthrough, including those within a turn, with the key of its game."""
    told = path.read_text(encoding="utf-8")
    key = re.findall(r"^game: (.*)$", told, flags=re.MULTILINE)[0]
    chosen = dict(pair.split("=") for pair in re.findall(r"^chosen: (.*)$", told, flags=re.MULTILINE))
    position, found = GAMES[key].game.position(chosen), []
    for turn in re.findall(r"^played: (.*)$", told, flags=re.MULTILINE):
        found.append((key, position))
        if part := next(position.parts(), None):
            found.append((key, position.play(part)))
        position = position.play(GAMES[key].notation.parse(turn))
    return (*found, (key, position))


def legal(key: str, position: Position[Any]) -> set[str]:
    """Return the texts of all legal turns that may be listed."""
    notation = GAMES[key].notation
    return {notation.format(move, position) for move in notation.listed(position)}


def reached(key: str, position: Position[Any], chosen: str = "") -> Iterator[str]:
    """Yield the turns that can be reached from the steps chosen so far."""
    found = choices(GAMES[key].notation, position, chosen)
    yield from found.turns
    for step in found.steps:
        if step.whole:
            yield step.text
        else:
            assert len(step.text) > len(chosen), "every step is one forward"
            yield from reached(key, position, step.text)


def reached_by_cells(key: str, position: Position[Any], chosen: str = "") -> Iterator[str]:
    """Yield the turns that can be reached by tapping cells of the board."""
    found = choices(GAMES[key].notation, position, chosen)
    for step in found.cells.values() or found.steps:
        if step.whole:
            yield step.text
        else:
            yield from reached_by_cells(key, position, step.text)
    if not found.cells:
        yield from found.turns


@pytest.mark.parametrize("path", SOME_FIRST, ids=lambda path: path.stem)
def test_the_ways_end_in_the_legal_turns_and_in_all_of_them(path: Path) -> None:
    walked = 0
    for key, position in positions(path):
        turns = legal(key, position)
        if len(turns) <= WALKED:
            found = list(reached(key, position))
            assert sorted(found) == sorted(turns)
            walked += 1
    assert walked > 5


@pytest.mark.parametrize(
    ("key", "options", "turns", "chosen", "rows", "follows"),
    [
        # A stone has gone and left its mark; only the other stone follows, and then only numbers.
        ("quadraphages", {}, ["5 a7f7 i3d3"], "c1h1 g9b9", ["1 ..o....O.", "9 .O....o.."], [*"12345678"]),
        ("hexaphages", {}, ["1 e5d4 k3j4"], "g3f2 g7h8", ["7 ..o.X..", "8 ..O..."], [*"123456"]),
        ("kvadratik", {}, ["setup ++++", "setup x+x+"], "~b4 b4", ["4 B+BxB+B+"], ["~b4 b4a3", "~b4 b4c3"]),
        ("kvadratik", {}, [], "setup +", ["4 B+..."], [f"setup +{a}{b}{c}" for a in "+x" for b in "+x" for c in "+x"]),
        ("kvadratik", {"setup": "half"}, [], "setup a3+ b4x", ["3 B+...", "4 .Bx.."], None),
        (
            "quadrupel",
            {"variant": "position"},
            [],
            "setup d2",
            ["2 .,ox1,."],
            ["setup d2 c3", "setup d2 d3", "setup d2 c4"],
        ),
        ("quadrature", {}, [], "b3", ["3 .#########."], ["b3a3", "b3a4", "b3b4", "b3c4"]),
    ],
)
def test_a_turn_in_its_midst_is_drawn_and_only_what_can_follow_is_offered(
    key: str, options: Mapping[str, str], turns: list[str], chosen: str, rows: list[str], follows: list[str] | None
) -> None:
    position = GAMES[key].game.position(options)
    for turn in turns:
        position = position.play(GAMES[key].notation.parse(turn))
    drawn = {
        f"{label} {''.join(mark for _, mark in cells)}"
        for label, cells in GAMES[key].notation.midway(chosen, position).diagram().rows
    }
    found = choices(GAMES[key].notation, position, chosen)
    offered = list(found.turns) or [step.label for step in found.steps]

    assert set(rows) <= drawn, drawn
    assert all(text.startswith(chosen) for text in (*found.turns, *(step.text for step in found.steps)))
    assert follows is None or sorted(offered) == sorted(follows)


@pytest.mark.parametrize("path", SOME_FIRST, ids=lambda path: path.stem)
def test_all_turns_are_offered_where_they_are_few_and_never_too_many_choices(path: Path) -> None:
    for key, position in positions(path):
        turns, found = legal(key, position), choices(GAMES[key].notation, position)

        assert set(found.turns) in (turns, set())
        assert len(found.turns) <= FEW
        assert bool(found.steps) == (bool(turns) and not found.turns)
        if len(turns) <= FEW and not any(" " in text for text in turns):
            assert set(found.turns) == turns
        assert len(found.steps) <= MOST_STEPS
        assert len(grouped(found.turns or [step.label for step in found.steps])) <= ROWS
        assert len({step.text for step in found.steps}) == len({step.label for step in found.steps}) == len(found.steps)


@pytest.mark.parametrize("path", SOME_FIRST, ids=lambda path: path.stem)
def test_a_board_is_tapped_cell_by_cell(path: Path) -> None:
    tapped = 0
    for key, position in positions(path):
        names = {name for _, cells in position.diagram().rows for name, _ in cells}
        for cell, step in choices(GAMES[key].notation, position).cells.items():
            assert cell in names
            assert cell == step.cell
            assert cell in cells_of(step.text)
            tapped += 1
        if len(legal(key, position)) <= FEW and not key.startswith("kvadratik"):
            assert set(reached_by_cells(key, position)) == legal(key, position)
    assert tapped > 5


@pytest.mark.parametrize("path", SOME_FIRST, ids=lambda path: path.stem)
def test_what_somebody_typed_of_a_turn_is_known_as_its_beginning(path: Path) -> None:
    for key, position in positions(path)[:12]:
        for step in choices(GAMES[key].notation, position).steps:
            assert begun(GAMES[key].notation, position, step.text) == step.text
            assert begun(GAMES[key].notation, position, f"  {step.text.upper().replace(' ', ', ')}. ") == step.text
        for other in ("", " ", "z9", "hello", "c1 is mine", "!"):
            assert begun(GAMES[key].notation, position, other) is None


@pytest.mark.parametrize("path", SOME_FIRST, ids=lambda path: path.stem)
def test_no_list_betrays_a_figure(path: Path) -> None:
    for key, position in positions(path):
        found = choices(GAMES[key].notation, position)
        assert not [text for text in (*found.turns, *(step.text for step in found.steps)) if "quadrupel" in text]
        if position.turn is not None and key == "quadrupel":
            with_figures = {GAMES[key].notation.format(move, position) for move in position.moves()}
            assert set(found.turns) <= with_figures


@pytest.mark.parametrize("key", GAMES)
def test_no_choice_follows_the_end_of_a_game_or_nonsense(key: str) -> None:
    path = next(path for path in PLAYTHROUGHS if path.stem == key)
    (_, first), *_, (_, end) = positions(path)

    assert not choices(GAMES[key].notation, end)
    assert not choices(GAMES[key].notation, first, "zz")
    with pytest.raises(BadNotation):
        GAMES[key].notation.parse("zz")


def test_many_turns_of_a_single_cell_are_left_to_the_board_and_others_are_listed() -> None:
    chance, position, listed = random.Random(4), HEX.game.position({"size": "9"}), 0
    while position.turn is not None:
        turns = {str(move) for move in position.moves()}
        found = choices(HEX.notation, position)
        steps = {step.text for step in found.steps}
        if found.example is None:
            assert max(len(found.turns), len(steps)) <= LISTED
            assert {*found.turns, *steps} == turns
            listed += 1
        else:
            assert steps == turns & {"swap"}
            assert len(found.cells) > LISTED
            assert {*found.cells, *steps} == turns
            assert found.cells[found.example.text] == found.example
        position = position.play(chance.choice(list(position.moves())))
    assert listed > 5
    assert choices(HEX.notation, HEX.game.position({}).play("f6")).steps[0].text == "swap"
