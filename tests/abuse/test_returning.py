"""Who leaves and joins again: blocks hold, and joining works at once."""

from tests.correspondence import ADDRESS, Correspondence, text
from tests.scenes import after, two_turns

pytestmark = after(two_turns)
CAROL = "carol@mail.example"


def leave(letters: Correspondence, name: str) -> None:
    letters.reply(letters.say(name, "delete me")[0], "yes")


def test_a_block_survives_leaving_and_joining_again(letters: Correspondence) -> None:
    letters.join("carol")
    letters.say("alice", "block carol")
    leave(letters, "carol")
    assert letters.execute("select count(*) from block") == [(0,)]
    letters.wait(days=2)

    (question,) = letters.write("Carol+new@mail.example", "join caroline")
    (welcome,) = letters.reply(question, "yes")
    (refused,) = letters.reply(welcome, "challenge alice quadraphages")
    assert "isn't open to this challenge" in text(refused)
    letters.say("alice", "unblock caroline")
    assert letters.execute("select count(*) from block") == [(0,)]
    assert letters.execute("select count(*) from blockedaddress") == [(0,)]


def test_whom_somebody_blocked_is_forgotten_when_they_leave_themselves(letters: Correspondence) -> None:
    letters.join("carol")
    letters.say("alice", "block carol")
    leave(letters, "carol")
    leave(letters, "alice")

    assert letters.execute("select count(*) from blockedaddress") == [(0,)]


def test_a_message_that_asks_to_join_within_the_second_of_leaving_is_no_trace(letters: Correspondence) -> None:
    personal = letters.join("carol")
    (leaving,) = letters.write(CAROL, "delete me", to=personal)
    new = letters.folder / "in" / "new"
    (new / "zz.test").write_bytes(
        f"From: {CAROL}\nTo: {ADDRESS}\nMessage-ID: <9@mail.example>\n\njoin carol\n".encode()
    )

    sent = letters.reply(leaving, "yes")

    (question,) = (mail for mail in sent if "+" in str(mail["Reply-To"]))
    letters.reply(question, "yes")
    assert letters.execute(f"select name from player where address = '{CAROL}'") == [("carol",)]
