"""Whoever writes in a player's name acts only with their token; the player is asked at the address on file."""

import json

import pytest

from pbem.mail.transports.protocols import Arrival
from tests import scenes
from tests.cases import quick_where
from tests.correspondence import ADDRESS, Correspondence, said, text

pytestmark = scenes.after(scenes.match)

ALICE, BOB = "alice@mail.example", "bob@mail.example"
TURN = "1 a7b7 i3i2"


def test_the_id_of_a_mail_proves_nothing(letters: Correspondence) -> None:
    """Alice sent bob a copy of her reply, which contains the Message-ID of the message that she replied to."""
    seen, tables = str(letters.last("alice")["Message-ID"]), ("player", "match", "ply")
    before = [letters.execute(f"select * from {table}") for table in tables]

    for line in (f"#1 {TURN}", "#1 resign", "#1 draw", "#1 say I give up", "stop", "set mail daily"):
        (question,) = letters.write(ALICE, line, In_Reply_To=seen)
        assert (question["To"], question["Subject"]) == (ALICE, "[pbem] Please confirm")

    assert [letters.execute(f"select * from {table}") for table in tables] == before


def test_an_opponent_who_answers_to_all_is_asked_about_at_the_address_on_file(letters: Correspondence) -> None:
    """Alice sends bob a copy of her message to us; his reply to all reaches us too, at her reply address."""
    to = str(letters.last("alice")["Reply-To"].addresses[0].addr_spec)

    for number, words in enumerate(("say I was never any good at this", TURN, "stop")):
        head = f"From: Bob <{BOB}>\nTo: {ALICE}\nCc: {to}\nMessage-ID: <{number}@mail.example>\n"
        (question,) = letters.deliver(f"{head}\n{words}\n".encode())
        assert (question["To"], question["Subject"]) == (ALICE, "[pbem] Please confirm")

    assert letters.played == []
    assert letters.rows("select count(*) from player where stopped is not null") == [0]


@pytest.mark.parametrize(("words", "played"), quick_where(lambda case: case[0] == "yes", [("yes", [TURN]), ("no", [])]))
def test_the_thread_of_a_question_answers_no_question(letters: Correspondence, words: str, played: list[str]) -> None:
    (question,) = letters.write(ALICE, f"#1 {TURN}")

    (again,) = letters.reply(question, words, to=ADDRESS)

    assert (again["To"], again["Subject"]) == (ALICE, "[pbem] Please confirm")
    assert "anyone can write in your" in text(again)
    assert again["Reply-To"].addresses[0].addr_spec in text(again)
    assert letters.played == []
    letters.reply(again, words)
    assert letters.played == played


def test_who_answers_without_the_token_is_asked_about_each_match_by_name(letters: Correspondence) -> None:
    """Their host strips what follows the +; the thread tells which match is meant."""
    boards = [letters.last("alice")]
    letters.say("alice", "challenge bob quadraphages")
    letters.reply(letters.last("bob"), "accept")
    boards.append(letters.last("alice"))
    asked = [letters.reply(board, TURN, to=ADDRESS) for board in boards]

    assert ["about match #1: " in said(asked[0][0]), "about match #2: " in said(asked[1][0])] == [True, True]
    assert letters.reply(boards[1], TURN, to=ADDRESS) == []
    for (question,) in asked:
        letters.reply(question, "yes")
    assert letters.rows("select match, text from ply order by match") == [(1, TURN), (2, TURN)]


def test_the_row_of_a_message_holds_no_reply_token_once_it_is_done_with(letters: Correspondence) -> None:
    to = str(letters.last("alice")["Reply-To"].addresses[0].addr_spec)

    for number, line in enumerate(("show", "resign")):
        raw = f"From: Alice <{ALICE}>\nTo: {ADDRESS}\nMessage-ID: <{number}@mail.example>\n\n{line}\n".encode()
        letters.server.take((Arrival(raw, "lmtp", sender=ALICE, recipients=(to,)),))
        (answer,) = letters.wait()
    kept = "select cast(recipients as text) from incoming"
    assert [json.loads(held) for held in letters.rows(f"{kept} where state = 'held'")] == [[to]]
    letters.reply(answer, "yes")

    assert letters.rows("select state from match") == ["over"]
    assert set(letters.rows(kept)) == {"[]"}
