"""What pages say of the results of players."""

from tests.publishing.site import Archive, store_history

OF_DORA = '<td class="number">9</td><td class="number">0</td><td class="number">3</td>'


def test_a_player_has_their_results_until_they_are_no_longer_shown(site: Archive) -> None:
    store_history(site.letters.server.engine)
    site.publish()
    assert "Viktor Anatolyevich Sharko, 1990" in site.text("games/kvadratik.html")
    assert OF_DORA in site.text("players/dora.html")
    site.letters.execute("update player set settings = '{}' where name = 'dora'")
    site.publish()
    assert "dora" not in site.text("games/kvadratik.html")
