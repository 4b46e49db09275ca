"""`export me`: all of a player's data, sent to the address on file."""

import io
import json
import zipfile
from email.message import EmailMessage
from typing import Any

from sqlmodel import Session, select

from pbem.storage.models import Incoming, Player
from tests import scenes
from tests.correspondence import Correspondence

pytestmark = scenes.after(scenes.two_turns)

ALICE = "alice@mail.example"


def exported(letters: Correspondence, name: str = "alice") -> EmailMessage:
    (mail,) = letters.say(name, "export me")
    return mail


def files(mail: EmailMessage) -> dict[str, bytes]:
    return {part.get_filename(): part.get_payload(decode=True) for part in mail.iter_attachments()}


def facts(mail: EmailMessage, name: str = "alice") -> dict[str, Any]:
    return json.loads(files(mail)[f"{name}.json"])


def test_every_row_and_column_of_a_player_is_in_it(letters: Correspondence) -> None:
    """A column added to the player's row must be exported, and erased (see erasure)."""
    mail = exported(letters)
    held = facts(mail)
    columns = set(Player.model_fields) - {"epoch", "deleted"}
    assert columns <= set(held["player"])
    (alice,) = letters.rows("select id from player where name = 'alice'")
    own = letters.rows(f"select count(*) from outgoing where player = {alice} and template != 'export'")
    assert [len(held["mails_out"]) - 1] == own
    with Session(letters.server.engine) as session:
        raws = {f"{row.id}.eml": row.raw for row in session.exec(select(Incoming).where(Incoming.player == alice))}
    assert {row["file"] for row in held["mails_in"]} == set(raws)
    with zipfile.ZipFile(io.BytesIO(files(mail)["alice-mails.zip"])) as archive:
        assert set(archive.namelist()) == set(raws)
        for name, raw in raws.items():
            assert archive.read(name) == letters.server.renderer.redactor.redact_bytes(raw)
            assert (len(archive.read(name)) < len(raw)) is (b"games+" in raw)


def test_it_goes_to_the_address_on_file_whoever_asks(letters: Correspondence) -> None:
    (question,) = letters.write(ALICE, "export me")
    assert question["To"] == ALICE
    assert not files(question)
    letters.clock.advance(hours=1, minutes=1)  # the same isn't asked twice before
    (question,) = letters.write("mallory@mail.example", "export me", to=letters.personal("alice"))
    assert question["To"] == ALICE
    (mail,) = letters.reply(question, "yes")
    assert mail["To"] == ALICE
    assert "alice.json" in files(mail)


def test_the_other_side_s_begun_turn_is_not_in_it(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "b7d7 i2g2 1")
    assert facts(exported(letters))["matches"][0]["begun"] == "b7d7 i2g2 1"
    mail = exported(letters, "bob")
    assert facts(mail, "bob")["matches"][0]["begun"] is None
    assert "b7d7" not in files(mail)["bob.txt"].decode()
