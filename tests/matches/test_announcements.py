"""Events become notices: who is told what, as values, before messages are queued."""

import pytest
from sqlmodel import Session

from engines.core import Seat
from notation.ending import Ending, Termination
from pbem.matches import lifecycle
from pbem.messages.contents.answer_sections import ChallengeClosed, TurnNews
from pbem.messages.contents.message_payloads import Challenge, OpponentLeft
from pbem.players.match_event_notices import notices
from tests.contests import FIRST, NOW, offered, people, play, started

PROSE = ("Hello!",)


@pytest.mark.parametrize("termination", [each for each in Termination if each is not Termination.LEFT])
def test_an_ending_is_told_by_its_own_name(session: Session, termination: Termination) -> None:
    match, (alice, bob, _) = started(session), people(session)
    seat: Seat | None = 1 if termination in (Termination.RESIGNATION, Termination.TIMEOUT) else None

    told = notices(session, lifecycle.end(session, match, Ending(termination, seat), 0, NOW), bob, PROSE)

    if termination is Termination.RULES:  # the message about the last turn tells it
        assert told == ()
        return
    shows = TurnNews(match=match.id or 0, ply=0, message=PROSE, by="bob", termination=termination)
    assert [(notice.player, notice.payload) for notice in told] == [(alice, shows), (bob, shows)]


def test_a_turn_is_told_to_both_with_what_its_player_wrote(session: Session) -> None:
    match, (alice, bob, _) = started(session), people(session)

    told = notices(session, play(session, match, FIRST), alice, PROSE)  # type: ignore[arg-type]

    shows = TurnNews(match=match.id or 0, ply=1, message=PROSE, by="alice")
    assert [(notice.player, notice.payload) for notice in told] == [(alice, shows), (bob, shows)]


def test_an_offer_is_told_to_the_other_and_its_end_to_both(session: Session) -> None:
    match, (alice, bob, _) = offered(session), people(session)
    events = lifecycle.decline(session, match, bob, NOW)

    closed = [(notice.player, notice.payload) for notice in notices(session, events, bob, PROSE)]

    told = ChallengeClosed(match=match.id or 0, state="declined", message=PROSE, by="bob")
    own = ChallengeClosed(match=match.id or 0, state="declined", by="bob")
    assert closed == [(alice, told), (bob, own)]


def test_prose_goes_with_one_of_several_events(session: Session) -> None:
    first, second = offered(session), offered(session)
    alice, *_ = people(session)
    events = (lifecycle.MatchOffered(first), lifecycle.MatchOffered(second))

    told = [notice.payload for notice in notices(session, events, alice, PROSE)]

    assert told == [Challenge(message=PROSE, by="alice"), Challenge(message=(), by="alice")]


def test_who_stays_is_told_that_the_other_left_and_nothing_else(session: Session) -> None:
    match, (alice, bob, _) = started(session), people(session)
    bob.deleted = NOW

    told = notices(session, lifecycle.leave(session, match, bob, NOW))

    assert [(notice.player, notice.payload) for notice in told] == [(alice, OpponentLeft())]
