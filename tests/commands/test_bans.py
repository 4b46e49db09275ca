"""A closed account: what is stored of it, without mail."""

import pytest
from sqlmodel import Session, select

from pbem.config import ServerSettings
from pbem.errors import Refused
from pbem.features.all import FEATURES
from pbem.features.moderation import acts
from pbem.features.moderation.acts import BanOutcome, Order
from pbem.secret_setting import Secret
from pbem.storage import mailboxes_and_domains
from pbem.storage.models import ClosedAddress, Outgoing
from tests.contests import NOW, people, started

SERVER = ServerSettings(address="games@pbem.example", key=Secret.model_validate({"value": "a key"}))
ORDER = Order("root", "Cheats.")


def test_the_address_of_a_closed_account_can_not_join_again(session: Session) -> None:
    """What is stored is a hash, which stays when the player has their data deleted."""
    _, bob, _ = people(session)
    acts.ban(session, SERVER, FEATURES, bob, ORDER, NOW)

    assert session.exec(select(ClosedAddress.address)).all() == [mailboxes_and_domains.digest(bob.address)]
    with pytest.raises(Refused):
        acts.ban(session, SERVER, FEATURES, bob, ORDER, NOW)

    acts.unban(session, SERVER, bob, ORDER, NOW)
    assert session.exec(select(ClosedAddress.address)).all() == []


@pytest.mark.parametrize(("outcome", "winner"), [(BanOutcome.CANCELLED, None), (BanOutcome.LOST, 0)])
def test_their_matches_end_and_nobody_is_told_why(session: Session, outcome: BanOutcome, winner: int | None) -> None:
    match, (_, bob, _) = started(session), people(session)

    acts.ban(session, SERVER, FEATURES, bob, ORDER, NOW, outcome)

    told = session.exec(select(Outgoing)).all()
    assert (match.ended, match.winner) == (NOW, winner)
    assert sorted(row.address for row in told) == ["alice@mail.example", "bob@mail.example"]
    assert not [row for row in told if "Cheats" in str(row.payload)]
