"""What strangers leave behind goes: who never became a player is forgotten with the last message to them."""

from sqlmodel import SQLModel

from tests.correspondence import Correspondence, text
from tests.scenes import after

pytestmark = after(Correspondence.join, "alice")

FAR = "far.example"


def months(letters: Correspondence) -> None:
    """Let messages become as old as they may, and the server remove them."""
    letters.wait(days=91)
    for _ in range(4):
        letters.wait(hours=2)


def where_named(letters: Correspondence, word: str) -> set[str]:
    """Return the tables in which any column of any row has that word."""
    return {
        table
        for table in SQLModel.metadata.tables
        for row in letters.execute(f'select * from "{table}"')
        if word in str(row)
    }


def test_nothing_is_kept_of_strangers_once_their_messages_are_removed(letters: Correspondence) -> None:
    """Their addresses were kept for good: in a row for each forged join, and in that of each answer."""
    for number in range(3):
        letters.write(f"v{number}@{FAR}", f"join victor{number}")
    letters.write(f"other@{FAR}", "help")
    letters.write(f"third@{FAR}", "Who are you?")
    letters.say("alice", f"challenge guest@{FAR} quadraphages")
    letters.say("alice", "withdraw 1")
    letters.say("alice", f"change address new@{FAR}")
    letters.reply(letters.last("alice"), "yes")
    assert {"player", "outgoing"} <= where_named(letters, FAR)

    months(letters)

    assert where_named(letters, FAR) == set()
    assert letters.execute("select count(*) from player where deleted is null") == [(1,)]


def test_who_was_forgotten_can_join_and_be_invited(letters: Correspondence) -> None:
    (question,) = letters.write(f"victor@{FAR}", "join victor")
    months(letters)

    assert letters.reply(question, "yes") == [], "a token of somebody who is forgotten proves nothing"

    letters.clock.advance(days=1)
    (question,) = letters.write(f"victor@{FAR}", "join victor")
    (welcome,) = letters.reply(question, "yes")
    assert "Welcome, victor" in text(welcome)
