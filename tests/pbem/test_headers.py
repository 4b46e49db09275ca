"""Headers: one thread per match, what scripts and machines rely on, and that none can be broken."""

import re
from email import message_from_bytes
from email.message import EmailMessage, Message
from email.policy import compat32

import pytest

from tests import scenes
from tests.correspondence import ADDRESS, Correspondence

LONG_ID = f"<{'a' * 120}@mail.example>"


def raw_mails(letters: Correspondence) -> list[bytes]:
    """Return every message sent, byte for byte, oldest first."""
    files = (letters.folder / "out" / "new").iterdir()
    return [path.read_bytes() for path in sorted(files, key=lambda path: (path.stat().st_mtime_ns, path.name))]


def plain(raw: bytes) -> Message:
    """Return the message as other programs see it, with headers not decoded."""
    return message_from_bytes(raw, policy=compat32)


def test_the_long_id_of_a_message_is_answered_unbroken(letters: Correspondence) -> None:
    """Outlook's are longer than a line, and threading depends on them."""
    letters.deliver(f"From: a@mail.example\nTo: {ADDRESS}\nMessage-ID: {LONG_ID}\n\nhelp\n".encode())
    (raw,) = raw_mails(letters)

    assert b"In-Reply-To: " + LONG_ID.encode() + b"\r\n" in raw
    assert plain(raw)["References"] == LONG_ID


@pytest.mark.parametrize(
    "given", ["=?utf-8?q?=3Ca=0D=0ABcc=3A_eve=40b=3E?=", "<a\x00@b>", "<a b@c>", "<\xe4@b>", "<a@[>"]
)
def test_an_id_made_to_break_out_does_not(letters: Correspondence, given: str) -> None:
    subject = "=?utf-8?q?help=0D=0ABcc=3A_eve=40b?="
    raw = f"From: a@mail.example\nTo: {ADDRESS}\nMessage-ID: {given}\nSubject: {subject}\n\nhelp\n"
    letters.deliver(raw.encode("latin-1"))
    (sent,) = raw_mails(letters)

    assert b"\r\nBcc:" not in sent
    assert plain(sent)["Message-ID"]


@scenes.after(scenes.match)
def test_what_a_mail_program_reads_of_how_to_stop_is_unbroken(letters: Correspondence) -> None:
    notices = [plain(raw) for raw in raw_mails(letters) if plain(raw)["List-Unsubscribe"]]

    assert notices
    for mail in notices:
        assert re.fullmatch(r"<mailto:games\+[a-z2-7]{40}@pbem\.example\?subject=stop>", mail["List-Unsubscribe"])
        assert mail["List-Id"] == "<matches.pbem.example>"
        assert mail["Auto-Submitted"] == "auto-generated"


def facts(mail: EmailMessage) -> dict[str, str]:
    """Return our headers."""
    return {name.removeprefix("X-PBeM-"): str(value) for name, value in mail.items() if name.startswith("X-PBeM-")}


@scenes.after(scenes.two_players)
def test_what_scripts_rely_on(letters: Correspondence) -> None:
    welcome = letters.last("bob")
    letters.say("alice", "challenge bob quadraphages")
    offered = letters.last("bob")
    letters.reply(offered, "accept")
    begun = letters.last("alice")
    letters.reply(begun, "1 a7b7 i3i2")
    turn = letters.last("bob")
    letters.reply(turn, "say Hm.")
    note = letters.last("alice")
    (part,) = letters.reply(turn, "c1b1 g9h9 3")
    letters.resign("bob")
    over = letters.last("alice")
    (games,) = letters.write("bob@mail.example", "games")

    always = {"Server": "pbem.example"}
    match = always | {"Match": "1", "Game": "quadraphages"}
    assert facts(welcome) == always | {"Event": "welcome"}
    assert facts(games) == always | {"Event": "answer"}
    assert facts(offered) == match | {"Event": "challenge"}
    assert facts(begun) == match | {"Event": "turn", "Number": "0", "Turn": "1", "To-Move": "alice"}
    played = match | {"Number": "1", "Last": "1 a7b7 i3i2"}
    assert facts(turn) == played | {"Event": "turn", "Turn": "2", "To-Move": "bob"}
    assert facts(note) == played | {"Event": "message", "Turn": "2", "To-Move": "bob"}
    assert facts(part) == played | {"Event": "answer", "Turn": "2", "To-Move": "bob"}
    ended = {"Termination": "resignation", "Winner": "alice", "Ended-By": "bob"}
    assert facts(over) == played | {"Event": "over"} | ended
    assert begun["Subject"] == "[pbem #1, your turn] Quadraphages: alice - bob"
    assert over["Subject"] == "[pbem #1, over] Quadraphages: alice - bob"
    subjects = {str(mail["Subject"]) for way, mail in letters.log if way == "out" and mail["X-PBeM-Match"] == "1"}
    assert {subject.rpartition("] ")[2] for subject in subjects} == {"Quadraphages: alice - bob"}, "one thread"
