"""Ratings are derived from the matches: weekly, once, and the same whenever they are derived again."""

import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from pbem.matches.ratings import standings, weekly_rating
from pbem.matches.ratings.weekly_rating import begins
from pbem.storage import database
from pbem.storage.models import Match, Player, PlayerRating, RatedWeek
from tests import databases
from tests.ratings.finished import GAME, START, played
from tests.ratings.independent import Triple, rested, updated

NEW: Triple = (1500.0, 350.0, 0.06)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    url = databases.at(tmp_path)
    databases.make(url)
    engine = database.connect(url)
    with database.transaction(engine) as session:
        at = begins(START)
        session.add_all(
            Player(id=number, name=f"player{number}", address=f"p{number}@mail.example", confirmed=at, created=at)
            for number in range(1, 9)
        )
    yield engine
    engine.dispose()


def season(seed: int, weeks: int) -> list[Match]:
    """Return the matches of some weeks; in one of them nobody played."""
    chance, matches = random.Random(seed), []
    for week in range(weeks):
        for _ in range(0 if week == 2 else chance.randrange(3, 12)):
            first, second = chance.sample(range(1, 9), 2)
            ended = begins(START) + timedelta(weeks=week, seconds=chance.randrange(7 * 86400))
            matches.append(played(len(matches) + 1, (first, second), chance.choice((0, 1, None)), ended))
    return matches


def store(engine: Engine, matches: list[Match]) -> None:
    with database.transaction(engine) as session:
        session.add_all(matches)


def rate_all(engine: Engine, now: datetime) -> list[date]:
    rated = []
    while (week := week_to_rate(engine, now)) is not None:
        assert weekly_rating.rate_week(engine, GAME, week)
        rated.append(week)
    return rated


def week_to_rate(engine: Engine, now: datetime) -> date | None:
    with Session(engine) as session:
        return weekly_rating.next_week(session, GAME, now)


def stored(engine: Engine) -> list[tuple[int, date, float, float, float, int, int, int, date | None]]:
    with Session(engine) as session:
        rows = session.exec(select(PlayerRating).order_by(col(PlayerRating.week), col(PlayerRating.player))).all()
    return [
        (r.player, r.week, r.rating, r.deviation, r.volatility, r.wins, r.draws, r.losses, r.superseded) for r in rows
    ]


def latest_by_hand(matches: list[Match], weeks: int) -> dict[int, Triple]:
    """Return the ratings after so many weeks, from the matches and the paper alone."""
    held: dict[int, Triple] = {}
    for week in range(weeks):
        since = begins(START) + timedelta(weeks=week)
        these = [m for m in matches if m.counted is not None and since <= m.counted < since + timedelta(weeks=1)]
        before, results = dict(held), {}
        for match in these:
            points = {0: 1.0, 1: 0.0, None: 0.5}[match.winner]
            results.setdefault(match.seat0, []).append((before.get(match.seat1, NEW), points))
            results.setdefault(match.seat1, []).append((before.get(match.seat0, NEW), 1 - points))
        for player, known in before.items():
            if player not in results:
                held[player] = rested(known, 1)
        for player, theirs in results.items():
            held[player] = updated(before.get(player, NEW), theirs)
    return held


def test_a_season_is_what_an_independent_script_makes_of_it(engine: Engine) -> None:
    matches = season(1, 6)
    expected = latest_by_hand(matches, 6)
    store(engine, matches)
    now = begins(START) + timedelta(weeks=6, hours=2)
    assert rate_all(engine, now) == [START + timedelta(weeks=week) for week in (0, 1, 3, 4, 5)]
    with Session(engine) as session:
        places = standings.of_game(session, GAME, now, 0, 100)
        assert not list(weekly_rating.faults(session, GAME))
    assert {place.player for place in places} == set(expected)
    for place in places:
        held = place.rating
        assert (held.rating, held.deviation, held.volatility) == pytest.approx(expected[place.player], rel=1e-4)
    assert [place.rating.rating for place in places] == sorted((p.rating.rating for p in places), reverse=True)


def test_derived_again_they_are_the_same_to_the_last_bit(engine: Engine) -> None:
    store(engine, season(2, 6))
    rate_all(engine, begins(START) + timedelta(weeks=8))
    before = stored(engine)
    assert weekly_rating.rebuild(engine, GAME) == len(before) > 20
    assert stored(engine) == before


def test_whatever_differs_from_the_matches_is_found_and_mended(engine: Engine) -> None:
    store(engine, season(3, 4))
    rate_all(engine, begins(START) + timedelta(weeks=8))
    before = stored(engine)
    with database.transaction(engine) as session:
        wrong, gone, *_ = session.exec(select(PlayerRating).order_by(col(PlayerRating.id))).all()
        wrong.rating += 1e-6
        session.delete(gone)
        told = (wrong.player, gone.player)
    with Session(engine) as session:
        found = list(weekly_rating.faults(session, GAME))
    assert [f"player {player} has" in sentence for player, sentence in zip(sorted(told), found, strict=False)] == [
        True
    ] * 2
    weekly_rating.rebuild(engine, GAME)
    assert stored(engine) == before


def test_a_week_is_rated_once_it_is_over_and_once_only(engine: Engine) -> None:
    end = begins(START + timedelta(weeks=1))
    store(engine, [played(1, (1, 2), 0, end - timedelta(seconds=1)), played(2, (1, 3), 0, end)])
    assert week_to_rate(engine, end) is None
    assert week_to_rate(engine, end + weekly_rating.GRACE) == START
    assert weekly_rating.rate_week(engine, GAME, START)
    once = stored(engine)
    assert [row[0] for row in once] == [1, 2]
    assert not weekly_rating.rate_week(engine, GAME, START)
    assert stored(engine) == once
    assert week_to_rate(engine, end + weekly_rating.GRACE) is None


def test_other_games_matches_without_result_and_unrated_ones_count_nothing(engine: Engine) -> None:
    cancelled = played(2, (1, 2), None, begins(START))
    cancelled.counted = None
    store(engine, [played(1, (1, 2), 0, begins(START), "quadrature"), cancelled])
    assert week_to_rate(engine, begins(START) + timedelta(weeks=9)) is None
    assert weekly_rating.rebuild(engine, GAME) == 0
    with Session(engine) as session:
        assert not session.exec(select(RatedWeek)).all()


def test_players_who_left_or_rest_for_a_year_are_not_in_the_list(engine: Engine) -> None:
    store(engine, [played(1, (1, 2), 0, begins(START)), played(2, (3, 4), 0, begins(START))])
    now = begins(START) + timedelta(weeks=2)
    rate_all(engine, now)
    with database.transaction(engine) as session:
        session.get_one(Player, 3).deleted = now
    with Session(engine) as session:
        assert [place.name for place in standings.of_game(session, GAME, now, 0, 9)] == [
            "player1",
            "player2",
            "player4",
        ]
        assert [place.name for place in standings.of_game(session, GAME, now, 1, 1)] == ["player2"]
        assert standings.of_game(session, GAME, now + timedelta(weeks=60), 0, 9) == []
        (place,) = standings.of_player(session, session.get_one(Player, 1), now)
        assert (place.shown, place.wins, place.draws, place.losses) == ("1662?", 1, 0, 0)
        assert place.rating.deviation > 290


def test_the_day_decides_in_utc(engine: Engine) -> None:
    late = datetime.fromisoformat("2026-01-12T01:30:00+02:00")
    store(engine, [played(1, (1, 2), 0, late.astimezone(UTC))])
    assert week_to_rate(engine, begins(START) + timedelta(weeks=3)) == START
