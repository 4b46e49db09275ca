"""One readable match for every game and variant, played to its end: read it to see what an engine does.

A match is named after its game and options, `quadrupel` or `quadrupel-announce-auto`. PBEM_GOLDEN=write rewrites the
files, to be reviewed as a diff. Otherwise, every file is replayed move by move and must stay exactly the same.
"""

import hashlib
import os
import random
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from engines.diagram import Diagram
from notation.board import format_board
from notation.games import GAMES
from notation.hints import format_hint
from notation.record import Record, diagrams
from tests.playthroughs.matches import MATCHES

HERE = Path(__file__).parent
WRITE = os.environ.get("PBEM_GOLDEN") == "write"
READABLE = 60
"""The maximum number of turns of a match."""
EVERY = 5
"""Every fifth position is shown; of each, the number of legal turns and a hash of all that could be shown."""
SHOWN = 4
"""The number of legal turns shown."""


def chosen_moves(name: str) -> list[str]:
    """Return the moves of a random match, the same on every call.

    In games that can take hundreds of turns, it is the first match that is short enough to be read.
    """
    draws = (_drawn(name, random.Random(seed)) for seed in [name, *(f"{name} {again}" for again in range(1000))])
    return next(texts for texts in draws if texts)


def _drawn(name: str, chance: random.Random) -> list[str]:
    """Return the moves of a random match; none if it gets too long."""
    game, options = MATCHES[name]
    notation, position = GAMES[game].notation, GAMES[game].game.position(options)
    texts: list[str] = []
    while position.turn is not None:
        if len(texts) == READABLE:
            return []
        text = chance.choice(sorted(notation.format(move, position) for move in position.moves()))
        texts.append(text)
        position = position.play(notation.parse(text))
    return texts


def moves_in(playthrough: str) -> list[str]:
    """Return the moves in a playthrough."""
    return [line[8:] for line in playthrough.splitlines() if line.startswith("played: ")]


def play_through(name: str, texts: list[str]) -> str:
    """Return the content of the file: facts about the game, then the positions and every move."""
    game, options = MATCHES[name]
    return "\n".join([*_facts(game, options), *_positions(game, options, texts)]) + "\n"


def _facts(game: str, options: Mapping[str, str]) -> Iterator[str]:
    rules = GAMES[game].game
    yield f"game: {rules.key}"
    yield f"title: {rules.title}"
    yield f"sides: {rules.sides[0]} {rules.sides[1]}"
    for option in rules.options:
        yield f"option: {option.name}={option.spelled} ({option.help})"
    yield f"help: {GAMES[game].notation.help}"
    yield from (f"chosen: {option}={choice}" for option, choice in options.items())


def _positions(game: str, options: Mapping[str, str], texts: list[str]) -> Iterator[str]:
    notation, position = GAMES[game].notation, GAMES[game].game.position(options)
    boards = diagrams(Record(game, options, GAMES[game].game.sides, tuple(texts)))
    for number, text in enumerate(texts):
        legal = sorted(notation.format(move, position) for move in position.moves())
        hint = format_hint(notation.hint(position)).splitlines()
        shown = [*_board(boards[number]), *(f"    {move}" for move in legal), *(f"hint: {line}" for line in hint)]
        digest = hashlib.sha256("\n".join(shown).encode()).hexdigest()
        if number % EVERY == 0:
            yield from ("", *_board(boards[number]), *(f"    {move}" for move in legal[:SHOWN]))
            yield from ["    ..."] * (len(legal) > SHOWN)
            yield from (f"hint: {line}" for line in hint)
        yield f"# {number}: {GAMES[game].game.sides[position.turn or 0]}, {len(legal)} legal turns, {digest[:16]}"
        yield f"played: {text}"
        position = position.play(notation.parse(text))
    assert position.outcome is not None
    yield from ("", *_board(boards[-1]), f"outcome: winner {position.outcome.winner}, {position.outcome.reason}")


def _board(board: Diagram) -> Iterator[str]:
    yield format_board(board)
    yield from (f"note: {note}" for note in board.notes)
    yield f"lit: {' '.join(sorted(board.lit)) or '-'}"
    yield f"left: {' '.join(sorted(board.left)) or '-'}"
    yield from filter(None, (board.told,))


@pytest.mark.golden
@pytest.mark.parametrize("name", MATCHES)
def test_the_playthrough_comes_out_the_same(name: str) -> None:
    path = HERE / f"{name}.txt"
    if WRITE:
        path.write_text(play_through(name, chosen_moves(name)), encoding="utf-8")
    assert path.exists(), f"{name} has no playthrough; write it with PBEM_GOLDEN=write"
    written = path.read_text(encoding="utf-8")

    assert play_through(name, moves_in(written)) == written


def test_every_playthrough_is_of_a_registered_game() -> None:
    assert {path.stem for path in HERE.glob("*.txt")} == set(MATCHES)
