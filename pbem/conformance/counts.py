"""The numbers of legal turns at each depth, in a file, and as the author's brute force counts them.

A file is a list of blocks: `id` is a name, `position` has the options and, after semicolons, the turns that lead to it,
and `perft 2 6659` is the number of lines of two turns. Lines that end with the game before that depth don't count.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

from engines.core import Position
from notation.games import GamePack
from pbem.conformance.samples import options_at, played, require, seeds

LARGEST = 20_000
"""Larger numbers aren't counted."""
CHEAP = 1_000
"""The largest number that the brute force counts."""
MATCHES, TURNS = 6, 60
"""In how many random matches it is compared with the engine, and for how many turns."""


class BruteState(Protocol):
    """A state of the author's brute force: the game once more, plainly, with nothing from the engine."""

    def after(self) -> Mapping[str, Self]:
        """Return each legal turn, as it is written, and the state after it; nothing at the end."""


Brute = Callable[[Mapping[str, str]], BruteState]
"""Begins a match with those options, every option among them."""


@dataclass(frozen=True)
class Block:
    """A position and its numbers for depth 1, 2 and so on."""

    game: str
    id: str
    options: dict[str, str]
    turns: tuple[str, ...]
    nodes: tuple[int, ...]


def read(path: Path) -> list[Block]:
    found = []
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        lines = [line.partition(" ")[::2] for line in block.splitlines() if not line.startswith("#")]
        words = dict(lines)
        if "id" in words:
            chosen, *turns = words["position"].split("; ")
            nodes = tuple(int(rest.split()[1]) for word, rest in lines if word == "perft")
            options = dict(pair.split("=") for pair in chosen.split())
            found.append(Block(path.stem, words["id"], options, tuple(turns), nodes))
    return found


def counts(here: Position[Any], depth: int) -> list[int]:
    """Return the numbers of lines of 1, 2, ... turns; the moves of the last turn are only listed."""
    moves = list(here.moves())
    if depth == 1:
        return [len(moves)]
    below = [counts(here.play(move), depth - 1) for move in moves]
    return [len(moves), *(map(sum, zip(*below, strict=True)) if below else [0] * (depth - 1))]


def turns_are_counted(pack: GamePack, path: Path) -> None:
    """The engine counts as many turns as the perft file says, which reaches the ends of matches."""
    blocks = read(path)
    require(blocks, f"{path.name} has no blocks.")
    require(any(0 in block.nodes for block in blocks), f"{path.name} has no position after which nobody can move.")
    for block in blocks:
        position = pack.game.position(block.options)
        for text in block.turns:
            position = position.play(pack.notation.parse(text))
        wanted = [number for number in block.nodes if number <= LARGEST]
        found = counts(position, len(wanted)) if wanted else []
        require(found == wanted, f"{block.id}: the engine counts {found} turns, and {path.name} says {wanted}.")


def the_brute_force_agrees(pack: GamePack, brute: Brute, path: Path | None = None) -> None:
    """The brute force has the same turns as the engine in random matches, and counts what the perft file says."""
    for seed in seeds(pack)[:MATCHES]:
        match = played(pack, seed)
        state, expected = brute(options_at(pack.game, seed)), match[0].position
        for number, (position, move) in enumerate(match[:TURNS], start=1):
            if position != expected:
                break  # the middle of a long match is left out
            here, there = {pack.notation.format(each, position) for each in position.moves()}, state.after()
            for who, texts in (("the engine", here - there.keys()), ("the brute force", there.keys() - here)):
                require(not texts, f"Turn {number} of a random match: only {who} has {min(texts, default='')}.")
            if move is not None:
                state, expected = there[pack.notation.format(move, position)], position.play(move)
    for block in read(path) if path else ():
        state = brute(pack.game.chosen(block.options))
        for text in block.turns:
            state = state.after()[text]
        for depth, nodes in enumerate(block.nodes, start=1):
            if nodes <= CHEAP:
                found = _count(state, depth)
                said = f"{block.id}: the brute force counts {found} lines of {depth} turns, not {nodes}."
                require(found == nodes, said)


def _count(state: BruteState, depth: int) -> int:
    after = state.after()
    return len(after) if depth == 1 else sum(_count(each, depth - 1) for each in after.values())
