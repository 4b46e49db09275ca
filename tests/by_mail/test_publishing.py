"""The site: what both players allow is shown, and what one takes back is gone."""

from pathlib import Path

import pytest

from tests.publishing.site import WORDS, archive, files

MATCH = "matches/0/1.html"


@pytest.mark.slow
def test_a_match_is_shown_while_both_players_allow_it(tmp_path: Path) -> None:
    with archive(tmp_path) as site:
        site.choose("on", "alice")
        assert site.publish().matches == 0
        site.choose("on", "bob")
        assert site.publish().matches == 1
        assert "alice</a> \N{EN DASH} <a" in site.text(MATCH)
        for name in files(site.folder):
            assert name.endswith(".png") or WORDS not in site.text(name)
        site.choose("off", "bob")
        assert site.publish().matches == 0
        assert MATCH not in files(site.folder)
