"""How a game is played is explained to those who play it for the first time, and to whoever wants that."""

from notation.games import GAMES
from pbem.storage.facts import FIRST_TURNS
from tests import scenes
from tests.correspondence import Correspondence, said

pytestmark = scenes.after(scenes.match, "challenge bob quadrature")

BASICS = "diagonally forward or sideways"


def test_whoever_has_played_the_game_before_is_told_what_matters_now(letters: Correspondence) -> None:
    letters.resign("alice")
    letters.join("carol")
    letters.say("alice", "challenge carol quadrature begin=me")
    letters.reply(letters.last("carol"), "accept")

    told = said(letters.last("alice"))
    assert "Your turn against carol" in told
    assert GAMES["quadrature"].game.summary.lower() not in told.lower()
    assert BASICS not in told
    letters.reply(letters.last("alice"), "b3b4")
    assert BASICS in said(letters.last("carol"))


def test_whoever_wants_it_is_told_always(letters: Correspondence) -> None:
    board = letters.last("alice")
    letters.say("alice", "set hints long")
    letters.reply(board, "b3b4")
    for number, turn in enumerate(("i9i8", "b4b5", "i8i7", "b5b6", "i7i6")[: FIRST_TURNS - 1], start=1):
        letters.reply(letters.last(("alice", "bob")[number % 2]), turn)

    assert BASICS in said(letters.last("alice"))
