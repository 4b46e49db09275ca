"""A simulated year, looked at from outside: what the tables say in the end must be possible, whatever happened.

A few matches are enough for everything to happen. For 100 matches, 679 messages are written and 1,459 sent, of which
one in ten is rendered.
"""

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, select

from pbem.matches.clock.reminder_times import MOST
from pbem.matches.clock.timekeeping import clock_of
from pbem.matches.integrity import faults
from pbem.storage.models import ClockEvent, Match, MatchState, Player, Ply
from tests.year import CONTROLS, Year, year

FEW = 40


@pytest.mark.parametrize(
    ("matches", "seed"), [(FEW, 1), *(pytest.param(1000, n, marks=pytest.mark.soak) for n in (1, 2))]
)
def test_a_year_of_matches(subtests: pytest.Subtests, tmp_path: Path, matches: int, seed: int) -> None:
    """One test, or each process of the tests would play the year."""
    with year(tmp_path, min(200, matches), matches, seed) as past:
        past.pass_by()
        for check in CHECKS:
            with subtests.test(check.__name__), Session(past.server.engine) as session:
                check(session, past)


def much_has_happened(session: Session, past: Year) -> None:
    """Or the rest would say little."""
    matches = session.exec(select(Match)).all()
    ends = Counter(match.termination for match in matches)
    kinds = Counter(session.exec(select(ClockEvent.kind)))
    verdicts = Counter(str(verdict).split(":")[0] for (verdict,) in rows(session, "select verdict from incoming"))

    print(
        f"\n{past.written} messages written, {past.post.taken} sent; {ends}; {kinds}; {verdicts}",
    )
    assert len(matches) == past.number
    assert past.renderer.rendered > past.post.taken / 11
    assert {match.time for match in matches} == {*CONTROLS}
    assert len({match.game for match in matches}) == 5
    assert {"timeout", "resignation", "cancelled"} <= {*ends}
    assert {"outage", "ran out", "reminded", "days", *(("paused",) if past.number > FEW else ())} <= {*kinds}
    assert len(rows(session, "select incoming from ply group by incoming having count(*) > 1")) > past.number / 50, (
        "were foreseen"
    )
    assert max(verdicts, key=lambda each: verdicts[each]) == "done"


def every_match_replays_and_so_does_its_clock(session: Session, _past: Year) -> None:
    found = list(faults(session, session.exec(select(Match)).all()))

    assert [each for each in found if each] == []


def nothing_happens_in_a_match_that_is_over(session: Session, _past: Year) -> None:
    ended = {match.id: match.ended for match in session.exec(select(Match)) if match.ended}
    for ply in session.exec(select(Ply)):
        assert ply.match not in ended or ply.played <= ended[ply.match]
    last = {event.match: event.kind for event in session.exec(select(ClockEvent).order_by(ClockEvent.id))}  # type: ignore[arg-type]
    assert {last[match] for match in ended if match in last} == {"ended"}


def no_reminder_comes_twice_or_to_somebody_who_wants_none(session: Session, past: Year) -> None:
    sent = past.reminders
    turns = Counter((row.match, row.ply, row.shift, row.player) for row in sent)
    players = {player.id: player for player in session.exec(select(Player))}
    settled: dict[tuple[int, int], list[int]] = defaultdict(list)
    turn: Counter[int] = Counter()
    for event in session.exec(select(ClockEvent).order_by(ClockEvent.id)):  # type: ignore[arg-type]
        turn[event.match] += event.kind in ("received", "taken back")
        if event.kind == "reminded":
            settled[event.match, turn[event.match]].append(event.taken or 0)

    assert len(sent) > past.number / 2
    assert max(turns.values()) <= MOST + 1
    assert all(each == sorted(set(each)) for each in settled.values()), "each is settled once"
    assert sum(turns.values()) <= sum(map(len, settled.values()))
    assert not [row for row in sent if players[row.player].settings.get("remind") == "off"], "they want none"
    for row in sent:
        match = session.get_one(Match, row.match)
        to_move = (row.facts or {})["matches"][0]["match"]["to_move"]
        assert row.player == (match.seat1 if to_move else match.seat0)


def every_match_is_over_or_on_a_clock(session: Session, past: Year) -> None:
    for match in session.exec(select(Match)):
        if match.state == MatchState.OVER:
            assert (match.due, match.remind, match.to_move, match.ended is not None) == (None, None, None, True)
            continue
        clock = clock_of(match)
        assert match.state == MatchState.RUNNING
        assert clock is not None
        assert clock.seat == match.to_move, "the message about the turn was sent"
        assert match.paused or clock.is_told or not clock.control.is_limited or (match.due and match.due > past.clock())


def every_message_was_answered_for(session: Session, _past: Year) -> None:
    assert rows(session, "select distinct state from incoming where verdict != 'asked for confirmation'") == [("done",)]
    assert {state for (state,) in rows(session, "select distinct state from outgoing")} <= {
        *("sent", "merged", "dropped", "batched")
    }
    turns = rows(session, "select match, number, count(*) from ply group by match, number having count(*) > 1")
    assert turns == []


def rows(session: Session, statement: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in session.connection().exec_driver_sql(statement)]


CHECKS = (
    much_has_happened,
    every_match_replays_and_so_does_its_clock,
    nothing_happens_in_a_match_that_is_over,
    no_reminder_comes_twice_or_to_somebody_who_wants_none,
    every_match_is_over_or_on_a_clock,
    every_message_was_answered_for,
)
