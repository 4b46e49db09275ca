"""What bounces are counted, and what one gets who is heard of again."""

from dataclasses import replace

import pytest

from pbem.mail.transports.protocols import Arrival
from tests import scenes
from tests.bounces import KINDS, bounce_for_good, dsn
from tests.correspondence import Correspondence, text, to

pytestmark = [
    pytest.mark.server(server='admin = "admin@pbem.example"'),
    scenes.after(scenes.bobs_turn),
]

BOB = "bob@mail.example"


def count(letters: Correspondence) -> object:
    return letters.rows("select bounces from player where name = 'bob'")[0]


def test_bounces_of_every_kind_count_and_those_of_one_day_are_one(letters: Correspondence) -> None:
    mail = letters.carried(letters.last("bob"))
    for number, made in enumerate(KINDS.values()):
        assert letters.deliver(f"Message-ID: <copy-{number}@mail.example>\n".encode() + made(mail)) == []

    verdicts = letters.rows(f"select verdict from incoming order by id desc limit {len(KINDS)}")
    assert [verdict[:26] for verdict in verdicts] == ["no answer: bounce of mail "] * len(KINDS)
    assert count(letters) == 1
    letters.reply(letters.last("bob"), "games")
    assert count(letters) == 0, "a sign of life starts the count anew"


def test_a_turn_that_answers_the_mail_about_a_dead_address_is_played(letters: Correspondence) -> None:
    letters.reply(letters.last("bob"), "c1d1 g9h9 2 d1f1 h9h7")  # it's alice's turn
    unreachable, _ = bounce_for_good(letters, "bob")

    assert (unreachable["X-PBeM-Number"], unreachable["X-PBeM-To-Move"]) == ("2", "alice")
    letters.reply(unreachable, "b7b5 i2i4 1 b5b4 i4i5")
    assert len(letters.played) == 3


def test_one_who_is_heard_of_again_gets_the_last_word_of_each_match(letters: Correspondence) -> None:
    turn = letters.last("bob")
    bounce_for_good(letters, "bob")
    letters.reply(letters.last("alice"), "say Are you there?")
    letters.say("alice", "challenge bob hexaphages")

    mails = letters.reply(turn, "games")

    assert len(to(mails, "bob")) == len(mails) == 3
    told = " ".join(text(mail) for mail in mails)
    assert "Are you there?" in told
    assert "challenges you to Hexaphages" in told
    assert count(letters) == 0
    letters.reply(turn, "c1d1 g9h9 2 d1f1 h9h7")
    assert len(letters.played) == 2


def test_who_writes_from_another_address_is_reachable_again(letters: Correspondence) -> None:
    """Bob writes from another address with his token, which proves that he reads what we send."""
    turn = letters.last("bob")
    bounce_for_good(letters, "bob")

    letters.write("bob@elsewhere.example", "games", to=turn["Reply-To"].addresses[0].addr_spec)

    assert to(letters.reply(letters.last("alice"), "say Are you there?"), "bob")
    assert count(letters) == 0


@pytest.mark.parametrize(
    "change",
    [
        "update outgoing set message_id = '<00000000000000000000000000000000@pbem.example>' where message_id = '{}'",
        "update player set address = 'bob@new.example' where name = 'bob' or '{}' = ''",
    ],
    ids=["another message has its number after a restoration", "its address was left"],
)
def test_a_bounce_that_is_about_nobody_does_not_count(letters: Correspondence, change: str) -> None:
    mail = letters.last("bob")
    bounce = dsn(letters.carried(mail))
    letters.execute(change.format(mail["Message-ID"]))

    letters.deliver(bounce)

    assert count(letters) == 0


def test_the_envelope_sender_of_a_message_is_where_its_bounce_counts(letters: Correspondence) -> None:
    senders: dict[str, str] = {}

    class Carrier:
        def send(self, sender: str, recipient: str, raw: bytes) -> None:
            senders[recipient] = sender

        def close(self) -> None:
            pass

    letters.execute("update outgoing set state = 'owed'")
    while replace(letters.server.sender, outbox=Carrier()).send_next():
        pass
    assert len({*senders.values()}) == len(senders)
    arrival = Arrival(dsn(letters.last("bob")), "test", sender="", recipients=(senders[BOB],))
    letters.server.take((arrival,))
    letters.server.handle_waiting()

    assert count(letters) == 1


def test_a_person_who_quotes_a_bounce_is_no_bounce(letters: Correspondence) -> None:
    mail = letters.last("bob")
    quoted = "\n".join(f"> {line}" for line in dsn(letters.carried(mail)).decode().splitlines())

    assert to(letters.reply(mail, f"say Look what I got\n\n{quoted}"), "alice")
    assert count(letters) == 0
