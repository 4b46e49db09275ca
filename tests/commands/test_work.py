"""How much one message, and one player within an hour, can have looked up: by what each line costs."""

from dataclasses import replace

import pytest
from sqlmodel import Session

from pbem.conversation.command import Request
from pbem.conversation.execute import charge, cost
from pbem.errors import Refused
from pbem.players import message_budgets
from pbem.players.message_budgets import MOST_COST, MOST_COST_PER_HOUR, MOST_COST_UNPROVEN
from pbem.storage.models import Incoming
from tests.commands.requests import asked, read
from tests.contests import FIRST, NOW, people, started


def begun(session: Session, *, proven: bool = True) -> Request:
    """Begin a match. Return a message of alice's."""
    started(session)
    alice, *_ = people(session)
    request = asked(session, alice)
    return replace(request, sender=replace(request.sender, proven=proven))


@pytest.mark.parametrize(
    ("proven", "most", "instead"),
    [(True, MOST_COST, "in another message"), (False, MOST_COST_UNPROVEN, "in a reply to one of our messages")],
)
def test_a_message_is_answered_up_to_what_it_can_cost(session: Session, proven: bool, most: int, instead: str) -> None:
    request, line, spent = begun(session, proven=proven), read("show 1"), 0

    while spent + cost(request, line) <= most:
        spent = charge(request, line, spent)
    with pytest.raises(Refused, match="can't hold everything") as refused:
        charge(request, line, spent)

    assert instead in str(refused.value.fits)


@pytest.mark.parametrize("line", ["show 1", "games", "record 1"])
def test_one_line_is_answered_whatever_it_costs(session: Session, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    monkeypatch.setattr(message_budgets, "MOST_COST", 1)

    assert charge(begun(session), read(line), 0) > message_budgets.MOST_COST


@pytest.mark.parametrize("line", [FIRST, "say hello", "resign"])
def test_what_does_more_than_look_costs_nothing(session: Session, line: str) -> None:
    assert cost(begun(session), read(line)) == 0


@pytest.mark.parametrize("proven", [True, False])
def test_who_has_had_much_looked_up_within_an_hour_waits_and_forgeries_use_up_nothing(
    session: Session, proven: bool
) -> None:
    request = begun(session, proven=proven)
    rows = {"player": people(session)[0].id, "cost": MOST_COST_PER_HOUR, "received": NOW}
    session.add(Incoming(key="earlier", size=0, source="test", recipients=[], **rows))
    session.flush()

    if proven:
        with pytest.raises(Refused, match="as much as one player can within an hour") as refused:
            charge(request, read("show 1"), 0)
        assert "works again in 60 minutes" in str(refused.value.fits)
    else:
        charge(request, read("show 1"), 0)
