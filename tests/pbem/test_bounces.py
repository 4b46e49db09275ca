"""Bounces: counted if they are about a message of ours; an address that always bounces gets no more messages."""

from collections.abc import Iterator
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.cli import core
from pbem.mail.reading import bounce_report
from pbem.mail.transports.protocols import Arrival
from pbem.messages.reply_addresses import address_with
from pbem.tokens import Purpose, Token
from tests.bounces import KINDS, dsn
from tests.correspondence import Correspondence, correspondence, text

pytestmark = pytest.mark.sql

ALICE, BOB, ADMIN = "alice@mail.example", "bob@mail.example", "admin@pbem.example"
TURN = "1 a7b7 i3i2"


@pytest.fixture
def letters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Correspondence]:
    """Begin a match in which it's bob's turn."""
    monkeypatch.setenv("PBEM_SERVER__ADMIN", ADMIN)
    with correspondence(tmp_path) as letters:
        letters.match()
        letters.reply(letters.last("alice"), TURN)
        yield letters


def to(mails: list[EmailMessage]) -> list[str]:
    return [str(mail["To"]) for mail in mails]


def count(letters: Correspondence) -> object:
    return letters.execute("select bounces from player where name = 'bob'")[0][0]


def bounce_for_good(letters: Correspondence) -> list[EmailMessage]:
    """Let the message about bob's turn bounce until sending stops. Return what is sent last."""
    mail = letters.last("bob")
    assert letters.deliver(dsn(letters.carried(mail))) == []
    (again,) = letters.wait(days=1, minutes=1)
    assert (again["Message-ID"], again["To"]) == (mail["Message-ID"], BOB)
    assert letters.deliver(b"Message-ID: <copy-2@mail.example>\n" + dsn(letters.carried(mail))) == []
    assert to(letters.wait(days=3, minutes=1)) == [BOB]
    return letters.deliver(b"Message-ID: <copy-3@mail.example>\n" + dsn(letters.carried(mail)))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", KINDS)
def test_a_bounce_of_a_mail_of_ours_counts_and_is_not_answered(letters: Correspondence, kind: str) -> None:
    assert letters.deliver(KINDS[kind](letters.carried(letters.last("bob")))) == []

    assert count(letters) == 1
    ((verdict,),) = letters.execute("select verdict from incoming order by id desc limit 1")
    assert str(verdict).startswith("no answer: bounce of mail ")


@pytest.mark.slow
def test_an_address_from_which_all_comes_back_gets_no_more_and_others_are_told(letters: Correspondence) -> None:
    mails = bounce_for_good(letters)

    assert to(mails) == [ALICE, ADMIN]
    assert "bob doesn't know where match #1 (Quadraphages) stands" in " ".join(text(mails[0]).split())
    assert BOB in text(mails[1])
    assert "#1" in text(mails[1])
    assert BOB not in text(mails[0])
    assert to(letters.reply(letters.last("alice"), "say Are you there?")) == [ALICE]
    assert letters.wait(days=30) == []


@pytest.mark.slow
def test_a_turn_that_answers_the_mail_about_a_dead_address_is_played(letters: Correspondence) -> None:
    letters.reply(letters.last("bob"), "c1d1 g9h9 2 d1f1 h9h7")  # it's alice's turn
    unreachable = bounce_for_good(letters)[0]

    assert (unreachable["X-PBeM-Number"], unreachable["X-PBeM-To-Move"]) == ("2", "alice")
    assert to(letters.reply(unreachable, "b7b5 i2i4 1 b5b4 i4i5")) == [ALICE]
    assert letters.execute("select count(*) from ply") == [(3,)]


@pytest.mark.slow
def test_one_who_is_heard_of_again_gets_the_last_word_of_each_match(letters: Correspondence) -> None:
    turn = letters.last("bob")
    bounce_for_good(letters)
    letters.reply(letters.last("alice"), "say Are you there?")
    letters.write(ALICE, "challenge bob hexaphages", to=letters.last("alice")["Reply-To"].addresses[0].addr_spec)

    mails = letters.reply(turn, "games")

    assert sorted(to(mails)) == [BOB, BOB, BOB]
    told = " ".join(text(mail) for mail in mails)
    assert "Are you there?" in told
    assert "challenges you to Hexaphages" in told
    assert count(letters) == 0
    assert to(letters.reply(turn, "c1d1 g9h9 2 d1f1 h9h7")) == [ALICE, BOB]


@pytest.mark.slow
def test_a_sign_of_life_between_two_bounces_starts_the_count_anew(letters: Correspondence) -> None:
    mail = letters.last("bob")
    letters.deliver(dsn(letters.carried(mail)))
    letters.reply(mail, "games")

    assert count(letters) == 0


@pytest.mark.slow
def test_several_bounces_of_one_day_are_one(letters: Correspondence) -> None:
    for number in range(5):
        letters.deliver(
            f"Message-ID: <copy-{number}@mail.example>\n".encode() + dsn(letters.carried(letters.last("bob")))
        )

    assert count(letters) == 1


@pytest.mark.sampled(1)
@pytest.mark.parametrize("action", ["delayed", "delivered", "relayed", "expanded"])
def test_what_is_no_failure_for_good_does_not_count(letters: Correspondence, action: str) -> None:
    assert letters.deliver(dsn(letters.carried(letters.last("bob")), "4.4.1", action)) == []
    assert count(letters) == 0


def test_a_bounce_that_was_made_up_does_not_count(letters: Correspondence) -> None:
    """Everyone in a thread has seen Message-IDs; the address that bounces go to was never in one."""
    mail = letters.last("bob")
    path = str(letters.carried(mail)["Return-Path"])
    others = str(letters.carried(letters.last("alice"))["Return-Path"])
    local, _, domain = path.partition("@")
    altered = f"{local[:-1]}{'b' if local[-1] == 'a' else 'a'}@{domain}"
    largest = address_with(
        letters.server.settings.server, letters.server.services.keyring, Token(Purpose.BOUNCE, 0, 2**32 - 1), 0
    )
    reply_to = mail["Reply-To"].addresses[0].addr_spec
    for number, address in enumerate(("games@pbem.example", reply_to, others, altered, largest)):
        made_up = b"Message-ID: <copy-%d@mail.example>\n" % number + dsn(mail)
        assert letters.deliver(made_up.replace(b"To: games@pbem.example", f"To: {address}".encode())) == []

    assert count(letters) == 0


def test_the_number_of_a_message_can_be_another_s_after_a_restoration(letters: Correspondence) -> None:
    mail = letters.last("bob")
    bounce = dsn(letters.carried(mail))
    another = f"<{'0' * 32}@pbem.example>"
    letters.execute(f"update outgoing set message_id = '{another}' where message_id = '{mail['Message-ID']}'")

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


@pytest.mark.parametrize("words", ["resign", "export me", "1 c1d1 g9h9"])
def test_a_message_to_the_address_for_bounces_does_nothing(letters: Correspondence, words: str) -> None:
    path = str(letters.carried(letters.last("bob"))["Return-Path"])

    assert letters.write(BOB, words, to=path) == []
    ((verdict,),) = letters.execute("select verdict from incoming order by id desc limit 1")
    assert str(verdict).startswith("no answer")
    assert count(letters) == 0


@pytest.mark.slow
def test_a_person_who_quotes_a_bounce_is_no_bounce(letters: Correspondence) -> None:
    mail = letters.last("bob")
    quoted = "\n".join(f"> {line}" for line in dsn(letters.carried(mail)).decode().splitlines())

    assert to(letters.reply(mail, f"say Look what I got\n\n{quoted}")) == [ALICE, BOB]
    assert count(letters) == 0


@pytest.mark.slow
def test_who_writes_from_another_address_is_reachable_again(letters: Correspondence) -> None:
    """Bob writes from another address with his token, which proves that he reads what we send."""
    turn = letters.last("bob")
    bounce_for_good(letters)

    mails = letters.write("bob@elsewhere.example", "games", to=turn["Reply-To"].addresses[0].addr_spec)
    assert set(to(mails)) == {BOB}
    assert sorted(to(letters.reply(letters.last("alice"), "say Are you there?"))) == [ALICE, BOB]
    assert count(letters) == 0


@pytest.mark.slow
def test_a_bounce_from_an_address_that_was_left_is_about_nobody(letters: Correspondence) -> None:
    letters.execute("update player set address = 'bob@new.example' where name = 'bob'")

    letters.deliver(dsn(letters.carried(letters.last("bob"))))

    assert count(letters) == 0


@pytest.mark.slow
def test_the_operator_lists_and_forgives(letters: Correspondence, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "now", letters.clock)
    assert letters.operate("player", "bounced").output == "no mail bounces\n"
    bounce_for_good(letters)

    listed = letters.operate("player", "bounced", COLUMNS="200")
    assert listed.exit_code == 1
    assert BOB in listed.output
    assert letters.operate("player", "bounced", "--again", "bob").exit_code == 0

    assert to(letters.wait()) == [BOB]
    assert count(letters) == 0


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\n\n",
        b"Content-Type: text/plain\n\nMessage not delivered to the following\n",
        b"From:\nContent-Type: text/plain\n\nx\n",
        b"From: \xff\xfe\n\nx\n",
        b"From: a@b.example, c\nContent-Type: multipart/report; boundary=b\n\n--b\n",
        b"Content-Type: multipart/report; boundary=b\n\n" + b"--b\nContent-Type: message/delivery-status\n\n" * 500,
        b"Content-Type: text/plain; charset=none\n\n" + b"The following addresses had " * 5_000,
    ],
)
def test_whatever_comes_is_a_bounce_or_none(raw: bytes) -> None:
    assert not bounce_report.is_final(raw)
