"""What players read of ratings, what counts, and what the operator can do about it."""

import re
from datetime import timedelta

import pytest

from pbem.matches.ratings.weekly_rating import week_of
from tests import scenes as others
from tests.correspondence import MORNING, Correspondence, text
from tests.ratings import scenes
from tests.ratings.scenes import counted
from tests.scenes import after

DAY = f"{MORNING:%Y-%m-%d}"


@pytest.mark.parametrize(("words", "is_rated"), [("rated", 1), ("unrated", 0), ("", 0)])
@after(others.two_players)
def test_rated_has_to_be_said(letters: Correspondence, words: str, is_rated: int) -> None:
    (refused,) = letters.say("alice", "challenge bob quadrature rated unrated")
    assert "either rated or unrated" in text(refused)

    letters.say("alice", f"challenge bob quadrature {words}")

    assert counted(letters) == [(is_rated, 0)]


@after(scenes.first_turn)
def test_what_ends_before_both_have_moved_does_not_count(letters: Correspondence) -> None:
    letters.resign("bob")

    assert counted(letters) == [(1, 0)]


@after(scenes.two_turns)
def test_a_cancelled_match_does_not_count(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "cancel 1")
    (question,) = letters.reply(letters.last("bob"), "accept 1 cancel")
    letters.reply(question, "yes")

    assert letters.rows("select termination from match") == ["cancelled"]
    assert counted(letters) == [(1, 0)]


@after(scenes.rated)
def test_the_operator_finds_and_mends_what_differs_from_the_matches(letters: Correspondence) -> None:
    rows = "select player, rating, wins, losses from playerrating order by player"
    before = letters.rows(rows)
    loser = before[1][0]
    letters.execute(f"update playerrating set rating = 2000 where player = {loser}")

    found = letters.operate("check")
    assert found.exit_code == 1
    assert f"player {loser} has a rating of 2000.000000 from 0 wins, 0 draws and 1 losses in quadrature" in " ".join(
        found.output.split()
    )
    rebuilt = letters.operate("ratings", "rebuild")
    assert (rebuilt.exit_code, rebuilt.output.splitlines()[-1]) == (0, "2 ratings derived from the matches")
    assert letters.rows(rows) == before
    assert letters.operate("check").exit_code == 0


@pytest.mark.parametrize(
    ("offer", "shown"), [("challenge bob quadrature rated", True), ("challenge bob quadrature", False)]
)
@after(scenes.rated)
def test_a_rated_match_shows_the_ratings_of_both_and_any_other_none(
    letters: Correspondence, offer: str, shown: bool
) -> None:
    letters.say("alice", offer)
    letters.reply(letters.last("bob"), "accept")

    board = text(letters.last("alice"))
    assert bool(re.search(r"^\w+  alice \(you\), 1662\?\r?$", board, re.MULTILINE)) is shown
    assert bool(re.search(r"^\w+  bob, 1338\?\r?$", board, re.MULTILINE)) is shown


def hold(letters: Correspondence, game: str, number: int, best: int = 1600) -> None:
    """Let so many other players have ratings in a game, the best of them that one; every third is provisional."""
    week = week_of(MORNING - timedelta(weeks=1))
    for place in range(number):
        player = 100 + place
        letters.execute(
            "insert into player (id, name, address, confirmed, epoch, settings, created)"
            f" select {player}, 'p{player}', 'p{player}@mail.example', '{DAY}', 0, '{{}}', '{DAY}'"
            f" where not exists (select * from player where id = {player})"
        )
        deviation = 200 if place % 3 == 2 else 60
        letters.execute(
            "insert into playerrating (player, game, week, rating, deviation, volatility, wins, draws, losses)"
            f" values ({player}, '{game}', '{week}', {best - place}, {deviation}, 0.06, 9, 1, {place})"
        )


def asked(letters: Correspondence, words: str) -> str:
    (answer,) = letters.say("alice", words)
    return text(answer)


@after(others.two_players)
def test_standings_of_a_game_have_pages_and_mark_the_reader(letters: Correspondence) -> None:
    assert "There are no rated players in this game." in asked(letters, "standings quadrature")
    assert "No game is called chess." in asked(letters, "standings chess")
    hold(letters, "quadrature", 28)
    letters.execute("update playerrating set player = (select id from player where name = 'alice') where player = 101")

    first, second = (asked(letters, words) for words in ("standings Quadrature", "standings quadrature 2"))

    assert "* alice (you) number 2, rated 1599 9 won, 1 lost, 1 drawn" in " ".join(first.split())
    assert "p124" in first
    assert "p125" not in first
    assert "page 2" in second
    assert "p127  number 28, rated" in second
    assert "no more rated players" in asked(letters, "standings quadrature 3")
