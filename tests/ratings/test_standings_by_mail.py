"""What players read of ratings: standings, and the page that explains them."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from pbem.matches.ratings.weeks import week_of
from tests.correspondence import MORNING, Correspondence, correspondence, text

DAY = f"{MORNING:%Y-%m-%d}"


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    with correspondence(tmp_path) as letters:
        letters.join("alice")
        yield letters


def rated(letters: Correspondence, game: str, number: int, best: int = 1600) -> None:
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
    (answer,) = letters.reply(letters.last("alice"), words)
    return text(answer)


def test_nobody_is_rated(letters: Correspondence) -> None:
    said = asked(letters, "standings")
    assert "Nobody has a rating yet." in said
    assert "There are no rated players in this game." in asked(letters, "standings quadrature")


@pytest.mark.slow
def test_the_first_of_each_game(letters: Correspondence) -> None:
    rated(letters, "quadrature", 7)
    rated(letters, "kvadratik", 2, 1710)
    said = asked(letters, "standings")
    assert "Standings of Quadrature" in said
    assert "* p100  number 1, rated 1600   9 won, 0 lost, 1 drawn" in said
    assert "* p102  number 3, rated 1598?  9 won, 2 lost, 1 drawn" in said
    assert "p105" not in said
    assert '* More: reply "standings quadrature 1"' in said
    assert "* p100  number 1, rated 1710  9 won, 0 lost, 1 drawn" in said
    assert "Hexaphages" not in said


def test_pages_of_one_game(letters: Correspondence) -> None:
    rated(letters, "quadrature", 28)
    said = asked(letters, "standings Quadrature")
    assert "p124  number 25, rated" in said
    assert "p125" not in said
    assert max(len(line) for line in said.splitlines() if not line.startswith(">")) <= 72
    second = asked(letters, "standings quadrature 2")
    assert "page 2" in second
    assert "p127  number 28, rated" in second
    assert "shows those who follow" not in second
    assert "no more rated players" in asked(letters, "standings quadrature 3")


def test_the_reader_is_marked(letters: Correspondence) -> None:
    rated(letters, "quadrature", 2)
    letters.execute("update playerrating set player = (select id from player where name = 'alice') where player = 101")
    assert "alice (you)  number 2, rated 1599  9 won, 1 lost, 1 drawn" in asked(letters, "standings quadrature")


@pytest.mark.parametrize(
    ("words", "why"),
    [("standings chess", "No game is called chess."), ("standings quadrature kvadratik", "of one game")],
)
def test_what_it_does_not_know(letters: Correspondence, words: str, why: str) -> None:
    assert why in asked(letters, words)


@pytest.mark.parametrize("words", ["help ratings", "help glicko", "help rated"])
def test_the_numbers_are_explained(letters: Correspondence, words: str) -> None:
    assert "The system is Glicko-2" in " ".join(asked(letters, words).split())
