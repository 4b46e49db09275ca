"""The tree of a position's turns: every legal turn is reached by its own steps, and nothing else is."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from engines.core import Position
from notation.games import GAMES, GamePack
from notation.record import replay
from notation.steps import Branch, turn_tree
from pbem_classics.amazons import AMAZONS
from pbem_classics.hex import HEX
from tests.cases import quick_where
from tests.diagrams import NAMES, played

SOME_FIRST = quick_where(
    lambda name: name in ("quadraphages", "quadrature", "kvadratik-flip-none", "quadrupel-variant-added-value"), NAMES
)
MANY = 600
"""Positions with more turns are left to one test, which looks at a single one."""
Board = dict[str, str]


def positions(name: str, most: int) -> Iterator[tuple[Any, Position[Any]]]:
    """Yield positions of a playthrough, some of them drawn by lot, with the notation."""
    record = played(name)
    found = [position for position in replay(record) if position.turn is not None]
    for position in random.Random(name).sample(found, min(most, len(found))):
        yield GAMES[record.game].notation, position


def board(position: Position[Any]) -> Board:
    return {cell: mark for _, cells in position.diagram().rows for cell, mark in cells}


def reached(tree: Branch, before: Board, chosen: str = "") -> Iterator[tuple[str, Board]]:
    """Yield each turn with the board to which its steps lead."""
    text, now = chosen + tree.text, before | dict(tree.changes)
    if tree.is_whole:
        yield text, now
    assert tree.is_whole or tree.branches, "every way ends in a turn"
    assert len({branch.text for branch in tree.branches}) == len(tree.branches)
    for branch in tree.branches:
        assert branch.text.strip()
        yield from reached(branch, now, text)


@pytest.mark.parametrize("name", SOME_FIRST)
def test_the_ways_are_the_legal_turns_and_end_at_their_boards(name: str) -> None:
    looked_at = 0
    for notation, position in positions(name, 12):
        tree = turn_tree(notation, position, MANY)
        if tree is None:
            continue
        found = dict(reached(tree, board(position)))
        shown = list(notation.listed(position))
        assert found == {notation.format(move, position): board(position.play(move)) for move in shown}
        for text in list(found)[:20]:
            assert board(position.play(notation.parse(text))) == found[text]
        looked_at += 1
    assert looked_at > 3


@pytest.mark.parametrize("pack", quick_where(HEX.__eq__, [HEX, AMAZONS]), ids=lambda pack: pack.game.key)
def test_games_of_others_have_trees(pack: GamePack) -> None:
    """With swapping and passing, where they have that."""
    chance, position, seen = random.Random(1), pack.game.position({}), set()
    for _ in range(2):
        tree = turn_tree(pack.notation, position)
        assert tree is not None
        found = dict(reached(tree, board(position)))
        moves = list(position.moves())
        assert sorted(found) == sorted(pack.notation.format(move, position) for move in moves)
        for move in chance.sample(moves, min(20, len(moves))):
            assert found[pack.notation.format(move, position)] == board(position.play(move))
        seen |= {branch.text for branch in tree.branches if branch.cell is None}
        position = position.play(chance.choice(moves))
    assert seen == ({"swap"} if pack is HEX else set())


def test_no_turn_announces() -> None:
    game = GAMES["quadrupel"]
    for _, position in positions("quadrupel", 30):
        tree = turn_tree(game.notation, position)
        assert tree is not None
        assert not [text for text, _ in reached(tree, board(position)) if "quadrupel" in text]
