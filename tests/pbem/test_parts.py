"""Operation 1 and the number, sent alone, in every kind of position in which they can arrive."""

import random
from collections import Counter

import pytest

from notation.games import GAMES
from tests.correspondence import Correspondence, said, text
from tests.positions import stand


def line_of_play(game: str) -> list[str]:
    """Return the turns of a random match played to its end."""
    chance, position, texts = random.Random(0), GAMES[game].game.position({}), []
    while position.turn is not None:
        turn = chance.choice([turn for turn, _ in zip(position.moves(), range(40), strict=False)])
        texts.append(GAMES[game].notation.format(turn, position))
        position = position.play(turn)
    return texts


@pytest.mark.parametrize("game", ["quadraphages", "hexaphages"])
def test_a_part_is_played_when_one_completion_is_left_and_kept_otherwise(letters: Correspondence, game: str) -> None:
    seen, texts, notation = Counter[str](), line_of_play(game), GAMES[game].notation
    letters.match(f"challenge bob {game}")
    for ply, turn_text in enumerate(texts):
        position = stand(letters, game, texts[:ply])
        sender, turn = ("alice", "bob")[position.turn or 0], notation.parse(turn_text)
        part = notation.format(type(turn)(turn.first, turn.number, None), position)
        completions = list(zip(position.play(notation.parse(part)).moves(), range(2), strict=False))
        answer = letters.say(sender, f"#1 {part}")
        if len(completions) == 1:
            seen["played"] += 1
            assert len(answer) == 2
            assert f"played {turn_text}." in said(answer[0])
        else:
            seen["kept"] += 1
            assert [str(mail["To"]) for mail in answer] == [f"{sender}@mail.example"]
            assert f"so far: {part}" in text(answer[0])
            rest = notation.format(type(turn)((), None, turn.second), position)
            assert f"played {turn_text}." in said(letters.say(sender, f"#1 {rest}")[0])
    ((state, reason),) = letters.execute("select state, reason from match where id = 1")
    assert state == "over"
    assert "marked cells" in reason
    stand(letters, game, [])
    number, *steps = texts[0].split()
    answer = letters.say("alice", f"#1 {' '.join(steps)} {number}")
    assert "first turn" in text(answer[0])
    assert f"for example {texts[0]}" in said(answer[0])

    assert seen["played"] > 3
    assert seen["kept"] > 5
