"""What a player is offered instead of a turn that is refused: what the refusal names, but for its examples."""

import pytest

from notation.resemblance import named
from pbem import gamekit as kit
from second_sources import GAMES


@pytest.mark.parametrize(
    ("key", "turns", "move", "offered"), [("connectfour", "d1", "d1", ("d2",)), ("othello", "", "d4", ())]
)
def test_an_example_in_a_refusal_is_not_offered_as_what_was_meant(
    key: str, turns: str, move: str, offered: tuple[str, ...]
) -> None:
    position, notation = GAMES[key].game.position({}), GAMES[key].notation
    for turn in turns.split():
        position = position.play(notation.parse(turn))
    with pytest.raises(kit.IllegalMove) as refused:
        position.play(notation.parse(move))

    assert named(notation, position, move, refused.value, ()) == offered
