"""What happens when a player has run out of time: the opponent can claim the match, or it is over at once."""

from datetime import timedelta

import pytest

from pbem.features.time import due
from pbem.matches import queries
from pbem.matches.obstacles import NotPossible, Obstacle
from pbem.matches.timeouts import claim
from pbem.storage.database import transaction
from pbem.storage.models import Match
from tests import databases, scenes
from tests.correspondence import Correspondence, said

three_days = scenes.after(scenes.bob_to_move)


def state(letters: Correspondence) -> tuple[object, ...]:
    ((*found,),) = letters.execute("select state, termination, termination_seat, winner from match where id = 1")
    assert letters.operate("check").exit_code == 0
    return tuple(found)


RUNNING, LOST = ("running", None, None, None), ("over", "timeout", 1, 0)


@three_days
def test_what_nobody_claims_ends_by_itself_after_four_weeks(letters: Correspondence) -> None:
    letters.run_for(days=3)
    assert "they can still move. It ends so by itself on Thu 2 Apr, 08:00 UTC." in said(letters.last("alice"))
    assert letters.run_for(days=27, hours=23) == []
    assert state(letters) == RUNNING

    assert len(letters.run_for(hours=1)) == 2

    assert state(letters) == LOST


@three_days
def test_a_turn_before_the_claim_is_played(letters: Correspondence) -> None:
    letters.run_for(days=3)
    letters.run_for(days=27)
    letters.reply(letters.last("bob"), "b9b8")
    assert letters.played[-1] == "b9b8"

    letters.reply(letters.last("alice"), "claim")

    assert state(letters) == RUNNING
    assert "Your opponent hasn't run out of time in match #1." in said(letters.last("alice"))


@three_days
def test_nobody_loses_on_time_because_the_server_was_down(letters: Correspondence) -> None:
    """It was up for two days, then down for ten."""
    letters.run_for(days=2)
    assert letters.wait(days=10) == []
    with transaction(letters.server.engine) as session:
        assert session.get_one(Match, 1).due == letters.clock() + timedelta(days=1)
    letters.say("alice", "claim 1")
    assert state(letters) == RUNNING
    letters.run_for(days=1)
    letters.reply(letters.last("alice"), "claim")

    assert state(letters) == LOST


@three_days
def test_a_claim_that_comes_first_after_an_outage_is_not_granted(letters: Correspondence) -> None:
    """No heartbeat has told of the outage yet."""
    letters.run_for(days=2)
    letters.clock.advance(days=10)
    letters.say("alice", "claim 1")

    assert state(letters) == RUNNING


@scenes.after(scenes.bob_to_move, "time=3d/move,auto")
def test_a_turn_that_came_in_time_counts_though_it_is_handled_late(
    letters: Correspondence, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a time-out nor a claim comes first."""
    letters.run_for(days=2)
    with monkeypatch.context() as busy:
        busy.setattr(type(letters.server), "handle_waiting", lambda *_, **__: 0)
        letters.reply(letters.last("bob"), "b9b8")
        letters.run_for(days=2)
        with transaction(letters.server.engine) as session:
            match, now = session.get_one(Match, 1), letters.clock()
            with pytest.raises(NotPossible) as caught:
                claim(session, match, 0, now, now)
            assert caught.value.obstacle is Obstacle.TURN_MAY_WAIT
    assert state(letters) == RUNNING
    letters.run_for(minutes=1)

    assert letters.execute("select state, plies from match") == [("running", 4)]


@three_days
@pytest.mark.skipif(databases.kind() != "postgresql", reason="one SQLite file has one daemon")
def test_what_another_daemon_is_at_is_left_to_it(letters: Correspondence) -> None:
    letters.clock.advance(days=4)
    letters.execute(f"update clock set beat = '{letters.clock()}'")
    server = letters.server
    with transaction(server.engine) as session:
        assert queries.locked(session, 1)
        assert due.TIME_OUTS.act(server.engine, server.settings.server, letters.clock()) == 0
    assert due.TIME_OUTS.act(server.engine, server.settings.server, letters.clock()) == 1
    assert due.TIME_OUTS.act(server.engine, server.settings.server, letters.clock()) == 0
