"""A player's data by mail: all of it sent to them, and all of it deleted."""

import io
import json
import re
import zipfile
from email.message import EmailMessage
from typing import Any

import pytest
from sqlalchemy import inspect

from tests import scenes
from tests.correspondence import Correspondence, text, to

pytestmark = scenes.after(scenes.two_turns)

ALICE = "alice@mail.example"
TOKEN = re.compile(r"games[+=][A-Za-z2-7]{40}@|[+][a-z2-7]{40}@")


def files(mail: EmailMessage) -> dict[str, Any]:
    return {str(part.get_filename()): part.get_payload(decode=True) for part in mail.iter_attachments()}


def test_all_that_we_hold_of_a_player_comes_as_files_without_tokens(letters: Correspondence) -> None:
    letters.say("alice", "#1 say How do you like it?\nset board unicode")
    letters.reply(letters.last("bob"), "say Not bad, alice!")

    (mail,) = letters.say("alice", "export me")

    found = files(mail)
    assert mail["To"] == ALICE
    assert list(found) == ["alice.txt", "alice.json", "alice-mails.zip"]
    held, readable = json.loads(found["alice.json"]), found["alice.txt"].decode()
    about = {key: held["player"][key] for key in ("name", "address", "settings")}
    assert about == {"name": "alice", "address": ALICE, "settings": {"board": "unicode"}}
    (match,) = held["matches"]
    assert match["players"] == ["alice", "bob"]
    assert [turn["text"] for turn in match["turns"]] == letters.played
    said = [(each["by"], each["words"]) for each in held["words"]]
    assert said == [("alice", ["How do you like it?"]), ("bob", ["Not bad, alice!"])]
    for words in (ALICE, "How do you like it?", "Not bad, alice!", "c1d1", "board unicode", "done: move"):
        assert words in readable
    assert max(map(len, readable.splitlines())) <= 72
    with zipfile.ZipFile(io.BytesIO(found["alice-mails.zip"])) as archive:
        mails = [archive.read(name).decode() for name in archive.namelist()]
    assert any("games+(token)@" in raw for raw in mails)
    assert not TOKEN.search("\n".join((*mails, readable, found["alice.json"].decode())))


@pytest.mark.slow
def test_a_player_who_leaves_is_asked_and_forgotten_and_the_opponent_wins(letters: Correspondence) -> None:
    letters.say("alice", "#1 say So says the hatter.\nset zone Europe/Vienna")
    (question,) = letters.say("alice", "delete me\n\nThe hatter waves.")
    assert "leave and have your data deleted" in text(question)

    sent = letters.reply(question, "yes")

    (farewell,), (won,) = to(sent, "alice"), to(sent, "bob")
    assert text(farewell).startswith("Done: your data has been deleted.")
    assert "Match #1 is over, and you win." in text(won)
    assert letters.rows("select state, termination from match") == [("over", "left")]
    held = [
        str(row)
        for table in inspect(letters.server.engine).get_table_names()
        for row in letters.execute(f'select * from "{table}"')
    ]
    assert not [row for row in held if re.search("alice|hatter|Vienna", row) and "From: bob" not in row]


@pytest.mark.slow
def test_a_player_who_says_no_stays(letters: Correspondence) -> None:
    (question,) = letters.say("alice", "delete me")

    letters.reply(question, "no")

    assert letters.rows("select name from player order by id") == ["alice", "bob"]
    assert letters.rows("select state from match") == ["running"]
