"""Headers: one thread per match, what scripts and machines rely on, and that no header breaks or can be broken."""

import re
from collections import Counter
from email import message_from_bytes
from email.message import EmailMessage, Message
from email.policy import SMTP, compat32
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlmodel import select

from pbem.messages.mime import folded
from pbem.storage.database import transaction
from pbem.storage.models import Incoming
from tests.correspondence import ADDRESS, correspondence, text
from tests.stories.scripts import STORIES

LONG_ID = f"<{'a' * 120}@mail.example>"
WORD = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=200)


def raw_mails(folder: Path) -> list[bytes]:
    """Return every message sent, byte for byte, oldest first."""
    files = sorted((folder / "out" / "new").iterdir(), key=lambda path: (path.stat().st_mtime_ns, path.name))
    return [path.read_bytes() for path in files]


def plain(raw: bytes) -> Message:
    """Return the message as other programs see it, with headers not decoded."""
    return message_from_bytes(raw, policy=compat32)


@given(st.lists(WORD, min_size=1, max_size=12))
def test_long_words_stay_whole(words: list[str]) -> None:
    raw = folded("References", tuple(words), SMTP)

    assert plain(raw)["References"].split() == words
    assert raw.endswith(b"\r\n")
    for line in raw.split(b"\r\n")[:-1]:
        assert len(line) <= 78 or len(line.removeprefix(b"References:").split()) == 1


@pytest.mark.parametrize("text", ["<a@b>\r\nBcc: eve@mail.example", "<a@b>\nX: y", "<a@b>\rX: y"])
@pytest.mark.parametrize("name", ["References", "In-Reply-To", "List-Unsubscribe", "Subject", "X-PBeM-Last"])
def test_no_header_can_hold_another(name: str, text: str) -> None:
    for value in (text, (text,)):
        with pytest.raises(ValueError, match=r"linefeed|carriage return|newline"):
            folded(name, value, SMTP)


def test_the_long_id_of_a_mail_is_answered_unbroken(tmp_path: Path) -> None:
    """Outlook's are longer than a line, and threading depends on them."""
    with correspondence(tmp_path) as letters:
        letters.deliver(f"From: a@mail.example\nTo: {ADDRESS}\nMessage-ID: {LONG_ID}\n\nhelp\n".encode())
        (raw,) = raw_mails(tmp_path)

    assert b"In-Reply-To: " + LONG_ID.encode() + b"\r\n" in raw
    assert plain(raw)["References"] == LONG_ID


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "given", ["=?utf-8?q?=3Ca=0D=0ABcc=3A_eve=40b=3E?=", "<a\x00@b>", "<a b@c>", "<\xe4@b>", "<a@[>"]
)
def test_an_id_made_to_break_out_does_not(given: str, tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        raw = (
            f"From: a@mail.example\nTo: {ADDRESS}\nMessage-ID: {given}\nSubject: =?utf-8?q?help=0D=0ABcc=3A_eve=40b?=\n"
        )
        letters.deliver(f"{raw}\nhelp\n".encode("latin-1"))
        (sent,) = raw_mails(tmp_path)

    assert b"\r\nBcc:" not in sent
    assert plain(sent)["Message-ID"]


def test_what_a_mail_program_reads_of_how_to_stop_is_unbroken(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        letters.match()
        notices = [plain(raw) for raw in raw_mails(tmp_path) if plain(raw)["List-Unsubscribe"]]

    assert notices
    for mail in notices:
        assert re.fullmatch(r"<mailto:games\+[a-z2-7]{40}@pbem\.example\?subject=stop>", mail["List-Unsubscribe"])
        assert mail["List-Id"] == "<matches.pbem.example>"
        assert mail["Auto-Submitted"] == "auto-generated"


@pytest.mark.slow
def test_digests_are_a_thread_of_their_own(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        letters.match()
        letters.reply(letters.received["bob@mail.example"][1], "set mail batch")
        digests = []
        for _ in range(3):
            letters.reply(letters.last("alice"), "challenge bob kvadratik\nchallenge bob quadrature")
            digests += [mail for mail in letters.wait(minutes=15) if mail["X-PBeM-Event"] == "digest"]
    first, second, third = digests

    assert first["References"] is None
    assert second["References"] == second["In-Reply-To"] == first["Message-ID"]
    assert third["References"] == second["Message-ID"]


def facts(mail: EmailMessage) -> dict[str, str]:
    """Return our headers, but for the sealed match, which only we can read."""
    told = {name.removeprefix("X-PBeM-"): str(value) for name, value in mail.items() if name.startswith("X-PBeM-")}
    return {name: value for name, value in told.items() if name != "Record"}


@pytest.mark.slow
def test_what_scripts_rely_on(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        letters.join("alice")
        letters.join("bob")
        welcome = letters.last("bob")
        letters.reply(letters.received["alice@mail.example"][1], "challenge bob quadraphages")
        offered = letters.last("bob")
        letters.reply(offered, "accept")
        begun = letters.last("alice")
        letters.reply(begun, "1 a7b7 i3i2")
        turn = letters.last("bob")
        letters.reply(turn, "say Hm.")
        said = letters.last("alice")
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
    assert facts(said) == played | {"Event": "message", "Turn": "2", "To-Move": "bob"}
    assert facts(part) == played | {"Event": "answer", "Turn": "2", "To-Move": "bob"}
    ended = {"Termination": "resignation", "Winner": "alice", "Ended-By": "bob"}
    assert facts(over) == played | {"Event": "over"} | ended


@pytest.mark.slow
def test_the_name_of_the_server_may_have_any_letters(tmp_path: Path) -> None:
    with correspondence(tmp_path, server='name = "Brettspiele für Zoë, 盤"') as letters:
        (mail,) = letters.write("alice@mail.example", "help")
        (raw,) = raw_mails(tmp_path)

    assert raw.isascii()
    assert mail["From"].addresses[0].display_name == "Brettspiele für Zoë, 盤"
    assert mail["From"].addresses[0].addr_spec == ADDRESS
    assert mail["Reply-To"].addresses[0].display_name == "Brettspiele für Zoë, 盤"


@pytest.mark.slow
def test_two_servers_of_ours_fall_silent(tmp_path: Path) -> None:
    """Each kind of message from one is sent to the other, also with only one of the signs left."""
    signs = {"x-pbem-server": "own mail", "auto-submitted": "Auto-Submitted", "list-id": "list"}
    kinds: dict[str, bytes] = {}
    for name in ("daily", "invitation"):
        with correspondence(tmp_path / name) as others:
            others.play(STORIES[name])
        kinds |= {str(plain(raw)["X-PBeM-Event"]): raw for raw in raw_mails(tmp_path / name)}
    with correspondence(tmp_path / "one") as letters:
        letters.join("alice")
        for raw in kinds.values():
            for sign in signs:
                mail = plain(raw.replace(b"games@pbem.example", b"games@other.example"))
                for other in {*signs, "list-unsubscribe"} - {sign}:
                    del mail[other]
                assert mail[sign] is None or letters.deliver(mail.as_bytes()) == []
        with transaction(letters.server.engine) as session:
            verdicts = Counter(session.exec(select(Incoming.verdict)).all())
    for sign in signs.values():
        assert verdicts[f"no answer: automatic: {sign}"]


def test_dates_are_those_of_the_server_s_clock(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        before = letters.clock()
        (mail,) = letters.write("alice@mail.example", "help")
        after = letters.clock()

    assert before.replace(microsecond=0) <= mail["Date"].datetime <= after
    assert re.fullmatch(r"<[0-9a-f]{32}@pbem\.example>", str(mail["Message-ID"]))
    assert "help" in text(mail)


def base(subject: str) -> str:
    """Return the Subject as mail programs compare it in threads: without Re: and tags (RFC 5256, base subject)."""
    return re.sub(r"^(?:re:\s*|\[[^\]]*\]\s*)+", "", subject, flags=re.IGNORECASE)


@pytest.mark.slow
def test_the_tag_of_the_subject_says_whose_turn_it_is_and_the_rest_keeps_the_thread(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        letters.match()
        begun = letters.last("alice")
        letters.reply(begun, "3 a7a4 i3f3")
        letters.resign("bob")
        told = [mail for way, mail in letters.log if way == "out" and mail["X-PBeM-Match"] == "1"]

    assert begun["Subject"] == "[pbem #1, your turn] Quadraphages: alice - bob"
    assert letters.last("alice")["Subject"] == "[pbem #1, over] Quadraphages: alice - bob"
    for mail in told:
        yours = f"{mail['X-PBeM-To-Move']}@mail.example" == mail["To"]
        assert ("your turn" in mail["Subject"]) == yours
    assert {base(str(mail["Subject"])) for mail in told} == {"Quadraphages: alice - bob"}


@pytest.mark.slow
def test_an_invitation_is_renamed_when_the_guest_has_a_name(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        letters.write("alice@mail.example", "challenge eve@mail.example quadrature", to=letters.join("alice"))
        invited = letters.last("eve")
        letters.reply(invited, "accept eve")

    assert invited["Subject"] == "[pbem #1] Quadrature: alice's invitation"
    assert letters.last("eve")["Subject"] == "[pbem #1] Quadrature: alice - eve"
    assert letters.last("alice")["Subject"] == "[pbem #1, your turn] Quadrature: alice - eve"
