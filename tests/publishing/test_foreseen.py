"""What can be prepared by tapping: pairs of a legal turn of the opponent and a legal answer, and all of them."""

import random
from collections.abc import Iterator

import pytest

from notation.games import GAMES
from notation.record import replay
from notation.steps import Branch
from pbem.matches.condition_parsing import Conditions, read
from pbem.publishing.tap_board import MOST, foreseen_tree
from tests.cases import quick_where
from tests.diagrams import NAMES, played

FEW = 1_500


def texts(tree: Branch, chosen: str = "") -> Iterator[tuple[str, dict[str, str]]]:
    """Yield what the ways end in, each with the marks that it has changed."""
    changed: dict[str, str] = dict(tree.changes)
    if tree.is_whole:
        yield chosen + tree.text, changed
    for branch in tree.branches:
        yield from ((text, changed | more) for text, more in texts(branch, chosen + tree.text))


@pytest.mark.parametrize("name", quick_where(("quadrupel", "kvadratik", "hexaphages").__contains__, NAMES))
def test_the_pairs_are_conditions_that_can_be_prepared(name: str) -> None:
    record = played(name)
    notation, seen = GAMES[record.game].notation, 0
    found = [position for position in replay(record) if position.turn is not None]
    for position in random.Random(name).sample(found, 6):
        tree = foreseen_tree(notation, position, FEW)
        if tree is None:
            ends = [position.play(move).turn for move in notation.listed(position)]
            assert 1 - position.turn not in ends or len(ends) > MOST
            continue
        pairs = dict(texts(tree))
        if any(pair.endswith(" then") for pair in pairs):
            assert all(pair.endswith(" then") for pair in pairs)
            continue
        expected = {}
        for move in notation.listed(position):
            after = position.play(move)
            for answer in notation.listed(after) if after.turn == 1 - position.turn else ():
                pair = f"if {notation.format(move, position)} then {notation.format(answer, after)}"
                expected[pair] = after.play(answer)
        assert pairs.keys() == expected.keys()
        before = {cell: mark for _, cells in position.diagram().rows for cell, mark in cells}
        for pair in random.Random(1).sample(sorted(pairs), min(5, len(pairs))):
            end = {cell: mark for _, cells in expected[pair].diagram().rows for cell, mark in cells}
            assert before | pairs[pair] == end
            assert read(notation, position, 1 - position.turn, pair, Conditions()).lines
            seen += 1
    assert seen or record.game != "quadrupel"
