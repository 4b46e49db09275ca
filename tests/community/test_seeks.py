"""Seeks: what is listed to whom, that each is taken as often as its player wanted, and that they end."""

from datetime import date, timedelta

import pytest
from sqlmodel import Session, select

from pbem.errors import Refused
from pbem.features.seeks import seeks
from pbem.matches.events import MatchStarted
from pbem.players import blocks
from pbem.storage.models import Match, MatchState, Player, PlayerRating, Seek
from tests.community.seeking import QUADRATURE, UNTIL, numbers, put_up
from tests.contests import NOW, people


def take(session: Session, seek: Seek, taker: Player, *, seeker_begins: bool = True) -> Match:
    found = seeks.locked(session, seek.id or 0, NOW)
    assert found is not None
    later = UNTIL + timedelta(days=1)
    (event,) = seeks.take(session, *found, taker, NOW, later, seeker_begins=seeker_begins)
    assert isinstance(event, MatchStarted)
    assert event.seek == seek.id
    return event.match


@pytest.mark.parametrize("seeker_begins", [True, False])
def test_a_match_begins_on_the_terms_of_the_seek(session: Session, seeker_begins: bool) -> None:
    alice, bob, _ = people(session)
    wanted = QUADRATURE | {"time": "14d+1d"}

    match = take(session, put_up(session, alice, wanted), bob, seeker_begins=seeker_begins)

    assert (match.state, match.game, match.time) == (MatchState.RUNNING, "quadrature", "14d+1d")
    first = (match.seat0, match.seat1)[match.to_move or 0]
    assert first == (alice if seeker_begins else bob).id


def test_a_seek_is_taken_as_often_as_its_player_wanted_and_its_number_means_no_other(session: Session) -> None:
    alice, bob, carol = people(session)
    seek = put_up(session, alice, repeat=2)

    take(session, seek, bob)
    assert seek.expires > UNTIL
    take(session, seek, carol)

    assert seeks.locked(session, seek.id or 0, NOW) is None
    assert numbers(session, bob) == []
    assert put_up(session, alice).id != seek.id
    assert len(session.exec(select(Match)).all()) == 2


def test_who_has_blocked_or_is_blocked_sees_nothing_of_the_other(session: Session) -> None:
    alice, bob, carol = people(session)
    of_alice, of_bob = put_up(session, alice), put_up(session, bob)

    blocks.block(session, alice, bob, NOW)

    assert numbers(session, bob) == [of_bob.id]
    assert numbers(session, alice) == [of_alice.id]
    assert sorted(numbers(session, carol)) == [of_alice.id, of_bob.id]
    assert not seeks.is_for(session, alice, bob)
    assert not seeks.is_for(session, bob, alice)
    assert seeks.is_for(session, alice, carol)


@pytest.mark.parametrize("why", ["stopped", "unreachable"])
def test_nobody_is_offered_a_match_with_somebody_who_reads_nothing(session: Session, why: str) -> None:
    alice, bob, _ = people(session)
    put_up(session, alice)
    setattr(alice, why, NOW)
    session.flush()

    assert numbers(session, bob) == []
    assert not seeks.is_for(session, alice, bob)


def test_a_long_list_has_pages_and_can_be_narrowed(session: Session) -> None:
    alice, bob, _ = people(session)
    timed = {"game": "kvadratik", "options": {}, "time": "3d/move", "begin": "you"}
    made = [put_up(session, alice, timed if at % 10 == 0 else QUADRATURE).id for at in range(100)]

    pages = [numbers(session, bob, 25, page) for page in (1, 2, 3, 4, 5)]

    assert [number for page in pages for number in page] == made[::-1]
    assert [len(page) for page in pages] == [25, 25, 25, 25, 0]
    assert seeks.listed(session, bob, NOW, 25, page=3)[1]
    assert not seeks.listed(session, bob, NOW, 25, page=4)[1]
    assert len(numbers(session, bob, 99, game="kvadratik")) == 10
    assert numbers(session, alice, 99, others=True) == []


def test_what_ends_within_a_day_ends_together(session: Session) -> None:
    alice, _, _ = people(session)
    over, soon, later = (put_up(session, alice, until=NOW + timedelta(hours=hours)) for hours in (0, 23, 25))

    assert seeks.locked(session, over.id or 0, NOW) is None, "it can't be taken even before it is cleared away"
    assert seeks.expire(session, alice, NOW) == [over, soon]
    assert seeks.expire(session, alice, NOW) == []
    assert seeks.of_player(session, alice, NOW) == [later]


def rate(session: Session, player: Player, rating: float, game: str = "quadrature", week: int = 2) -> None:
    """Give the player a rating, of which the later weeks' are the ones that count."""
    session.add(
        PlayerRating(
            player=player.id or 0,
            game=game,
            week=date(2026, 1, 5) + timedelta(weeks=week),
            rating=rating,
            deviation=100,
            volatility=0.06,
            wins=1,
            draws=0,
            losses=0,
            superseded=None if week == 2 else date(2026, 1, 19),
        )
    )
    session.flush()


@pytest.mark.parametrize(
    ("rating", "is_shown"), [(None, True), (1399.4, False), (1399.5, True), (1700.4, True), (1700.5, False)]
)
def test_a_seek_for_some_ratings_is_listed_to_who_has_one_as_it_is_shown(
    session: Session, rating: float | None, is_shown: bool
) -> None:
    alice, bob, _ = people(session)
    rate(session, bob, 1000, week=1)
    rate(session, bob, 1000, game="kvadratik")
    if rating is not None:
        rate(session, bob, rating)
    seek = put_up(session, alice, QUADRATURE | {"lowest": 1400, "highest": 1700})

    assert numbers(session, bob) == ([seek.id] if is_shown else [])
    assert numbers(session, alice) == [seek.id], "her own, though she may have another rating"


@pytest.mark.parametrize("text", ["1400", "1700-1400", "0-9999", "-200", "+-", "+-20000", "a-b", "1400-1700-1800", ""])
def test_what_is_no_range_of_ratings(text: str) -> None:
    with pytest.raises(Refused):
        seeks.parse(text, 1500)
