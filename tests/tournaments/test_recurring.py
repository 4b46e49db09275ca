"""Tournaments that come again each month or week, until their host or the operator ends that."""

from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.correspondence import Correspondence, correspondence, text


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    """Let alice, whom the operator trusts, open a monthly Swiss."""
    with correspondence(tmp_path) as letters:
        for name in ("alice", "bob", "carol"):
            letters.join(name)
        letters.operate("player", "trust", "alice")
        write(
            letters, "alice", "host swiss kvadratik time=3d/move rated places=8 days=5 every=month called Monthly Cup"
        )
        yield letters


def write(letters: Correspondence, name: str, line: str) -> EmailMessage:
    address = f"{name}@mail.example"
    letters.write(address, line, to=str(letters.received[address][1]["Reply-To"]))
    return letters.last(name)


def said(mail: EmailMessage) -> str:
    return " ".join(text(mail).split())


def seasons(letters: Correspondence) -> list[tuple[object, ...]]:
    return letters.execute("select id, season, ended is not null from tournament order by id")


def test_its_host_reads_when_the_next_one_opens(letters: Correspondence) -> None:
    told = said(letters.last("alice"))

    assert "Monthly Cup" in told
    assert "every month" in told
    assert 'The next one opens by itself on 2 Apr. "host stop 1" ends that.' in told


@pytest.mark.sql
def test_each_month_another_season_opens_on_the_same_terms(letters: Correspondence) -> None:
    letters.run_for(days=30)
    assert len(seasons(letters)) == 1
    letters.run_for(days=1)
    letters.run_for(days=30)

    assert [(number, season) for number, season, _ in seasons(letters)] == [(1, 1), (2, 2), (3, 3)]
    assert [bool(ended) for *_, ended in seasons(letters)] == [True, True, False], "nobody came"
    terms = "title, kind, game, time, rated, places, host, every, entry_days"
    assert len(letters.execute(f"select distinct {terms} from tournament")) == 1
    told = said(write(letters, "bob", "tournament 3"))
    assert "season 3" in told
    assert "every month" in told
    assert letters.execute("select count(*) from tournament where reopens is not null") == [(1,)]


def test_a_season_that_is_played_goes_on_beside_the_next(letters: Correspondence) -> None:
    for name in ("alice", "bob", "carol"):
        write(letters, name, "enter 1")
    letters.run_for(days=5, minutes=1)
    assert letters.execute("select count(*) from match") == [(1,)]
    letters.run_for(days=27)
    for name in ("alice", "bob", "carol"):
        write(letters, name, "enter 2")
    letters.run_for(days=5, minutes=1)

    assert letters.execute("select distinct tournament from match order by 1") == [(1,), (2,)]


def test_after_a_long_outage_one_season_opens(letters: Correspondence) -> None:
    letters.run_for(days=100)
    letters.run_for(hours=1)

    assert len(seasons(letters)) == 2
    ((opens,),) = letters.execute("select reopens from tournament where reopens is not null")
    assert str(opens).startswith("2026-07-02")


@pytest.mark.parametrize("how", ["its host", "the operator"])
def test_it_is_ended_by_its_host_or_the_operator(letters: Correspondence, how: str) -> None:
    letters.run_for(days=31)
    if how == "its host":
        told = said(write(letters, "alice", "host stop 1"))
    else:
        told = letters.operate("tournament", "end", "1").output
    assert "no other season of tournament 1 will open" in " ".join(told.split()).lower()
    letters.run_for(days=100)

    assert len(seasons(letters)) == 2
    assert "No other season of tournament 1 will open." in said(write(letters, "alice", "host stop 1"))


def test_nobody_else_ends_it(letters: Correspondence) -> None:
    assert "Tournament 1 isn't yours." in said(write(letters, "bob", "host stop 1"))
    assert "There is no tournament 9." in said(write(letters, "alice", "host stop 9"))
    letters.run_for(days=31)

    assert len(seasons(letters)) == 2


def test_none_opens_for_a_host_who_is_not_trusted_any_more(letters: Correspondence) -> None:
    letters.operate("player", "trust", "alice", "--end")
    letters.run_for(days=31)

    assert len(seasons(letters)) == 1
    assert letters.execute("select reopens from tournament") == [(None,)]


def test_weekly_ones_open_each_week(letters: Correspondence) -> None:
    write(letters, "alice", "host knock-out quadrature time=3d/move every=week days=2")
    for _ in range(3):
        letters.run_for(days=7)

    assert letters.execute("select count(*) from tournament where game = 'quadrature'") == [(4,)]
