"""Notes between two players: those within some minutes are one message, and nobody gets more than can be read."""

from email.message import EmailMessage

import pytest

from pbem.players.pairs import LETTERS_PER_HOUR, NOTES_PER_HOUR
from pbem.storage.models import Outgoing
from tests import spent
from tests.correspondence import Correspondence, text

pytestmark = pytest.mark.sql
ALICE, BOB = "alice@mail.example", "bob@mail.example"
TURN = "b7d7 i2g2 1 d7d6 g2g1"


def told(sent: list[EmailMessage], address: str) -> list[EmailMessage]:
    return [mail for mail in sent if mail["To"] == address]


def personal(letters: Correspondence, address: str) -> EmailMessage:
    return letters.received[address][1]


def test_notes_within_minutes_are_one_message_for_each_match(letters: Correspondence) -> None:
    letters.reply(personal(letters, BOB), "challenge alice quadrature")
    letters.reply(letters.last("alice"), "accept")
    mine, sent = personal(letters, ALICE), []
    for number in range(6):
        lines = (f"#{match} say note {number}-{line} of {match}" for line in range(5) for match in (1, 2))
        sent += told(letters.reply(mine, "\n".join(lines)), BOB)

    assert len(sent) == 2
    assert all(f"note 0-4 of {match}" in text(mail) for match, mail in enumerate(sent, start=1))
    later = told(letters.wait(minutes=5), BOB)
    assert len(later) == 2
    for match, mail in enumerate(later, start=1):
        for number in range(1, 6):
            assert all(f"note {number}-{line} of {match}" in text(mail) for line in range(5))
    assert told(letters.wait(minutes=6), BOB) == []


def test_a_turn_waits_for_no_note(letters: Correspondence) -> None:
    turn = letters.last("alice")
    letters.reply(turn, "say one")
    assert told(letters.reply(turn, "say two"), BOB) == []

    (news,) = told(letters.reply(turn, TURN), BOB)
    assert "b7d7" in text(news)
    (note,) = told(letters.wait(minutes=5), BOB)
    assert "two" in text(note)


def test_who_writes_now_and_then_waits_for_nothing(letters: Correspondence) -> None:
    for words in ("one", "two", "three"):
        (mail,) = told(letters.reply(letters.last("alice"), f"say {words}"), BOB)
        assert words in text(mail)
        letters.wait(minutes=5)


@pytest.mark.parametrize("line", ["say hello", "draw"])
def test_a_pair_has_a_budget_of_notes_and_offers_in_all_its_matches(letters: Correspondence, line: str) -> None:
    letters.reply(personal(letters, BOB), "challenge alice quadrature")
    letters.reply(letters.last("alice"), "accept")
    letters.reply(letters.last("alice"), "#2 say hello")
    ((note,),) = letters.execute("select max(id) from outgoing where template = 'message'")
    copied = {"message_id": "", "state": "sent", "attempts": 1}
    for number in range(NOTES_PER_HOUR - 1):
        spent.copies(letters, Outgoing, int(str(note)), 1, **copied | {"message_id": f"<{number}@pbem.example>"})

    (refused,) = letters.reply(personal(letters, ALICE), f"#1 {line}")
    assert "as many, or as long, as we pass on" in " ".join(text(refused).split())
    assert len(letters.reply(personal(letters, BOB), "#1 say Slowly, please.")) == 2
    assert len(letters.reply(personal(letters, ALICE), f"#1 {TURN}")) == 2
    letters.clock.advance(hours=1, minutes=1)
    assert len(letters.reply(personal(letters, ALICE), "#1 say hello")) == 2


def test_a_pair_has_a_budget_of_letters(letters: Correspondence) -> None:
    note = "\n".join(["word " * 14] * (LETTERS_PER_HOUR // 200))
    turn = letters.last("alice")
    sent = [letters.reply(turn, f"say note {number}\n\n{note}", quote=False) for number in range(4)]

    size = sum(len(mail.as_bytes()) for mails in (*sent, letters.wait(minutes=5)) for mail in told(mails, BOB))
    assert LETTERS_PER_HOUR / 2 < size < 3 * LETTERS_PER_HOUR
    assert "as many, or as long, as we pass on" in " ".join(text(letters.last("alice")).split())
    assert len(letters.reply(turn, f"{TURN}\n\nThat was long.")) == 2
