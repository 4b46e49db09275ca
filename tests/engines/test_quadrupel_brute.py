"""Quadrupel: `play` accepts and `moves` lists the same turns as the brute force, with all options."""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest

from engines.quadrupel import Dots, Move, Ones, QuadrupelPosition, Turn
from engines.quadrupel.board import FIGURES, NAMES
from engines.quadrupel.variant import Stone
from engines.special import Special
from notation.games import GAMES
from tests.cases import SEEDS, quick_where
from tests.engines import brute_quadrupel as brute
from tests.engines.legal import accepts

QUADRUPEL = GAMES["quadrupel"].game
NOTATION = GAMES["quadrupel"].notation
SETTINGS = [
    {"variant": variant, "minimum": minimum, "zone2": zone2, "announce": announce}
    for variant, minimum, zone2, announce in product(
        ("basic", "added-value", "minimum-points", "maximum-points", "position", "combination"),
        ("20", "10", "25"),
        ("place", "ban"),
        ("strict", "auto"),
    )
    if (variant == "minimum-points" or minimum == "20") and (variant == "position" or zone2 == "place")
]
"""Every variant with its relevant options, strict and auto."""
FIGURE_SQUARES = [{brute.square(name) for name in figure.squares} for figure in FIGURES.values()]


def named(setting: dict[str, str]) -> str:
    return "-".join(setting.values())


def is_usual(setting: dict[str, str]) -> bool:
    return setting in (SETTINGS[1], *(each for each in SETTINGS if each["variant"] == "combination"))


def missing(places: set[brute.Square]) -> int:
    """Return how many stones the nearest figure lacks."""
    return min(len(figure - places) for figure in FIGURE_SQUARES)


Ply = tuple[QuadrupelPosition, str, dict[str, brute.State]]
"""A position, the turn played there, and every turn with the state after it according to the brute force."""


def start(options: dict[str, str]) -> tuple[QuadrupelPosition, brute.State]:
    """Return the beginning of a match."""
    position = QUADRUPEL.position(options)
    assert isinstance(position, QuadrupelPosition)
    return position, brute.State(options)


def on_the_brink(options: dict[str, str], chance: random.Random) -> tuple[QuadrupelPosition, brute.State]:
    """Return an invented position in which both sides need one more stone for a figure."""
    position, state = start(options)
    while True:
        both = [set(figure) for figure in chance.sample(FIGURE_SQUARES, 2)]
        for places in both:
            places.remove(chance.choice(sorted(places)))
        free = sorted(set(map(brute.square, NAMES)) - both[0] - both[1])
        for places, away in zip(both, chance.sample(free, 2), strict=True):
            places.add(away)
        if not both[0] & both[1]:
            break
    dots = {"position": [1, 1, 0, 0]}.get(options.get("variant"), [0, 0, 0, 0])
    dots = [1, 2, 3, 4] if options.get("variant") in brute.DOTTED else dots
    for seat, places in enumerate(both):
        chance.shuffle(dots)
        state.stones[seat] = dict(zip(sorted(places), dots, strict=True))
        state.ready[seat] = True
    sides = [tuple(sorted(Stone(NAMES.index(brute.name(p)), d) for p, d in side.items())) for side in state.stones]
    return replace(position, stones=(sides[0], sides[1])), state


def match(options: dict[str, str], seed: int, *, longest: int = 60, brink: bool = False) -> Iterator[Ply]:
    """Yield a match of two players who aim for figures; every fourth time, of two who go back and forth."""
    chance = random.Random(seed)
    position, state = on_the_brink(options, chance) if brink else start(options)
    for _ in range(longest):
        turns = dict(state.turns())
        if not turns:
            break
        text = chosen(chance, state, turns, shuttling=seed % 4 == 3)
        yield position, text, turns
        position, state = position.play(NOTATION.parse(text)), turns[text]
    yield position, "", {}


def chosen(chance: random.Random, state: brute.State, turns: dict[str, brute.State], *, shuttling: bool) -> str:
    """Return the turn that such a player chooses."""
    texts = sorted(turns)
    last = state.done[state.seat][-1:]
    back = "".join(map(brute.name, last[0][::-1])) if last else ""
    if shuttling and back in turns and chance.random() < 0.9:
        return back
    announcing = [text for text in texts if text.endswith("quadrupel")]
    if announcing and chance.random() < 0.7:
        return chance.choice(announcing)
    near = min(missing(set(then.stones[state.seat])) for then in turns.values())
    nearest = [text for text in texts if missing(set(turns[text].stones[state.seat])) == near]
    return chance.choice(texts if chance.random() < 0.3 else nearest)


@pytest.mark.parametrize("setting", quick_where(is_usual, SETTINGS), ids=named)
def test_moves_are_what_the_brute_force_finds(setting: dict[str, str]) -> None:
    for seed in (0, 3):
        agree(match(setting, seed, longest=12))
    for seed in range(4):
        agree(match(setting, seed, longest=8, brink=True))


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS, ids=named)
def test_moves_are_what_the_brute_force_finds_in_many_matches(setting: dict[str, str]) -> None:
    agree(match(setting, 100, longest=400))
    for seed in range(100, 100 + 20 * SEEDS):
        agree(match(setting, seed, longest=12, brink=True))


def agree(plies: Iterator[Ply]) -> None:
    """Compare the turns of every position of a match, and the states after them."""
    for position, text, turns in plies:
        if not text and position.turn is not None:
            return  # the match was left before its end
        moves = {NOTATION.format(move, position): move for move in position.moves()}

        assert sorted(moves) == sorted(turns)
        for name, move in moves.items():
            after, then = position.play(move), turns[name]
            assert (after.turn is None) == then.over
            assert after.turn is None or after.turn == then.seat
            assert after.outcome is None or after.outcome.winner == then.winner
            shown = {NAMES[cell]: dots for side in after.stones for cell, dots in side}
            assert {brute.name(place): dots for side in then.stones for place, dots in side.items()} == shown


@pytest.mark.parametrize("setting", quick_where(lambda setting: setting == SETTINGS[-1], SETTINGS), ids=named)
def test_play_accepts_exactly_what_moves_lists(setting: dict[str, str]) -> None:
    """For every turn and set-up that can be written. With announce=auto, the announcement is optional."""
    spellable: list[Move] = [Special.SWAP]
    spellable += [Turn(a, b, announced=said) for a in NAMES for b in NAMES for said in (False, True)]
    spellable += [Dots(dots) for dots in product((1, 2, 3, 4), repeat=4)]
    spellable += [Ones(pair) for pair in product(NAMES[:24], repeat=2) if list(pair) == sorted(pair, key=NAMES.index)]
    positions = [position for position, _, turns in match(setting, 5) if turns]
    for position in (*positions[:3], *positions[-3:]):
        legal = set(position.moves())
        if position.auto:
            legal |= set(replace(position, auto=False).moves())

        assert {move for move in spellable if accepts(position, move)} == legal
