"""A note of one's own about a match is shown under the board to its writer, and to nobody else by any way."""

import json
from email.message import EmailMessage

import pytest

from tests import scenes
from tests.correspondence import Correspondence, said, text

pytestmark = scenes.after(scenes.two_turns)

ALICE, BOB, CAROL = "alice@mail.example", "bob@mail.example", "carol@mail.example"
SECRET = "heffalump"


def about(letters: Correspondence, address: str) -> EmailMessage:
    """Return the newest message to that address about match 1 to which a turn can be the reply."""
    return next(mail for mail in reversed(letters.received[address]) if "#1" in str(mail["Subject"]))


def kept(letters: Correspondence) -> list[tuple[object, ...]]:
    return letters.execute("select match, seat, text from note order by match, seat")


def everything(mail: EmailMessage) -> str:
    """Return all headers and parts of a message, decoded."""
    head = (f"{name}: {value}" for name, value in mail.items())
    return "\n".join([*head, *((part.get_payload(decode=True) or b"").decode("latin-1") for part in mail.walk())])


def test_a_note_is_shown_under_the_board_until_it_is_deleted(letters: Correspondence) -> None:
    board = letters.last("alice")
    (answer,) = letters.reply(board, f"note The {SECRET} comes from the left")
    assert f"| The {SECRET} comes from the left" in text(answer)

    (shown,) = letters.reply(board, "show")
    above, _, below = text(shown).partition("Your own note, which nobody else sees:")
    assert "a b c d e" in above
    assert f"| The {SECRET} comes from the left" in below
    assert f"Your own note about match #1: | The {SECRET}" in said(*letters.reply(board, "note"))
    assert SECRET not in text(*letters.reply(letters.last("bob"), "show"))
    (refused,) = letters.reply(board, "note " + "word " * 1_000)
    assert "A note can have up to 4,000 characters" in said(refused)
    assert "Your note about match #1 is as it was" in said(refused)

    assert f"| The {SECRET} comes" in said(*letters.reply(board, "note off")).partition("Deleted")[2]
    assert SECRET not in text(*letters.reply(board, "show"))


@pytest.mark.slow
def test_nothing_that_goes_to_others_has_a_note(letters: Correspondence, capfd: pytest.CaptureFixture[str]) -> None:
    """Everything sent to the opponent, a spectator and the site is searched, and the log."""
    letters.join("carol")
    for name in ("alice", "bob"):
        letters.say(name, "set watchers on public on")
    letters.say("carol", "watch 1")
    letters.reply(
        about(letters, ALICE), f"note The {SECRET} is mine\nand the {SECRET}s too\n\nAnn Ray, 20.06.2024 16:20"
    )
    letters.reply(about(letters, ALICE), "b7d7 i2g2 1 d7d6 g2g1\n\nNote: I'm away.")  # quotes the message with the note
    assert "Note: I'm away." in text(about(letters, BOB))
    assert kept(letters) == [(1, 0, f"The {SECRET} is mine\nand the {SECRET}s too\n\nAnn Ray, 20.06.2024 16:20")]
    letters.reply(letters.last("alice"), "undo")
    letters.reply(about(letters, BOB), "reject")
    letters.reply(about(letters, BOB), "show")
    letters.reply(about(letters, BOB), "record 1 full")
    letters.reply(about(letters, BOB), "note")
    letters.say("carol", "show 1\nrecord 1\ngames alice\nwhois alice")
    letters.reply(about(letters, ALICE), "pause\n\nA break?")
    letters.resign("alice")
    letters.reply(about(letters, BOB), "record")
    letters.say("bob", "export me")
    site = letters.folder / "site"
    letters.operate("publish", str(site))

    assert SECRET.encode() not in b"".join(file.read_bytes() for file in site.rglob("*") if file.is_file())
    theirs = [mail for address in (BOB, CAROL) for mail in letters.received[address]]
    assert len(theirs) > 12
    assert not [str(mail["Subject"]) for mail in theirs if SECRET in everything(mail)]
    assert [mail for mail in letters.received[ALICE] if SECRET in everything(mail)]
    stored = letters.execute(
        "select content.payload, content.facts from outgoingcontent content"
        " join outgoing on outgoing.id = content.outgoing join player on player.id = outgoing.player"
        " where player.name <> 'alice'"
    )
    assert len(stored) > 12
    assert SECRET not in str(stored)
    printed = capfd.readouterr()
    assert SECRET not in printed.out + printed.err


@pytest.mark.slow
def test_nobody_else_reads_or_changes_a_note(letters: Correspondence) -> None:
    letters.reply(about(letters, ALICE), f"note The {SECRET}")
    letters.join("carol")
    (answer,) = letters.say("carol", "note 1 interesting")
    assert "You don't play in match #1." in text(answer)

    for words in ("note 1 forged", "note 1 off", "note 1"):
        (question,) = letters.write(ALICE, words)
        assert 'eply "yes"' in text(question)
    for words in ("note", "show", "record"):
        letters.write(CAROL, words, to=str(about(letters, ALICE)["Reply-To"]))  # of a forwarded message

    assert kept(letters) == [(1, 0, f"The {SECRET}")]
    assert not [mail for mail in letters.received[CAROL] if SECRET in everything(mail)]


@pytest.mark.slow
def test_a_note_is_exported_and_goes_when_its_writer_leaves(letters: Correspondence) -> None:
    letters.reply(about(letters, ALICE), f"note The {SECRET}")
    letters.reply(about(letters, BOB), "note mine")
    (export,) = letters.say("alice", "export me")
    files = {part.get_filename(): part.get_payload(decode=True) for part in export.iter_attachments()}
    assert [match["own"] for match in json.loads(files["alice.json"])["matches"]] == [{"note": f"The {SECRET}"}]
    listed = " ".join(files["alice.txt"].decode().split())
    assert f"your own note, which nobody else sees: | The {SECRET}" in listed

    (question,) = letters.say("alice", "delete me")
    letters.reply(question, "yes")
    letters.run_for(minutes=1)

    assert kept(letters) == [(1, 1, "mine")]
    for table in ("outgoingcontent", "rawmessage"):
        assert SECRET not in str(letters.execute(f"select * from {table}"))
