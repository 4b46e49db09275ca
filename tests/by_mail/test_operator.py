"""Who asks for a person in plain sentences: a yes sends the operator all that they wrote, and nothing without it."""

import pytest

from tests import scenes
from tests.correspondence import Correspondence, said, to

pytestmark = [pytest.mark.server(server='admin = "admin@pbem.example"'), scenes.after(scenes.two_players)]
ASKS = (
    "I lost #7 on time, but I had moved. I'd like to talk to a human being about that, please.\n\nBest wishes\nAnn Lee"
)
TO_OPERATOR = "select count(*) from outgoing where template = 'for_operator'"


def passed_on(letters: Correspondence) -> str:
    (row,) = letters.rows("select address from outgoing where template = 'for_operator'")
    assert row == "admin@pbem.example"
    return said(letters.received[row][-1])


def test_a_player_s_words_go_to_the_operator_for_a_yes(letters: Correspondence) -> None:
    (suggestion,) = letters.say("alice", ASKS)
    assert "You want to have the operator read your message" in said(suggestion)
    assert letters.rows(TO_OPERATOR) == [0]

    (answer,) = to(letters.reply(suggestion, "yes"), "alice")
    assert "alice@mail.example" in said(answer)
    assert "I had moved" in passed_on(letters)
    assert "Ann Lee" in passed_on(letters)


def test_a_player_blocks_somebody_and_tells_the_operator_with_one_yes(letters: Correspondence) -> None:
    letters.say("alice", "challenge bob kvadratik")
    letters.reply(letters.last("bob"), "accept")
    words = "Bob writes me rude things. I want nothing from him any more. I'd like to talk to a person about it."
    (question,) = letters.reply(letters.last("alice"), words)
    assert "| block bob" in said(question)
    assert "| human" in said(question)

    letters.reply(question, "yes")
    assert "rude things" in passed_on(letters)


def test_a_stranger_s_words_go_to_the_operator_once_they_confirm_and_are_not_sent_back(letters: Correspondence) -> None:
    (question,) = letters.write("carol@mail.example", ASKS, "Complaint")
    assert "| human" in said(question)
    assert "on time" not in said(question)
    assert letters.rows(TO_OPERATOR) == [0]

    letters.reply(question, "yes")
    assert "I had moved" in passed_on(letters)


def test_a_letter_of_one_line_goes_to_the_operator_whole(letters: Correspondence) -> None:
    (suggestion,) = letters.say("alice", f"{ASKS.splitlines()[0]} {'long ' * 1000} THE END")
    letters.reply(suggestion, "yes")
    assert "THE END" in passed_on(letters)


def test_a_stranger_who_writes_again_is_asked_again_and_the_subject_goes_along(letters: Correspondence) -> None:
    letters.write("carol@mail.example", ASKS, "Complaint")
    (question,) = letters.write("carol@mail.example", f"{ASKS}\nAnd my board is empty.", "My board is empty")
    letters.reply(question, "yes")
    assert '"My board is empty"' in passed_on(letters)


def test_what_stands_beside_a_second_letter_of_the_day_is_offered_all_the_same(letters: Correspondence) -> None:
    letters.say("alice", "challenge bob kvadratik")
    letters.reply(letters.last("bob"), "accept")
    board = letters.last("alice")
    letters.reply(letters.reply(board, ASKS.replace("#7", "it"))[0], "yes")
    (question,) = letters.reply(board, "I give up. I'd like to talk to a human being about that, please.")
    assert "| #1 resign" in said(question)
    assert "| human" not in said(question)


def test_a_stranger_s_command_takes_the_words_below_it(letters: Correspondence) -> None:
    (question,) = letters.write("carol@mail.example", "human\n\nI can't read your board, could you help me?", "x")
    letters.reply(question, "yes")
    assert "could you help me?" in passed_on(letters)


def test_what_waits_for_a_name_is_no_letter_to_the_operator(letters: Correspondence) -> None:
    words = "I'd like to play kvadratik with dora@mail.example.\nI'd like to talk to a human being as well, please."
    (answer,) = letters.write("carol@mail.example", words, "hi")
    assert "| human" not in said(answer)
    assert 'Write "human" in the first line' in said(answer)
    letters.reply(answer, "yes")
    assert letters.rows(TO_OPERATOR) == [0]


def test_nothing_that_a_forger_writes_is_sent_back_in_its_name(letters: Correspondence) -> None:
    letters.write("alice@mail.example", ASKS.replace("#7", "#7 at cheap-pills.example"))
    assert not any('"I lost' in said(mail) for mail in letters.received.get("alice@mail.example", ()))


@pytest.mark.server(server="")
def test_where_no_operator_is_named_none_is_offered(letters: Correspondence) -> None:
    (answer,) = letters.say("alice", ASKS)
    assert "Nobody but this program reads what you write to it" in said(answer)
    assert "| human" not in said(answer)
