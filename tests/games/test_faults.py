"""A bug in the package of a game is a bug: it costs its message alone, and never another one."""

import pytest

from tests.correspondence import Correspondence, said, text
from tests.games import broken
from tests.games.conftest import Offered


def begin(letters: Correspondence, noughts: Offered, call: str) -> str:
    """Begin a match of the broken game; return the address to which alice, who is to move in it, writes turns."""
    noughts.install(broken.pack(call, broken.crash))
    letters.match("challenge bob noughts time=3d")
    return letters.last("alice")["Reply-To"].addresses[0].addr_spec  # type: ignore[no-any-return]


@pytest.mark.parametrize("call", ["play", "parse"])
def test_a_message_that_a_game_fails_is_shunted_after_three_attempts(
    letters: Correspondence, noughts: Offered, call: str
) -> None:
    letters.write("alice@mail.example", "a3", to=begin(letters, noughts, call))

    shunted = letters.rows("select verdict, attempts from incoming where state = 'shunted'")
    assert shunted == [("RuntimeError, 3 times", 3)]
    assert "Noughts" in text(letters.say("alice", "games")[0])


def test_a_message_that_a_game_cannot_draw_delays_no_other(letters: Correspondence, noughts: Offered) -> None:
    letters.write("alice@mail.example", "a3", to=begin(letters, noughts, "diagram"))

    assert "Noughts" in said(letters.say("alice", "games")[0])
    waiting = letters.rows("select template from outgoing where state = 'owed' and troubled is not null")
    assert waiting == ["turn", "turn"]
