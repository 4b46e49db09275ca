"""Which line of a message is the turn: decorated, beside fragments of turns, or below what may announce a quote."""

import pytest

from tests import scenes
from tests.correspondence import Correspondence, said, text

TURN = "1 a7b7 i3i2"


pytestmark = scenes.after(scenes.match)


def played(letters: Correspondence) -> list[tuple[object, ...]]:
    return letters.execute("select text from ply")


@pytest.mark.parametrize(
    "line",
    [
        "1  a7b7  i3i2",
        "1\u00a0\u00a0a7b7 i3i2",
        f"*{TURN}*",
        f"**{TURN}**",
        f"_{TURN}_",
        f"- {TURN}",
        f"* {TURN}",
        f"1. {TURN}",
        f"\u2022 {TURN}",
        f'"{TURN}"',
        f"\u201e{TURN}\u201c",
        f"'{TURN}'.",
        f"Hi!\n- {TURN}\n\nGood luck",
        f"*#1 {TURN}*",
    ],
)
def test_a_decorated_turn_is_played(letters: Correspondence, line: str) -> None:
    letters.reply(letters.last("alice"), line)

    assert played(letters) == [(TURN,)]


@pytest.mark.parametrize(
    "line",
    [
        f"- {TURN}\n- 1 a7a6 i3i2",
        f"Should I have played\nthis one, do you think\n- {TURN}",
        "- 1 a7b7",
        "* a7b7 | a7a6",
    ],
)
def test_a_decorated_turn_that_may_be_talked_about_is_not_played(letters: Correspondence, line: str) -> None:
    letters.reply(letters.last("alice"), line)

    assert played(letters) == []


@pytest.mark.parametrize(
    "fragment", ["[...]", "(...)", "...", "[1]", "(1)", "5", "#1", "a7", "1 a7b7", TURN, "1a" * 20, "0x1f c3d4e5f6"]
)
@pytest.mark.parametrize("form", ["{0}\n\n{1}", "{0}\n{1}", "{1}\n{0}"])
def test_a_complete_turn_wins_over_fragments_of_turns(letters: Correspondence, fragment: str, form: str) -> None:
    letters.reply(letters.last("alice"), form.format(TURN, fragment))

    assert played(letters) == [(TURN,)]


@pytest.mark.parametrize("rival", ["1 a7a6 i3i2", "2 a7b7 i3i2", "1 a7a9 i3i2"])
def test_another_complete_turn_rivals_it_legal_or_not(letters: Correspondence, rival: str) -> None:
    (answer,) = letters.reply(letters.last("alice"), f"{TURN}\n\n{rival}")

    assert "two turns" in text(answer)
    assert played(letters) == []


@pytest.mark.parametrize("announcement", ["Kwa PBeM:", "Forwarded to PBeM, 2 March 2026", "------ Alkalmazott ------"])
@pytest.mark.parametrize("line", [TURN, f"#1 {TURN}", "resign"])
def test_below_what_may_announce_a_quote_a_turn_is_asked_about(
    letters: Correspondence, announcement: str, line: str
) -> None:
    (answer,) = letters.reply(letters.last("alice"), f"Good luck!\n\n{announcement}\n\n{line}\n")

    assert played(letters) == []
    assert letters.execute("select state from match") == [("running",)]
    assert "may begin a quoted message" in said(answer)


def test_what_was_asked_about_is_played_on_a_yes(letters: Correspondence) -> None:
    (answer,) = letters.reply(letters.last("alice"), f"Good luck!\n\nKwa PBeM:\n\n{TURN}\n")
    letters.reply(answer, "yes")

    assert played(letters) == [(TURN,)]
