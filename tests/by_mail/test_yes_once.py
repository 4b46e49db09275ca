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


def test_a_suggestion_that_was_carried_out_is_not_once_more_by_an_older_question(letters: Correspondence) -> None:
    (suggestion,) = letters.say("alice", "chalenge bob quadraphages")
    (question,) = letters.reply(suggestion, "yes", to=ADDRESS)
    letters.reply(suggestion, "yes")
    (late,) = letters.reply(question, "yes")

    assert letters.rows("select state from match order by id") == ["running", "offered"]
    assert "it was done" in said(late)


def test_what_may_be_quoted_is_held_back_and_told_after_a_yes_and_kept_in_a_note(letters: Correspondence) -> None:
    (question,) = letters.write(ALICE, "#1 say hi\n\nOn Monday Bob wrote:\n#1 resign\nfoo")
    letters.reply(question, "yes")
    assert "may be part of a message that you quoted" in said(letters.last("alice"))
    assert letters.rows("select state from match") == ["running"]

    (question,) = letters.write(ALICE, "#1 note strong on the left\n\nBob wrote:\nplan: attack")
    letters.reply(question, "yes")
    assert "plan: attack" in text(letters.say("alice", "show 1")[0])


def test_a_subject_alone_sends_words_to_nobody(letters: Correspondence) -> None:
    subject = "Re: [pbem #1, your turn] Quadraphages: alice - bob"
    (question,) = letters.write(ALICE, "set zone Europe/Berlin\n\nMy words about nothing.", subject)
    (told, *_) = letters.reply(question, "yes")

    assert "didn't send them" in said(told)
    assert not any("My words about nothing" in text(mail) for mail in letters.received["bob@mail.example"])


def test_a_name_alone_in_answer_to_us_joins_after_a_yes(letters: Correspondence) -> None:
    (told,) = letters.write("zoe@mail.example", "what is this?")
    (question,) = letters.reply(told, "Zoey", to=ADDRESS)
    letters.reply(question, "yes")

    assert "zoey" in letters.rows("select name from player where name is not null")


def test_what_is_held_is_carried_out_as_it_was_written(letters: Correspondence) -> None:
    (question,) = letters.write(ALICE, "#1 note strong on the left\n\nnote 1 too\n#1 say Hello,\n\nand good luck!")
    letters.reply(question, "yes")

    told = text(letters.last("bob"))
    assert "| and good luck!" in told
    assert "strong" not in told
    assert "strong on the left" in text(letters.say("alice", "show 1")[0])
