"""Statistics of the finished matches that are shown: who wins, how long matches last, and how they begin."""

import sqlite3

import pytest

from pbem.publishing.results import Result, Results, Score
from tests.publishing.site import Archive, store_history

PLAIN = "setup=row"
OF_DORA = '<td class="number">9</td><td class="number">0</td><td class="number">3</td>'


@pytest.fixture
def results() -> Results:
    """Provide a table without any."""
    return Results(sqlite3.connect(":memory:"))


def result(number: int, *turns: str, winner: int | None = 0, variant: str | None = PLAIN, **told: int) -> Result:
    """Return a result of kvadratik between players 1 and 2."""
    length = told.get("turns", len(turns))
    opening = (*turns, "", "", "")[:3]
    return Result(number, "kvadratik", variant, told.get("first", 1), told.get("second", 2), winner, length, *opening)


def store(results: Results, *found: Result) -> None:
    """Store results."""
    results.replace([each.number for each in found], found)


def test_statistics_say_who_wins_and_how_long_it_takes(results: Results) -> None:
    lengths = (3, 10, 11, 12, 40)
    won = (0, 0, 1, None, 0)
    store(results, *(result(each, turns=turns, winner=won[each]) for each, turns in enumerate(lengths)))
    found = results.of_game("kvadratik")
    assert found is not None
    assert found.score == Score(5, first=3, draws=1, second=1)
    assert (found.between, found.median) == ((10, 12), 11)
    assert results.of_game("hex") is None


def test_openings_are_a_tree_of_the_turns_that_were_played_most(results: Results) -> None:
    store(
        results,
        result(1, "a", "b", "c"),
        result(2, "a", "b", "d", winner=1),
        result(3, "a", "b", "c", winner=None),
        result(4, "a", "e"),
        result(5, "f", "b", "c"),
        result(6, "f"),
        result(7),
        result(8, "once"),
    )
    (variant,) = results.openings("kvadratik")
    assert (variant.name, variant.matches) == (PLAIN, 8)
    first, second = variant.openings
    assert (first.turn, first.score, first.example) == ("a", Score(4, 2, 1, 1), 4)
    assert (second.turn, second.score.matches, second.next) == ("f", 2, ())
    (answer,) = first.next
    assert (answer.turn, answer.score) == ("b", Score(3, 1, 1, 1))
    assert [(each.turn, each.example) for each in answer.next] == [("c", 3)]


def test_pages_have_statistics_until_somebody_is_no_longer_shown(site: Archive) -> None:
    store_history(site.letters.server.engine)
    site.publish()
    page = site.text("games/kvadratik.html")
    assert "Viktor Anatolyevich Sharko, 1990" in page
    assert "12 finished matches" in page
    assert "The first player won 9 (75%)." in page
    assert "The second player won 3 (25%)." in page
    assert page.count("<kbd>setup") == 2 + 2 * 2
    player = site.text("players/dora.html")
    assert "The rating in Kvadratik from" in player
    assert OF_DORA in player
    site.letters.execute("update player set settings = '{}' where name = 'emil'")
    site.publish()
    assert "finished match" not in site.text("games/kvadratik.html")
