"""What the rules of each game say: why a turn is refused, how a match ends, and how turns are read."""

from typing import Any

import pytest

from pbem import gamekit as kit

from . import GAMES


def after(key: str, turns: str = "", **options: str) -> Any:
    """Return the position after these turns, which are separated by commas."""
    position, notation = GAMES[key].game.position(options), GAMES[key].notation
    for turn in filter(None, turns.split(", ")):
        position = position.play(notation.parse(turn))
    return position


@pytest.mark.parametrize(
    ("key", "turns", "move", "words"),
    [
        ("othello", "", "a1", "a disc on a1 turns nothing: .* a straight line of discs of White; you can play .*"),
        ("othello", "", "d4", "White has a disc on d4 already; you can play"),
        ("othello", "", "j3", "j3 is not on this board; its cells are a1 to h8"),
        ("connectfour", "d1", "e2", "a disc doesn't stay on e2, but falls to e1"),
        ("connectfour", "d1", "d1", "Red has a disc on d1 already"),
        ("connectfour", "", "d7", "d7 is not on this board; its cells are a1 to g6"),
        ("breakthrough", "", "e2e4", "a man goes one square ahead, .* not from e2 to e4; from e2 you can play e2.*"),
        ("breakthrough", "", "e1e2", "a man of yours is on e2; you can play"),
        ("breakthrough", "", "e7e6", "there is no man of yours on e7"),
        (
            "breakthrough",
            "e2e3, e7e6, e3e4, e6e5",
            "e4e5",
            "men take diagonally only, and e5 is taken; from e4 you can play e4[df]5 or e4[df]5",
        ),
    ],
)
def test_a_refusal_names_the_rule(key: str, turns: str, move: str, words: str) -> None:
    with pytest.raises(kit.IllegalMove, match=words):
        after(key, turns).play(GAMES[key].notation.parse(move))


@pytest.mark.parametrize(
    ("key", "turns", "winner", "words"),
    [
        ("othello", "e6, f4, e3, f6, g5, d6, e7, f5, c5", 0, "Black has 13 discs and White 0"),
        ("connectfour", "d1, e1, d2, e2, d3, e3, d4", 0, "Red has four in a row on d1, d2, d3 and d4"),
    ],
)
def test_a_match_ends(key: str, turns: str, winner: kit.Seat | None, words: str) -> None:
    assert after(key, turns).outcome == kit.Outcome(winner, words)


@pytest.mark.parametrize(
    ("key", "said", "turn"),
    [
        ("othello", " D3. ", "d3"),
        ("breakthrough", "E2-E3", "e2e3"),
        ("breakthrough", "e2 x d3!", "e2d3"),
        ("breakthrough", "e2 to e3", "e2e3"),
    ],
)
def test_turns_are_read_as_players_write_them(key: str, said: str, turn: str) -> None:
    assert GAMES[key].notation.parse(said) == turn


@pytest.mark.parametrize(
    ("key", "said", "expected"),
    [
        ("othello", "d", "a turn such as d3"),
        ("othello", "d3 e3", "the end of the turn"),
        ("breakthrough", "e2", "the cell where the piece goes"),
        ("breakthrough", "e2e3e4", "the end of the turn"),
    ],
)
def test_what_cannot_be_read_is_pointed_at(key: str, said: str, expected: str) -> None:
    with pytest.raises(kit.BadNotation, match=expected):
        GAMES[key].notation.parse(said)
