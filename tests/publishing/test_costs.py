"""What a page costs doesn't grow with the number of matches: each statement finds its rows by an index."""

import pytest
from sqlalchemy import Engine

from tests.publishing.site import Archive, store_history
from tests.query_plans import listened, scans


@pytest.mark.own_database
@pytest.mark.parametrize(
    "path",
    [
        "matches/0/1.html", "matches/0/1.png", "matches/0/index.html", "matches/0/index.json", "players.html",
        "players/alice.html", "players/dora.json", "players/dora.xml", "games/kvadratik.html", "games/kvadratik.json",
        "tournaments/1.html",
    ],
)  # fmt: skip
def test_no_table_is_read_from_one_end_to_the_other(shown: Archive, path: str) -> None:
    engine = shown.letters.server.engine
    store_history(engine)
    shown.letters.operate("tournament", "open", "ladder", "kvadratik", "time=3d/move", "called", "Spring")
    pages = shown.pages()
    with listened(Engine) as statements:
        assert pages.answer(path) is not None
    assert len(statements) > 3
    assert scans(engine, statements) == {}


def test_a_page_is_kept_until_somebody_writes(shown: Archive) -> None:
    pages = shown.pages()
    first = [pages.answer(path) for path in ("index.html", "matches/0/1.html")]
    with listened(Engine) as statements:
        assert [pages.answer(path) for path in ("index.html", "matches/0/1.html")] == first
    assert not [each for each in statements if "FROM player" in each or "FROM match" in each]
    shown.choose("off", "bob")
    assert pages.answer("matches/0/1.html") is None
    assert pages.answer("index.html") not in first
