"""One readable match for every game, played through to its end: read it to see what an engine does.

A file is written anew with PBEM_GOLDEN=write and then reviewed as a diff; here every file is played again,
move by move, and must come out the same to the letter.
"""

import hashlib
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engines import GAMES
from engines.core import Position
from notation import NOTATIONS
from notation.board import format_board

HERE = Path(__file__).parent
WRITE = os.environ.get("PBEM_GOLDEN") == "write"
SHOWN = 4
"""How many of the legal moves are shown; of all of them the number and a hash."""


def chosen_moves(game: str) -> list[str]:
    """The moves of a match in which every move is drawn by lot, the same whenever it is drawn."""
    chance = random.Random(game)
    notation, position = NOTATIONS[game], GAMES[game].position({})
    texts = []
    while position.turn is not None:
        text = chance.choice(sorted(notation.format(move, position) for move in position.moves()))
        texts.append(text)
        position = position.play(notation.parse(text))
        assert len(texts) < 1000, "the game does not end"
    return texts


def moves_in(playthrough: str) -> list[str]:
    """The moves that a file says were played."""
    return [line[8:] for line in playthrough.splitlines() if line.startswith("played: ")]


def play_through(game: str, texts: list[str]) -> str:
    """The file: what the game is, then every position and the move played there."""
    return "\n".join([*_facts(game), *_positions(game, texts)]) + "\n"


def _facts(game: str) -> Iterator[str]:
    rules = GAMES[game]
    yield f"game: {rules.key}"
    yield f"title: {rules.title}"
    yield f"sides: {rules.sides[0]} {rules.sides[1]}"
    for option in rules.options:
        yield f"option: {option.name}={'|'.join(option.choices)} ({option.help})"
    yield f"help: {NOTATIONS[game].help}"


def _positions(game: str, texts: list[str]) -> Iterator[str]:
    notation, position = NOTATIONS[game], GAMES[game].position({})
    for number, text in enumerate([*texts, None]):
        yield from ("", f"# position {number}", format_board(position.diagram()))
        yield from (f"note: {note}" for note in position.diagram().notes)
        yield f"lit: {' '.join(sorted(position.diagram().lit)) or '-'}"
        if text is None:
            yield from _end(position)
            return
        yield f"turn: {GAMES[game].sides[position.turn or 0]}"
        legal = sorted(notation.format(move, position) for move in position.moves())
        digest = hashlib.sha256("\n".join(legal).encode()).hexdigest()
        yield f"legal: {len(legal)}, {digest[:16]}"
        yield from (f"    {move}" for move in legal[:SHOWN])
        yield from ["    ..."] * (len(legal) > SHOWN)
        yield from (f"hint: {line}" for line in notation.hint(position).splitlines())
        yield f"played: {text}"
        position = position.play(notation.parse(text))


def _end(position: Position[Any]) -> Iterator[str]:
    outcome = position.outcome
    assert outcome is not None
    yield f"outcome: winner {outcome.winner}, {outcome.reason}"


@pytest.mark.parametrize("game", GAMES)
def test_the_playthrough_comes_out_the_same(game: str) -> None:
    path = HERE / f"{game}.txt"
    if WRITE:
        path.write_text(play_through(game, chosen_moves(game)), encoding="utf-8")
    assert path.exists(), f"{game} has no playthrough; write it with PBEM_GOLDEN=write"
    written = path.read_text(encoding="utf-8")

    assert play_through(game, moves_in(written)) == written


def test_every_playthrough_is_of_a_registered_game() -> None:
    assert {path.stem for path in HERE.glob("*.txt")} == set(GAMES)
