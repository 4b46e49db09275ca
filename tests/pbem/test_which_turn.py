"""Several lines that may be the turn, and lines below what may announce a quote."""

import pytest

from tests import scenes
from tests.correspondence import Correspondence, said, text

pytestmark = scenes.after(scenes.match)
TURN = "1 a7b7 i3i2"


@pytest.mark.parametrize("words", [f"{TURN}\n\n5", f"5\n{TURN}", f"- {TURN}"])
def test_a_complete_turn_is_played_beside_a_part_of_another(letters: Correspondence, words: str) -> None:
    letters.reply(letters.last("alice"), words)

    assert letters.played == [TURN]


def test_of_two_complete_turns_none_is_played(letters: Correspondence) -> None:
    (answer,) = letters.reply(letters.last("alice"), f"{TURN}\n\n1 a7a9 i3i2")

    assert "two turns" in text(answer)
    assert letters.played == []


@pytest.mark.parametrize("announcement", ["Kwa PBeM:", "------ Alkalmazott ------"])
@pytest.mark.parametrize("line", [f"#1 {TURN}", "resign"])
def test_below_what_may_announce_a_quote_a_line_is_asked_about(
    letters: Correspondence, announcement: str, line: str
) -> None:
    (answer,) = letters.reply(letters.last("alice"), f"Good luck!\n\n{announcement}\n\n{line}\n")

    assert letters.played == []
    assert letters.rows("select state from match") == ["running"]
    assert "This may be quoted" in said(answer)
    letters.reply(answer, "yes")
    assert letters.played == ([TURN] if TURN in line else [])
