"""Nothing is shown that both players of a match don't allow, and never an address, a token or a word of theirs."""

import re

import pytest

from pbem.publishing.freeze import NotASite
from pbem.storage import database
from tests.publishing.site import WORDS, Archive, files, store_players

MATCH = "matches/0/1.html"


def test_somebody_without_a_name_is_nobody_in_every_file(site: Archive) -> None:
    site.choose("on", "alice")
    site.choose("anonymous", "bob")
    assert site.publish().matches == 1
    assert "\N{EN DASH} a player</h1>" in site.text(MATCH)
    for name in files(site.folder):
        if not name.endswith(".png"):
            assert "bob" not in site.text(name).lower(), name


def test_no_address_token_or_words_of_players_are_in_any_file(site: Archive) -> None:
    site.choose("on", "alice", "bob")
    site.publish()
    for name in files(site.folder):
        if name.endswith(".png"):
            continue
        text = site.text(name)
        assert set(re.findall(r"[\w.+-]+@[\w.-]+", text)) <= {"games@pbem.example"}, name
        assert not re.search(r"\b[a-z2-7]{40}\b", text), name
        assert WORDS not in text, name


def test_a_folder_with_other_things_in_it_is_left_alone(site: Archive) -> None:
    site.folder.mkdir()
    (site.folder / "mine.txt").write_text("keep", encoding="utf-8")
    with pytest.raises(NotASite, match="isn't empty"):
        site.publish()
    assert [path.name for path in site.folder.iterdir()] == ["mine.txt"]


def test_players_are_listed_by_thousands(shown: Archive) -> None:
    with database.transaction(shown.letters.server.engine) as session:
        store_players(session, *(f"p{number}" for number in range(1_000)))
    pages = shown.pages()
    found = [pages.answer(f"players{which}.html") for which in ("-0", "-1", "")]
    lists = [answer.content.decode() for answer in found if answer]
    assert lists[1] == lists[2]
    counts = [each.count('<li><a href="players/') for each in lists]
    assert sum(counts[:2]) == 1_002
    assert max(counts) <= 1_000
    assert "alice.html" in lists[0]
    assert "p999.html" in lists[1]
    assert pages.answer("players-2.html") is None
