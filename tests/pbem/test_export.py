"""`export me`: all of a player's data, sent to the address on file, without any token."""

import io
import json
import re
import zipfile
from email.message import EmailMessage
from typing import Any

import pytest
from sqlmodel import Session, select

from pbem.features.accounts import data_export
from pbem.storage.models import Incoming, Player
from tests import scenes
from tests.correspondence import Correspondence, text

pytestmark = [pytest.mark.sql, scenes.after(scenes.two_turns)]

ALICE, BOB = "alice@mail.example", "bob@mail.example"
TOKEN = re.compile(r"games[+=][A-Za-z2-7]{40}@|[+][a-z2-7]{40}@")


def exported(letters: Correspondence, words: str = "export me") -> EmailMessage:
    (mail,) = letters.reply(letters.received[ALICE][1], words)
    return mail


def files(mail: EmailMessage) -> dict[str, bytes]:
    return {part.get_filename(): part.get_payload(decode=True) for part in mail.iter_attachments()}


def facts(mail: EmailMessage) -> dict[str, Any]:
    return json.loads(files(mail)["alice.json"])


@pytest.mark.slow
def test_all_of_it_comes_as_files(letters: Correspondence) -> None:
    letters.reply(letters.received[ALICE][1], "#1 say How do you like it?\nset board unicode")
    letters.reply(letters.last("bob"), "say Not bad, alice!")
    mail = exported(letters)
    assert mail["To"] == ALICE
    assert list(files(mail)) == ["alice.txt", "alice.json", "alice-mails.zip"]
    held = facts(mail)
    assert {key: held["player"][key] for key in ("name", "address", "chosen")} == {
        "name": "alice",
        "address": ALICE,
        "chosen": {"board": "unicode"},
    }
    (match,) = held["matches"]
    assert match["players"] == ["alice", "bob"]
    assert [turn["text"] for turn in match["turns"]] == ["1 a7b7 i3i2", "c1d1 g9h9 2 d1f1 h9h7"]
    assert "_alice_" in match["record"]
    assert [(said["by"], said["words"]) for said in held["words"]] == [
        ("alice", ["How do you like it?"]),
        ("bob", ["Not bad, alice!"]),
    ]
    readable = files(mail)["alice.txt"].decode()
    for words in (ALICE, "How do you like it?", "Not bad, alice!", "c1d1", "board unicode", "done: move"):
        assert words in readable
    assert max(map(len, readable.splitlines())) <= 72


def test_every_row_of_a_player_is_in_it(letters: Correspondence) -> None:
    mail = exported(letters)
    held = facts(mail)
    ((alice,),) = letters.execute("select id from player where name = 'alice'")
    own = letters.execute(f"select count(*) from outgoing where player = {alice} and template != 'export'")
    assert [(len(held["mails_out"]) - 1,)] == own
    with Session(letters.server.engine) as session:
        raws = {f"{row.id}.eml": row.raw for row in session.exec(select(Incoming).where(Incoming.player == alice))}
    asked = {row["file"] for row in held["mails_in"]}
    assert asked == set(raws)
    with zipfile.ZipFile(io.BytesIO(files(mail)["alice-mails.zip"])) as archive:
        assert set(archive.namelist()) == asked
        for name, raw in raws.items():
            assert archive.read(name) == letters.server.renderer.redactor.redact_bytes(raw)
            assert (len(archive.read(name)) < len(raw)) is (b"games+" in raw)


def test_every_column_that_tells_of_a_player_has_its_place(letters: Correspondence) -> None:
    """A column added to the player's row must be exported, and erased (see erasure)."""
    told = {"id": "number", "created": "first_heard_of", "confirmed": "joined", "stopped": "no_news_since"}
    told |= {"settings": "chosen", "bounces": "mails_that_came_back_in_a_row", "bounced": "last_came_back"}
    told |= {
        "unreachable": "nothing_sent_since",
        "banned": "closed_by_the_operator",
        "trusted": "may_open_tournaments_since",
    }
    person = facts(exported(letters))["player"]
    columns = set(Player.model_fields) - {"epoch", "deleted", "merged_into"}  # such a row is in the other's export
    assert {told.get(column, column) for column in columns} <= set(person)


def test_no_token_is_in_it(letters: Correspondence) -> None:
    mail = exported(letters)
    with zipfile.ZipFile(io.BytesIO(files(mail)["alice-mails.zip"])) as archive:
        inside = [archive.read(name).decode() for name in archive.namelist()]
    assert any("games+(token)@" in raw for raw in inside)
    assert not [found for raw in inside for found in TOKEN.findall(raw)]
    assert not TOKEN.search(files(mail)["alice.json"].decode() + files(mail)["alice.txt"].decode())
    assert facts(mail)["reply_addresses"]["made_worthless"] == 0


@pytest.mark.slow
def test_what_proves_nothing_is_asked_about_and_goes_to_the_address_on_file(letters: Correspondence) -> None:
    (question,) = letters.write(ALICE, "export me")
    assert question["To"] == ALICE
    assert not files(question)
    (mail,) = letters.reply(question, "yes")
    assert "alice.json" in files(mail)


@pytest.mark.slow
def test_a_stolen_token_sends_it_to_its_owner(letters: Correspondence) -> None:
    token = letters.received[ALICE][1]["Reply-To"].addresses[0].addr_spec
    (mail,) = letters.write("mallory@mail.example", "export me", to=token)
    assert mail["To"] == ALICE


@pytest.mark.slow
def test_once_a_day(letters: Correspondence) -> None:
    exported(letters)
    assert "within the last day" in text(exported(letters))
    letters.clock.advance(days=1, minutes=1)
    assert files(exported(letters))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("words", ["export bob", "export 1", "delete 1", "delete bob"])
def test_it_is_about_oneself(letters: Correspondence, words: str) -> None:
    answer = exported(letters, words)
    assert "is only about you" in text(answer)
    assert not files(answer)


@pytest.mark.slow
def test_the_other_side_s_begun_turn_is_not_in_it(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "b7d7 i2g2 1")
    assert facts(exported(letters))["matches"][0]["begun"] == "b7d7 i2g2 1"
    (mail,) = letters.reply(letters.received[BOB][1], "export me")
    assert json.loads(files(mail)["bob.json"])["matches"][0]["begun"] is None
    assert "b7d7" not in files(mail)["bob.txt"].decode()


def test_more_than_fits_is_left_out_and_said_so(letters: Correspondence, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_export.packed, "__defaults__", (2_500,))
    mail = exported(letters)
    with zipfile.ZipFile(io.BytesIO(files(mail)["alice-mails.zip"])) as archive:
        newest = max(int(row["file"].removesuffix(".eml")) for row in facts(mail)["mails_in"] if row["file"])
        assert archive.namelist()[0] == f"{newest}.eml"
        assert len(archive.namelist()) < len(facts(mail)["mails_in"])
    assert "These are the newest" in text(mail)
