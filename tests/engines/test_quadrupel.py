"""The rules of Quadrupel one by one, every refusal, and that nobody is told about an unannounced figure."""

from dataclasses import replace
from typing import Any

import pytest

from engines.core import IllegalMove, Outcome, Over, Played, Seat
from engines.diagram import Diagram
from engines.quadrupel import Dots, Move, Ones, QuadrupelPosition, Reason, Turn
from engines.quadrupel.board import FIGURES, INDEX, KINDS, NAMES, ZONES
from engines.quadrupel.position import RepeatCount
from engines.quadrupel.variant import Formed, Score, Stone, points
from notation.board import format_board
from notation.games import GAMES
from notation.hints import format_hint
from notation.record import Record, dumps
from tests.diagrams import diagram_after

NOTATION = GAMES["quadrupel"].notation


def after(*texts: str, **options: str) -> QuadrupelPosition:
    """Return the position after these turns."""
    position: Any = GAMES["quadrupel"].game.position(options)
    for text in texts:
        position = position.play(NOTATION.parse(text))
    assert isinstance(position, QuadrupelPosition)
    return position


def play(position: QuadrupelPosition, text: str) -> QuadrupelPosition:
    return position.play(NOTATION.parse(text))


def drawn(position: QuadrupelPosition, text: str) -> Diagram:
    return diagram_after("quadrupel", position, text)


def board(black: str, white: str, turn: Seat = 0, **options: str) -> QuadrupelPosition:
    """Return an invented position, given the squares of the stones, with the dots that they show (`c3=4`)."""
    sides = []
    for side in (black, white):
        words = [word.partition("=") for word in side.split()]
        sides.append(tuple(sorted(Stone(INDEX[square], int(dots or 0)) for square, _, dots in words)))
    return replace(after(**options), turn=turn, stones=(sides[0], sides[1]))


def texts(position: QuadrupelPosition) -> list[str]:
    return [NOTATION.format(move, position) for move in position.moves()]


# The board and the figures -------------------------------------------------------------------------


def test_the_stones_begin_off_centre_as_the_sheet_has_them() -> None:
    assert format_board(after().diagram()).splitlines() == [
        ". . . . . .  1",
        ". . o x . .  2",
        ". o x x o .  3",
        ". . x o . .  4",
        ". . . . . .  5",
        ". . . . . .  6",
        "a b c d e f",
    ]


def test_the_zones_are_the_rim_the_four_inner_squares_and_twelve_between() -> None:
    assert [ZONES.count(zone) for zone in (1, 2, 3)] == [20, 12, 4]
    assert [name for name, zone in zip(NAMES, ZONES, strict=True) if zone == 3] == ["c3", "d3", "c4", "d4"]


def test_there_are_as_many_places_for_each_figure_as_the_rulings_say() -> None:
    figures = [figure.name for figure in FIGURES.values()]

    assert [figures.count(kind) for kind in KINDS] == [25, 36, 16, 18]


def test_the_sheets_examples_of_points_come_out() -> None:
    diamond = board("a1 b1 c1 d1", "d4=4 c5=2 e5=1 d6=3").stones[1]
    straight = board("a1 b1 c1 d1", "d2=4 d3=1 d4=3 d5=2").stones[1]
    worth = after(variant="combination").variant.worth

    assert points(diamond) == 21
    assert points(straight) == 24
    assert worth(FIGURES[sum(1 << stone.cell for stone in straight)], straight, Score()) == 48


# Moving --------------------------------------------------------------------------------------------


def test_a_stone_steps_to_an_empty_square_beside_it_or_jumps_over_stones_of_either_colour() -> None:
    position = board("c3 a1 a6 f6", "c4 d3 f1 d5")

    assert [text for text in texts(position) if text.startswith("c3")] == ["c3c2", "c3b3", "c3e3", "c3c5", "c3e5"]


def test_a_jump_goes_over_one_stone_only_and_on_as_often_as_there_is_one() -> None:
    position = board("a1 b1 d1 f6", "c1 e1 f2 a6")

    assert [text for text in texts(position) if text.startswith("a1")] == ["a1a2"]
    assert [text for text in texts(position) if text.startswith("d1")] == ["d1f1", "d1d2", "d1f3"]


def test_the_square_that_the_stone_left_is_neither_jumped_over_nor_the_end() -> None:
    position = board("a1 f6 f5 f4", "b1 c2 b3 f1")
    ways = {text for text in texts(position) if text.startswith("a1")}

    assert ways == {"a1a2", "a1c1", "a1c3", "a1a3"}


def test_a_way_of_several_jumps_is_the_same_turn_as_its_two_ends() -> None:
    position = board("a1 f6 f5 f4", "b1 c2 b3 f1")

    assert play(position, "a1-c1-c3-a3") == play(position, "a1a3")
    assert texts(position).count("a1a3") == 1


def test_back_and_forth_twice_is_enough() -> None:
    repeat = ["d2d1", "c2c1", "d1d2", "c1c2", "d2d1", "e3e2", "d1d2", "e2e3"]
    position = after(*repeat)

    assert "d2d1" not in texts(position)
    assert "d2e2" in texts(position)
    with pytest.raises(IllegalMove) as refusal:
        play(position, "d2d1")
    assert refusal.value.reason is Reason.BACK_AND_FORTH
    assert "c2c1" in texts(play(position, "d2e2"))
    assert "e2e3" not in texts(play(position, "d2e2"))
    assert "d2d1" in texts(after(*repeat, "c3c5", "c2c1", "c5c3", "c1c2"))


def test_the_same_stones_after_other_moves_are_not_the_same_position() -> None:
    once, twice = after("d2d1", "c2c1", "d1d2", "c1c2"), after()

    assert once.stones == twice.stones
    assert once != twice


def test_who_cannot_move_has_drawn() -> None:
    """Ruling; four stones a side may never get this far, so there are more here."""
    wall = "b1 c1 b2 c3"
    position = board("a1", f"{wall} a2 a4", turn=1)

    assert play(position, "a4a3").outcome == Outcome(None, "Black has no legal move")
    assert play(position, "a4a3").turn is None
    assert play(position, "a4b4").outcome is None


def test_back_and_forth_may_be_all_that_is_left_and_then_it_is_a_draw() -> None:
    only = board("a1", "b1 c1 b2 c3 a3")
    barred = replace(only, repeats=(RepeatCount(INDEX["a2"], INDEX["a1"], 4), None))

    assert texts(only) == ["a1a2"]
    assert texts(barred) == []
    assert only.settled() is only
    assert barred.settled().outcome == Outcome(None, "Black has no legal move")


# Announcing ----------------------------------------------------------------------------------------

NEAR = ("d2b4", "d4f4")
"""After these turns Black makes a Square of b4d4."""


def test_an_announced_figure_wins() -> None:
    over = after(*NEAR, "b4d4 quadrupel")

    assert (over.turn, over.outcome) == (None, Outcome(0, "Black's Square on c3, d3, c4 and d4"))
    assert drawn(after(*NEAR), "b4d4 quadrupel").lit == {"c3", "d3", "c4", "d4"}
    assert list(over.moves()) == []


def test_without_the_word_the_game_goes_on_and_the_chance_is_gone() -> None:
    position = after(*NEAR, "b4d4")

    assert (position.turn, position.outcome) == (1, None)
    with pytest.raises(IllegalMove) as refusal:
        play(play(position, "f4f5"), "d4d5!")
    assert refusal.value.reason is Reason.NO_FIGURE


def test_the_announced_turn_is_listed_beside_the_other() -> None:
    found = texts(after(*NEAR))

    assert found.index("b4d4 quadrupel") == found.index("b4d4") + 1
    assert sum("quadrupel" in text for text in found) == 1


def test_with_auto_the_server_announces_and_the_word_may_be_said() -> None:
    position = after(*NEAR, announce="auto")

    assert not any("quadrupel" in text for text in texts(position))
    assert play(position, "b4d4") == play(position, "b4d4!")
    assert play(position, "b4d4").outcome == Outcome(0, "Black's Square on c3, d3, c4 and d4")
    with pytest.raises(IllegalMove):
        play(position, "b4b5!")


def test_a_wrong_claim_costs_nothing() -> None:
    position = after(*NEAR)
    with pytest.raises(IllegalMove, match="without the announcement it can be played"):
        play(position, "b4b5 quadrupel")

    assert position == after(*NEAR)
    assert play(position, "b4b5").turn == 1


# Added value ---------------------------------------------------------------------------------------

FAR = "a6 c6 f3 f6"
"""White stones that aren't a figure, and far from any."""


def first_built(kind: str, **options: str) -> QuadrupelPosition:
    """Return a position in which Black has announced such a figure, and White's stones are far away."""
    before, move = announcing(kind, **options)
    return before.play(move)


def announcing(kind: str, **options: str) -> Played[QuadrupelPosition, Move]:
    """Return the turn in which Black announces such a figure, and the position before it."""
    before = {
        "Square": ("a1 b1 a2 b3", "b3b2"),
        "Straight": ("a1 b1 c1 d2", "d2d1"),
        "Diamond": ("b1 a2 c2 b4", "b4b3"),
        "Diagonal": ("a1 b2 c3 d5", "d5d4"),
    }
    stones, turn = before[kind]
    return Played(board(stones, FAR, variant="added-value", **options), NOTATION.parse(f"{turn} quadrupel"))


@pytest.mark.parametrize(("kind", "turns"), [("Square", 3), ("Straight", 2), ("Diamond", 1), ("Diagonal", 0)])
def test_the_opponent_has_as_many_extra_turns_as_can_reach_the_first_figure(kind: str, turns: int) -> None:
    last = announcing(kind)
    position = first_built(kind)
    for _ in range(turns):
        assert (position.turn, position.outcome) == (1, None)
        last = Played(position, next(position.moves()))
        position = position.play(last.move)

    assert position.turn is None
    assert position.outcome is not None
    assert position.outcome.winner == 0
    assert position.diagram(last).lit == set(position.score.announced[0].figure.squares)


@pytest.mark.parametrize(
    ("first", "stones", "turns", "winner"),
    [
        ("Square", "c6 d5 e4 f4", ["f4f3!"], 1),
        ("Square", "c6 d5 e4 f4", ["f4f5", "f5f4", "f4f3!"], None),
        ("Square", "d6 c5 e5 e4", ["e4d4!"], 1),
        ("Square", "d6 c5 e5 e4", ["d6e6", "e6d6", "e4d4"], 0),
        ("Square", "c6 d6 e6 f5", ["f5f6!"], None),
        ("Straight", "c6 d5 e4 f4", ["f4f3!"], 1),
        ("Straight", "c6 d5 e4 f4", ["f4f5", "f5f4"], 0),
        ("Straight", "c6 d5 e4 e3", ["f3f2", "e3f3"], 0),
        ("Straight", "d6 c5 e5 e4", ["e4d4!"], None),
        ("Diamond", "c6 d5 e4 f4", ["f4f3!"], None),
        ("Diamond", "d6 c5 e5 e4", ["e4d4"], 0),
    ],
)
def test_the_table_of_the_sheet(first: str, stones: str, turns: list[str], winner: Seat | None) -> None:
    """Added value game: the 1st QUADRUPEL against the 2nd in that many extra turns."""
    position = first_built(first)
    if "f3f2" in turns:
        stones = "c6 d5 e4 f3"
        turns = ["f3f2", "e4e3"]
    white = tuple(sorted(Stone(INDEX[name]) for name in stones.split()))
    position = replace(position, stones=(position.stones[0], white))
    for text in turns:
        assert position.turn == 1
        position = play(position, text)

    assert position.turn is None
    assert position.outcome is not None
    assert position.outcome.winner == winner


def test_a_figure_worth_less_than_the_first_cannot_be_announced() -> None:
    white = board("a1 b1 c1 d1", "c6 d6 e6 f5").stones[1]
    position = first_built("Straight")
    position = replace(position, stones=(position.stones[0], white))

    assert "f5f6" in texts(position)
    assert "f5f6 quadrupel" not in texts(position)
    with pytest.raises(IllegalMove, match="f5f6 does not end in a figure worth 2 or more in extra turn 1"):
        play(position, "f5f6!")


def test_back_and_forth_is_counted_through_the_extra_turns() -> None:
    position = first_built("Square")
    repeat = RepeatCount(INDEX["a5"], INDEX["a6"], 2)
    position = replace(position, repeats=(None, repeat))
    position = play(play(position, "a6a5"), "a5a6")

    assert position.turn == 1
    assert "a6a5" not in texts(position)


# Points --------------------------------------------------------------------------------------------

DOTTED = ("setup 4123", "setup 1432")


def test_the_seat_that_begins_sets_up_first_and_the_other_sees_it() -> None:
    first = after("setup 4123", variant="minimum-points")
    shown = {name: mark for _, cells in first.diagram().rows for name, mark in cells}

    assert (first.turn, first.setting_up) == (1, True)
    assert [shown[name] for name in ("d2", "c3", "d3", "c4", "c2")] == ["x4", "x1", "x2", "x3", "o"]
    assert drawn(after(variant="minimum-points"), "setup 4123").lit == {"d2", "c3", "d3", "c4"}
    assert drawn(after(variant="position"), "setup d2 c3").lit == {"d2", "c3"}
    second = play(first, "setup 1432")
    assert (second.turn, second.setting_up) == (0, False)


@pytest.mark.parametrize(
    ("minimum", "said", "winner"),
    [("20", True, 0), ("20", False, "on"), ("30", True, 0), ("10", True, 0)],
)
def test_a_figure_of_points_enough_wins_where_it_is_announced(minimum: str, said: bool, winner: object) -> None:
    position = after(*DOTTED, *NEAR, "b4d4!" if said else "b4d4", variant="minimum-points", minimum=minimum)

    assert ("on" if position.outcome is None else position.outcome.winner) == winner


@pytest.mark.parametrize("said", ["a3b3", "a3b3 quadrupel"])
@pytest.mark.parametrize("announce", ["strict", "auto"])
def test_a_turn_that_ends_in_a_figure_of_too_few_points_loses_announced_or_not(said: str, announce: str) -> None:
    position = board("b1=1 a2=2 c2=3 a3=4", FAR, variant="minimum-points", minimum="22", announce=announce)
    over = play(position, said)

    assert over.outcome == Outcome(1, "Black's Diamond on b1, a2, c2 and b3 has only 17 points; 22 were needed")
    assert drawn(position, said).lit == {"b1", "a2", "c2", "b3"}


def test_a_figure_on_the_way_does_no_harm() -> None:
    """The sheet: 'wrong' figures may be formed while jumping."""
    position = board("b1=1 a2=2 c2=3 a3=4", "a4=1 b4=2 b3=3 d5=4", variant="minimum-points", minimum="30")

    assert play(position, "a3a5").outcome is None


def test_maximum_points_are_two_games_and_the_one_who_did_not_build_begins_the_second() -> None:
    position = after(*DOTTED, *NEAR, "b4d4!", variant="maximum-points")

    assert (position.turn, position.setting_up, position.outcome) == (1, True, None)
    assert position.stones == after().stones
    assert position.repeats == (None, None)
    assert "game 2; Black 30, White 0 points" in position.diagram().notes
    assert "game 1: Black's Square, 30 points" in position.diagram().notes
    assert play(play(position, "setup 1234"), "setup 1234").turn == 1


def in_game(number: int, *scores: tuple[Seat, int], turn: Seat = 0, white: bool = False) -> QuadrupelPosition:
    """Return a position of maximum-points one turn before a Square of 30 points, after those scores."""
    figure = FIGURES[sum(1 << INDEX[name] for name in ("a1", "b1", "a2", "b2"))]
    own, others = "c3=4 d3=3 c4=2 d5=1", "a6=1 c6=2 f3=3 f6=4"
    position = board(*((others, own) if white else (own, others)), turn=turn, variant="maximum-points")
    assert len(scores) == number - 1
    return replace(position, score=Score(tuple(Formed(seat, figure, worth) for seat, worth in scores)))


def test_more_points_win_after_two_games() -> None:
    assert play(in_game(2, (1, 29)), "d5d4!").outcome == Outcome(
        0, "30 points to 29 after Black's Square on c3, d3, c4 and d4, 30 points"
    )
    lost = play(in_game(2, (0, 30), turn=1, white=True), "d5d4!")
    assert lost.outcome is None
    assert play(in_game(2, (0, 12), turn=1, white=True), "d5d4!").outcome == Outcome(
        1, "30 points to 12 after White's Square on c3, d3, c4 and d4, 30 points"
    )
    assert play(in_game(2, (0, 12)), "d5d4!").outcome == Outcome(
        0, "42 points to 0 after Black's Square on c3, d3, c4 and d4, 30 points"
    )


def test_a_tie_is_broken_by_a_third_game() -> None:
    third = play(in_game(2, (1, 30)), "d5d4!")

    assert (third.turn, third.setting_up, third.outcome) == (1, True, None)
    assert "game 3; Black 30, White 30 points" in third.diagram().notes
    over = play(in_game(3, (1, 30), (0, 30)), "d5d4!")
    assert over.outcome == Outcome(0, "60 points to 30 after Black's Square on c3, d3, c4 and d4, 30 points")
    assert "Black 60, White 30 points" in over.diagram().notes


# Position ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ones", "zone2", "winner"),
    [
        ("b2 c2", "place", 0),
        ("b2 b3", "place", 0),
        ("b2 c3", "place", 1),
        ("b2 c3", "ban", 1),
        ("b2 c2", "ban", 1),
    ],
)
@pytest.mark.parametrize("said", ["c4c3!", "c4c3"])
def test_both_1_stones_or_neither_must_be_on_zone_2(ones: str, zone2: str, winner: Seat, said: str) -> None:
    squares = [f"{name}=1" if name.replace("c4", "c3") in ones else name for name in ("b2", "c2", "b3", "c4")]
    position = board(" ".join(squares), FAR, variant="position", zone2=zone2)
    after_it = play(position, said)

    if winner == 0 and "!" not in said:
        assert (after_it.turn, after_it.outcome) == (1, None)
    else:
        assert after_it.outcome is not None
        assert after_it.outcome.winner == winner


def test_no_1_stone_in_zone_2_is_what_a_ban_wants() -> None:
    position = board("c3=1 c4=1 d3 d5", FAR, variant="position", zone2="ban")

    assert play(position, "d5d4!").outcome == Outcome(
        0, "Black's Square on c3, d3, c4 and d4, with no 1-stone in zone 2"
    )


# Combination ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("black", "turn", "worth", "turns"),
    [
        ("c3=4 d3=3 c4=2 d5=1", "d5d4", 30, 2),
        ("a1=4 b1=3 a2=2 b3=1", "b3b2", 11, 3),
        ("d2=4 d3=1 d4=3 e5=2", "e5d5", 48, 2),
        ("d2=4 d3=1 d4=2 e5=3", "e5d5", 46, 2),
        ("b2=1 c3=3 d4=4 e6=2", "e6e5", 108, 0),
        ("a1=1 b2=3 c3=2 d5=4", "d5d4", 100, 0),
        ("a1=4 b2=3 c3=2 d5=1", "d5d4", 76, 1),
        ("d1=3 c2=2 e2=1 d4=4", "d4d3", 63, 1),
        ("b3=2 c4=3 c2=4 d4=1", "d4d3", 72, 1),
        ("b3=1 c4=3 c2=2 d4=4", "d4d3", 81, 1),
        ("c1=1 b2=4 d2=3 c4=2", "c4c3", 63, 1),
        ("b1=4 a2=3 c2=2 b4=1", "b4b3", 39, 2),
        ("a1=3 b1=4 a2=2 b3=1", "b3b2", 11, 3),
        ("b2=4 b3=1 b4=2 a5=3", "a5b5", 40, 2),
        ("a2=3 b2=2 c2=4 d1=1", "d1d2", 34, 2),
        ("a2=4 b2=3 c2=1 d1=2", "d1d2", 32, 2),
        ("a1=4 b1=2 c1=3 d2=1", "d2d1", 20, 3),
        ("c2=4 d2=3 c3=1 d4=2", "d4d3", 23, 3),
        ("c2=3 d2=2 c3=4 d4=1", "d4d3", 25, 3),
        ("c2=2 d2=1 c3=3 d4=4", "d4d3", 27, 3),
    ],
)
def test_the_extra_turns_of_combination_last_as_long_as_the_bound_says(
    black: str, turn: str, worth: int, turns: int
) -> None:
    """At best 81, 54 and 27 in extra turn 1, 2 and 3: a Diagonal of 27 points."""
    position = play(board(black, "a6=1 c6=2 f3=3 f6=4", variant="combination"), f"{turn}!")

    assert position.score.announced[0].worth == worth
    for _ in range(turns):
        assert position.turn == 1
        position = position.play(next(position.moves()))
    assert position.turn is None


@pytest.mark.parametrize(
    ("first", "white", "text", "winner"),
    [
        (29, "c6=1 d5=2 e4=4 f4=3", "f4f3!", 1),
        (48, "c6=1 d5=2 e4=4 f4=3", "f4f3!", None),
        (20, "d6=1 c5=2 e5=3 e4=4", "e4d4!", 1),
        (46, "d6=1 c5=2 e5=3 e4=4", "e4d4!", None),
        (22, "c6=4 d6=3 e6=2 f5=1", "f5f6", "on"),
    ],
)
def test_the_second_figure_of_combination(first: int, white: str, text: str, winner: object) -> None:
    """Extra turn 1: (type - 1) times the points, against the value of the first."""
    square = FIGURES[sum(1 << INDEX[name] for name in ("a1", "b1", "a2", "b2"))]
    position = board("a1=4 b1=3 a2=2 b2=1", white, turn=1, variant="combination")
    position = replace(position, score=Score((Formed(0, square, first),), 1))
    over = play(position, text)

    assert ("on" if over.outcome is None else over.outcome.winner) == winner


# Secrecy -------------------------------------------------------------------------------------------

SECRETS = [
    (board("c3 d3 c4 d5", FAR), "d5d4"),
    (board("c3 d3 c4 d5", FAR, variant="added-value"), "d5d4"),
    (replace(first_built("Square"), stones=board("a1 b1 a2 b2", "c6 d5 e4 f4").stones), "f4f3"),
    (replace(first_built("Straight"), stones=board("a1 b1 c1 d1", "c6 d6 e6 f5").stones), "f5f6"),
    (board("c3=4 d3=3 c4=2 d5=1", "a6=1 c6=2 f3=3 f6=4", variant="minimum-points"), "d5d4"),
    (board("c3=4 d3=3 c4=2 d5=1", "a6=1 c6=2 f3=3 f6=4", variant="maximum-points"), "d5d4"),
    (board("c3=4 d3=3 c4=2 d5=1", "a6=1 c6=2 f3=3 f6=4", variant="combination"), "d5d4"),
    (board("b2=1 c2=1 b3 c4", FAR, variant="position"), "c4c3"),
]
"""Positions of every variant in which a player could build a figure, and the turn that does."""


def told(position: QuadrupelPosition) -> str:
    """Return everything that a player is shown about a position, except the stones and the last turn."""
    hint = format_hint(NOTATION.hint(position)).rpartition("\n")[0]
    return "\n".join([hint, *position.diagram().notes])


@pytest.mark.parametrize(("position", "text"), SECRETS)
def test_nothing_tells_of_a_figure_that_stands_unannounced(position: QuadrupelPosition, text: str) -> None:
    """The same is shown after it as after any other turn of the same player."""
    built = play(position, text)
    quiet = {told(play(position, other)) for other in texts(position) if other.split()[0] != text}

    assert built.outcome is None
    assert quiet == {told(built)}
    assert drawn(position, text).lit == {text[:2], text[2:]}


@pytest.mark.parametrize(("position", "text"), SECRETS)
def test_nothing_tells_of_a_figure_that_could_be_announced(position: QuadrupelPosition, text: str) -> None:
    """The hint and the refusals of other turns are the same whether or not the figure can be built."""
    announcing = Turn(text[:2], text[2:], announced=True)
    assert announcing in list(position.moves()) or position.score.extra
    seat = position.turn or 0
    away = {stone.cell for stone in position.stones[seat]} - {INDEX[text[:2]]}
    for moved in away:
        for target in range(36):
            if target in {stone.cell for side in position.stones for stone in side}:
                continue
            own = tuple(sorted(Stone(target, s.dots) if s.cell == moved else s for s in position.stones[seat]))
            stones = (own, position.stones[1]) if seat == 0 else (position.stones[0], own)
            assert told(replace(position, stones=stones)) == told(position)


@pytest.mark.parametrize(("position", "_text"), SECRETS)
def test_the_example_of_a_hint_is_the_first_legal_turn_and_announces_nothing(
    position: QuadrupelPosition, _text: str
) -> None:
    example = format_hint(NOTATION.hint(position)).splitlines()[-1].removeprefix("For example: ")
    plain = [text for text in texts(position) if "quadrupel" not in text]

    assert example == plain[0]


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("position", "text"), SECRETS)
def test_no_refusal_of_another_turn_speaks_of_figures(position: QuadrupelPosition, text: str) -> None:
    legal = set(position.moves())
    wrong = [Turn(a, b) for a in NAMES for b in NAMES if Turn(a, b) not in legal]
    for turn in [*wrong, Dots((1, 2, 3, 4)), Ones(("d2", "c3"))]:
        with pytest.raises(IllegalMove) as refusal:
            position.play(turn)
        said = str(refusal.value).lower()
        assert not any(word in said for word in ("figure", "quadrupel", *map(str.lower, KINDS)))


@pytest.mark.parametrize(("position", "text"), SECRETS)
def test_every_wrong_claim_gets_the_same_answer(position: QuadrupelPosition, text: str) -> None:
    answers = set()
    legal = set(position.moves())
    for move in legal:
        if isinstance(move, Turn) and not move.announced and replace(move, announced=True) not in legal:
            with pytest.raises(IllegalMove) as refusal:
                position.play(replace(move, announced=True))
            assert refusal.value.reason is Reason.NO_FIGURE
            answers.add(str(refusal.value).removeprefix(move.origin + move.target))

    assert len(answers) == 1


def test_the_record_does_not_tell_either() -> None:
    record = Record("quadrupel", {}, ("alice", "bob"), (*NEAR, "b4d4", "f4f5"))

    assert "3. Black b4d4\n4. White f4f5\n" in dumps(record)


# Every refusal: the position, the text, the reason, words of the sentence, the token --------------------

START = after()
POINTS = after(variant="minimum-points")
PLACING = after("setup d2 c3", variant="position")
WIDE = board("a1 f6 f5 f4", "b1 c2 b3 f1")
REFUSALS: list[tuple[QuadrupelPosition, str | Move, Reason, str, str | None]] = [
    (after(*NEAR, "b4d4!"), "d2d1", Over.GAME_OVER, "the game is over: Black's Square on c3", None),
    (START, "setup 4123", Reason.NOTHING_TO_SET_UP, "a turn moves a stone, for example d2d1", None),
    (after(*DOTTED, variant="combination"), "setup 4123", Reason.SET_UP_ALREADY, "for example d2d1", None),
    (POINTS, "d2d1", Reason.SET_UP_FIRST, "Black has to set up the stones first, for example with setup 4123", None),
    (PLACING, "c2c1", Reason.SET_UP_FIRST, "White has to set up the stones first, for example with setup c2 b3", None),
    (POINTS, "setup d2 c3", Reason.DOTS_WANTED, "how many dots each of the stones on d2, c3, d3 and c4 has", None),
    (PLACING, "setup 4123", Reason.ONES_WANTED, "on which two of c2, b3, e3 or d4 the 1-stones stand", None),
    (POINTS, "setup 4423", Reason.DOTS_AMISS, "4423 does not use each of 1, 2, 3 and 4 once", "4423"),
    (POINTS, Dots((1, 2, 3)), Reason.DOTS_AMISS, "123 does not use", "123"),
    (PLACING, "setup c2 c2", Reason.ONE_TWICE, "c2 is there twice", "c2"),
    (PLACING, "setup d2 c2", Reason.ONE_ELSEWHERE, "d2 is not one of White's start squares", "d2"),
    (PLACING, Ones(("c2",)), Reason.ONES_AMISS, "not on 1", None),
    (START, Turn("d2", "d0"), Reason.OFF_BOARD, "d0 is not on this board", "d2d0"),
    (START, Turn("g2", "d1"), Reason.OFF_BOARD, "g2 is not on this board", "g2d1"),
    (START, "a1a2", Reason.EMPTY, "there is no stone on a1; Black's stones are on c3, c4, d2 and d3", "a1a2"),
    (START, "c2c1", Reason.OPPONENT, "the stone on c2 is White's; Black's stones", "c2c1"),
    (START, "d2d2", Reason.NO_WAY, "d2d2 ends where it starts; d2 can go to b2, b4, d1, e2 or f4", "d2d2"),
    (WIDE, "a1-c1-a1", Reason.NO_WAY, "a1a1 ends where it starts", "a1a1"),
    (START, "d2c2", Reason.OCCUPIED, "White already has a stone on c2; d2 can go to", "d2c2"),
    (START, "d2d3", Reason.OCCUPIED, "Black already has a stone on d3; d2 can go to", "d2d3"),
    (START, "d2e1", Reason.DIAGONAL_STEP, "d2 and e1 only touch at a corner", "d2e1"),
    (START, "d2f2", Reason.NOTHING_TO_JUMP, "from d2 to f2 it would jump over e2, but there", "d2f2"),
    (START, "d2a6", Reason.OUT_OF_REACH, "lead from d2 to a6", "d2a6"),
    (board("a1 a2 f6 f5", "a3 a4 f1 f2"), "a1a5", Reason.OUT_OF_REACH, "jumps over adjacent stones", "a1a5"),
    (board("a1 b1 a3 b3", "b2 a2 c1 c3"), "a1d4", Reason.OUT_OF_REACH, "a1 can't go anywhere now", "a1d4"),
    (WIDE, "a1-c1-c2", Reason.OCCUPIED, "White already has a stone on c2", "a1c2"),
    (WIDE, "a1-a2-a3", Reason.NO_JUMP, "from a1 to a2 is not a jump over one adjacent stone", "a1a3"),
    (WIDE, "a1-c1-e1", Reason.NOTHING_TO_JUMP, "from c1 to e1 it would jump over d1", "a1e1"),
    (WIDE, "a1-c1-a1-c3", Reason.NOTHING_TO_JUMP, "from a1 to c3 it would jump over b2", "a1c3"),
    (
        after("d2d1", "c2c1", "d1d2", "c1c2", "d2d1", "e3e2", "d1d2", "e2e3"),
        "d2d1",
        Reason.BACK_AND_FORTH,
        "the stone on d2 has gone back and forth between d1 and d2 twice, so it may not go to d1 now; d2 can go to b2,",
        "d2d1",
    ),
    (START, "d2d1!", Reason.NO_FIGURE, "d2d1 does not end in a Square, Straight, Diamond or Diagonal", "quadrupel"),
]


@pytest.mark.parametrize(("position", "move", "reason", "words", "token"), REFUSALS)
def test_a_refusal_says_what_is_wrong_and_what_would_work(
    position: QuadrupelPosition, move: str | Move, reason: Reason, words: str, token: str | None
) -> None:
    read = NOTATION.parse(move) if isinstance(move, str) else move
    with pytest.raises(IllegalMove) as refusal:
        position.play(read)

    assert refusal.value.reason is reason
    assert words in str(refusal.value)
    assert refusal.value.details.get("token") == token
    assert token is None or token in NOTATION.format(read, position)


def test_every_reason_is_raised_by_some_example() -> None:
    assert {reason for _, _, reason, _, _ in REFUSALS} == {*Reason, *Over}
