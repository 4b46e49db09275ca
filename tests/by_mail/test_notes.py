"""A note of one's own about a match is shown under the board, to its writer alone, until it is deleted."""

from tests import scenes
from tests.correspondence import Correspondence, said, text


@scenes.after(scenes.two_turns)
def test_a_note_is_shown_under_the_board_until_it_is_deleted(letters: Correspondence) -> None:
    board = letters.last("alice")
    (answer,) = letters.reply(board, "note The heffalump comes from the left")
    assert "| The heffalump comes from the left" in text(answer)

    (shown,) = letters.reply(board, "show")
    above, _, below = text(shown).partition("Your own note, which nobody else sees:")
    assert "a b c d e" in above
    assert "| The heffalump comes from the left" in below
    assert "Your own note about match #1: | The heffalump" in said(*letters.reply(board, "note"))
    assert "heffalump" not in text(*letters.reply(letters.last("bob"), "show"))

    assert "Deleted" in text(*letters.reply(board, "note off"))
    assert "heffalump" not in text(*letters.reply(board, "show"))
