"""The boards of the playthroughs: every game and variant, from the first position to the last."""

from functools import cache
from pathlib import Path

from engines import GAMES
from engines.diagram import Diagram
from notation import NOTATIONS

PLAYTHROUGHS = tuple(sorted((Path(__file__).parent / "playthroughs").glob("*.txt")))
NAMES = tuple(path.stem for path in PLAYTHROUGHS)


@cache
def diagrams(name: str) -> tuple[Diagram, ...]:
    """The boards of the playthrough of that name."""
    lines = (Path(__file__).parent / "playthroughs" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    game = lines[0].removeprefix("game: ")
    chosen = dict(line.removeprefix("chosen: ").split("=") for line in lines if line.startswith("chosen: "))
    position = GAMES[game].position(chosen)
    drawn = [position.diagram()]
    for line in lines:
        if line.startswith("played: "):
            position = position.play(NOTATIONS[game].parse(line.removeprefix("played: ")))
            drawn.append(position.diagram())
    return tuple(drawn)
