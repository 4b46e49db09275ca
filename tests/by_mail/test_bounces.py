"""Bounces: counted if they are about a message of ours; an address that always bounces gets no more messages."""

import pytest

from pbem.messages.reply_links import address_with
from pbem.tokens import Purpose, Token
from tests import scenes
from tests.bounces import bounce_for_good, dsn
from tests.correspondence import ADDRESS, Correspondence, said, text

pytestmark = [
    pytest.mark.server(server='admin = "admin@pbem.example"'),
    scenes.after(scenes.bobs_turn),
]


def count(letters: Correspondence) -> object:
    return letters.rows("select bounces from player where name = 'bob'")[0]


def test_a_bounce_of_a_mail_of_ours_counts_and_is_not_answered(letters: Correspondence) -> None:
    assert letters.deliver(dsn(letters.carried(letters.last("bob")))) == []

    assert count(letters) == 1
    (verdict,) = letters.rows("select verdict from incoming order by id desc limit 1")
    assert verdict.startswith("no answer: bounce of mail ")


@pytest.mark.slow
def test_an_address_from_which_all_comes_back_gets_no_more_and_others_are_told(letters: Correspondence) -> None:
    hers, operator = bounce_for_good(letters, "bob")

    assert (hers["To"], operator["To"]) == ("alice@mail.example", "admin@pbem.example")
    assert "bob doesn't know where match #1 (Quadraphages) stands" in said(hers)
    assert "Messages to a player keep bouncing" in said(operator)
    assert "pbem player bounced" in said(operator)
    assert "bob@mail.example" not in text(hers)
    assert len(letters.reply(letters.last("alice"), "say Are you there?")) == 1


def test_a_bounce_that_was_made_up_does_not_count(letters: Correspondence) -> None:
    """Everyone in a thread has seen Message-IDs; the address that bounces go to was never in one."""
    mail = letters.last("bob")
    path = str(letters.carried(mail)["Return-Path"])
    others = str(letters.carried(letters.last("alice"))["Return-Path"])
    local, _, domain = path.partition("@")
    altered = f"{local[:-1]}{'b' if local[-1] == 'a' else 'a'}@{domain}"
    services = letters.server.services
    largest = address_with(services.server, services.keyring, Token(Purpose.BOUNCE, 0, 2**32 - 1), 0)
    reply_to = mail["Reply-To"].addresses[0].addr_spec

    for number, address in enumerate((ADDRESS, reply_to, others, altered, largest)):
        made_up = b"Message-ID: <copy-%d@mail.example>\n" % number + dsn(mail)
        assert letters.deliver(made_up.replace(f"To: {ADDRESS}".encode(), f"To: {address}".encode())) == []

    assert count(letters) == 0


@pytest.mark.parametrize("words", ["resign", "1 c1d1 g9h9 2 d1f1 h9h7"])
def test_a_message_to_the_address_for_bounces_does_nothing(letters: Correspondence, words: str) -> None:
    path = str(letters.carried(letters.last("bob"))["Return-Path"])

    assert letters.write("bob@mail.example", words, to=path) == []
    (verdict,) = letters.rows("select verdict from incoming order by id desc limit 1")
    assert verdict.startswith("no answer")
    assert (count(letters), letters.played) == (0, ["1 a7b7 i3i2"])
