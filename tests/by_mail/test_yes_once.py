"""What a message without proof asks for is done after a yes, and once."""

from tests import scenes
from tests.correspondence import ADDRESS, Correspondence, said, text

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


def test_a_yes_without_proof_to_a_suggestion_is_asked_about_and_done_once(letters: Correspondence) -> None:
    (suggestion,) = letters.say("alice", "chalenge bob quadraphages")
    (question,) = letters.reply(suggestion, "yes", to=ADDRESS)
    assert "challenge bob quadraphages" in said(question)
    letters.reply(question, "yes")
    (late,) = letters.reply(suggestion, "yes")

    assert letters.rows("select state from match order by id") == ["running", "offered"]
    assert "it was done" in said(late)


def test_what_is_held_is_carried_out_as_it_was_written(letters: Correspondence) -> None:
    (question,) = letters.write(ALICE, "#1 note strong on the left\n\nnote 1 too\n#1 say Hello,\n\nand good luck!")
    letters.reply(question, "yes")

    told = text(letters.last("bob"))
    assert "| and good luck!" in told
    assert "strong" not in told
    assert "strong on the left" in text(letters.say("alice", "show 1")[0])
