"""Messages that aren't read, or not to their end: who is told, and that nothing in them acts."""

import pytest

from pbem.mail.reading.limits import Problem
from tests.correspondence import Correspondence, text
from tests.hostile import MAILS, with_content_type

ALICE = "alice@mail.example"


def reply(letters: Correspondence, raw: bytes, **changes: str) -> list[str]:
    """Deliver the hostile message as alice's reply to the newest message to her; return who gets mail."""
    to = letters.last("alice")["Reply-To"].addresses[0].addr_spec
    raw = raw.replace(b"To: games@pbem.example\n", f"To: {to}\n".encode())
    for name, value in changes.items():
        raw = f"{name.replace('_', '-')}: {value}\n".encode() + raw
    return [str(sent["To"]) for sent in letters.deliver_unread(raw)]


@pytest.mark.parametrize(
    ("name", "problem"),
    [("20,000 parts", Problem.TOO_MANY_PARTS), ("60 recipients", Problem.TOO_MANY_RECIPIENTS)],
)
def test_a_player_is_told_why_their_message_is_not_read(letters: Correspondence, name: str, problem: Problem) -> None:
    plies = letters.execute("select * from ply")

    assert reply(letters, MAILS[name]()) == [ALICE]

    words = " ".join(text(letters.last("alice")).split())
    assert f"Your message wasn't read: {problem.value}." in words
    assert "Send only the text: as plain text, and without attachments." in words
    assert letters.execute("select * from ply") == plies
    ((verdict,),) = letters.execute("select verdict from incoming order by id desc limit 1")
    assert verdict == f"unread: {problem.value}"


@pytest.mark.parametrize("name", ["20,000 parts", "a header without end", "zeros everywhere"])
def test_a_stranger_is_told_of_its_size_at_most_and_a_machine_nothing(letters: Correspondence, name: str) -> None:
    stranger = MAILS[name]().replace(b"alice@", b"mallory@")

    for mail in letters.deliver_unread(stranger):
        assert "is larger than 250 KB, so it wasn't read" in text(mail)
    assert reply(letters, MAILS[name](), Auto_Submitted="auto-replied") == []
    assert letters.execute("select count(*) from incoming where state <> 'done'") == [(0,)]


def test_a_turn_beside_a_hostile_part_is_not_played(letters: Correspondence) -> None:
    """Nobody knows what the unread rest of such a message says."""
    turn = b"b7d7 i2g2 3 d7d4 g2d2"
    raw = with_content_type(
        b"multipart/mixed; boundary=b", b"--b\n\n" + turn + b"\n" + b"--b\nContent-Type: text/html\n\n<p>\n" * 900
    )
    plies = letters.execute("select count(*) from ply")

    assert reply(letters, raw) == [ALICE]
    assert letters.execute("select count(*) from ply") == plies

    reply(letters, with_content_type(b"text/plain", turn))
    assert letters.execute("select count(*) from ply") != plies
