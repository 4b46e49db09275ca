"""Texts that aren't legal turns, and the legal turn that each resembles."""

import random
from collections.abc import Mapping
from enum import Enum
from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.core import IllegalMove, Position
from notation.core import BadNotation
from notation.games import GAMES
from notation.resemblance import MOST_OFFERED, named, resembling
from tests.cases import quick_where


def after(game: str, *turns: str, **options: str) -> Position[Any]:
    position = GAMES[game].game.position(options)
    for turn in turns:
        position = position.play(GAMES[game].notation.parse(turn))
    return position


def is_legal(game: str, position: Position[Any], text: str) -> bool:
    try:
        position.play(GAMES[game].notation.parse(text))
    except (BadNotation, IllegalMove):
        return False
    return True


PROSE = ("Hello Bob", "3 cheers for you", "I like a1", "see you at 8", "25 points!", "what about e5?", "5pm then?")
PHAGES = ("1 a7b7 i3i2", "c1d1 g9h9 2 d1f1 h9h7")
TURN = "b7d7 i2g2 3 d7d4 g2d2"


@pytest.mark.parametrize(
    ("text", "slip"),
    [
        ("7b7d 2i2g 3 7d4d 2g2d", "columns and rows swapped everywhere"),
        ("b7d7 i22g 3 d7d4 g2d2", "in one square"),
        ("d7b7 i2g2 3 d7d4 g2d2", "one move from its end to its beginning"),
        ("d7b7 g2i2 3 d4d7 d2g2", "all of them"),
        ("d7d4 g2d2 3 b7d7 i2g2", "the operations in the other order"),
        ("3 b7d7 i2g2 d7d4 g2d2", "the number first"),
        ("b7d7 i2g2 d7d4 g2d2", "the number missing"),
        ("b7d7 i2g2 5 d7d4 g2d2", "the number wrong"),
        ("b7d7 i2g2 3. d7d4 z2d2", "one character wrong"),
        ("b7d7 i2g2 3 d7d4 2gd2", "two swapped"),
        ("b7d7i2g23d7d4g2d2", "no gaps"),
        ("b7d7 i2g2 3 d7d4 g2d2 ok", "something behind it"),
        ('"b7d7 i2g2 3 d7d4 g2d2"', "in quotes"),
    ],
)
def test_a_slip_is_undone(text: str, slip: str) -> None:
    assert not is_legal("quadraphages", after("quadraphages", *PHAGES), text) or text.startswith(("3", "d7d4")), slip
    assert resembling(GAMES["quadraphages"].notation, after("quadraphages", *PHAGES), text) == (TURN,), slip


@pytest.mark.parametrize(
    ("game", "options", "turns", "text", "meant"),
    [
        ("quadraphages", {}, ("1 a7b7 i3i2",), "cldl g9h9 2 dlfl h9h7", ("c1d1 g9h9 2 d1f1 h9h7",)),
        ("quadraphages", {}, ("1 a7b7 i3i2",), "c1d1 g9h9 l d1e1 h9h8", ("c1d1 g9h9 1 d1e1 h9h8",)),
        ("quadraphages", {}, (*PHAGES, "b7d7 i2g2 3"), "7d4d 2g2d", ("d7d4 g2d2",)),
        ("hexaphages", {}, (), "1 3k4j 7k7m", ("1 k3j4 k7m7",)),
        ("quadrature", {}, (), "3e4f", ("e3f4",)),
        ("quadrature", {}, (), "e3 f 4", ("e3f4",)),
        ("quadrature", {}, (), "e3k4", ("j3k4", "e3f4")),
        ("quadrupel", {"variant": "basic"}, (), "3c5e", ("c3e5",)),
        ("kvadratik", {}, (), "setup+x+x", ("setup +x+x",)),
        ("kvadratik", {}, ("setup +x+x", "setup +x+x"), "a4b3", ("~a4 a4b3",)),
        ("kvadratik", {}, ("setup +x+x", "setup +x+x"), "flip b4, b4 to b3", ("~b4 b4b3",)),
    ],
)
def test_slips_of_every_game(
    game: str, options: Mapping[str, str], turns: tuple[str, ...], text: str, meant: tuple[str, ...]
) -> None:
    position = after(game, *turns, **options)
    found = resembling(GAMES[game].notation, position, text)

    if is_legal(game, position, text):
        assert found[0] == GAMES[game].notation.format(GAMES[game].notation.parse(text), position)
    else:
        assert found == meant


def offered(game: str, text: str) -> tuple[str, ...]:
    """Return what is offered in place of an illegal turn."""
    position, notation = GAMES[game].game.position({}), GAMES[game].notation
    with pytest.raises(IllegalMove) as refusal:
        position.play(notation.parse(text))
    return named(notation, position, text, refusal.value, resembling(notation, position, text))


@pytest.mark.parametrize(
    ("game", "text", "meant"),
    [
        ("quadrature", "e3k4", ("e3f4",)),  # not "j3k4": e3 can go to d4, e4 or f4
        ("quadrupel", "d2d4", ("d2b4", "d2f4")),
        ("quadrupel", "d2d1!", ("d2d1",)),  # without the announcement it can be played
        ("quadrupel", "d1d2", ("d2d1",)),  # nothing but what was written
    ],
)
def test_what_is_offered_follows_from_the_refusal(game: str, text: str, meant: tuple[str, ...]) -> None:
    assert offered(game, text) == meant


@pytest.mark.parametrize(
    ("sentence", "meant"),
    [
        ("e3 is ambiguous: it could be e3d4 or e3f4", ("e3d4", "e3f4")),
        ("that could be e3d4, e3e4, e3f4 or f3g4", ()),
        ("there is no such man", ()),
    ],
)
def test_turns_that_a_refusal_names_are_offered_and_no_others(sentence: str, meant: tuple[str, ...]) -> None:
    refusal = IllegalMove(Enum("Reason", {"WRONG": sentence}).WRONG)  # type: ignore[arg-type, attr-defined]
    position, notation = GAMES["quadrature"].game.position({}), GAMES["quadrature"].notation

    assert named(notation, position, "e3", refusal, ("g3h4",)) == meant


@pytest.mark.parametrize("game", quick_where(lambda game: game in ("quadraphages", "kvadratik"), GAMES))
def test_prose_resembles_no_turn(game: str) -> None:
    others = ("hm", "no", "ok", "5pm", "win 3-2", "\u0000", "\u0661\u0662", "", " ", "x" * 500, "-" * 70, "1 " * 40)
    for text in (*PROSE, *others):
        assert resembling(GAMES[game].notation, GAMES[game].game.position({}), text) == (), text


@pytest.mark.slow
def test_an_announcement_is_offered_for_the_written_squares_only() -> None:
    """No reply may reveal where a figure could be built (Quadrupel)."""
    rng, told = random.Random(5), 0
    notation = GAMES["quadrupel"].notation
    for _ in range(8):
        position = after("quadrupel")
        for _ in range(40):
            moves = list(position.moves())
            if not moves:
                break
            for move in moves:
                if getattr(move, "announced", False):
                    squares = f"{move.origin}{move.target}"
                    assert resembling(notation, position, f"{squares} quadrupe1") == (f"{squares} quadrupel",)
                    for wrong in (
                        f"{squares[2:]}{squares[:2]} quadrupel",
                        f"{squares[:3]}9 quadrupel",
                        f"{squares[:3]}9",
                    ):
                        assert not any("quadrupel" in found for found in resembling(notation, position, wrong))
                    told += 1
            position = position.play(rng.choice([move for move in moves if not getattr(move, "announced", False)]))
    assert told


@pytest.mark.slow
@settings(max_examples=40)
@given(
    st.sampled_from(sorted(GAMES)),
    st.integers(0, 1_000),
    st.text(alphabet="abcdefghijklmnop0123456789 -+x~@.,#!O", max_size=90),
    st.integers(0, 6),
)
def test_whatever_is_offered_is_legal_and_few(game: str, seed: int, noise: str, cut: int) -> None:
    rng, position, notation = random.Random(seed), GAMES[game].game.position({}), GAMES[game].notation
    for _ in range(rng.randrange(6)):
        moves = list(islice(position.moves(), 300))
        if not moves:
            break
        position = position.play(rng.choice(moves))
    some = next(position.moves(), None)
    written = notation.format(some, position) if some is not None else ""
    for text in (noise, written[:cut] + noise[:2] + written[cut:], written[::-1], noise + written):
        found = resembling(notation, position, text)
        assert len(found) <= MOST_OFFERED
        assert len(set(found)) == len(found)
        for turn in found:
            assert is_legal(game, position, turn)
            move = notation.parse(turn)
            assert notation.format(move, position) == turn
