"""Statistics of the finished matches that are shown: who wins, how long matches last, and how they begin."""

from tests.publishing.site import Archive, store_history

OF_DORA = '<td class="number">9</td><td class="number">0</td><td class="number">3</td>'


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
