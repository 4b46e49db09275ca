"""The contract that every game fulfils, independent of its rules."""

import copy
import dataclasses
import itertools
import pickle
import random
from functools import cache
from itertools import product
from typing import Any

import pytest

from engines.core import BadOption, IllegalMove, Played, Position
from notation.board import format_board
from notation.core import BadNotation
from notation.games import GAMES
from notation.hints import format_hint
from pbem.features.all import FEATURES

WIDTH = 72
LONGEST = 20_000
MANY = 400
"""The maximum number of moves that are read and written; of more, a random sample is."""
ENOUGH = 100
"""The number of positions checked from the beginning of a match, and from its end."""
VERBS = {verb for name, command in FEATURES.commands.items() for verb in (name, *command.aliases)}


def options_of(game: str) -> list[dict[str, str]]:
    """Return every combination of the options of a game; a range of numbers stays at its default."""
    options = GAMES[game].game.options
    return [
        {option.name: choice for option, choice in zip(options, choices, strict=True)}
        for choices in product(*(o.choices if "..." not in o.spelled else o.choices[:1] for o in options))
    ]


@cache
def played(game: str, seed: int) -> list[tuple[Position[Any], Any]]:
    """Return a random match: positions with their moves (None at the end), without the middle of a long match.

    Consecutive seeds cover every combination of options.
    """
    chance = random.Random(seed)
    chosen = options_of(game)
    position = GAMES[game].game.position(chosen[seed % len(chosen)])
    match: list[tuple[Position[Any], Any]] = []
    while position.turn is not None:
        assert len(match) < LONGEST
        move = chance.choice(list(position.moves()))
        match.append((position, move))
        position = position.play(move)
    match.append((position, None))
    return match if len(match) <= 2 * ENOUGH else match[:ENOUGH] + match[-ENOUGH:]


SEEDS = [(game, seed) for game in GAMES for seed in range(max(3, len(options_of(game))))]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("game", "seed"), SEEDS)
def test_random_play_ends_with_an_outcome(game: str, seed: int) -> None:
    *before, (end, _) = played(game, seed)

    assert all(position.outcome is None for position, _ in before)
    assert end.outcome is not None
    assert end.outcome.winner in (0, 1, None)
    assert end.outcome.reason
    assert list(end.moves()) == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("game", "seed"), SEEDS)
def test_every_move_is_listed_once_and_there_is_one_until_the_game_is_over(game: str, seed: int) -> None:
    for position, move in played(game, seed):
        moves = list(position.moves())

        assert len(moves) == len(set(moves))
        assert bool(moves) == (move is not None) == (position.turn is not None)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("game", "seed"), SEEDS)
def test_playing_leaves_the_old_position_as_it_was(game: str, seed: int) -> None:
    for position, move in played(game, seed)[:-1]:
        before, number = copy.deepcopy(position), hash(position)
        after = position.play(move)

        assert position == before
        assert hash(position) == number == hash(before)
        assert after != position
        assert position.play(move) == after


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("game", "seed"), SEEDS)
def test_equal_positions_answer_equally(game: str, seed: int) -> None:
    """Comparisons include every field of a position, so it can't hide the last turn."""
    for position, _ in played(game, seed):
        assert dataclasses.is_dataclass(position)
        assert all(field.compare for field in dataclasses.fields(position))


@pytest.mark.parametrize(("game", "seed"), SEEDS)
def test_the_last_turn_changes_nothing_on_the_board(game: str, seed: int) -> None:
    match = played(game, seed)
    for (before, move), (after, _) in itertools.pairwise(match[:ENOUGH]):
        plain, drawn = after.diagram(), after.diagram(Played(before, move))
        names = {name for _, cells in drawn.rows for name, _ in cells}

        assert not plain.lit
        assert drawn.lit <= names
        assert drawn.rows == plain.rows


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("game", "seed"), SEEDS)
def test_parts_with_what_completes_them_are_the_legal_turns(game: str, seed: int) -> None:
    notation = GAMES[game].notation
    for position, _ in played(game, seed)[:12]:
        moves = [notation.format(move, position) for move in position.moves()]
        wholes = []
        for part in position.parts():
            after = position.play(part)
            text = notation.format(part, position)
            assert after.part == notation.parse(text) == part
            assert after.turn == position.turn
            assert list(after.parts()) == []
            wholes += [f"{text} {notation.format(move, after)}" for move in after.moves()]

        assert not wholes or sorted(wholes) == sorted(moves)


def test_a_position_survives_being_stored_in_bytes(game: str) -> None:
    for position, _ in played(game, 1):
        assert pickle.loads(pickle.dumps(position)) == position


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("game", "seed"), SEEDS)
def test_every_move_is_read_as_it_is_written_and_no_two_alike(game: str, seed: int) -> None:
    notation = GAMES[game].notation
    chance = random.Random(seed)
    for position, _ in played(game, seed)[:-1]:
        moves = list(position.moves())
        moves = moves if len(moves) <= MANY else chance.sample(moves, MANY)
        texts = [notation.format(move, position) for move in moves]

        assert [notation.parse(text) for text in texts] == moves
        assert len(texts) == len(set(texts))
        assert [notation.format(notation.parse(text), position) for text in texts] == texts


def test_a_match_that_is_over_takes_no_move(game: str) -> None:
    match = played(game, 2)
    end, (_, move) = match[-1][0], match[0]

    with pytest.raises(IllegalMove):
        end.play(move)


def test_the_diagram_shows_every_cell_once(game: str) -> None:
    for position, _ in played(game, 0):
        diagram = position.diagram()
        names = [name for _, cells in diagram.rows for name, _ in cells]

        assert len(names) == len(set(names))
        assert all(mark and " " not in mark for _, cells in diagram.rows for _, mark in cells)


@pytest.mark.sampled(19)
@pytest.mark.parametrize(("game", "seed"), SEEDS)
def test_every_board_with_its_notes_is_ascii_and_fits_into_a_mail(game: str, seed: int) -> None:
    match = played(game, seed)
    for (before, move), (after, _) in itertools.pairwise(match[:ENOUGH]):
        for line in format_board(after.diagram(Played(before, move)), lit=True, notes=True).splitlines():
            assert line.isascii()
            assert line == line.rstrip()
            assert len(line) <= WIDTH


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("game", "seed"), SEEDS)
def test_the_hint_shows_a_legal_move_and_keeps_to_its_width(game: str, seed: int) -> None:
    notation = GAMES[game].notation
    for position, move in played(game, seed):
        hint = format_hint(notation.hint(position))

        assert all(len(line) <= 70 for line in hint.splitlines())
        assert bool(hint) == (move is not None)
        for line in hint.splitlines():
            with pytest.raises(BadNotation):  # a quoted line must not be taken for a turn or a command
                notation.parse(line)
            assert line.split()[0].lower().rstrip(":!.") not in VERBS


def test_help_is_one_line_with_an_example(game: str) -> None:
    example = GAMES[game].notation.help.split(": ")[-1].strip('"')

    assert "\n" not in GAMES[game].notation.help
    assert GAMES[game].notation.parse(example)


def test_an_option_is_said_with_its_choices() -> None:
    with pytest.raises(BadOption, match=r"Quadrupel has no minimum=31; use minimum=10\.\.\.30"):
        GAMES["quadrupel"].game.position({"minimum": "31"})
    with pytest.raises(BadOption, match="first=x or first=o"):
        GAMES["quadraphages"].game.position({"first": "y"})
    with pytest.raises(BadOption, match="no option size"):
        GAMES["quadraphages"].game.position({"size": "9"})


def test_every_game_is_registered_under_its_key_and_has_a_notation() -> None:
    assert [game.key for game in GAMES.games()] == list(GAMES)
    assert set(GAMES) == set(GAMES)
