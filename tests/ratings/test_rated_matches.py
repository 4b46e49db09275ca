"""A challenge says whether a match is rated; what ended with a result counts, from the next Monday on."""

import re
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.correspondence import Correspondence, correspondence, text


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    with correspondence(tmp_path) as letters:
        letters.join("alice")
        letters.join("bob")
        yield letters


def first_turn(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "challenge bob quadrature rated")
    letters.reply(letters.last("bob"), "accept")
    letters.reply(letters.last("alice"), "e3f4")


def two_turns(letters: Correspondence) -> None:
    first_turn(letters)
    letters.reply(letters.last("bob"), "e9f8")


def counted(letters: Correspondence) -> list[tuple[object, ...]]:
    return letters.execute("select rated, counted is not null from match order by id")


def test_both_players_read_that_it_is_rated(letters: Correspondence) -> None:
    to_bob, to_alice = letters.reply(letters.last("alice"), "challenge bob kvadratik flip=none Rated")
    assert "Match #1, setup=row flip=none rated" in text(to_bob)
    assert "(setup=row flip=none rated)" in " ".join(text(to_alice).split())


@pytest.mark.parametrize(("words", "is_rated"), [("--rated", 1), ("--unrated", 0), ("unrated", 0), ("", 0)])
def test_rated_has_to_be_said(letters: Correspondence, words: str, is_rated: int) -> None:
    letters.reply(letters.last("alice"), f"challenge bob quadrature {words}")
    assert counted(letters) == [(is_rated, 0)]


def test_it_can_not_be_both(letters: Correspondence) -> None:
    (answer,) = letters.reply(letters.last("alice"), "challenge bob quadrature rated unrated")
    assert "either rated or unrated" in text(answer)
    assert counted(letters) == []


def test_a_result_counts_and_so_does_that_of_the_rematch(letters: Correspondence) -> None:
    letters.play(two_turns)
    letters.resign("bob")
    assert counted(letters) == [(1, 1)]
    letters.reply(letters.last("bob"), "rematch")
    assert counted(letters) == [(1, 1), (1, 0)]


def test_what_ends_before_both_have_moved_does_not_count(letters: Correspondence) -> None:
    letters.play(first_turn)
    letters.resign("bob")
    assert counted(letters) == [(1, 0)]


def test_a_cancelled_match_does_not_count(letters: Correspondence) -> None:
    letters.play(two_turns)
    letters.reply(letters.last("alice"), "cancel 1")
    letters.reply(letters.last("bob"), "accept 1 cancel")
    assert letters.execute("select termination from match") == [("cancelled",)]
    assert counted(letters) == [(1, 0)]


def words(mail: EmailMessage) -> str:
    return " ".join(text(mail).split())


def test_who_ends_a_match_that_counts_reads_when_and_what_it_may_do_to_the_ratings(letters: Correspondence) -> None:
    letters.play(two_turns)
    letters.resign("bob")
    for name, own, other, theirs in (("alice", 1662, "bob", 1338), ("bob", 1338, "alice", 1662)):
        told = f"It counts on Monday, 9 March: your rating may become about {own}, and {other}'s about {theirs}."
        assert told in words(letters.last(name))
    letters.run_for(days=8)
    assert letters.execute("select round(rating) from playerrating order by player") == [(1662,), (1338,)]


def test_a_challenge_tells_the_rating_of_who_offers_it_and_how_the_two_have_fared(letters: Correspondence) -> None:
    letters.play(two_turns)
    letters.resign("bob")
    letters.run_for(days=8)
    for offered, rating in (("rated", " (1662?)"), ("unrated", ""), ("kvadratik rated", "")):
        game = "Kvadratik" if "kvadratik" in offered else "Quadrature"
        letters.reply(letters.last("alice"), f"challenge bob {offered.replace('kvadratik ', '')} {game.lower()}")
        assert f"alice{rating} challenges you to {game}" in words(letters.last("bob"))
        assert "Against each other, you have won 0 and lost 1." in words(letters.last("bob"))


@pytest.mark.slow
def test_news_of_a_result_that_come_after_its_week_do_not_announce_it(letters: Correspondence) -> None:
    letters.play(two_turns)
    welcome = letters.received["alice@mail.example"][1]
    letters.reply(welcome, "stop")
    letters.resign("bob")
    letters.run_for(days=8)
    letters.reply(welcome, "start")
    letters.run_for(minutes=1)
    assert "bob resigned" in words(letters.last("alice"))
    assert "It counts on" not in words(letters.last("alice"))


def test_standings_say_when_the_first_ratings_come(letters: Correspondence) -> None:
    letters.play(two_turns)
    letters.resign("bob")
    coming = "The first ratings come on Monday, 9 March."
    for words, tells in (("standings", True), ("standings quadrature", True), ("standings kvadratik", False)):
        (answer,) = letters.reply(letters.last("alice"), words)
        assert (coming in " ".join(text(answer).split())) == tells


def test_the_daemon_rates_the_week_and_the_operator_can_do_it_again(letters: Correspondence) -> None:
    letters.play(two_turns)
    letters.resign("bob")
    letters.run_for(days=8)
    rows = "select player, rating, wins, losses from playerrating order by player"
    before = letters.execute(rows)
    assert [(wins, losses) for _, _, wins, losses in before] == [(1, 0), (0, 1)]
    loser = before[1][0]
    letters.execute(f"update playerrating set rating = 2000 where player = {loser}")
    found = letters.operate("check")
    assert found.exit_code == 1
    assert f"player {loser} has a rating of 2000.000000 from 0 wins, 0 draws and 1 losses in quadrature" in " ".join(
        found.output.split()
    )
    rebuilt = letters.operate("ratings", "rebuild")
    assert (rebuilt.exit_code, rebuilt.output.splitlines()[-1]) == (0, "2 ratings derived from the matches")
    assert letters.execute(rows) == before
    assert letters.operate("check").exit_code == 0


def test_a_rated_match_shows_the_ratings_of_both(letters: Correspondence) -> None:
    letters.play(two_turns)
    letters.resign("bob")
    letters.run_for(days=8)
    letters.reply(letters.last("bob"), "rematch")
    letters.reply(letters.last("alice"), "accept")

    ((better,), (worse,)) = letters.execute("select round(rating) from playerrating order by player")
    board = text(letters.last("alice"))
    assert re.search(rf"^\w+  alice \(you\), {better:.0f}\?\r?$", board, re.MULTILINE)
    assert re.search(rf"^\w+  bob, {worse:.0f}\?\r?$", board, re.MULTILINE)


def test_any_other_match_shows_none(letters: Correspondence) -> None:
    letters.play(two_turns)
    letters.resign("bob")
    letters.run_for(days=8)
    letters.reply(letters.received["alice@mail.example"][1], "challenge bob quadrature")
    letters.reply(letters.last("bob"), "accept")

    assert "match #2" in text(letters.last("alice"))
    assert re.search(r"^\w+  alice \(you\)\r?$", text(letters.last("alice")), re.MULTILINE)
