"""The lifecycle of a match with rows and events only: no messages, no commands, no clock."""

import ast
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from sqlmodel import Session, select

import pbem
from engines.seats import other
from notation.ending import Ending, Termination
from notation.games import GAMES
from pbem.matches import integrity, lifecycle
from pbem.matches.events import MatchEnded, OfferDeclined, OfferWithdrawn, PartKept, PartTakenBack, TurnPlayed
from pbem.matches.lifecycle import MOST_OPEN
from pbem.matches.obstacles import NotPossible, Obstacle
from pbem.matches.replayed_match import ending_of, snapshot_of
from pbem.storage.models import MatchState, Ply
from tests.cases import quick_where
from tests.contests import FIRST, NOW, impossible, offered, people, play, read, started, three_players


def test_an_accepted_offer_is_a_match_in_which_somebody_is_to_move(session: Session) -> None:
    match = started(session)
    assert (match.state, match.to_move, match.plies, match.started) == (MatchState.RUNNING, 0, 0, NOW)
    assert match.options == GAMES["quadraphages"].game.chosen({})


@pytest.mark.parametrize("challenger_begins", [True, False])
@pytest.mark.parametrize("game", list(GAMES))
def test_the_one_who_is_to_begin_begins(session: Session, game: str, challenger_begins: bool) -> None:
    match, (alice, bob, _) = offered(session, game, challenger_begins=challenger_begins), people(session)
    lifecycle.accept(session, match, bob, NOW)
    assert (match.seat0, match.seat1)[match.to_move or 0] == (alice if challenger_begins else bob).id


def test_only_the_two_answer_an_offer_each_in_their_way(session: Session) -> None:
    match, (alice, bob, carol) = offered(session), people(session)
    for act, player, expected in (
        (lifecycle.accept, alice, Obstacle.OWN_OFFER),
        (lifecycle.decline, alice, Obstacle.OWN_OFFER),
        (lifecycle.withdraw, bob, Obstacle.OFFERED_TO_YOU),
        (lifecycle.accept, carol, Obstacle.NOT_A_PLAYER),
        (lifecycle.withdraw, carol, Obstacle.NOT_A_PLAYER),
        (lifecycle.leave, carol, Obstacle.NOT_A_PLAYER),
    ):
        with impossible(expected):
            act(session, match, player, NOW)
    assert match.state == MatchState.OFFERED
    assert lifecycle.decline(session, match, bob, NOW) == (OfferDeclined(match),)
    assert (match.state, match.ended, match.to_move) == (MatchState.DECLINED, NOW, None)
    for act, player in ((lifecycle.accept, bob), (lifecycle.withdraw, alice)):
        with impossible(Obstacle.NOT_ON_OFFER):
            act(session, match, player, NOW)
    with impossible(Obstacle.NEVER_STARTED):
        lifecycle.resign(session, match, 0, NOW)


def test_offers_are_bounded_and_can_be_withdrawn(session: Session) -> None:
    alice, bob, carol = people(session)
    withdrawn = offered(session)
    assert lifecycle.withdraw(session, withdrawn, alice, NOW) == (OfferWithdrawn(withdrawn),)
    assert withdrawn.state == MatchState.WITHDRAWN
    with impossible(Obstacle.YOURSELF):
        lifecycle.offer(session, alice, alice, lifecycle.Terms("quadraphages", {}), NOW)
    lifecycle.offer(session, alice, carol, lifecycle.Terms("quadraphages", {}), NOW, by_address=True)
    with impossible(Obstacle.INVITED_ALREADY):
        lifecycle.offer(session, alice, carol, lifecycle.Terms("hexaphages", {}), NOW, by_address=True)
    for _ in range(MOST_OPEN - 1):
        lifecycle.offer(session, alice, bob, lifecycle.Terms("quadraphages", {}), NOW)
    with impossible(Obstacle.TOO_MANY_OFFERS):
        lifecycle.offer(session, alice, bob, lifecycle.Terms("quadraphages", {}), NOW)
    lifecycle.offer(session, bob, alice, lifecycle.Terms("quadraphages", {}), NOW)


def test_a_turn_is_stored_with_its_number_and_its_seat(session: Session) -> None:
    match = started(session)
    assert play(session, match, FIRST) == (TurnPlayed(match, 0, 1, FIRST),)
    (ply,) = session.exec(select(Ply)).all()
    assert (ply.number, ply.seat, ply.text, ply.played) == (1, 0, FIRST, NOW)
    assert (match.plies, match.to_move) == (1, 1)


def test_nobody_moves_for_somebody_else_or_twice(session: Session) -> None:
    match = started(session)
    snapshot = snapshot_of(session, match)
    turn = read(snapshot, FIRST)
    with impossible(Obstacle.NOT_YOUR_TURN):
        lifecycle.play(session, snapshot, 1, turn, NOW)
    lifecycle.play(session, snapshot, 0, turn, NOW)
    for seat, expected in ((0, Obstacle.NOT_YOUR_TURN), (1, Obstacle.MOVED_ON)):
        with impossible(expected):
            lifecycle.play(session, snapshot, other(other(1 if seat else 0)), turn, NOW)
    assert match.plies == 1


def test_a_part_is_kept_taken_back_and_completed(session: Session) -> None:
    match = started(session)
    play(session, match, FIRST)
    part = next(iter(snapshot_of(session, match).base.parts()))
    text = GAMES[match.game].notation.format(part, snapshot_of(session, match).base)
    assert play(session, match, text) == (PartKept(match, 1, text),)
    assert (match.part, match.to_move, match.plies) == (text, 1, 1)
    assert list(integrity.faults(session, [match])) == [[]]
    assert lifecycle.take_back_part(session, match, 1) == (PartTakenBack(match, 1, text),)
    assert match.part is None
    for seat in (0, 1):
        with impossible(Obstacle.NO_PART):
            lifecycle.take_back_part(session, match, 1 if seat else 0)
    play(session, match, text)
    snapshot = snapshot_of(session, match)
    rest = GAMES[match.game].notation.format(next(snapshot.position.moves()), snapshot.position)
    (event,) = play(session, match, rest)
    assert isinstance(event, TurnPlayed)
    assert event.text.startswith(text)
    assert (match.part, match.plies, match.to_move) == (None, 2, 0)


def test_a_part_is_no_turn_and_a_turn_no_part(session: Session) -> None:
    match = started(session)
    play(session, match, FIRST)
    snapshot = snapshot_of(session, match)
    notation = GAMES[match.game].notation
    part = notation.format(next(iter(snapshot.base.parts())), snapshot.base)
    whole = notation.format(next(iter(snapshot.base.moves())), snapshot.base)
    with impossible(Obstacle.UNFINISHED):
        lifecycle.play(session, snapshot, 1, read(snapshot, part), NOW)
    with impossible(Obstacle.COMPLETE):
        lifecycle.keep_part(session, snapshot, 1, read(snapshot, whole))


@pytest.mark.parametrize("seat", [0, 1])
def test_who_resigns_or_leaves_has_lost_and_the_match_says_how(session: Session, seat: int) -> None:
    loser = other(1 if seat == 0 else 0)
    for termination in (Termination.RESIGNATION, Termination.LEFT):
        match, players = started(session), people(session)
        ending = Ending(termination, loser)
        if termination is Termination.LEFT:
            events = lifecycle.leave(session, match, players[loser], NOW)
        else:
            events = lifecycle.resign(session, match, loser, NOW)
        assert events == (MatchEnded(match, ending, other(loser)),)
        assert (match.state, match.winner, match.to_move, match.ended) == (MatchState.OVER, other(loser), None, NOW)
        assert ending_of(match) == ending
        assert match.reason is None
        assert list(integrity.faults(session, [match])) == [[]]
        assert snapshot_of(session, match).record.ending == ending
        assert lifecycle.leave(session, match, players[0], NOW) == ()
        with impossible(Obstacle.OVER):
            lifecycle.resign(session, match, loser, NOW)


def test_offers_of_and_to_one_who_leaves_are_closed(session: Session) -> None:
    own, theirs, (alice, bob, _) = offered(session), offered(session), people(session)
    assert lifecycle.leave(session, own, alice, NOW) == (OfferWithdrawn(own, left=True),)
    assert lifecycle.leave(session, theirs, bob, NOW) == (OfferDeclined(theirs, left=True),)


@pytest.mark.parametrize("termination", [Termination.AGREEMENT, Termination.CANCELLED, Termination.TIMEOUT])
def test_a_match_can_end_in_ways_that_no_command_has_yet(session: Session, termination: Termination) -> None:
    match = started(session)
    play(session, match, FIRST)
    ending = Ending(termination, 1 if termination is Termination.TIMEOUT else None)
    winner = 0 if termination is Termination.TIMEOUT else None
    assert lifecycle.end(session, match, ending, winner, NOW) == (MatchEnded(match, ending, winner),)
    assert snapshot_of(session, match).record.ending == ending


def test_an_offer_is_handed_over_to_the_owner_of_the_address(session: Session) -> None:
    match, (alice, bob, carol) = offered(session), people(session)
    lifecycle.transfer(session, match, bob, carol)
    assert (match.seat0, match.seat1) == (alice.id, carol.id)
    lifecycle.accept(session, match, carol, NOW)
    with pytest.raises(NotPossible):
        lifecycle.transfer(session, match, carol, bob)


@pytest.mark.parametrize("seed", quick_where(lambda seed: seed < 2, range(10)))
@pytest.mark.parametrize("game", sorted(GAMES))
def test_whatever_is_done_the_rows_replay_to_what_is_stored(game: str, seed: int) -> None:
    """After random turns, parts, undos and ends, the integrity check finds no fault, and events report every change."""
    chance = Random(f"{game}{seed}")
    with three_players() as session:
        match, told = started(session, game), 0
        for step in range(chance.randrange(1, 30)):
            if match.state != MatchState.RUNNING:
                break
            snapshot = snapshot_of(session, match)
            assert snapshot.base.turn == match.to_move
            seat, here, now = snapshot.base.turn, snapshot.position, NOW + timedelta(hours=step)
            assert seat is not None
            if match.part is not None and chance.random() < 0.3:
                lifecycle.take_back_part(session, match, seat)
                continue
            if chance.random() < 0.03:
                lifecycle.resign(session, match, chance.choice((0, 1)), now)
                continue
            some = [move for move, _ in zip(here.moves(), range(50), strict=False)]
            if match.part is None:
                some += [part for part, _ in zip(here.parts(), range(20), strict=False)]
            text = GAMES[game].notation.format(chance.choice(some), here)
            events = play(session, match, text)
            told += sum(isinstance(event, TurnPlayed) for event in events)
            assert any(isinstance(event, MatchEnded) for event in events) == (match.state == MatchState.OVER)
        assert match.plies == told == len(session.exec(select(Ply)).all())
        assert list(integrity.faults(session, [match])) == [[]]


OWN_COLUMNS = {"winner", "termination", "termination_seat", "plies", "to_move", "seat0", "seat1"}
"""The columns that only matches have."""
COMMON_COLUMNS = {"state", "started", "ended", "part", "reason"}
"""Columns that other tables have as well; they count if the variable is called a match."""


def targets(node: ast.AST) -> Iterator[ast.Attribute]:
    """Yield the attributes that a statement assigns to, including those in tuples."""
    found = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
    for target in found:
        attributes = (each for each in ast.walk(target) if isinstance(each, ast.Attribute))
        yield from (each for each in attributes if isinstance(each.ctx, ast.Store))


def trespasses(source: str) -> list[str]:
    """Return where a module creates a Ply or a Match, or assigns to a column of a variable that is called a match."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("Ply", "Match"):
            found.append(f"{node.func.id}()")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("update", "insert"):
            found += [each.id for each in node.args if isinstance(each, ast.Name) and each.id in ("Ply", "Match")]
        for target in targets(node):
            owner = ast.unparse(target.value)
            if target.attr in OWN_COLUMNS and owner != "self":
                found.append(f"{owner}.{target.attr}")
            if target.attr in COMMON_COLUMNS and "match" in owner:
                found.append(f"{owner}.{target.attr}")
    return found


WRITERS = {
    "matches/tournament_and_branched_matches.py": {"Match()", "Ply()", "match.plies", "match.seat0", "match.seat1"},
}
"""What other modules write: a match that is new, which the lifecycle takes over."""


@pytest.mark.slow
def test_only_the_lifecycle_writes_matches_and_turns() -> None:
    root = Path(pbem.__file__).parent
    for path in sorted(root.rglob("*.py")):
        if "migrations" in path.parts or path == root / "matches" / "lifecycle.py":
            continue
        within = path.relative_to(root).as_posix()
        assert set(trespasses(path.read_text(encoding="utf-8"))) == WRITERS.get(within, set()), path
    assert len(trespasses((root / "matches" / "lifecycle.py").read_text(encoding="utf-8"))) > 10


def test_the_check_for_that_sees_every_way_to_write() -> None:
    source = "match.state, match.ended = 1, 2\nold.plies += 1\nPly(match=1)\nupdate(Match)\nrow.state = 3"
    assert sorted(trespasses(source)) == ["Match", "Ply()", "match.ended", "match.state", "old.plies"]
