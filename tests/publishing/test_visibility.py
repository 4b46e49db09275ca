"""Nothing is shown that both players of a match don't allow, and never an address, a token or a word of theirs."""

import re
import sqlite3

import pytest

from pbem.publishing.folder import LIST, NotASite
from tests.publishing.site import WORDS, Archive, files

MATCH = "matches/0/1.html"


def test_what_is_taken_back_is_gone_with_the_next_publication(site: Archive) -> None:
    site.choose("on", "alice", "bob")
    site.publish()
    site.choose("off", "bob")
    done = site.publish()
    left = files(site.folder)
    assert (done.matches, done.removed) == (0, 9)  # page, record and picture of the match, bob's page and feed, lists
    assert not [name for name in left if name.startswith(("matches/", "players/bob"))]
    assert "bob" not in "".join(site.text(name) for name in left if name.endswith((".html", ".json", ".xml")))


def test_somebody_without_a_name_is_nobody_in_every_file(site: Archive) -> None:
    site.choose("on", "alice")
    site.choose("anonymous", "bob")
    assert site.publish().matches == 1
    assert "\N{EN DASH} a player</h1>" in site.text(MATCH)
    for name in files(site.folder):
        if not name.endswith(".png"):
            assert "bob" not in site.text(name).lower(), name


def test_a_player_who_leaves_is_gone(site: Archive) -> None:
    site.choose("on", "alice", "bob")
    site.publish()
    question = site.letters.say("bob", "delete me")[-1]
    site.letters.reply(question, "yes")
    assert site.publish().matches == 0
    assert "bob" not in site.text("players/alice.html")
    listed = sqlite3.connect(site.folder / LIST).execute("select name from subject").fetchall()
    assert not [name for (name,) in listed if "bob" in name or name.startswith("match/")]


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


def test_a_tournament_names_those_who_want_it_and_leads_to_the_matches_that_are_shown(site: Archive) -> None:
    site.choose("on", "alice", "bob")
    site.letters.operate("tournament", "open", "round-robin", "kvadratik", "time=3d/move", "called", "Spring", "Cup")
    for name in ("alice", "bob", "carol"):
        site.letters.say(name, "enter 1")
    site.letters.operate("tournament", "begin", "1")
    site.publish()
    (number,) = site.letters.rows(
        "select m.id from match m join player a on a.id in (seat0, seat1) join player b on b.id in (seat0, seat1)"
        " where tournament = 1 and a.name = 'alice' and b.name = 'bob'"
    )
    page = site.text("tournaments/1.html")
    assert "Spring Cup" in page
    assert page.count(" a player</th>") == 1
    assert "carol" not in page
    assert '"a player"' in site.text("tournaments/1.json")
    assert page.count(f'<td><a href="../matches/0/{number}.html">?</a></td>') == 2
    assert page.count("<td>?</td>") == 4
