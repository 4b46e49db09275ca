"""The strength of the house: level against level, and against random and greedy players, in every game.

Run `make arena`. Each pair plays the same number of matches on both seats. A match is known by its game, its pair
and its number, and all chance comes from these. docs/arena.csv has a row for each pair in each game, with the sums of
its matches, so a further run plays only the matches that are missing. A match of more than LONGEST turns is drawn.

Points are wins plus half of the draws. Elo is 400 * log10(p / (1 - p)) for the share p of the points, with half a
point more on each side, so that it is finite. The error bars are the ends of Wilson's interval for p (95 %):
(p + z²/2n ± z * sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n) with z = 1.96. It is one-sided if a side won every match.
"""

import argparse
import csv
import random
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from itertools import islice
from math import log10, sqrt
from pathlib import Path
from time import process_time
from typing import Any, get_type_hints

from rich.console import Console
from rich.progress import track

from engines.core import Position
from engines.search import LEVELS, choose, uct
from engines.search.state import outlook, state_of
from notation.games import GAMES

KEPT = Path(__file__).parent.parent / "docs" / "arena.csv"
LONGEST = 200
Z = 1.96
VARIANTS: Mapping[str, Sequence[Mapping[str, str]]] = {
    "quadraphages": ({},),
    "hexaphages": ({},),
    "quadrature": ({},),
    "quadrupel": (
        {},
        {"variant": "added-value"},
        {"variant": "minimum-points"},
        {"variant": "maximum-points"},
        {"variant": "position"},
        {"variant": "combination"},
    ),
    "kvadratik": ({}, {"setup": "half"}, {"flip": "none"}),
}
"""The main variants of games; others are played with the choices that they begin with."""
UCT_AS = 3
"""The level whose budget of nodes the player `uct` has: the same search by random play that is used without states."""
PAIRS = (
    *(("0", "random"), ("1", "0"), ("5", "1"), ("5", "random"), ("5", "greedy"), ("2", "1"), ("3", "2"), ("4", "3")),
    *(("5", "4"), ("6", "5"), ("3", "uct")),
)


@dataclass(frozen=True, slots=True)
class Result:
    """What the matches of a pair in one game add up to. All figures are the first player's."""

    matches: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    plies: int = 0
    """of both players"""
    turns: int = 0
    seconds: float = 0.0
    """the CPU time of all turns"""
    slowest: float = 0.0
    """and of the slowest"""
    solved: int = 0
    """How many turns before the end the exact value was known."""

    def __add__(self, other: "Result") -> "Result":
        sums = {field.name: getattr(self, field.name) + getattr(other, field.name) for field in fields(self)}
        sums |= {"seconds": round(sums["seconds"], 2), "slowest": max(self.slowest, other.slowest)}
        return Result(**sums)


Pairing = tuple[str, str, str]
"""A game with its options, and a pair."""


def turn_of(player: str, position: Position[Any], seed: int) -> tuple[Any, bool]:
    """Return the turn that a player chooses (a level, `random`, `greedy` or `uct`), and whether its value is exact."""
    chance = random.Random(seed)
    if player == "random":
        return chance.choice(list(islice(position.moves(), 5_000))), False
    if player == "uct":
        state = state_of(position)
        choices, _, is_exact, _ = uct.search(state, LEVELS[UCT_AS].nodes, chance)
        return state.turn_of(choices), is_exact
    if player == "greedy":
        return greediest(position, chance), False
    found = choose(position, int(player), seed)
    return found.turn, found.is_solved


def greediest(position: Position[Any], chance: random.Random) -> Any:
    """Return the turn after which the position looks best, by the same estimate that the house uses."""
    seat, best, chosen = position.turn, -2.0, None
    turns = list(islice(position.moves(), 5_000))
    chance.shuffle(turns)
    for turn in turns:
        value = outlook(state_of(position.play(turn)), seat or 0)
        if value > best:
            best, chosen = value, turn
    return chosen


def played(game: str, player: str, opponent: str, number: int) -> Result:
    """Play one match; the first player has the first seat in matches of even number."""
    key, options = parsed(game)
    position, seat = GAMES[key].game.position(options), number % 2
    chance = random.Random(f"{game} {player} {opponent} {number}")
    plies, turns, seconds, slowest, known = 0, 0, 0.0, 0.0, -1
    while position.turn is not None and plies < LONGEST:
        began = process_time()
        turn, is_exact = turn_of(player if position.turn == seat else opponent, position, chance.getrandbits(32))
        if position.turn == seat:
            spent = process_time() - began
            turns, seconds, slowest = turns + 1, seconds + spent, max(slowest, spent)
            known = (plies if known < 0 else known) if is_exact else -1
        position = position.play(turn)
        plies += 1
    winner = position.outcome.winner if position.outcome else None
    won, drawn = winner == seat, winner is None
    solved = plies - known if known >= 0 and winner is not None else 0
    return Result(1, won, drawn, not won and not drawn, plies, turns, round(seconds, 2), round(slowest, 2), solved)


def name_of(key: str, options: Mapping[str, str]) -> str:
    """Return a game with its options in one string."""
    return " ".join([key, *(f"{name}={choice}" for name, choice in options.items())])


def all_games() -> list[str]:
    """Return every game that is offered, with the options of its main variants."""
    return [name_of(key, options) for key in GAMES for options in VARIANTS.get(key, ({},))]


def parsed(game: str) -> tuple[str, dict[str, str]]:
    """Return the key and the options of a game in one string."""
    key, *options = game.split()
    return key, dict(option.split("=") for option in options)


# Results -------------------------------------------------------------------------------------------


def kept(path: Path) -> dict[Pairing, Result]:
    """Return what was played before."""
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    kinds = get_type_hints(Result)
    return {
        (row["game"], row["player"], row["opponent"]): Result(**{name: kind(row[name]) for name, kind in kinds.items()})
        for row in rows
    }


def keep(path: Path, results: Mapping[Pairing, Result]) -> None:
    """Write the file anew, or leave it alone if that is interrupted."""
    draft = path.with_suffix(".new")
    with draft.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["game", "player", "opponent", *(field.name for field in fields(Result))])
        writer.writerows([*pairing, *astuple(result)] for pairing, result in results.items())
    draft.replace(path)


def elo(share: float) -> float:
    """Return the difference in Elo that a share of the points stands for.

    >>> round(elo(0.9)), round(elo(0.5))
    (382, 0)
    """
    return 400 * log10(share / (1 - share))


def interval(points: float, matches: int) -> tuple[float, float]:
    """Return Wilson's interval for the share of the points.

    >>> [round(end, 2) for end in interval(10, 10)]
    [0.72, 1.0]
    """
    share, spread = points / matches, Z * Z / matches
    half = Z * sqrt(share * (1 - share) / matches + spread / (4 * matches))
    return (share + spread / 2 - half) / (1 + spread), (share + spread / 2 + half) / (1 + spread)


def table(results: Mapping[Pairing, Result]) -> str:
    """Return the results as a table in Markdown: a row for each pair in all games together, then one in each game."""
    rows = [
        "| game | pair | matches | won | drawn | lost | Elo (95 %) | plies | CPU s a turn | slowest | solved |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    together: dict[Pairing, Result] = defaultdict(Result)
    for (_, *pair), result in results.items():
        together["all", pair[0], pair[1]] += result
    games = ["all", *dict.fromkeys(game for game, _, _ in results)]
    found = together | results
    rows += [row_of(game, pair, found[game, *pair]) for game in games for pair in PAIRS if (game, *pair) in found]
    return "\n".join(rows)


def row_of(game: str, pair: tuple[str, str], result: Result) -> str:
    """Return one row of the table."""
    matches, points = result.matches, result.won + result.drawn / 2
    low, high = (elo(min(max(end, 1e-6), 1 - 1e-6)) for end in interval(points, matches))
    share = (points + 0.5) / (matches + 1)
    bars = (
        f"{elo(share):+.0f} ({low:+.0f} to {high:+.0f})"
        if low > -2000 and high < 2000
        else (f"above {low:+.0f}" if high >= 2000 else f"below {high:+.0f}")
    )
    counts = f"{matches} | {result.won} | {result.drawn} | {result.lost}"
    turn = f"{result.seconds / max(result.turns, 1):.2f} | {result.slowest:.1f}"
    played = f"{result.plies / matches:.0f} | {turn} | {result.solved / matches:.0f}"
    return f"| {game} | {' : '.join(pair)} | {counts} | {bars} | {played} |"


def main() -> None:
    """Play what is missing, and write the table."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--matches", type=int, default=20, help="of each pair, half of them on each seat")
    arguments.add_argument("--game", default="", help="only games whose name and options contain this")
    arguments.add_argument("--add", action="append", default=[], help="the key of an installed game that isn't ours")
    arguments.add_argument("--pair", default="", help="only this pair, as 5:1")
    arguments.add_argument("--results", type=Path, default=KEPT, help="the file of results; the table is beside it")
    arguments.add_argument("--forget", action="store_true", help="first forget the matches of these games and pairs")
    chosen = arguments.parse_args()
    console = Console()
    GAMES.enable(chosen.add)
    games = all_games()
    if GAMES.missing:
        sys.exit("\n".join(GAMES.missing.values()))
    pairings = [
        (game, *pair) for game in games for pair in PAIRS if chosen.game in game and chosen.pair in ("", ":".join(pair))
    ]
    results = kept(chosen.results)
    if chosen.forget:
        for pairing in pairings:
            results.pop(pairing, None)
    todo = [
        (pairing, number)
        for number in range(chosen.matches)
        for pairing in pairings
        if number >= results.get(pairing, Result()).matches
    ]
    for pairing, number in track(todo, "playing", console=console):
        results[pairing] = results.get(pairing, Result()) + played(*pairing, number)
        keep(chosen.results, results)
    text, page = table(results), chosen.results.with_suffix(".md")
    before = page.read_text().split("| game |")[0] if page.exists() else ""
    page.write_text(f"{before}{text}\n")
    console.print(text, soft_wrap=True)


if __name__ == "__main__":
    main()
