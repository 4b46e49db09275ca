"""What two players agree on in a match, with rows and events only."""

import pytest
from sqlmodel import Session, select

from notation.ending import Ending, Termination
from notation.games import GAMES
from pbem.matches import agreements, integrity, lifecycle, queries, stored_offers
from pbem.matches.events import Change, MatchEnded, OfferChanged, TurnsTakenBack
from pbem.matches.obstacles import Obstacle
from pbem.matches.replayed_match import replayed, texts_then, turn_texts
from pbem.matches.stored_offers import OfferKind
from pbem.storage.models import Match, MatchState, Ply, TakenBack
from tests.contests import NOW, impossible, people, play, started

TURNS = ("e3f4", "e9f8", "f3g4", "f9g8")


def played(session: Session, turns: int) -> Match:
    """Return a match of Quadrature after that many turns."""
    match = started(session, "quadrature")
    for turn in TURNS[:turns]:
        play(session, match, turn)
    return match


def refused(session: Session, match: Match, expected: Obstacle, what: object) -> None:
    """Check that it isn't possible, and changes nothing."""
    before = match.model_dump()
    assert callable(what)
    with impossible(expected):
        what()
    assert match.model_dump() == before


@pytest.mark.parametrize(
    ("kind", "termination"), [(OfferKind.DRAW, Termination.AGREEMENT), (OfferKind.CANCEL, Termination.CANCELLED)]
)
def test_what_ends_a_match_ends_it_for_both(session: Session, kind: OfferKind, termination: Termination) -> None:
    match = played(session, 1)
    made = agreements.propose(session, match, 0, kind, NOW)
    ended = agreements.accept(session, match, 1, None, NOW)
    assert (made, ended) == (
        (OfferChanged(match, kind, Change.MADE, 0),),
        (MatchEnded(match, Ending(termination), None),),
    )
    assert (match.state, match.winner, match.termination, match.offers) == (MatchState.OVER, None, termination, {})
    assert list(integrity.faults(session, [match])) == [[]]
    refused(session, match, Obstacle.OVER, lambda: agreements.propose(session, match, 0, kind, NOW))


@pytest.mark.parametrize(("turns", "seat", "left"), [(2, 0, 0), (2, 1, 1), (3, 0, 2), (3, 1, 1), (4, 0, 2)])
def test_a_player_takes_back_their_last_turn_and_what_followed(
    session: Session, turns: int, seat: int, left: int
) -> None:
    match, version = played(session, turns), turns
    assert queries.version(match) == version
    agreements.propose(session, match, 1 if seat else 0, OfferKind.UNDO, NOW)
    (event,) = agreements.accept(session, match, 0 if seat else 1, OfferKind.UNDO, NOW)
    assert event == TurnsTakenBack(match, 1 if seat else 0, TURNS[left:turns])
    assert (match.plies, match.to_move, match.part) == (left, seat, None)
    assert queries.version(match) == version + 1
    assert list(integrity.faults(session, [match])) == [[]]
    rows = session.exec(select(TakenBack).order_by("id")).all()
    assert [(row.number, row.seat, row.text, row.shift) for row in rows] == [
        (number + 1, number % 2, TURNS[number], 0) for number in range(left, turns)
    ]


def test_a_message_from_before_shows_the_turns_of_then(session: Session) -> None:
    """Through two takebacks, and what was played in between: each message has the record that it had."""
    match, then = played(session, 2), []

    def note() -> None:
        copy = Match.model_validate(match.model_dump())
        then.append((copy, turn_texts(session, match)))

    note()
    for after in ("b3b4", "c3c4"):
        agreements.propose(session, match, 0, OfferKind.UNDO, NOW)
        note()
        agreements.accept(session, match, 1, None, NOW)
        note()
        play(session, match, after)
        note()
        play(session, match, "h9h8")
        note()
    alice, bob, _ = people(session)
    for copy, texts in then:
        assert texts_then(session, copy)[: copy.plies] == texts
        assert replayed(copy, (alice, bob), texts).ply == copy.plies
    assert [texts for _, texts in then][::3] == [TURNS[:2], ("b3b4",), ()]
    assert len({queries.version(copy) for copy, _ in then}) == 7, "each position has a version of its own"


def test_a_turn_of_the_opponent_declines_and_ones_own_does_not(session: Session) -> None:
    match = played(session, 2)
    for kind in OfferKind:
        agreements.propose(session, match, 0, kind, NOW)
    play(session, match, TURNS[2])
    assert {offer.kind for offer in stored_offers.open_offers(match)} == set(OfferKind) - {OfferKind.UNDO}
    play(session, match, TURNS[3])
    assert match.offers == {}


def test_an_offer_is_open_once_and_is_not_made_again_before_the_next_turn(session: Session) -> None:
    match = played(session, 2)
    offer = lambda: agreements.propose(session, match, 0, OfferKind.DRAW, NOW)  # noqa: E731
    offer()
    refused(session, match, Obstacle.ALREADY_OFFERED, offer)
    assert agreements.reject(session, match, 1, None) == (OfferChanged(match, OfferKind.DRAW, Change.REJECTED, 1),)
    refused(session, match, Obstacle.OFFERED_IN_VAIN, offer)
    play(session, match, TURNS[2])
    offer()
    agreements.withdraw(session, match, 0, None)
    refused(session, match, Obstacle.OFFERED_IN_VAIN, offer)


def test_both_offering_the_same_agree(session: Session) -> None:
    match = played(session, 2)
    agreements.propose(session, match, 0, OfferKind.DRAW, NOW)
    assert isinstance(agreements.propose(session, match, 1, OfferKind.DRAW, NOW)[0], MatchEnded)


def test_an_undo_of_ones_own_is_no_answer_to_another(session: Session) -> None:
    match = played(session, 2)
    undo = lambda seat: agreements.propose(session, match, seat, OfferKind.UNDO, NOW)  # noqa: E731
    undo(0)
    refused(session, match, Obstacle.UNDO_ASKED, lambda: undo(1))


def test_an_answer_never_means_an_offer_that_its_author_has_not_seen(session: Session) -> None:
    """An offer that is withdrawn for another one, and one made after the position that was seen."""
    match = played(session, 2)
    agreements.propose(session, match, 0, OfferKind.PAUSE, NOW)
    agreements.withdraw(session, match, 0, OfferKind.PAUSE)
    agreements.propose(session, match, 0, OfferKind.CANCEL, NOW)
    refused(session, match, Obstacle.WHICH_OFFER, lambda: agreements.accept(session, match, 1, None, NOW, seen=2))
    play(session, match, TURNS[2])
    play(session, match, TURNS[3])
    agreements.propose(session, match, 0, OfferKind.CANCEL, NOW)
    for kind in (None, OfferKind.CANCEL):
        refused(
            session,
            match,
            Obstacle.OFFER_NOT_SEEN,
            lambda kind=kind: agreements.accept(session, match, 1, kind, NOW, seen=2),
        )
    refused(session, match, Obstacle.NO_SUCH_OFFER, lambda: agreements.accept(session, match, 1, OfferKind.DRAW, NOW))
    refused(session, match, Obstacle.NO_SUCH_OFFER, lambda: agreements.accept(session, match, 0, None, NOW))
    agreements.accept(session, match, 1, None, NOW, seen=4)


def test_a_pause_ends_with_a_turn_or_when_one_of_them_ends_it(session: Session) -> None:
    match = played(session, 2)
    pause = lambda: agreements.propose(session, match, 0, OfferKind.PAUSE, NOW)  # noqa: E731
    resume = lambda seat: agreements.resume(session, match, seat, NOW)  # noqa: E731
    refused(session, match, Obstacle.NOT_PAUSED, lambda: resume(0))
    pause()
    agreements.accept(session, match, 1, None, NOW)
    assert match.paused == NOW
    refused(session, match, Obstacle.OFFERED_IN_VAIN, pause)
    other_pause = lambda: agreements.propose(session, match, 1, OfferKind.PAUSE, NOW)  # noqa: E731
    refused(session, match, Obstacle.PAUSED, other_pause)
    assert resume(1) == (OfferChanged(match, OfferKind.PAUSE, Change.RESUMED, 1),)
    play(session, match, TURNS[2])
    pause()
    agreements.accept(session, match, 1, None, NOW)
    play(session, match, TURNS[3])
    assert match.paused is None


def test_who_is_muted_can_offer_nothing_and_answer_everything(session: Session) -> None:
    match = played(session, 2)
    agreements.mute(session, match, 1, muted=True)
    for kind in OfferKind:
        refused(session, match, Obstacle.MUTED, lambda kind=kind: agreements.propose(session, match, 0, kind, NOW))
    agreements.propose(session, match, 1, OfferKind.DRAW, NOW)
    agreements.reject(session, match, 0, None)
    agreements.mute(session, match, 1, muted=False)
    agreements.propose(session, match, 0, OfferKind.CANCEL, NOW)


def test_nothing_is_taken_back_before_a_turn_and_no_draw_is_agreed_where_the_rules_go_on(session: Session) -> None:
    match = started(session)
    refused(
        session,
        match,
        Obstacle.NOTHING_TO_TAKE_BACK,
        lambda: agreements.propose(session, match, 0, OfferKind.UNDO, NOW),
    )
    alice, bob, _ = people(session)
    (event,) = lifecycle.offer(session, alice, bob, lifecycle.Terms("quadrupel", {"variant": "maximum-points"}), NOW)
    lifecycle.accept(session, event.match, bob, NOW)
    refused(
        session,
        event.match,
        Obstacle.NO_AGREED_DRAW,
        lambda: agreements.propose(session, event.match, 0, OfferKind.DRAW, NOW),
    )
    for game in GAMES.games():
        assert game.can_be_drawn(game.chosen({})), game.key


def test_a_taken_back_turn_can_be_played_again(session: Session) -> None:
    match = played(session, 2)
    agreements.propose(session, match, 1, OfferKind.UNDO, NOW)
    agreements.accept(session, match, 0, None, NOW)
    play(session, match, TURNS[1])
    assert session.exec(select(Ply.text).order_by("number")).all() == list(TURNS[:2])
    assert list(integrity.faults(session, [match])) == [[]]


def test_a_takeback_that_is_missing_from_the_log_is_found(session: Session) -> None:
    match = played(session, 2)
    for text in (TURNS[1], "h9h8"):
        agreements.propose(session, match, 1, OfferKind.UNDO, NOW)
        agreements.accept(session, match, 0, None, NOW)
        play(session, match, text)
    assert list(integrity.faults(session, [match])) == [[]]
    first, last = session.exec(select(TakenBack).order_by("shift")).all()
    assert (first.shift, last.shift, match.shift) == (0, 2, 4)
    session.delete(first)
    session.flush()
    ((fault,),) = integrity.faults(session, [match])
    assert fault.sentence == "its version is 4 ahead of its turns, but what was taken back makes 0"
