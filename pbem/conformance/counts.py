"""The numbers of legal turns at each depth, in a file, and as the author's brute force counts them.

A file is a list of blocks, with an empty line between them. `id` is a name, `position` has the options that aren't the
default and the turns that lead to it, all separated by semicolons: `position size=9 swap=no; a1; b2`, `position a1`, or
`position` alone. `perft 2 6659` is the number of lines of two turns; lines that end with the game before that depth
don't count. `results 2 5 0 1` says how many lines of at most two turns the first side wins, the second wins, and are
drawn. A line that starts with # is a remark.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self

from engines.core import Position
from notation.games import GamePack
from pbem.conformance import Nonconforming, require
from pbem.conformance.samples import options_at, played, seeds

LARGEST = 20_000
CHEAP = 1_000
"""The largest number that the brute force counts."""
MATCHES, TURNS = 6, 60
"""In how many random matches it is compared with the engine, and for how many turns."""


class BruteState(Protocol):
    """A state of the author's brute force: the game once more, plainly, with nothing from the engine.

    If it has an attribute or method `winner` (the seat that has won at the end, None for a draw), that is compared too.
    """

    def after(self) -> Mapping[str, Self]:
        """Return each legal turn, as it is written, and the state after it; nothing at the end."""


ENDS = {0: (1, 0, 0), 1: (0, 1, 0), None: (0, 0, 1)}
"""What a line counts for, by its winner."""
Brute = Callable[[Mapping[str, str]], BruteState]
"""Begins a match with those options, every option among them."""


@dataclass(frozen=True)
class Block:
    game: str
    id: str
    options: dict[str, str]
    turns: tuple[str, ...]
    nodes: tuple[int, ...]
    results: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """By depth, how many lines of at most so many turns the first side wins, the second wins, and are drawn."""


def read(path: Path) -> list[Block]:
    blocks = []
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        lines = [line.partition(" ")[::2] for line in block.splitlines() if not line.startswith("#")]
        words = dict(lines)
        if "id" in words:
            try:
                blocks.append(_block(path.stem, words, lines))
            except (IndexError, KeyError, ValueError) as error:
                raise Nonconforming(f"The block {words['id']} of {path.name} can't be read: {error!r}.") from error
    return blocks


def _block(game: str, words: Mapping[str, str], lines: list[tuple[str, str]]) -> Block:
    chosen, *turns = (piece.strip() for piece in words["position"].split(";"))
    if chosen and "=" not in chosen:
        chosen, turns = "", [chosen, *turns]
    options = {name: choice for name, _, choice in (pair.partition("=") for pair in chosen.split())}
    numbers = [(word, tuple(map(int, rest.split()))) for word, rest in lines if word in ("perft", "results")]
    nodes = tuple(number[1] for word, number in numbers if word == "perft")
    results = {depth: tuple(ends) for word, (depth, *ends) in numbers if word == "results"}
    return Block(game, words["id"], options, tuple(turns), nodes, results)


def counts(here: Position[Any], depth: int) -> list[int]:
    """Return the numbers of lines of 1, 2, ... turns; the moves of the last turn are only listed."""
    moves = list(here.moves())
    if depth == 1:
        return [len(moves)]
    below = [counts(here.play(move), depth - 1) for move in moves]
    return [len(moves), *(map(sum, zip(*below, strict=True)) if below else [0] * (depth - 1))]


def results(here: Position[Any], depth: int) -> tuple[int, ...]:
    """Return how many lines of at most that many turns the first side wins, the second wins, and are drawn."""
    if here.turn is None:
        return ENDS[here.outcome.winner if here.outcome else None]
    return _sum(results(here.play(move), depth - 1) for move in here.moves()) if depth else (0, 0, 0)


def _sum(counts: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(map(sum, zip((0, 0, 0), *counts, strict=True)))


def turns_are_counted(pack: GamePack, path: Path) -> None:
    """The engine counts as many turns as the perft file says, which reaches the ends of matches."""
    blocks = read(path)
    require(blocks, f"{path.name} has no blocks.")
    require(any(0 in block.nodes for block in blocks), f"{path.name} has no position after which nobody can move.")
    for block in blocks:
        position = pack.game.position(block.options)
        for text in block.turns:
            position = position.play(pack.notation.parse(text))
        expected = [number for number in block.nodes if number <= LARGEST]
        actual = counts(position, len(expected)) if expected else []
        require(actual == expected, f"{block.id}: the engine counts {actual} turns, and {path.name} says {expected}.")
        for depth, ends in block.results.items():
            counted = results(position, depth)
            claim = f"{block.id}: {path.name} says that {ends} lines of {depth} turns are won by each side and drawn"
            require(counted == ends, f"{claim}, and the engine counts {counted}.")


def the_brute_force_agrees(pack: GamePack, brute: Brute, path: Path | None = None) -> None:
    """The brute force has the same turns as the engine in random matches, and counts what the perft file says."""
    for seed in seeds(pack)[:MATCHES]:
        match = played(pack, seed)
        state, expected = brute(options_at(pack.game, seed)), match[0].position
        for number, (position, move) in enumerate(match[:TURNS], start=1):
            if position != expected:
                break  # the middle of a long match is left out
            here, there = {pack.notation.format(turn, position) for turn in position.moves()}, state.after()
            for who, texts in (("the engine", here - there.keys()), ("the brute force", there.keys() - here)):
                require(not texts, f"Turn {number} of a random match: only {who} has {min(texts, default='')}.")
            if move is not None:
                state, expected = there[pack.notation.format(move, position)], position.play(move)
        if expected.outcome is not None and hasattr(state, "winner"):
            ours, theirs = expected.outcome.winner, _winner(state)
            sentence = f"A random match is won by {ours!r}, says the engine; by {theirs!r}, says the brute force."
            require(ours == theirs, sentence)
    for block in read(path) if path else ():
        state = brute(pack.game.chosen(block.options))
        for text in block.turns:
            state = state.after()[text]
        for depth, nodes in enumerate(block.nodes, start=1):
            if nodes <= CHEAP:
                number = _count(state, depth)
                sentence = f"{block.id}: the brute force counts {number} lines of {depth} turns, not {nodes}."
                require(number == nodes, sentence)
        for depth, ends in block.results.items() if hasattr(state, "winner") else ():
            counted = _results(state, depth)
            claim = f"{block.id}: the brute force has {counted} lines of {depth} turns won by each side and drawn"
            require(counted == ends, f"{claim}, not {ends}.")


def _winner(state: BruteState) -> Any:
    winner = getattr(state, "winner", None)
    return winner() if callable(winner) else winner


def _results(state: BruteState, depth: int) -> tuple[int, ...]:
    after = state.after()
    if not after:
        return ENDS[_winner(state)]
    return _sum(_results(state, depth - 1) for state in after.values()) if depth else (0, 0, 0)


def _count(state: BruteState, depth: int) -> int:
    after = state.after()
    return len(after) if depth == 1 else sum(_count(state, depth - 1) for state in after.values())
