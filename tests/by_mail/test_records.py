"""`records mine`: the records of a player's matches come in one archive, to the address on file."""

import io
import zipfile

from notation import record
from tests import scenes
from tests.correspondence import Correspondence, text


@scenes.after(scenes.two_turns)
def test_the_records_come_in_one_archive_after_a_yes(letters: Correspondence) -> None:
    (question,) = letters.write("alice@mail.example", "records mine")
    assert not list(question.iter_attachments())

    (mail,) = letters.reply(question, "yes")

    assert mail["To"] == "alice@mail.example"
    assert "the record of one match of yours" in text(mail)
    (part,) = mail.iter_attachments()
    with zipfile.ZipFile(io.BytesIO(part.get_payload(decode=True))) as archive:
        assert archive.namelist() == ["pbem-1-quadraphages.txt"]
        told = archive.read("pbem-1-quadraphages.txt").decode()
    assert record.loads(told).moves == ("1 a7b7 i3i2", "c1d1 g9h9 2 d1f1 h9h7")
    assert "@" not in told
