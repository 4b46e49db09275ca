"""The boards of the playthroughs: every game and variant, from the first position to the last."""

from functools import cache
from pathlib import Path
from typing import Any

from engines.core import Played, Position
from engines.diagram import Diagram
from notation import record
from notation.games import GAMES
from notation.record import Record

PLAYTHROUGHS = tuple(sorted((Path(__file__).parent / "playthroughs").glob("*.txt")))
NAMES = tuple(path.stem for path in PLAYTHROUGHS)


def diagram_after(game: str, position: Position[Any], text: str) -> Diagram:
    """Return the board after a turn, with that turn highlighted."""
    move = GAMES[game].notation.parse(text)
    return position.play(move).diagram(Played(position, move))


def played(name: str) -> Record:
    """Return the playthrough of that name."""
    lines = (Path(__file__).parent / "playthroughs" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    game = lines[0].removeprefix("game: ")
    chosen = dict(line.removeprefix("chosen: ").split("=") for line in lines if line.startswith("chosen: "))
    turns = tuple(line.removeprefix("played: ") for line in lines if line.startswith("played: "))
    return Record(game, chosen, GAMES[game].game.sides, turns)


@cache
def diagrams(name: str) -> tuple[Diagram, ...]:
    """Return the boards of the playthrough of that name."""
    return record.diagrams(played(name))
