"""Notes between two players: those within some minutes are one message, and nobody gets more than can be read."""

from email.message import EmailMessage

import pytest

from pbem.players.message_budgets import LETTERS_PER_HOUR, NOTES_PER_HOUR
from pbem.storage.models import Outgoing
from tests import spent
from tests.correspondence import Correspondence, said, text, to
from tests.scenes import after, two_turns

pytestmark = after(two_turns)
TURN = "b7d7 i2g2 1 d7d6 g2g1"


def test_notes_within_minutes_are_one_message_for_each_match(letters: Correspondence) -> None:
    letters.say("bob", "challenge alice quadrature")
    letters.reply(letters.last("alice"), "accept")
    sent: list[EmailMessage] = []
    for number in range(6):
        lines = (f"#{match} say note {number}-{line} of {match}" for line in range(5) for match in (1, 2))
        sent += to(letters.say("alice", "\n".join(lines)), "bob")

    assert len(sent) == 2
    assert all(f"note 0-4 of {match}" in text(mail) for match, mail in enumerate(sent, start=1))
    later = to(letters.wait(minutes=5), "bob")
    assert len(later) == 2
    for match, mail in enumerate(later, start=1):
        for number in range(1, 6):
            assert all(f"note {number}-{line} of {match}" in text(mail) for line in range(5))
    assert to(letters.wait(minutes=6), "bob") == []


def test_a_turn_waits_for_no_note(letters: Correspondence) -> None:
    turn = letters.last("alice")
    letters.reply(turn, "say one")
    assert to(letters.reply(turn, "say two"), "bob") == []

    (news,) = to(letters.reply(turn, TURN), "bob")
    assert "b7d7" in text(news)
    (note,) = to(letters.wait(minutes=5), "bob")
    assert "two" in text(note)


@pytest.mark.parametrize("line", ["say hello", "draw"])
def test_a_pair_has_a_budget_of_notes_and_offers_in_all_its_matches(letters: Correspondence, line: str) -> None:
    letters.say("bob", "challenge alice quadrature")
    letters.reply(letters.last("alice"), "accept")
    letters.reply(letters.last("alice"), "#2 say hello")
    ((note,),) = letters.execute("select max(id) from outgoing where template = 'message'")
    copied = {"message_id": "", "state": "sent", "attempts": 1}
    for number in range(NOTES_PER_HOUR - 1):
        spent.copies(letters, Outgoing, int(str(note)), 1, **copied | {"message_id": f"<{number}@pbem.example>"})

    (refused,) = letters.say("alice", f"#1 {line}")
    assert "as many, or as long, as we pass on" in said(refused)
    assert len(letters.say("bob", "#1 say Slowly, please.")) == 2
    assert len(letters.say("alice", f"#1 {TURN}")) == 2
    letters.clock.advance(hours=1, minutes=1)
    assert len(letters.say("alice", "#1 say hello")) == 2


def test_a_pair_has_a_budget_of_letters(letters: Correspondence) -> None:
    note = "\n".join(["word " * 14] * (LETTERS_PER_HOUR // 200))
    turn = letters.last("alice")
    sent = [letters.reply(turn, f"say note {number}\n\n{note}", quote=False) for number in range(4)]

    size = sum(len(mail.as_bytes()) for mails in (*sent, letters.wait(minutes=5)) for mail in to(mails, "bob"))
    assert LETTERS_PER_HOUR / 2 < size < 3 * LETTERS_PER_HOUR
    assert "as many, or as long, as we pass on" in said(letters.last("alice"))
    assert len(letters.reply(turn, f"{TURN}\n\nThat was long.")) == 2
