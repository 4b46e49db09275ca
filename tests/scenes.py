"""Scenes that many tests begin with; see `letters` in tests/conftest.py."""

from collections.abc import Callable

import pytest

from tests.correspondence import Correspondence


def after(scene: Callable[..., object], *words: str) -> pytest.MarkDecorator:
    """Return the mark of a test, or of a module, whose `letters` begin after a scene.

    A mark of pytest's that is called with a function alone would decorate that function.
    """
    return pytest.mark.scene.with_args(scene, *words)


match = Correspondence.match
"""Let alice (X, to move) and bob (O) begin a match, of Quadraphages unless the challenge says otherwise."""


def two_players(letters: Correspondence) -> None:
    """Let alice and bob join."""
    letters.join("alice")
    letters.join("bob")


def two_turns(letters: Correspondence) -> None:
    """Begin a match of alice (X, to move) and bob (O), and play the first turn of both."""
    letters.match()
    letters.reply(letters.last("alice"), "1 a7b7 i3i2")
    letters.reply(letters.last("bob"), "c1d1 g9h9 2 d1f1 h9h7")


def bobs_turn(letters: Correspondence) -> None:
    """Begin a match in which alice has played, and it's bob's turn."""
    letters.match()
    letters.reply(letters.last("alice"), "1 a7b7 i3i2")


def busy(letters: Correspondence) -> None:
    """Let alice and bob play a turn each in #1, bob challenge alice (#2), and carol and bob seek opponents."""
    letters.match("challenge bob quadraphages rated")
    letters.reply(letters.last("alice"), "1 a7b7 i3i2")
    letters.reply(letters.last("bob"), "c1d1 g9h9 2 d1f1 h9h7")
    letters.join("carol")
    letters.say("carol", "seek quadrature")
    letters.say("bob", "challenge alice kvadratik\nseek quadrature")


def first_turn(letters: Correspondence, words: str = "time=3d/move") -> None:
    """Begin a match of Quadrature in which alice has played the first turn."""
    letters.match(f"challenge bob quadrature {words}")
    letters.reply(letters.last("alice"), "e3f4")


def bob_to_move(letters: Correspondence, words: str = "time=3d/move") -> None:
    """Begin a match of Quadrature after three turns; unless the words say otherwise, bob has three days for his."""
    first_turn(letters, words)
    letters.reply(letters.last("bob"), "e9f8")
    letters.reply(letters.last("alice"), "b3b4")


def open_match(letters: Correspondence) -> None:
    """Begin a match of Quadrature whose players let others see it; carol has joined."""
    letters.match("challenge bob quadrature")
    letters.join("carol")
    for name in ("alice", "bob"):
        letters.say(name, "set watchers on")
