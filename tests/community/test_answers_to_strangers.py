"""How many answers strangers get: a mailbox, the domain of its owner, and all of them; by the function that decides."""

from datetime import datetime, timedelta
from itertools import count

import pytest
from sqlmodel import Session

from pbem.config import LimitsSettings
from pbem.errors import Unanswerable
from pbem.players import message_budgets
from pbem.players.message_budgets import DOMAIN_PER_DAY, STRANGER_PER_DAY, STRANGER_PER_MONTH
from pbem.storage.mailboxes_and_domains import owner
from pbem.storage.models import Outgoing, Standing
from tests.contests import NOW

_NUMBERS = count(1)
IN_AN_HOUR = DOMAIN_PER_DAY // 4


def answered(
    session: Session,
    address: str,
    now: datetime = NOW,
    standing: Standing = Standing.CLAIMED,
    limits: LimitsSettings = LimitsSettings(),  # noqa: B008 - nobody changes it
) -> bool:
    """Return whether a stranger at the address gets an answer; if so, they get it."""
    try:
        message_budgets.of_stranger(session, address, standing, limits, now, per_month=STRANGER_PER_MONTH)
    except Unanswerable:
        return False
    about = {"stranger_domain": owner(address), "standing": standing.value, "created": now, "due": now}
    about |= {"message_id": str(next(_NUMBERS)), "template": "answer", "references": []}
    session.add(Outgoing(address=address, **about))
    session.flush()
    return True


def test_an_address_gets_few_answers_a_day_and_a_month(session: Session) -> None:
    days = (0, 1, 2, 3, 4, 29, 31)

    got = [
        sum(answered(session, "v@far.example", NOW + timedelta(days=each, minutes=each)) for _ in range(6))
        for each in days
    ]

    assert got == [5, 5, 5, 5, 0, 0, 5]


@pytest.mark.parametrize(
    "addresses",
    [
        [f"victim+{number}@gmail.com" for number in range(12)],
        [f"v.ictim@{host}" for host in ("gmail.com", "googlemail.com") for _ in range(6)],
        [f"victim@host{number}.mail.example" for number in range(12)],
        [f"victim@h{number}.games.co.uk" for number in range(12)],
    ],
    ids=["sub-addresses", "dots", "hosts of a domain", "hosts of a domain under a public suffix"],
)
def test_a_mailbox_gets_few_answers_however_its_address_is_written(session: Session, addresses: list[str]) -> None:
    assert sum(answered(session, address) for address in addresses) == STRANGER_PER_DAY
    assert answered(session, addresses[-1], NOW + timedelta(days=1, minutes=1))


@pytest.mark.parametrize("other", ["victima@gmail.com", "vi_tim@gmail.com", "victim@gmx.net"])
def test_other_people_are_not_the_same_mailbox(session: Session, other: str) -> None:
    for number in range(7):
        answered(session, f"victim+{number}@gmail.com")

    assert answered(session, other)


@pytest.mark.slow
def test_a_burst_of_forgeries_uses_up_no_day_of_a_domain(session: Session) -> None:
    """It takes a quarter of what a domain gets in a day; after six hours, half at most."""

    def burst(hours: float) -> int:
        now = NOW + timedelta(hours=hours)
        return sum(answered(session, f"v{next(_NUMBERS)}@h.small.example", now) for _ in range(2 * IN_AN_HOUR))

    assert [burst(hours) for hours in (0, 1.1, 2.2, 7.2)] == [IN_AN_HOUR, IN_AN_HOUR, 0, IN_AN_HOUR]
    assert answered(session, "newcomer@far.example")


@pytest.mark.slow
def test_forgeries_silence_no_large_domain(session: Session) -> None:
    assert all(answered(session, f"v{number}@gmx.net") for number in range(2 * IN_AN_HOUR))


def test_a_class_of_a_school_whose_domain_vouches_for_them_is_introduced_within_an_hour(session: Session) -> None:
    vouched = Standing.VOUCHED
    assert all(answered(session, f"v{number}@school.example", standing=vouched) for number in range(2 * IN_AN_HOUR))

    assert not message_budgets.of_stranger(session, "v@school.example", vouched, LimitsSettings(), NOW, per_month=1)


def test_all_strangers_together_get_so_many_answers(session: Session) -> None:
    limits = LimitsSettings(strangers_per_day=24)

    assert sum(answered(session, f"v@host{number}.example", limits=limits) for number in range(8)) == 6


def test_forgeries_silence_nobody_whose_domain_vouches_for_them(session: Session) -> None:
    for number in range(IN_AN_HOUR + 1):
        answered(session, f"v{number}@small.example")

    assert not answered(session, "carol@small.example")
    assert answered(session, "carol@small.example", standing=Standing.VOUCHED)
