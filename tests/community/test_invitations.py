"""Whom we may invite on a player's behalf, and how often: by the functions that decide, without mail."""

from datetime import datetime, timedelta

import pytest
from sqlmodel import Session

from pbem.config import LimitsSettings, ServerSettings
from pbem.errors import Refused
from pbem.matches import lifecycle
from pbem.players import invitations
from pbem.players.invitations import (
    CHALLENGES_PER_DAY,
    CHALLENGES_PER_PAIR,
    DOMAIN_INVITATIONS,
    NEW_PLAYER,
    NEW_PLAYER_INVITATIONS,
)
from pbem.secret_setting import Secret
from pbem.storage.models import Player
from tests.contests import NOW, people

VICTIM = "victim@mail.example"
SERVER = ServerSettings(
    address="games@pbem.example", aliases=("Play@pbem.example",), key=Secret.model_validate({"value": "a key"})
)


def invite(session: Session, address: str, now: datetime = NOW, most: int = 1_000) -> bool:
    """Return whether an invitation to the address can go out; if so, it does."""
    try:
        invitations.remember(session, address, LimitsSettings(all_invitations=most), SERVER, now)
    except Refused:
        return False
    return True


def challenge(session: Session, player: Player, other: Player, now: datetime = NOW, *, by_address: bool) -> bool:
    """Return whether the player can challenge the other; if so, they do, and withdraw the challenge at once."""
    try:
        invitations.check_challenges(session, player, other, LimitsSettings(), SERVER, now, by_address=by_address)
    except Refused:
        return False
    (event,) = lifecycle.offer(session, player, other, lifecycle.Terms("quadraphages", {}), now, by_address=by_address)
    lifecycle.withdraw(session, event.match, player, now)
    return True


def strangers(session: Session, number: int, domain: str = "far.example") -> list[Player]:
    """Return that many people at a domain who aren't players."""
    found = [Player(name=f"{each}.{domain}", address=f"{each}@{domain}", created=NOW) for each in range(number)]
    session.add_all(found)
    session.flush()
    return found


def test_an_address_that_has_not_answered_is_invited_once_for_months(session: Session) -> None:
    days = (0, 1, 179, 181, 182)

    invited = [invite(session, VICTIM, NOW + timedelta(days=each)) for each in days]

    assert invited == [True, False, False, True, False]


@pytest.mark.parametrize(
    ("first", "other"),
    [
        (VICTIM, "Victim+games@mail.example"),
        (VICTIM, "VICTIM@MAIL.EXAMPLE"),
        ("n.o.r.a@gmail.com", "nora@googlemail.com"),
        ("n.o.r.a@gmail.com", "Nora+x@Gmail.com"),
    ],
)
def test_a_mailbox_is_invited_once_however_its_address_is_written(session: Session, first: str, other: str) -> None:
    assert [invite(session, address) for address in (first, other)] == [True, False]


def test_a_domain_and_the_world_get_so_many_invitations_a_day(session: Session) -> None:
    most = DOMAIN_INVITATIONS + 4
    of_hosts = [invite(session, f"a{n}@h{n}.small.example", most=most) for n in range(DOMAIN_INVITATIONS + 2)]
    of_all = [invite(session, f"b{n}@gmx.net", most=most) for n in range(6)]

    assert (sum(of_hosts), sum(of_all)) == (DOMAIN_INVITATIONS, 4)
    assert invite(session, "tomorrow@small.example", NOW + timedelta(days=1, minutes=1), most)


def test_who_wants_no_invitations_gets_none_until_they_change_their_mind(session: Session) -> None:
    invitations.rule_out(session, "victim+a@mail.example", NOW)
    session.flush()
    assert not invite(session, VICTIM, NOW + timedelta(days=1000))

    invitations.allow(session, VICTIM)
    session.flush()

    assert invite(session, VICTIM)


@pytest.mark.parametrize(
    ("address", "why"),
    [
        *(
            (ours, "this server's own address")
            for ours in ("games@pbem.example", "games+any@pbem.example", "GAMES@PBEM.EXAMPLE", "play+x@pbem.example")
        ),
        *(
            (role, "not a person's address")
            for role in ("abuse@host.example", "no-reply@host.example", "Postmaster@host.example")
        ),
    ],
)
def test_an_address_that_no_person_reads_cannot_be_invited(address: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        invitations.check_address(address.lower(), SERVER)


@pytest.mark.parametrize(
    "note",
    [
        "Buy now at http://pills.example/now",
        "Look at www.pills.example",
        "Mail me at eve@pills.example",
        "pills.example has it",
        "Call 0900 123 45 67",
        "word " * 60,
    ],
)
def test_no_link_and_few_words_go_along(note: str) -> None:
    assert not invitations.fits([note])


def test_a_player_invites_a_few_addresses_a_day_and_a_new_one_fewer(session: Session) -> None:
    alice, *_ = people(session)
    for now, most in ((NOW, NEW_PLAYER_INVITATIONS), (NOW + NEW_PLAYER, LimitsSettings().invitations_per_day)):
        others = strangers(session, most + 2, f"{now:%j}.example")
        assert sum(challenge(session, alice, other, now, by_address=True) for other in others) == most


def test_a_player_is_challenged_a_few_times_a_day_by_the_same_player(session: Session) -> None:
    alice, bob, carol = people(session)
    challenged = [challenge(session, alice, bob, by_address=False) for _ in range(CHALLENGES_PER_PAIR + 2)]

    assert sum(challenged) == CHALLENGES_PER_PAIR
    assert challenge(session, carol, bob, by_address=False)
    assert challenge(session, alice, bob, NOW + timedelta(days=1, minutes=1), by_address=False)


def test_a_player_challenges_so_many_in_a_day(session: Session) -> None:
    alice, *_ = people(session)
    others = strangers(session, CHALLENGES_PER_DAY + 2)

    assert sum(challenge(session, alice, other, by_address=False) for other in others) == CHALLENGES_PER_DAY
