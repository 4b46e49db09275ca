"""What happens when a player has run out of time: the opponent can claim the match, or it is over at once."""

from collections.abc import Iterator
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from unittest.mock import patch

import pytest

from pbem.features.time import timeouts
from pbem.matches import queries
from pbem.matches.events import NotPossible, Obstacle
from pbem.matches.timeouts import claim
from pbem.server import daemon
from pbem.storage.database import transaction
from pbem.storage.models import Match
from tests import databases
from tests.correspondence import Correspondence, correspondence, text

ALICE, BOB = "alice@mail.example", "bob@mail.example"


def begin(letters: Correspondence, time: str) -> None:
    """Let alice challenge bob, who accepts; alice plays the first turn."""
    letters.match(f"challenge bob quadrature time={time}")
    letters.play(first_turn)


def first_turn(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "e3f4")


def two_turns(letters: Correspondence) -> None:
    letters.reply(letters.last("bob"), "e9f8")
    letters.reply(letters.last("alice"), "b3b4")


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    """Begin a match in which both have moved, and bob has three days for his turn."""
    with correspondence(tmp_path) as letters:
        begin(letters, "3d/move")
        letters.play(two_turns)
        yield letters


def said(mail: EmailMessage) -> str:
    return " ".join(text(mail).split())


def state(letters: Correspondence) -> tuple[object, ...]:
    ((*found,),) = letters.execute("select state, termination, termination_seat, winner from match where id = 1")
    assert letters.operate("check").exit_code == 0
    return tuple(found)


RUNNING = ("running", None, None, None)


@pytest.mark.sql
def test_the_opponent_is_told_once_and_claims_the_match(letters: Correspondence) -> None:
    reminder = letters.run_for(days=2, hours=23)
    assert [mail["X-PBeM-Event"] for mail in reminder] == ["reminder"]
    told = letters.run_for(hours=1)

    assert sorted(str(mail["To"]) for mail in told) == [ALICE, BOB]
    assert 'bob has run out of time. Reply "claim" to win the match; until then they can still move.' in said(
        letters.last("alice")
    )
    assert "You have run out of time: alice can claim the match." in said(letters.last("bob"))
    html = letters.last("alice").get_body(("html",))
    assert html is not None
    assert "Claim the match" in html.get_content()
    assert letters.run_for(days=1) == []
    assert state(letters) == RUNNING

    over = letters.reply(letters.last("alice"), "claim")

    assert state(letters) == ("over", "timeout", 1, 0)
    assert {str(mail["To"]) for mail in over} == {ALICE, BOB}
    assert "You won! " in said(letters.last("alice"))
    assert "The match is over: you ran out of time." in said(letters.last("bob"))
    assert "claim" not in said(letters.last("alice"))


def test_what_nobody_claims_ends_by_itself_after_four_weeks(letters: Correspondence) -> None:
    letters.run_for(days=3)
    assert "they can still move. It ends so by itself on Thu 2 Apr, 08:00 UTC." in said(letters.last("alice"))
    assert letters.run_for(days=27, hours=23) == []
    assert state(letters) == RUNNING

    told = letters.run_for(hours=1)

    assert state(letters) == ("over", "timeout", 1, 0)
    assert {str(mail["To"]) for mail in told} == {ALICE, BOB}


def test_a_turn_in_the_last_of_the_four_weeks_is_played_and_the_next_one_has_its_time(letters: Correspondence) -> None:
    letters.run_for(days=3)
    letters.run_for(days=27)
    letters.reply(letters.last("bob"), "b9b8")
    letters.run_for(days=2)

    assert state(letters) == RUNNING


def test_a_turn_before_the_claim_is_played(letters: Correspondence) -> None:
    letters.run_for(days=5)
    letters.reply(letters.last("bob"), "b9b8")
    assert letters.execute("select plies from match") == [(4,)]

    letters.reply(letters.last("alice"), "claim")

    assert state(letters) == RUNNING
    assert "Your opponent hasn't run out of time in match #1." in said(letters.last("alice"))


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("name", "days"), [("alice", 2), ("bob", 2), ("bob", 4)], ids=["too early", "own turn", "own time-out"]
)
def test_who_has_no_claim_changes_nothing(letters: Correspondence, name: str, days: int) -> None:
    letters.run_for(days=days)
    letters.reply(letters.received[f"{name}@mail.example"][1], "claim 1")

    assert state(letters) == RUNNING
    assert "hasn't run out of time" in said(letters.last(name))


@pytest.mark.slow
def test_a_match_without_a_limit_can_not_be_claimed(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        begin(letters, "none")
        letters.run_for(days=400)
        letters.reply(letters.last("alice"), "claim")

        assert state(letters) == RUNNING
        assert "Match #1 has no time limit." in said(letters.last("alice"))


@pytest.mark.slow
def test_it_is_over_at_once_where_that_was_agreed(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        begin(letters, "3d/move,auto")
        letters.reply(letters.last("bob"), "e9f8")
        told = letters.run_for(days=3)

        assert state(letters) == ("over", "timeout", 0, 1)
        assert {str(mail["To"]) for mail in told} == {ALICE, BOB}
        assert "You won!" in said(letters.last("bob"))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("auto", ["", ",auto"])
def test_a_match_that_never_began_is_cancelled_without_a_result(tmp_path: Path, auto: str) -> None:
    with correspondence(tmp_path) as letters:
        begin(letters, f"3d/move{auto}")
        letters.run_for(days=3)
        if not auto:
            assert 'Reply "claim" to cancel the match' in said(letters.last("alice"))
            letters.reply(letters.last("alice"), "claim")

        assert state(letters) == ("over", "cancelled", None, None)
        assert "The match was cancelled." in said(letters.last("bob"))
        assert "no first turn in time" in said(letters.last("bob"))


def test_nobody_loses_on_time_because_the_server_was_down(letters: Correspondence) -> None:
    """It was up for two days, then down for ten."""
    letters.run_for(days=2)
    assert letters.wait(days=10) == []
    with transaction(letters.server.engine) as session:
        assert queries.reached(session, Match.due, letters.clock() + timedelta(hours=23), 9) == []
        assert queries.reached(session, Match.due, letters.clock() + timedelta(days=1), 9) == [1]
    letters.reply(letters.received[ALICE][1], "claim 1")
    assert state(letters) == RUNNING
    letters.run_for(days=1)
    letters.reply(letters.last("alice"), "claim")

    assert state(letters) == ("over", "timeout", 1, 0)


@pytest.mark.slow
def test_a_claim_that_comes_first_after_an_outage_is_not_granted(letters: Correspondence) -> None:
    """No heartbeat has told of the outage yet."""
    letters.run_for(days=2)
    letters.clock.advance(days=10)
    letters.reply(letters.received[ALICE][1], "claim 1")

    assert state(letters) == RUNNING


@pytest.mark.slow
def test_a_turn_that_came_in_time_counts_though_it_is_handled_late(tmp_path: Path) -> None:
    """Neither a time-out nor a claim comes first."""
    with correspondence(tmp_path) as letters:
        begin(letters, "3d/move,auto")
        letters.play(two_turns)
        letters.run_for(days=2)
        with patch.object(daemon.Server, "handle_waiting", return_value=0):
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


@pytest.mark.skipif(databases.kind() != "postgresql", reason="one SQLite file has one daemon")
@pytest.mark.sql
def test_what_another_daemon_is_at_is_left_to_it(letters: Correspondence) -> None:
    letters.clock.advance(days=4)
    letters.execute(f"update clock set beat = '{letters.clock()}'")
    server = letters.server
    with transaction(server.engine) as session:
        assert queries.locked(session, 1)
        assert timeouts.expire(server.engine, server.settings.server, letters.clock()) == 0
    assert timeouts.expire(server.engine, server.settings.server, letters.clock()) == 1
    assert timeouts.expire(server.engine, server.settings.server, letters.clock()) == 0
