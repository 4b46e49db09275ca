"""What a message without proof asks for is done after a yes, and once."""

from tests import scenes
from tests.correspondence import Correspondence, text

pytestmark = scenes.after(scenes.two_turns)

ALICE = "alice@mail.example"


def test_a_second_yes_does_nothing_more(letters: Correspondence) -> None:
    (question,) = letters.write(ALICE, "#1 say Hello again")
    assert letters.rows("select state from incoming where id = (select max(id) from incoming)") == ["held"]
    letters.reply(question, "yes")
    heard = [mail for mail in letters.received["bob@mail.example"] if "Hello again" in text(mail)]

    (answer,) = letters.reply(question, "yes")

    assert len(heard) == 1
    assert [mail for mail in letters.received["bob@mail.example"] if "Hello again" in text(mail)] == heard
    assert "already" in text(answer)
