"""What any opponent should see: a win in one, a loss in two, and the exact value where little is left to play."""

from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any

import pytest

from engines.core import Position, Seat
from engines.search import at_random, choose
from notation.games import GAMES
from tests.cases import quick_where
from tests.variants import VARIANTS, is_plain

SEEING = 3
"""A level that looks at the opponent's replies in every game."""
MOST_TURNS = 400
MOST_PLIES = 150
DEEPEST = 12
ENDED_BY_THE_WINNER = [
    (game, options) for game, options in VARIANTS if options.get("variant") not in ("added-value", "combination")
]
"""The variants without extra turns, in which as a rule the loser plays last."""


@cache
def weak_match(game: str, options: tuple[tuple[str, str], ...], seed: int) -> list[Position[Any]]:
    """Return the positions of a match between players of level 1, up to its end or to MOST_PLIES."""
    positions = [GAMES[game].game.position(dict(options))]
    while positions[-1].turn is not None and len(positions) < MOST_PLIES:
        positions.append(positions[-1].play(choose(positions[-1], 1, seed * 1_000 + len(positions)).turn))
    return positions


def winning(position: Position[Any], seat: Seat) -> bool:
    """Return whether the seat has won here."""
    return position.outcome is not None and position.outcome.winner == seat


def ends(game: str, options: dict[str, str], plies: int) -> Iterator[tuple[Position[Any], Seat]]:
    """Yield positions so many turns before the end of matches that were won, with the winner."""
    for seed in range(20):
        positions = weak_match(game, tuple(options.items()), seed)
        outcome = positions[-1].outcome
        if outcome is not None and outcome.winner is not None and len(positions) > plies:
            yield positions[-1 - plies], outcome.winner


@pytest.mark.parametrize(("game", "options"), quick_where(is_plain, ENDED_BY_THE_WINNER))
def test_a_win_in_one_is_found(game: str, options: dict[str, str]) -> None:
    positions = ((position, winner) for position, winner in ends(game, options, 1) if position.turn == winner)
    tried = list(islice(positions, 2))
    assert tried
    for position, winner in tried:
        found = choose(position, SEEING, 1, careful=True)
        assert winning(position.play(found.turn), winner)
        assert found.is_solved
        assert found.value > 0.99


@pytest.mark.parametrize(
    "game", quick_where(lambda game: game == "quadrupel", ["quadrupel", "quadrature", "kvadratik"])
)
def test_a_loss_in_two_is_avoided(game: str) -> None:
    """Where some turns would lose at once and others wouldn't, the house plays one of the others.

    The phages have no such turns: there the side with more room to move wins bit by bit.
    """
    seen = 0
    for position, winner in ends(game, {}, 4):
        if position.turn == winner:
            continue
        turns = list(islice(position.moves(), 50))
        losing = [turn for turn in turns if loses_at_once(position.play(turn), winner)]
        if losing and len(losing) < len(turns):
            found = choose(position, SEEING, 1, careful=True)
            assert not loses_at_once(position.play(found.turn), winner)
            seen += 1
            if seen == 2:
                return
    assert seen, "no match had such a position"


def loses_at_once(position: Position[Any], winner: Seat) -> bool:
    """Return whether that seat has won here or can with its next turn."""
    turns = islice(position.moves(), MOST_TURNS)
    return winning(position, winner) or any(winning(position.play(turn), winner) for turn in turns)


def brute(position: Position[Any], seat: Seat, left: list[int], depth: int = 0) -> int:
    """Return the value for a seat by trying every turn; raise OverflowError if there are too many."""
    if position.turn is None:
        winner = position.outcome.winner if position.outcome else None
        return 0 if winner is None else 1 if winner == seat else -1
    values = []
    for turn in position.moves():
        left[0] -= 1
        if left[0] < 0 or depth == DEEPEST:
            raise OverflowError
        values.append(brute(position.play(turn), seat, left, depth + 1))
    return max(values) if position.turn == seat else min(values)


@pytest.mark.parametrize(
    ("game", "options", "seed"),
    quick_where(
        lambda case: case[0] != "hexaphages" and case[2] == 0,
        (
            (game, options, seed)
            for seed in range(4)
            for game, options in (
                ("quadraphages", {}),
                ("hexaphages", {}),
                ("quadrupel", {"variant": "added-value", "swap": "off"}),
            )
        ),
    ),
)
def test_what_can_be_tried_out_is_solved_and_has_its_value(game: str, options: dict[str, str], seed: int) -> None:
    """Nearly full boards of the phages, and extra turns of Quadrupel, where play can't go on for long."""
    solved = 0
    for position in reversed(weak_match(game, tuple(options.items()), seed)[:-1]):
        seat = position.turn
        assert seat is not None
        try:
            value = brute(position, seat, [600])
        except OverflowError:
            break
        found = choose(position, 4, seed, careful=True)
        assert found.is_solved
        assert round(found.value) == value
        solved += 1
    assert solved


@pytest.mark.parametrize("number", quick_where(lambda number: number < 3, range(20)))
def test_matches_of_the_house_with_itself_end(number: int) -> None:
    end_match(number, 1)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_beginner_wins_against_the_lowest_level(game: str) -> None:
    """Even one who plays any turn wins three of ten matches."""
    matches, lost = 60, 0
    for number in range(matches):
        position, plies, seat = GAMES[game].game.position({}), 0, number % 2
        while position.turn is not None and plies < 1_500:
            seed = number * 10_000 + plies
            found = choose(position, 0, seed) if position.turn == seat else at_random(position, seed)
            position, plies = position.play(found.turn), plies + 1
        lost += position.outcome is not None and position.outcome.winner == 1 - seat

    assert lost >= 0.3 * matches


@pytest.mark.soak
@pytest.mark.parametrize("block", range(20))
def test_a_thousand_matches_of_the_house_with_itself_end(block: int) -> None:
    for number in range(50 * block, 50 * block + 50):
        end_match(number, 1 + number % 3)


def end_match(number: int, level: int) -> None:
    """Play a match of the house with itself; every turn is judged by the engine."""
    game, options = VARIANTS[number * 7 % len(VARIANTS)]
    position, plies = GAMES[game].game.position(options), 0
    while position.turn is not None:
        position = position.play(choose(position, level, number * 1_000 + plies).turn)
        plies += 1
        assert plies < 2_000
    assert position.outcome is not None
