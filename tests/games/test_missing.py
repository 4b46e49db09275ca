"""A game that isn't there: no server starts while a match of it is played; other matches are shown without a board."""

import json
from pathlib import Path

import pytest
from pbem_noughts import NOUGHTS as PACK

from pbem.publishing.cached_pages import Pages
from pbem.publishing.html_pages import Site
from tests import scenes
from tests.correspondence import Correspondence, said
from tests.games.conftest import Offered
from tests.games.scenes import MISSING, begun, over, stored
from tests.scenes import after

INSTALL = "the game noughts isn't installed: install its package, such as pbem-noughts"


@after(begun, "b2")
def test_no_server_starts_without_the_game_of_a_running_match_and_the_operator_can_close_it(
    letters: Correspondence, noughts: Offered
) -> None:
    noughts.remove()
    refused = letters.operate("run", "--once")
    assert refused.exit_code == 2
    (sentence,) = refused.stderr.splitlines()
    assert sentence.startswith(f"pbem: 1 running match (#1) needs noughts 1 ({INSTALL}")
    assert sentence.endswith('Or end them with "pbem moderate close NUMBER"')
    checked = letters.operate("check")
    assert (checked.exit_code, f"match #1: {INSTALL}" in checked.stdout) == (1, True)
    assert INSTALL in " ".join(letters.operate("doctor").stdout.split())

    assert letters.operate("moderate", "close", "1", "--yes").exit_code == 0
    letters.execute("update outgoing set due = '2026-03-01 00:00:00.000000' where sent is null")
    letters.wait(minutes=1)

    for name in ("alice", "bob"):
        assert "The match is over" in said(letters.last(name))
        assert "The board can't be shown" in said(letters.last(name))
    assert letters.operate("run", "--once").exit_code == 0


@pytest.mark.parametrize(
    "line", ["games bob", "history", "standings noughts", "rules noughts", "export me", "show 1#2"]
)
@after(over)
def test_everything_can_be_looked_at(letters: Correspondence, noughts: Offered, line: str) -> None:
    noughts.remove()

    assert letters.say("alice", line)

    assert letters.rows("select count(*) from incoming where state not in ('done', 'held')") == [0]
    assert letters.rows("select count(*) from outgoing where state not in ('sent', 'merged')") == [0]


@pytest.mark.parametrize(
    "line", ["rematch 1", "replay 1#2 bob", "analyse 1", "challenge bob noughts", "show 1", "record 1"]
)
@after(over)
def test_what_needs_the_game_is_refused_with_a_sentence(letters: Correspondence, noughts: Offered, line: str) -> None:
    noughts.remove()

    (answer,) = letters.say("alice", line)

    assert "noughts" in line or "Match #1 is a match of Noughts, which this server doesn't have" in said(answer)
    assert letters.rows("select count(*) from match") == [1]


@after(scenes.two_players)
def test_challenges_and_seeks_that_wait_can_be_declined_but_not_taken(
    letters: Correspondence, noughts: Offered
) -> None:
    letters.say("alice", "challenge bob noughts\nseek noughts")
    asked = letters.last("bob")
    noughts.remove()

    (answer,) = letters.reply(asked, "accept")
    (other,) = letters.say("bob", "take 1")

    assert "Match #1 is a match of Noughts, which this server doesn't have" in said(answer)
    assert MISSING in said(other)
    letters.reply(asked, "decline")
    assert stored(letters).state == "declined"
    assert letters.rows("select count(*) from outgoing where state not in ('sent', 'merged')") == [0]


@after(scenes.two_players)
def test_a_tournament_of_it_stands_still_until_it_is_back(letters: Correspondence, noughts: Offered) -> None:
    letters.join("carol")
    letters.operate("tournament", "open", "round-robin", "noughts", "time=3d/move")
    for name in ("alice", "bob", "carol"):
        letters.say(name, "enter 1")
    letters.execute("update tournament set closes = '2026-03-05 00:00:00.000000'")
    noughts.remove()

    letters.wait(days=30)
    assert letters.rows("select started, ended from tournament") == [(None, None)]
    assert letters.rows("select doing from setback") == []
    noughts.install(PACK)
    letters.wait(days=1)
    assert letters.rows("select count(*) from match") == [3]


@after(over)
def test_a_player_s_data_has_the_turns_and_can_be_deleted(
    letters: Correspondence, noughts: Offered, tmp_path: Path
) -> None:
    noughts.remove()

    letters.operate("player", "export", "alice", "--folder", str(tmp_path / "data"))
    (question,) = letters.say("alice", "delete me")
    letters.reply(question, "yes")
    letters.wait(days=1)

    (match,) = json.loads((tmp_path / "data" / "alice.json").read_text())["matches"]
    assert [turn["text"] for turn in match["turns"]][:1] == ["b2"]
    assert letters.rows("select count(*) from player where name = 'alice'") == [0]


@after(over)
def test_the_site_shows_no_boards(letters: Correspondence, noughts: Offered) -> None:
    for name in ("alice", "bob"):
        letters.say(name, "set public on")
    site = Pages(letters.server.engine, Site("PBeM", "games@pbem.example"), letters.clock)
    noughts.remove()

    shown = site.answer("matches/0/1.html")
    assert shown is not None
    assert b"no boards to see" in shown.content
    assert site.answer("matches/0/1.txt") is None
