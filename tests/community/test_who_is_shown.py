"""Which matches are shown on the site, by what their two players allow: from the database alone, without a site."""

import pytest
from sqlmodel import Session

from pbem.publishing import visibility
from tests.contests import people, started


@pytest.mark.parametrize(
    ("alice", "bob", "seats"),
    [
        (None, None, None),
        ("on", None, None),
        (None, "on", None),
        ("on", "off", None),
        ("anonymous", None, None),
        ("on", "on", (1, 2)),
        ("on", "anonymous", (1, 0)),
        ("anonymous", "anonymous", (0, 0)),
    ],
)
def test_a_match_is_shown_if_both_players_want_that(
    session: Session, alice: str | None, bob: str | None, seats: tuple[int, int] | None
) -> None:
    started(session)
    for player, choice in zip(people(session), (alice, bob), strict=False):
        player.settings = {"public": choice} if choice else {}
    session.flush()

    found = visibility.matches(session)

    assert [match.seats for match in found] == ([] if seats is None else [seats])
