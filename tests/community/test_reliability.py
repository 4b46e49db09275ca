"""How reliable players are: what counts, who sees seeks for reliable players, and what it costs."""

from datetime import timedelta
from typing import Any

from sqlmodel import Session

from engines.core import Seat
from notation.ending import Ending, Termination
from pbem.matches import lifecycle, reliability
from pbem.matches.reliability import RECENT, Reliability
from pbem.storage.models import Match
from tests.community.seeking import QUADRATURE, numbers, put_up
from tests.contests import NOW, people, started


def finish(session: Session, termination: Termination, seat: Seat | None = None, day: int = 0, **more: Any) -> Match:
    """Let a match of alice (seat 0) and bob end; that seat broke it off, resigned or left."""
    match = started(session, "quadrature")
    lifecycle.end(session, match, Ending(termination, seat), None if seat is None else 1 - seat, NOW + timedelta(day))
    for name, value in more.items():
        setattr(match, name, value)
    session.flush()
    return match


def test_only_what_a_player_lost_on_time_or_left_counts_against_them(session: Session) -> None:
    alice, bob, carol = people(session)
    finish(session, Termination.TIMEOUT, 0)
    finish(session, Termination.LEFT, 0)
    finish(session, Termination.TIMEOUT, 1)
    finish(session, Termination.RESIGNATION, 0)
    finish(session, Termination.AGREEMENT)
    finish(session, Termination.CANCELLED)
    finish(session, Termination.TIMEOUT, 0, level=3)
    finish(session, Termination.TIMEOUT, 0, imported="x")
    started(session)

    found = reliability.of_players(session, [each.id or 0 for each in (alice, bob, carol)])

    assert found[alice.id or 0] == Reliability(ended=5, lost=2, running=1)
    assert found[bob.id or 0] == Reliability(ended=5, lost=1, running=1)
    assert found[carol.id or 0] == Reliability()


def test_only_the_last_twenty_count_in_whichever_seat(session: Session) -> None:
    alice, bob, _ = people(session)
    for day in range(RECENT + 5):
        match = finish(session, Termination.TIMEOUT if day < 5 else Termination.RULES, 0 if day < 5 else None, day)
        if day % 2:
            match.seat0, match.seat1 = match.seat1, match.seat0
            match.termination_seat = None if match.termination_seat is None else 1
    session.flush()

    assert reliability.of(session, alice) == Reliability(ended=RECENT, lost=0)
    finish(session, Termination.TIMEOUT, 0, RECENT + 5)
    assert reliability.of(session, alice) == Reliability(ended=RECENT, lost=1)
    assert reliability.of(session, bob) == Reliability(ended=RECENT, lost=0)


def test_who_loses_on_time_more_often_neither_sees_nor_takes_a_seek_for_reliable_players(session: Session) -> None:
    alice, _, carol = people(session)
    put_up(session, carol, QUADRATURE | {"reliable": True})

    for day, sees in enumerate((True, False)):  # one is forgiven
        finish(session, Termination.TIMEOUT, 0, day)
        assert numbers(session, alice) == ([1] if sees else [])
        assert reliability.of(session, alice).is_good is sees
    for day in range(18):
        finish(session, Termination.RULES, None, 2 + day)
    assert numbers(session, alice) == [1]
    assert numbers(session, carol) == [1]
    finish(session, Termination.TIMEOUT, 0, 20)
    assert numbers(session, alice) == [1]  # the oldest that was lost on time is none of the last twenty
    finish(session, Termination.TIMEOUT, 0, 21)
    finish(session, Termination.TIMEOUT, 0, 21)
    assert numbers(session, alice) == []
