"""How early results can be proven: matches of the house against itself, and its proofs from the end backwards.

Run `make proofs`. docs/proofs.csv has a row for each game: how many matches with a winner were played, at LEVEL, how
many turns they had together, and before how many of these turns the win was proven, at every one from there to the end.
All chance comes from the game and the number of the match.
"""

import csv
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console
from rich.progress import track

from bench.arena import LONGEST, VARIANTS
from engines.search import choose, prove
from notation.games import GAMES
from pbem.features.house.claims import NODES
from pbem.features.house.protocol import seed

KEPT = Path(__file__).parent.parent / "docs" / "proofs.csv"
LEVEL, MATCHES = 4, 4
COLUMNS = ("game", "matches", "turns", "proven")


def played(game: str, options: Mapping[str, str], number: int) -> tuple[int, int] | None:
    """Return how many turns a match had, and before how many of the last ones its winner could prove the win.

    None if nobody won.
    """
    position = GAMES[game].game.position(options)
    positions = []
    while position.turn is not None and len(positions) < LONGEST:
        positions.append(position)
        position = position.play(choose(position, LEVEL, seed(number, len(positions))).turn)
    if position.outcome is None or position.outcome.winner is None:
        return None
    proven = 0
    for before in reversed(positions):
        if prove(before, position.outcome.winner, NODES, 1) is None:
            break
        proven += 1
    return len(positions), proven


def main() -> None:
    """Play the matches, and write the file."""
    every = [(game, options) for game, variants in VARIANTS.items() for options in variants]
    rows = []
    for game, options in track(every, console=Console(stderr=True)):
        found = [each for number in range(MATCHES) if (each := played(game, options, number)) is not None]
        name = " ".join((game, *(f"{option}={choice}" for option, choice in options.items())))
        rows.append((name, len(found), sum(turns for turns, _ in found), sum(proven for _, proven in found)))
    with KEPT.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows((COLUMNS, *sorted(rows)))


if __name__ == "__main__":
    main()
