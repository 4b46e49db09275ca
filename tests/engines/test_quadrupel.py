"""What Quadrupel shows and says, every refusal, and that nobody is told about an unannounced figure.

Which turns are legal, and where they lead, is what the brute force says (test_quadrupel_brute.py).
"""

from dataclasses import replace

import pytest

from engines.core import IllegalMove, Outcome, Over, Seat
from engines.diagram import Diagram
from engines.quadrupel import Dots, Move, Ones, QuadrupelPosition, Reason, Turn
from engines.quadrupel.board import FIGURES, INDEX, KINDS, NAMES
from engines.quadrupel.position import RepeatCount
from engines.quadrupel.variant import Formed, Score, Stone
from notation.hints import format_hint
from tests.diagrams import diagram_after
from tests.engines.quadrupel import NOTATION, after


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
    return replace(after(**options), turn=turn, stones=(sides[0], sides[1]), can_swap=False)


def texts(position: QuadrupelPosition) -> list[str]:
    return [NOTATION.format(move, position) for move in position.moves()]


# Moving --------------------------------------------------------------------------------------------


def test_a_way_of_several_jumps_is_the_same_turn_as_its_two_ends() -> None:
    position = board("a1 f6 f5 f4", "b1 c2 b3 f1")

    assert play(position, "a1-c1-c3-a3") == play(position, "a1a3")
    assert texts(position).count("a1a3") == 1


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


# Swapping ------------------------------------------------------------------------------------------


def test_after_the_first_turn_white_can_take_the_stones_of_black() -> None:
    begun = after("d2d1")
    swapped = play(begun, "Swap!")

    assert texts(begun)[0] == "swap"
    assert (swapped.turn, swapped.stones) == (0, begun.stones[::-1])
    assert drawn(begun, "swap").told == "The last move: White took Black's stones, and Black has White's."
    assert drawn(begun, "swap").lit == {"c3", "c4", "d1", "d3"}
    assert "swap" not in texts(play(swapped, "c2c1"))


def test_dots_go_with_the_stones_when_they_are_swapped() -> None:
    begun = after("setup 4123", "setup 1432", "d2d1", variant="combination")

    assert play(begun, "swap").stones == begun.stones[::-1]


# Announcing ----------------------------------------------------------------------------------------

NEAR = ("d2b4", "d4f4")
"""After these turns Black makes a Square of b4d4."""


# Added value ---------------------------------------------------------------------------------------

FAR = "a6 c6 f3 f6"
"""White stones that aren't a figure, and far from any."""


def first_built(black: str, announced: str) -> QuadrupelPosition:
    """Return a position in which Black has announced a figure, and White's stones are far away."""
    return play(board(black, FAR, variant="added-value"), announced)


SQUARE, STRAIGHT = ("a1 b1 a2 b3", "b3b2!"), ("a1 b1 c1 d2", "d2d1!")


# Points --------------------------------------------------------------------------------------------

DOTTED = ("setup 4123", "setup 1432")


@pytest.mark.parametrize("said", ["a3b3", "a3b3 quadrupel"])
@pytest.mark.parametrize("announce", ["strict", "auto"])
def test_a_turn_that_ends_in_a_figure_of_too_few_points_loses_announced_or_not(said: str, announce: str) -> None:
    position = board("b1=1 a2=2 c2=3 a3=4", FAR, variant="minimum-points", minimum="22", announce=announce)
    over = play(position, said)

    assert over.outcome == Outcome(1, "Black's Diamond on b1, a2, c2 and b3 has only 17 points; 22 were needed")
    assert drawn(position, said).lit == {"b1", "a2", "c2", "b3"}


def test_maximum_points_are_two_games_and_the_one_who_did_not_build_begins_the_second() -> None:
    position = after(*DOTTED, *NEAR, "b4d4!", variant="maximum-points")

    assert (position.turn, position.setting_up, position.outcome) == (1, True, None)
    assert position.stones == after().stones
    assert position.repeats == (None, None)
    assert "game 2; Black 30, White 0 points" in position.diagram().notes
    assert "game 1: Black's Square, 30 points" in position.diagram().notes
    assert play(play(position, "setup 1234"), "setup 1234").turn == 1


def in_game(*scores: tuple[Seat, int]) -> QuadrupelPosition:
    """Return a position of maximum-points one turn before a Square of 30 points, after games with those scores."""
    figure = FIGURES[sum(1 << INDEX[name] for name in ("a1", "b1", "a2", "b2"))]
    position = board("c3=4 d3=3 c4=2 d5=1", "a6=1 c6=2 f3=3 f6=4", variant="maximum-points")
    return replace(position, score=Score(tuple(Formed(seat, figure, worth) for seat, worth in scores)))


def test_more_points_win_after_two_games_and_a_tie_is_broken_by_a_third() -> None:
    won = "after Black's Square on c3, d3, c4 and d4, 30 points"
    assert play(in_game((1, 29)), "d5d4!").outcome == Outcome(0, f"30 points to 29 {won}")
    third = play(in_game((1, 30)), "d5d4!")

    assert (third.turn, third.setting_up, third.outcome) == (1, True, None)
    assert "game 3; Black 30, White 30 points" in third.diagram().notes
    over = play(in_game((1, 30), (0, 30)), "d5d4!")
    assert over.outcome == Outcome(0, f"60 points to 30 {won}")
    assert "Black 60, White 30 points" in over.diagram().notes


# Position ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("zone2", "winner", "where"),
    [("place", 1, " is not with both 1-stones in zone 2"), ("ban", 0, ", with no 1-stone in zone 2")],
)
def test_an_end_by_position_says_where_the_1_stones_are(zone2: str, winner: Seat, where: str) -> None:
    position = board("c3=1 c4=1 d3 d5", FAR, variant="position", zone2=zone2)

    assert play(position, "d5d4!").outcome == Outcome(winner, f"Black's Square on c3, d3, c4 and d4{where}")


# Secrecy -------------------------------------------------------------------------------------------

SECRETS = [
    (board("c3 d3 c4 d5", FAR), "d5d4"),
    (board("c3 d3 c4 d5", FAR, variant="added-value"), "d5d4"),
    (replace(first_built(*SQUARE), stones=board("a1 b1 a2 b2", "c6 d5 e4 f4").stones), "f4f3"),
    (replace(first_built(*STRAIGHT), stones=board("a1 b1 c1 d1", "c6 d6 e6 f5").stones), "f5f6"),
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
    (PLACING, "setup c2 c2", Reason.ONE_TWICE, "c2 is there twice", "c2"),
    (PLACING, "setup d2 c2", Reason.ONE_ELSEWHERE, "d2 is not one of White's start squares", "d2"),
    (PLACING, Ones(("c2",)), Reason.ONES_AMISS, "not on 1", None),
    (START, Turn("d2", "d0"), Reason.OFF_BOARD, "d0 is not on this board", "d2d0"),
    (START, "a1a2", Reason.EMPTY, "there is no stone on a1; Black's stones are on c3, c4, d2 and d3", "a1a2"),
    (START, "c2c1", Reason.OPPONENT, "the stone on c2 is White's; Black's stones", "c2c1"),
    (START, "d2d2", Reason.NO_WAY, "d2d2 ends where it starts; d2 can go to b2, b4, d1, e2 or f4", "d2d2"),
    (START, "d2c2", Reason.OCCUPIED, "White already has a stone on c2; d2 can go to", "d2c2"),
    (START, "d2e1", Reason.DIAGONAL_STEP, "d2 and e1 only touch at a corner", "d2e1"),
    (START, "d2f2", Reason.NOTHING_TO_JUMP, "from d2 to f2 it would jump over e2, but there", "d2f2"),
    (START, "d2a6", Reason.OUT_OF_REACH, "lead from d2 to a6", "d2a6"),
    (board("a1 a2 f6 f5", "a3 a4 f1 f2"), "a1a5", Reason.OUT_OF_REACH, "jumps over adjacent stones", "a1a5"),
    (board("a1 b1 a3 b3", "b2 a2 c1 c3"), "a1d4", Reason.OUT_OF_REACH, "a1 can't go anywhere now", "a1d4"),
    (WIDE, "a1-a2-a3", Reason.NO_JUMP, "from a1 to a2 is not a jump over one adjacent stone", "a1a3"),
    (WIDE, "a1-c1-e1", Reason.NOTHING_TO_JUMP, "from c1 to e1 it would jump over d1", "a1e1"),
    (
        after("d2d1", "c2c1", "d1d2", "c1c2", "d2d1", "e3e2", "d1d2", "e2e3"),
        "d2d1",
        Reason.BACK_AND_FORTH,
        "the stone on d2 has gone back and forth between d1 and d2 twice, so it may not go to d1 now; d2 can go to b2,",
        "d2d1",
    ),
    (START, "swap", Reason.NO_SWAP, "only be swapped by White in answer to Black's first move", "swap"),
    (after("d2d1", "c2c1"), "swap", Reason.NO_SWAP, "move a stone", "swap"),
    (after("d2d1", swap="off"), "swap", Reason.NO_SWAP, "not with swap=off", "swap"),
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
