"""What every game keeps to, whatever its rules."""

import copy
import pickle
import random
from typing import Any

import pytest

from engines import GAMES
from engines.core import BadOption, IllegalMove, Position
from notation import NOTATIONS
from notation.board import format_board
from notation.core import BadNotation
from pbem.commands import COMMANDS

VERBS = {verb for name, command in COMMANDS.items() for verb in (name, *command.aliases)}
LONGEST = 10_000
"""Who moves at random and seldom announces plays long matches of Quadrupel."""


def played(game: str, seed: int) -> list[tuple[Position[Any], Any]]:
    """A match played at random: the positions, each with its move (None at the end).

    The seeds take the choices of the first option one after the other, and the other options at random.
    """
    chance = random.Random(seed)
    rules = GAMES[game]
    chosen = {option.name: chance.choice(option.choices) for option in rules.options}
    for option in rules.options[:1]:
        chosen[option.name] = option.choices[seed % len(option.choices)]
    position = rules.position(chosen)
    match: list[tuple[Position[Any], Any]] = []
    while position.turn is not None:
        assert len(match) < LONGEST
        move = chance.choice(list(position.moves()))
        match.append((position, move))
        position = position.play(move)
    return [*match, (position, None)]


SEEDS = range(6)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_play_ends_with_an_outcome(game: str, seed: int) -> None:
    *before, (end, _) = played(game, seed)

    assert all(position.outcome is None for position, _ in before)
    assert end.outcome is not None
    assert end.outcome.winner in (0, 1, None)
    assert end.outcome.reason
    assert list(end.moves()) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_every_move_is_listed_once_and_there_is_one_until_the_game_is_over(game: str, seed: int) -> None:
    for position, move in played(game, seed):
        moves = list(position.moves())

        assert len(moves) == len(set(moves))
        assert bool(moves) == (move is not None) == (position.turn is not None)


@pytest.mark.parametrize("seed", SEEDS)
def test_playing_leaves_the_old_position_as_it_was(game: str, seed: int) -> None:
    for position, move in played(game, seed)[:-1]:
        before, number = copy.deepcopy(position), hash(position)
        after = position.play(move)

        assert position == before
        assert hash(position) == number == hash(before)
        assert after != position
        assert position.play(move) == after


def test_a_position_survives_being_stored_in_bytes(game: str) -> None:
    for position, _ in played(game, 1):
        assert pickle.loads(pickle.dumps(position)) == position


@pytest.mark.parametrize("seed", SEEDS)
def test_every_move_is_read_as_it_is_written_and_no_two_alike(game: str, seed: int) -> None:
    notation = NOTATIONS[game]
    for position, _ in played(game, seed)[:-1]:
        moves = list(position.moves())
        texts = [notation.format(move, position) for move in moves]

        assert [notation.parse(text) for text in texts] == moves
        assert len(texts) == len(set(texts))
        assert [notation.format(notation.parse(text), position) for text in texts] == texts


def test_a_match_that_is_over_takes_no_move(game: str) -> None:
    match = played(game, 2)
    end, (_, move) = match[-1][0], match[0]

    with pytest.raises(IllegalMove):
        end.play(move)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_diagram_shows_every_cell_once(game: str, seed: int) -> None:
    for position, _ in played(game, seed):
        diagram = position.diagram()
        names = [name for _, cells in diagram.rows for name, _ in cells]

        assert len(names) == len(set(names))
        assert diagram.lit <= set(names)
        assert all(len(mark.split()) == 1 for _, cells in diagram.rows for _, mark in cells)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_picture_with_all_that_is_said_beside_it_keeps_to_72_columns(game: str, seed: int) -> None:
    for position, _ in played(game, seed):
        picture = format_board(position.diagram(), lit=True, notes=True)

        assert picture.isascii()
        assert all(len(line) <= 72 for line in picture.splitlines())


@pytest.mark.parametrize("seed", SEEDS)
def test_the_hint_shows_a_legal_move_and_keeps_to_its_width(game: str, seed: int) -> None:
    notation = NOTATIONS[game]
    for position, move in played(game, seed):
        hint = notation.hint(position)

        assert all(len(line) <= 70 for line in hint.splitlines())
        assert bool(hint) == (move is not None)
        for line in hint.splitlines():  # a quoted line of it must not be taken for a turn or a command
            with pytest.raises(BadNotation):
                notation.parse(line)
            assert line.split()[0].lower().rstrip(":!.") not in VERBS


def test_help_is_one_line_with_an_example(game: str) -> None:
    example = NOTATIONS[game].help.split(": ")[-1]

    assert "\n" not in NOTATIONS[game].help
    assert NOTATIONS[game].parse(example)


def test_an_option_is_said_with_its_choices() -> None:
    with pytest.raises(BadOption, match=r"minimum=31 is not to be had in Quadrupel; write minimum=10\.\.\.30"):
        GAMES["quadrupel"].position({"minimum": "31"})
    with pytest.raises(BadOption, match="first=x or first=o"):
        GAMES["quadraphages"].position({"first": "y"})
    with pytest.raises(BadOption, match="no option size"):
        GAMES["quadraphages"].position({"size": "9"})


def test_every_game_is_registered_under_its_key_and_has_a_notation() -> None:
    assert {key: game.key for key, game in GAMES.items()} == {key: key for key in GAMES}
    assert set(NOTATIONS) == set(GAMES)
