"""Invitations: an address gets only one, no matter who asks, and none after its owner says so."""

from email.message import EmailMessage

import pytest

from tests.correspondence import Correspondence, text
from tests.scenes import after, two_turns

pytestmark = after(two_turns)


VICTIM = "victim@mail.example"


def write(letters: Correspondence, name: str, body: str) -> list[EmailMessage]:
    """Write a message from a player to their personal address. Return what the server sent."""
    address = f"{name}@mail.example"
    return letters.write(address, body, to=letters.received[address][1]["Reply-To"].addresses[0].addr_spec)


def invited(letters: Correspondence) -> int:
    """Return the number of invitations sent."""
    mails = (mail for way, mail in letters.log if way == "out")
    return sum(" invites you to play " in text(mail).partition("\n")[0] for mail in mails)


def test_an_address_stays_invited_when_who_asked_leaves(letters: Correspondence) -> None:
    write(letters, "alice", f"challenge {VICTIM} quadraphages\nwithdraw 2")
    (question,) = write(letters, "alice", "delete me")
    letters.reply(question, "yes")

    (refusal,) = write(letters, "bob", f"challenge {VICTIM} hexaphages")

    assert "We can't invite this address" in " ".join(text(refusal).split())
    assert invited(letters) == 1


@pytest.mark.parametrize(("note", "goes"), [("Hello dear, fancy a game?", True), ("See pills.example", False)])
def test_what_fits_goes_along_with_an_invitation(letters: Correspondence, note: str, goes: bool) -> None:
    mails = write(letters, "alice", f"challenge {VICTIM} quadraphages\n\n{note}")

    (answer,) = [mail for mail in mails if mail["To"] != VICTIM]
    assert (note in text(letters.last("victim"))) is goes
    assert ("we didn't send them to anyone" in " ".join(text(answer).split())) is not goes


def test_one_word_ends_invitations_and_only_its_writer_can_take_it_back(letters: Correspondence) -> None:
    write(letters, "alice", f"challenge {VICTIM} quadraphages")
    mails = letters.reply(letters.last("victim"), "stop")
    assert sorted(str(mail["To"]) for mail in mails) == ["alice@mail.example", VICTIM]
    assert letters.execute("select state from match where id = 2") == [("declined",)]
    told = letters.last("victim")
    letters.clock.advance(days=200)
    letters.write(VICTIM, "start")  # anyone can write that
    before = len(letters.received[VICTIM])
    for line in (f"challenge {VICTIM} quadraphages", f"change address {VICTIM}"):
        write(letters, "bob", line)
    assert len(letters.received[VICTIM]) == before

    letters.reply(told, "start")
    write(letters, "bob", f"challenge {VICTIM} quadraphages")
    assert invited(letters) == 2


@pytest.mark.slow
def test_a_mailbox_is_asked_a_few_times_a_day_whether_it_is_a_player_s(letters: Correspondence) -> None:
    for name, address in (("alice", "victim+{}@gmail.com"), ("bob", "vic.tim+{}@googlemail.com")):
        for number in range(3):
            (question,) = write(letters, name, f"change address {address.format(number)}")
            letters.reply(question, "yes")

    asked = [mail for way, mail in letters.log if way == "out" and str(mail["To"]).endswith("mail.com")]
    assert len(asked) == 3
