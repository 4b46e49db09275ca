"""Bounces: the admin gets few, combined alerts, and nobody learns from a bounce whose an address is."""

import re

import pytest

from tests.bounces import dsn
from tests.correspondence import Correspondence, said, text
from tests.scenes import two_players

ADMIN = "admin@pbem.example"
pytestmark = pytest.mark.server(server=f'admin = "{ADMIN}"')


def test_forged_joins_from_refusing_addresses_tell_the_admin_nothing(letters: Correspondence) -> None:
    for number in range(8):
        (question,) = letters.write(f"nobody{number}@mail.example", f"join nobody{number}")
        assert letters.deliver(dsn(letters.carried(question))) == []
    letters.wait(days=2)

    assert ADMIN not in letters.received


def test_the_admin_is_told_once_an_hour_of_all_players_who_can_not_be_reached(letters: Correspondence) -> None:
    names = ("bob", "carol", "dora", "erin")
    for name in names:
        letters.join(name)
    letters.execute("update player set bounces = 2")  # one short of the limit
    for name in names:
        letters.deliver(dsn(letters.carried(letters.last(name))))
    letters.wait(minutes=59)
    assert len(letters.received[ADMIN]) == 1
    letters.wait(hours=2)

    first, second = map(said, letters.received[ADMIN])
    assert "Messages to a player keep bouncing" in first
    assert "Messages to some players keep bouncing" in second
    ids = [number for (number,) in letters.execute("select id from player where unreachable is not null order by id")]
    assert [int(each) for each in re.findall(r"\d+", second.partition("have been told:")[2].partition(".")[0])] == ids[
        1:
    ]
    assert letters.wait(days=2) == []


def test_a_bounce_does_not_tell_the_challenger_whose_the_address_is(letters: Correspondence) -> None:
    letters.play(two_players)
    letters.say("alice", "challenge bob@mail.example quadraphages")
    challenge = letters.last("bob")
    letters.deliver(dsn(letters.carried(challenge)))
    letters.wait(days=1.1)
    letters.deliver(b"Message-ID: <2@mail.example>\n" + dsn(letters.carried(challenge)))
    letters.wait(days=3.1)
    letters.deliver(b"Message-ID: <3@mail.example>\n" + dsn(letters.carried(challenge)))
    assert letters.execute("select bounces from player where name = 'bob'") == [(3,)]

    assert not any(
        "bob" in text(mail).replace("bob@mail.example", "") for mail in letters.received["alice@mail.example"]
    )


def test_the_bounce_of_an_invitation_does_not_tell_that_the_address_is_dead(letters: Correspondence) -> None:
    letters.write("alice@mail.example", "challenge carol@nowhere.example hexaphages", to=letters.join("alice"))

    assert letters.deliver(dsn(letters.carried(letters.received["carol@nowhere.example"][0]))) == []
