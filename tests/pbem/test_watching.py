"""Spectators: who sees what of a match that goes on, when they are told, and when not any more."""

from email.message import EmailMessage

import pytest

from tests import scenes
from tests.correspondence import Correspondence, said, text, to

CAROL = "carol@mail.example"
TURNS = ("e3f4", "e9f8", "f3g4", "f9g8", "b3c4", "b9c8")
NOT_OPEN = "its players don't both let others see it."


pytestmark = scenes.after(scenes.open_match)


def write(letters: Correspondence, name: str, words: str) -> EmailMessage:
    """Write to the personal address of a player; return the answer."""
    sent = letters.say(name, words)
    return next(mail for mail in to(sent, name) if mail["Auto-Submitted"] == "auto-replied")


def watched(mails: list[EmailMessage], address: str = CAROL) -> list[EmailMessage]:
    """Return the messages to a spectator."""
    return [mail for mail in mails if mail["To"] == address and mail["X-PBeM-Event"] == "watched"]


def play(letters: Correspondence, turn: int) -> list[EmailMessage]:
    """Let the player to move play the turn of that number; return all that was sent."""
    return letters.say(("alice", "bob")[(turn - 1) % 2], f"#1 {TURNS[turn - 1]}")


def html(mail: EmailMessage) -> str:
    part = mail.get_body(("html",))
    return str(part.get_content()) if part is not None else ""


def test_nothing_but_the_board_is_told(letters: Correspondence) -> None:
    write(letters, "carol", "watch 1")

    letters.say("alice", "#1 e3f4\ndraw\nif e9f8 then f3g4\n\nWhat a lovely day.")

    (mail,) = watched(letters.received[CAROL])
    whole = mail.as_string() + text(mail) + html(mail)
    for hidden in ("lovely", "draw", "f3g4 ", "@mail.example", "prepared"):
        assert hidden not in whole.replace(f"To: {CAROL}", "")
    assert "offer" not in text(write(letters, "carol", "show 1"))


@pytest.mark.parametrize("words", ["What a game!", "say Well played", "resign", "undo"])
def test_whatever_a_spectator_answers_gets_an_answer_and_changes_nothing(letters: Correspondence, words: str) -> None:
    write(letters, "carol", "watch 1")
    (mail,) = watched(play(letters, 1))
    before = letters.execute("select plies, shift, state, offers from match")

    sent = letters.reply(mail, words)

    assert [str(each["To"]) for each in sent] == [CAROL]
    assert letters.execute("select plies, shift, state, offers from match") == before


def test_watching_begins_is_listed_and_ends(letters: Correspondence) -> None:
    write(letters, "carol", "watch 1")
    assert len(watched(play(letters, 1))) == 1
    assert "Match #1, Quadrature: alice - bob" in text(write(letters, "carol", "watch"))
    assert "any more." in text(write(letters, "carol", "unwatch match #1"))
    assert watched(play(letters, 2)) == []
    write(letters, "carol", "watch 1")
    assert len(watched(play(letters, 3))) == 1
    assert "You don't watch anything any more." in text(write(letters, "carol", "unwatch"))
    assert watched(play(letters, 4)) == []


@pytest.mark.parametrize(
    ("alice", "bob", "sees"),
    [
        ("on", "on", 2),
        ("on", "delayed", 1),
        ("delayed", "off", None),
        ("on", "tournaments", None),
    ],
)
def test_the_narrower_wish_of_the_two_counts(letters: Correspondence, alice: str, bob: str, sees: int | None) -> None:
    write(letters, "carol", "watch 1")
    write(letters, "alice", f"set watchers {alice}")
    write(letters, "bob", f"set watchers {bob}")

    told = [*watched(play(letters, 1)), *watched(play(letters, 2))]

    assert [mail["X-PBeM-Number"] for mail in told] == ([] if sees is None else ["1", "2"][:sees])
    shown, tried, record = (write(letters, "carol", f"{words} 1") for words in ("show", "preview", "record"))
    if sees is None:
        assert all(NOT_OPEN in said(mail) for mail in (shown, tried, record))
        assert "(not open to others now)" in text(write(letters, "carol", "watch"))
    else:
        assert ("alice's turn" in said(tried)) is (sees == 2), said(tried)
        for mail in (shown, record, told[-1]):
            assert ("e9f8" in text(mail)) is (sees == 2), text(mail)
    assert "e9f8" in text(write(letters, "alice", "show 1")), "who plays sees all of it"


def test_who_is_late_sees_the_last_turns_at_the_end(letters: Correspondence) -> None:
    write(letters, "alice", "set watchers delayed")
    assert "a turn late" in text(write(letters, "carol", "watch 1"))
    assert watched(play(letters, 1)) == []
    (mail,) = watched(play(letters, 2))
    assert text(mail).startswith("After turn 1")
    assert "e9f8" not in mail.as_string() + text(mail) + html(mail)
    assert "there is no turn 2" in said(write(letters, "carol", "show 1#2"))

    (question,) = letters.say("alice", "#1 resign")
    (end,) = watched(letters.reply(question, "yes"))

    assert "* bob played e9f8" in text(end)
    assert "e9f8" in text(write(letters, "carol", "show 1")), "what is over is open to everybody"
