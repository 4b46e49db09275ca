"""Conditional moves by mail: what they change for the opponent, and what can't be prepared."""

import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from tests import scenes
from tests.correspondence import Correspondence, correspondence, said, text, to

TREE = "if e9f8 then f3g4 then if f9g8 then g4h5\nelse b3b4"


def waiting(letters: Correspondence) -> None:
    """Begin a match of Quadrature in which alice has played, and it's bob's turn."""
    letters.match("challenge bob quadrature")
    letters.reply(letters.last("alice"), "e3f4")


pytestmark = scenes.after(waiting)


def standing(letters: Correspondence) -> list[object]:
    """Return what a condition could change."""
    return [row for table in ("prepared", "ply", "player") for row in letters.execute(f"select * from {table}")]


def lines_of(letters: Correspondence) -> str:
    """Return what is prepared in the match, as it is stored."""
    return str(letters.execute("select lines from prepared"))


def test_what_is_prepared_is_in_the_data_of_its_author_alone(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), TREE)
    for name, is_author in (("alice", True), ("bob", False)):
        (answer,) = letters.say(name, "export me")
        for part in answer.iter_attachments():
            content = part.get_payload(decode=True)
            if part.get_content_subtype() != "zip":
                assert (b"g4h5" in content) is is_author
            elif not is_author:
                archive = zipfile.ZipFile(BytesIO(content))
                assert b"g4h5" not in b"".join(map(archive.read, archive.namelist()))

    for line in ("record full", "preview e9f8"):
        (answer,) = letters.reply(letters.last("bob"), line)
        assert "b3b4" not in answer.as_string(), line


def test_what_is_not_played_changes_nothing_for_the_opponent(tmp_path: Path) -> None:
    """Two matches, in one of which something was prepared in vain: the opponent's messages are the same."""
    told = []
    for prepares in (True, False):
        with correspondence(tmp_path / str(prepares)) as letters:
            letters.play(waiting)
            if prepares:
                letters.reply(letters.last("alice"), "if e9f8 then f3g4")
            sent = to(letters.reply(letters.last("bob"), "b9b8\n\nHello!"), "bob")
            told.append([(str(mail["Subject"]), [*mail], text(mail)) for mail in sent])
    assert told[0] == told[1]


def test_nothing_is_prepared_for_a_board_that_has_moved_on(letters: Correspondence) -> None:
    old = letters.last("alice")
    letters.reply(letters.last("bob"), "b9b8")
    seen = letters.last("alice")
    letters.reply(seen, "b3b4")
    before = standing(letters)
    (answer,) = letters.reply(old, "if e9f8 then f3g4")
    assert "You replied to an older message" in said(answer)
    assert "Look at the board as it is now, and reply to this message." in said(answer)
    assert standing(letters) == before
    letters.reply(seen, "queue c3c4")
    assert lines_of(letters) != "[]", "alice has only moved herself since that message"


def test_an_offer_in_the_same_message_is_answered_first(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), TREE)
    (turn,) = to(letters.reply(letters.last("bob"), "draw\ne9f8"), "alice")

    assert "there is an offer to answer first" in said(turn)
    assert (letters.played, lines_of(letters)) == (["e3f4", "e9f8"], "[]")


def test_who_leaves_has_prepared_nothing(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), TREE)
    letters.say("alice", "delete me")
    letters.reply(letters.last("alice"), "yes")
    assert lines_of(letters) == "[]"
    assert "g4h5" not in str(letters.execute("select payload from outgoingcontent"))


@pytest.mark.parametrize("turn", ["b9b8", "e9f8\ndraw"])
def test_another_turn_or_an_offer_ends_no_match(letters: Correspondence, turn: str) -> None:
    letters.reply(letters.last("alice"), "if e9f8 then resign")
    letters.reply(letters.last("bob"), turn)

    assert letters.rows("select state, plies from match") == [("running", 2)]
    assert letters.execute("select * from prepared") == []
