"""Several daemons look at a tournament at the same time: it begins once, each round is paired once, it ends once.

On a ladder, a match changes the rungs once.
"""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select

from notation.ending import Ending, Termination
from pbem.features.tournaments import entries, host_syntax, ladders, openings, rounds
from pbem.features.tournaments.due import advance, settle_ladders
from pbem.features.tournaments.matchups import Format
from pbem.matches import lifecycle, queries
from pbem.storage import database
from pbem.storage.models import Match, Outgoing, Pairing, Player, Tournament
from tests.contests import NOW
from tests.tournaments.hosting import SERVER, finish, is_due, numbers, opened


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """Let four players have entered a knock-out that is to begin."""
    engine = opened(tmp_path, Format.KNOCK_OUT, 4)
    yield engine
    engine.dispose()


def at_once(engine: Engine) -> None:
    """Let four daemons do what is due."""
    for _ in range(9):
        if not is_due(engine):
            break
        together(engine, advance)


def together(engine: Engine, act: Callable[..., int]) -> None:
    """Let four daemons do that."""
    threads = [threading.Thread(target=act, args=(engine, SERVER, NOW), daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_a_whole_tournament_is_paired_once(engine: Engine) -> None:
    seen = []
    for _ in range(3):
        at_once(engine)
        seen.append(numbers(engine))
        finish(engine)

    # Two matches, the final; then the report.
    assert seen == [(2, 2, 4), (3, 3, 6), (3, 3, 10)]
    with database.read_only(engine) as session:
        assert session.get_one(Tournament, 1).ended == NOW


def test_nothing_is_done_on_what_was_worked_out_before_something_else_happened(engine: Engine) -> None:
    at_once(engine)
    with database.transaction(engine) as session:
        match = queries.locked(session, 1)
        assert match is not None
        lifecycle.end(session, match, Ending(Termination.AGREEMENT), None, NOW)
    with database.read_only(engine) as session:
        prepared = rounds.prepare(session, 1, NOW)
    assert prepared is not None
    assert len(prepared.pairs) == 1
    with database.transaction(engine) as session:
        entries.withdraw(session, session.get_one(Tournament, 1), session.get_one(Player, 4), NOW)

    with database.transaction(engine) as session:
        assert not rounds.advance(session, prepared, NOW)
    assert numbers(engine)[0] == 2


def test_results_are_derived_from_the_matches(engine: Engine) -> None:
    at_once(engine)
    with database.transaction(engine) as session:
        one, other = session.exec(select(Match).order_by(col(Match.id))).all()
        lifecycle.end(session, one, Ending(Termination.CANCELLED), None, NOW)
        lifecycle.end(session, other, Ending(Termination.TIMEOUT, 1), 0, NOW)
        tournament = session.get_one(Tournament, 1)
        field = rounds.field_of(session, tournament)

    played = {pair.first: pair for pair in field.pairs if not pair.is_bye}
    assert played[one.challenger].result == "neither"
    assert not played[one.challenger].is_played
    assert played[other.challenger].points_of(other.seat0) == 1


def challenged(engine: Engine) -> None:
    """Let all four be on a ladder, and dave have won against bob, and carol against alice."""
    with database.transaction(engine) as session:
        words = "ladder kvadratik time=3d/move rated places=9 together=1 reach=3 called Ladder"
        row = openings.open_(session, host_syntax.read(words, "none", NOW))
        alice, bob, carol, dave = session.exec(select(Player).order_by(col(Player.id))).all()
        for player in (alice, bob, carol, dave):
            ladders.enter(session, row, player, NOW)
        ladder = ladders.ladder_of(session, row, NOW)
        for one, other in ((dave, bob), (carol, alice)):
            match = ladders.challenge(session, row, ladder, one, other, NOW).match
            winner = 0 if match.seat0 == one.id else 1
            lifecycle.end(session, match, Ending(Termination.RESIGNATION, 1 - winner), winner, NOW)


def test_a_match_changes_a_ladder_once(engine: Engine) -> None:
    challenged(engine)

    together(engine, settle_ladders)
    together(engine, settle_ladders)

    with database.read_only(engine) as session:
        ladder = session.get_one(Tournament, 2)
        assert ladders.due(session, 9) == []
        assert ladders.on(session, ladder) == (3, 1, 4, 2)
        assert len(session.exec(select(Outgoing)).all()) == 4


def test_the_tables_rule_out_that_somebody_is_paired_twice(engine: Engine) -> None:
    at_once(engine)
    with pytest.raises(IntegrityError), database.transaction(engine) as session:
        session.add(Pairing(tournament=1, round=1, board=9, first=4, result="first"))


def test_the_tables_rule_out_that_a_season_has_two_after_it(engine: Engine) -> None:
    with database.transaction(engine) as session:
        openings.open_next(session, session.get_one(Tournament, 1), NOW)
    with pytest.raises(IntegrityError), database.transaction(engine) as session:
        openings.open_next(session, session.get_one(Tournament, 1), NOW)
