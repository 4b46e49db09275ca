"""What the rules of each game say: why a turn is refused, how a match ends, and how turns are read."""

from typing import Any

import pytest

from pbem import gamekit as kit
from second_sources import GAMES

CYCLE = (
    "c6, e5, d3, a1, d7, a8, g9, a3, h1, f4, a5, b2, c1, g1, g5, b9, d6, h4, b3, a7, j6, c7, h5, e6, d1, j4, h2, g3, "
    "c8, d8, h9, g6, j8, g4, j2, e8, h7, g7, b5, d4, j9, g8, f7, e2, f9, f8, b4, e9, e4, c4, j5, a4, a2"
)
"""Turns of Go after which a3 would repeat a board that is older than that before the last turn."""


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
        ("connectfour", "d1", "d1", "Red has a disc on d1 already; a disc in this column falls to d2"),
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
        (
            "clobber",
            "",
            "a1b2",
            "a stone goes to a square beside it, not from a1 to b2; from a1 you can play a1a2 or a1b1",
        ),
        ("clobber", "a1a2", "b1a1", "a stone must take one of White's, and there is none on a1"),
        ("clobber", "", "b1b2", "there is no stone of yours on b1"),
        ("loa", "", "b1c3", "a man goes in a straight line, and not from b1 to c3; from b1 you can play"),
        ("loa", "", "b1b2", "on that line there are 2 men, so a man goes 2 squares there, to b3"),
        ("loa", "d1d3, a3d3", "e1a1", "on that line there are 5 men, so a man would go 5 squares, which leads off"),
        ("loa", "c1c3, a5c3, b1b3", "a4d1", "a man can't jump over men of the other side|on that line"),
        ("havannah", "a1", "a1", "White has a stone on a1 already"),
        ("havannah", "", "a7", "a7 is not on this board; its cells are a1 to k11"),
        ("havannah", "a1, b1", "swap", "only Black can swap, and only in answer to the first stone; you can play"),
        ("ygame", "", "b1", "b1 is not on this board"),
        ("ygame", "a1", "a1", "Black has a stone on a1 already"),
        ("gomoku", "h8", "h8", "Black has a stone on h8 already"),
        ("oware", "", "c2", "c2 is a house of North; you can play"),
        ("oware", "f1, a2", "f1", "there are no seeds in f1"),
        ("morris", "", "a1a4", "you still have men to place: write the point for one; you can play"),
        ("morris", "a1, a4", "a4", "Black has a man on a4 already"),
        ("morris", "a1, a7, d1, d6", "g1", "g1 closes a mill, so name the man that you take, as in g1 a7"),
        ("morris", "a1, a7, d1, d6", "g4 a7", "g4 closes no mill, so it takes no man; you can play g4"),
        ("morris", "a1, a7, d1, d6", "g1 d1", "there is no man of Black on d1; you can play g1"),
        ("morris", "a1, a7, d1, d7, g4, g7 g4, e3, a4", "g1 d7", "d7 is in a mill, .* while Black has men that aren't"),
        ("ultimate", "f4", "a1", "you must play on the small board from g1 to i3; you can play"),
        ("ultimate", "e5, d4, a1, b2", "e5", "X has a mark on e5 already"),
        ("go9", "d5, f6, e6, g5, e4, f4, b2, e5, f5", "e5", "the board would be as it was before .the rule of ko."),
        ("go9", CYCLE, "a3", "the board would be as it was before"),
        ("go9", "a2, e5, b1", "a1", "a stone on a1 would have no liberty, and take nothing"),
        ("go9", "", "i5", "i5 is not on this board; its cells are a1 to j9, without the letter i"),
        ("checkers", "c3d4, b6c5", "a3b4", "who can jump must do so; you can play d4b6"),
        ("checkers", "", "c3c4", "a man goes one square ahead diagonally, a king also back, and not from c3 to c4"),
        ("checkers", "", "b2c3", "c3 is taken"),
    ],
)
def test_a_refusal_names_the_rule(key: str, turns: str, move: str, words: str) -> None:
    with pytest.raises(kit.IllegalMove, match=words):
        after(key, turns).play(GAMES[key].notation.parse(move))


@pytest.mark.parametrize(
    ("key", "turns", "winner", "words"),
    [
        ("othello", "e6, f4, e3, f6, g5, d6, e7, f5, c5", 0, "Black has 13 discs and White 0"),
        ("gomoku", "a1, swap, b1, a2, b2, a3, b3, a4, b4, a5", 1, "White has five in a row from a1 to a5"),
        ("havannah", "e5, a3, f5, a4, g6, a5, g7, b3, f7, b4, e6", 0, "White has a ring"),
        ("morris", "a1, a7, d1, d6, g1 d6", None, ""),
        ("go9", "e5, pass, pass", 0, "Black has 81 points and White 0 + 7.5"),
        ("go9", "pass, pass", 1, "Black has 0 points and White 0 + 7.5"),
        ("connectfour", "d1, e1, d2, e2, d3, e3, d4", 0, "Red has four in a row on d1, d2, d3 and d4"),
    ],
)
def test_a_match_ends(key: str, turns: str, winner: kit.Seat | None, words: str) -> None:
    assert after(key, turns).outcome == (kit.Outcome(winner, words) if words else None)


@pytest.mark.parametrize(
    ("key", "said", "turn"),
    [
        ("othello", " D3. ", "d3"),
        ("breakthrough", "E2-E3", "e2e3"),
        ("breakthrough", "e2 x d3!", "e2d3"),
        ("breakthrough", "e2 to e3", "e2e3"),
        ("morris", "A1-a4xd7", "a1a4 d7"),
        ("morris", "a4 x d7.", "a4 d7"),
        ("morris", "a1a4", "a1a4"),
        ("checkers", "b2xd4xf6", "b2d4f6"),
        ("go9", "Pass!", kit.Special.PASS),
        ("ygame", "swap", kit.Special.SWAP),
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


def test_after_a_pass_in_go_it_is_said_what_another_one_leads_to() -> None:
    first, second = (GAMES["go9"].notation.hint(after("go9", turns)) for turns in ("e5", "e5, pass"))

    assert first is not None
    assert first.passages == (kit.PASS_PASSAGE,)
    assert second is not None
    assert second.passages[0].text.endswith("is counted as it stands: Black 81, White 0 + 7.5.")
