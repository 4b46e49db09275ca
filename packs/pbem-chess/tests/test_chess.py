"""Chess: published numbers of turns, every end, special moves, refusals, and how turns are read and told."""

import random
from typing import Any

import pytest

from notation import record
from notation.ending import Ending, Termination
from notation.steps import turn_tree
from pbem import gamekit as kit
from pbem.conformance.checks import offered
from pbem_chess import CHESS, pgn
from pbem_chess.engine import ChessPosition, Turn
from pbem_chess.refusals import Reason

PUBLISHED = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", [20, 400, 8902]),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", [48, 2039]),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", [14, 191, 2812]),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", [6, 264, 9467]),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", [44, 1486]),
]
"""Positions of the Chess Programming Wiki (Perft Results), with the numbers of lines of one, two and three turns."""
SHUTTLE = "Nf3 Nf6 Ng1 Ng8 "


def after(turns: str = "", fen: str = "") -> Any:
    """Return the position after these turns, from the start or from another position."""
    position: Any = CHESS.game.position({})
    if fen:
        position = ChessPosition(fen, kit.History(), 0 if fen.split()[1] == "w" else 1)
    for turn in turns.split():
        position = position.play(CHESS.notation.parse(turn))
    return position


def count(position: Any, depth: int) -> int:
    moves = list(position.moves())
    return len(moves) if depth == 1 else sum(count(position.play(move), depth - 1) for move in moves)


@pytest.mark.slow
@pytest.mark.parametrize(("fen", "numbers"), PUBLISHED)
def test_as_many_lines_as_published(fen: str, numbers: list[int]) -> None:
    assert [count(after(fen=fen), depth) for depth in range(1, len(numbers) + 1)] == numbers


@pytest.mark.parametrize(
    ("turns", "fen", "winner", "why"),
    [
        ("f3 e5 g4 Qh4#", "", 1, "White is checkmated"),
        ("e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7", "", 0, "Black is checkmated"),
        ("Qg6", "7k/8/8/6Q1/8/8/8/K7 w - - 0 1", None, "Black has no legal move and isn't in check"),
        ("Kxb2", "7k/8/8/8/8/8/1n6/K7 w - - 0 1", None, "neither side has enough pieces to checkmate"),
        (SHUTTLE * 2, "", None, "the position has occurred three times"),
        (
            "Ra2",
            "7k/8/8/8/8/8/8/R6K w - - 99 80",
            None,
            "fifty moves of each side without a capture or a move of a pawn",
        ),
    ],
)
def test_a_match_ends(turns: str, fen: str, winner: kit.Seat | None, why: str) -> None:
    assert after(turns, fen).outcome == kit.Outcome(winner, why)


def test_castling_and_taking_in_passing_and_promotion_are_told() -> None:
    def told(turns: str, fen: str = "") -> tuple[str, set[str]]:
        *before, last = turns.split()
        position = after(" ".join(before), fen)
        move = CHESS.notation.parse(last)
        diagram = position.play(move).diagram(kit.Played(position, move))
        return diagram.told, set(diagram.lit)

    assert told("e4 e5 Nf3 Nc6 Bc4 Bc5 0-0") == (
        "The last move: castling on the king's side, e1 to g1 and h1 to f1.",
        {"e1", "g1", "h1", "f1"},
    )
    assert told("e4 a6 e5 d5 e5d6")[0] == "The last move: pawn from e5 to d6, taking a pawn in passing."
    assert told("a8=Q", "8/P6k/8/8/8/8/8/K7 w - - 0 1")[0] == "The last move: pawn from a7 to a8, now a queen."


@pytest.mark.parametrize(
    ("turns", "move", "reason", "words"),
    [
        ("", "e5", Reason.NOBODY, "no pawn of yours can go to e5; you can play a3, a4, b3, b4, c3, c4 and more"),
        ("", "e3e4", Reason.EMPTY, "there is no piece on e3"),
        ("", "e7e5", Reason.OTHERS, "the pawn on e7 isn't yours"),
        ("", "b1d2", Reason.BLOCKED, "a knight can't go from b1 to d2; it can play Na3 or Nc3"),
        ("", "O-O", Reason.CASTLING, "f1 and g1 are taken"),
        ("e4 e5 Nf3 Nc6 d3 Nf6", "Nd2", Reason.AMBIGUOUS, "Nd2 could be Nbd2 or Nfd2"),
        ("e4 e5 Ke2 a6 Ke1 a5", "O-O", Reason.CASTLING, "the king or that rook has moved"),
        ("e4 f6 Qh5", "a6", Reason.CHECK, "would leave your king on e8 in check; you can play g6"),
        ("", "e4=Q", Reason.NO_PROMOTION, "only a pawn that reaches the last rank"),
    ],
)
def test_a_refusal_says_what_would_work(turns: str, move: str, reason: Reason, words: str) -> None:
    position = after(turns)
    with pytest.raises(kit.IllegalMove) as refusal:
        position.play(CHESS.notation.parse(move))

    assert refusal.value.reason is reason
    assert words in str(refusal.value)


def test_a_pawn_that_arrives_must_say_what_it_becomes() -> None:
    with pytest.raises(
        kit.IllegalMove, match=r"a pawn that reaches a8 becomes another piece: a8=B, a8=N, a8=Q or a8=R"
    ):
        after("a8", "8/P5k1/8/8/8/8/8/K7 w - - 0 1")


@pytest.mark.parametrize(
    "said", ["Nf3", "nf3", "g1f3", "G1-F3", "1. Nf3", "g1 to f3", "Nf3!", "Ng1-f3", "N f3", "Knight to f3"]
)
def test_a_turn_is_read_however_it_is_written(said: str) -> None:
    position = after()

    assert position.play(CHESS.notation.parse(said)) == position.play(Turn("Nf3"))
    assert CHESS.notation.format(CHESS.notation.parse(said), position) == "Nf3"


def test_a_bishop_is_told_by_its_rank_from_another() -> None:
    """A capital B and a digit are also what a phone makes of b1."""
    two = after(fen="7k/8/B7/8/8/8/B7/K7 w - - 0 1")
    texts = [CHESS.notation.format(move, two) for move in two.moves()]

    assert {"B2c4", "B6c4"} < set(texts)
    assert all(CHESS.notation.format(CHESS.notation.parse(text), two) == text for text in texts)
    assert CHESS.notation.format(CHESS.notation.parse("B1c3"), after()) == "Nc3"
    with pytest.raises(kit.IllegalMove):
        after().play(CHESS.notation.parse("B1c4"))


def test_black_sees_the_board_from_its_own_side() -> None:
    diagram = after().diagram()

    assert diagram.seen_by(0) == diagram
    assert diagram.seen_by(1).columns == tuple("hgfedcba")
    assert diagram.seen_by(1).rows[0] == ("1", tuple(reversed(diagram.rows[-1][1])))


def test_pgn_is_written_and_read() -> None:
    turns = ["e4", "e5", "Bc4", "Nc6", "Qh5", "Nf6", "Qxf7#"]
    text = pgn.written(turns, ("alice", "bob"), "1-0")

    assert "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0" in text
    assert '[White "alice"]' in text
    assert pgn.read(text) == (("alice", "bob"), tuple(turns))
    assert pgn.read("1. e4 e5") is None
    with pytest.raises(ValueError, match="illegal san"):
        pgn.read('[Event "?"]\n\n1. e4 e5 2. Ke3')


def test_records_number_pairs_of_turns_and_pgn_is_read_as_one() -> None:
    turns = ("e4", "e5", "Bc4", "Nc6", "Qh5")
    with offered(CHESS):
        resigned = record.Record("chess", {}, ("alice", "bob"), turns, Ending(Termination.RESIGNATION, 1))
        text = record.dumps(resigned)

        assert "\n1. e4 e5\n2. Bc4 Nc6\n3. Qh5\n4. Black resigned\n" in text
        assert record.loads(text) == resigned
        assert record.loads(pgn.written(turns, ("alice", "bob"))).moves == turns
        with pytest.raises(record.BadRecord, match="turn 3 is expected here"):
            record.loads(text.replace("3. Qh5", "4. Qh5"))
        with pytest.raises(record.BadRecord, match="that is no PGN of Chess: illegal san"):
            record.loads('[Event "?"]\n\n1. e4 e5 2. Ke3')


@pytest.mark.soak
def test_two_hundred_random_matches_end_and_are_read_again_as_pgn() -> None:
    for seed in range(200):
        chance, position = random.Random(seed), after()
        turns: list[str] = []
        while position.turn is not None:
            move = chance.choice(list(position.moves()))
            turns.append(move.text)
            position = position.play(move)
        assert position.outcome is not None
        assert pgn.read(pgn.written(turns)) == (("?", "?"), tuple(turns))


@pytest.mark.soak
def test_two_hundred_random_matches_go_as_openspiel_has_them() -> None:
    """OpenSpiel has rules of its own for chess, but for where a draw must be claimed."""
    pyspiel = pytest.importorskip("pyspiel")
    for seed in range(200):
        chance, position, state = random.Random(seed), after(), pyspiel.load_game("chess").new_initial_state()
        while position.turn is not None and not state.is_terminal():
            ours = {move.text.rstrip("+#") for move in position.moves()}
            theirs = {state.action_to_string(action).rstrip("+#"): action for action in state.legal_actions()}
            assert ours == set(theirs)
            turn = chance.choice(sorted(ours))
            position, state = position.play(CHESS.notation.parse(turn)), state.child(theirs[turn])
        if position.outcome is not None and position.outcome.winner is not None:
            assert state.returns() == ([1, -1] if position.outcome.winner else [-1, 1])  # White is its second player
        assert position.turn is None or state.returns() == [0, 0]


def test_a_board_to_tap_begins_with_the_piece_that_moves() -> None:
    tree = turn_tree(CHESS.notation, after("d2d4 c7c5 d4c5 a7a6 c5c6 a6a5 c6b7 a5a4"))

    assert tree is not None
    pawn = next(branch for branch in tree.branches if branch.cell == "b7")
    assert {each.text for branch in pawn.branches for each in branch.branches} == {"B", "N", "Q", "R"}
    assert CHESS.notation.parse("b7a8=Q").text == "b7a8q"
