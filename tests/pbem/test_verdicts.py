"""What became of each message stands in its row."""

from tests import scenes
from tests.correspondence import ADDRESS, Correspondence


@scenes.after(scenes.two_turns)
def test_what_became_of_each_mail_stands_in_its_row(letters: Correspondence) -> None:
    alice = "alice@mail.example"
    letters.write(alice, "#1 say hello")
    question = letters.last("alice")
    letters.reply(question, "no")
    letters.reply(question, "yes")
    letters.write("stranger@mail.example", "hello")
    letters.write(alice, "say x", to=ADDRESS.replace("@", "+nonsense@"))
    letters.reply(letters.received[alice][1], "#1 say hello\n#1 resume")

    rows = letters.execute("select verdict from incoming order by id desc limit 6")

    assert [row[0] for row in reversed(rows)] == [
        "not confirmed",
        "not confirmed",
        "settled already",
        "told what this is",
        "no answer: unknown token",
        "refused in part",
    ]
