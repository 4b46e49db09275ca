"""Random matches of a game, at whose positions the checks look."""

import random
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

from engines.core import Game, IllegalMove, Position
from notation.games import GamePack
from pbem.conformance import Nonconforming, require

LONGEST = 20_000
ENOUGH = 100
"""How many positions are kept from the beginning of a match, and from its end."""
MOST_CHOICES = 24
"""The most combinations of options that are played; of more, evenly spread ones."""
LEAST_MATCHES = 3


class Sample(NamedTuple):
    """A position of a random match, and the turn that was played there; None at the end."""

    position: Position[Any]
    move: Any


def options_of(game: Game) -> list[dict[str, str]]:
    """Return every combination of the options of a game; a range of numbers stays at its default."""
    return [
        {option.name: choice for option, choice in zip(game.options, choices, strict=True)}
        for choices in product(*(o.choices if "..." not in o.spelled else o.choices[:1] for o in game.options))
    ]


def options_at(game: Game, seed: int) -> dict[str, str]:
    """Return the options of the random match with that seed: consecutive ones cover every combination."""
    chosen = options_of(game)
    return chosen[seed % len(chosen)]


@lru_cache(maxsize=256)
def played(pack: GamePack, seed: int) -> tuple[Sample, ...]:
    """Return a random match, without the middle if it is long."""
    chance = random.Random(seed)  # noqa: S311 - the same match on every call
    position = pack.game.position(options_at(pack.game, seed))
    match: list[Sample] = []
    while position.turn is not None:
        require(len(match) < LONGEST, f"A random match has no end after {LONGEST:,} turns.")
        moves = list(position.moves())
        require(moves, f"After {len(match)} random turns the match isn't over, but moves() is empty.")
        move = chance.choice(moves)
        match.append(Sample(position, move))
        try:
            position = position.play(move)
        except IllegalMove as refusal:
            text = pack.notation.format(move, position)
            raise Nonconforming(f"moves() lists {text}, but play refuses it: {refusal}.") from refusal
    match.append(Sample(position, None))
    return tuple(match if len(match) <= 2 * ENOUGH else match[:ENOUGH] + match[-ENOUGH:])


def seeds(pack: GamePack, seed: int = 0) -> list[int]:
    """Return the seeds of a random match for each combination of options, and of at least three."""
    every = len(options_of(pack.game))
    number = max(LEAST_MATCHES, min(every, MOST_CHOICES))
    first = seed * max(LEAST_MATCHES, every)
    return [first + (match * every // number if every > number else match) for match in range(number)]


def matches(pack: GamePack, seed: int = 0) -> Iterator[tuple[Sample, ...]]:
    return (played(pack, number) for number in seeds(pack, seed))


def samples(pack: GamePack, number: int, seed: int = 0) -> list[Sample]:
    """Return that many positions in which somebody is to move, evenly spread over the random matches."""
    every = [sample for match in matches(pack, seed) for sample in match if sample.move is not None]
    return [every[index * len(every) // number] for index in range(min(number, len(every)))]


def some_moves(pack: GamePack, position: Position[Any], number: int) -> list[Any]:
    """Return the legal moves of a position; of many, evenly spread ones."""
    moves = list(position.moves())
    return [moves[index * len(moves) // number] for index in range(number)] if len(moves) > number else moves
