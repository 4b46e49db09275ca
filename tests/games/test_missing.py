"""A match whose game isn't there: it stops, everything else goes on, and it goes on once the game is back."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from pbem_noughts import NOUGHTS as PACK

from pbem.matches.clock import timekeeping
from pbem.publishing import publication
from pbem.publishing.pages import Site
from pbem.server.health.reports import Reporter
from tests import scenes
from tests.correspondence import Correspondence, said, text
from tests.games.conftest import Offered
from tests.games.scenes import MISSING, begun, over, stored
from tests.scenes import after


def left(letters: Correspondence) -> timedelta:
    """Return how much time the player to move has."""
    match = stored(letters)
    clock = timekeeping.clock_of(match)
    assert clock is not None
    remaining = clock.at(letters.clock()).left(1 if match.to_move else 0)
    assert remaining is not None
    return remaining


@after(begun, "b2")
def test_both_players_are_told_once_and_nobody_loses_time_while_it_has_stopped(
    letters: Correspondence, noughts: Offered
) -> None:
    letters.run_for(hours=5)
    noughts.remove(letters)
    for name in ("alice", "bob"):
        assert "stopped" in str(letters.last(name)["Subject"])
        assert MISSING in said(letters.last(name))
    before = left(letters)
    assert (stored(letters).due, stored(letters).remind) == (None, None)
    assert letters.run_for(days=7) == []

    noughts.install(PACK)
    back = letters.run_for(minutes=1)

    assert sorted(str(mail["To"]) for mail in back) == ["alice@mail.example", "bob@mail.example"]
    assert all("the match goes on" in said(mail) for mail in back)
    assert left(letters) == before
    assert stored(letters).due == letters.clock() + before
    letters.reply(letters.last("bob"), "a1")
    assert "bob played a1" in text(letters.last("alice"))
    assert "0 problems" in letters.operate("check").stdout


@pytest.mark.parametrize(("name", "line"), [("bob", "move a1\nresign"), ("bob", "x9"), ("alice", "if a1 then a2")])
@after(begun, "b2")
def test_what_needs_the_game_is_refused_with_a_sentence(
    letters: Correspondence, noughts: Offered, name: str, line: str
) -> None:
    noughts.remove(letters)

    (answer,) = letters.reply(letters.last(name), line)

    assert str(answer["To"]) == f"{name}@mail.example"
    assert "a match of Noughts, which this server doesn't have" in said(answer)
    assert letters.played == ["b2"]
    assert letters.rows("select state from match") == ["running"]


@after(begun, "b2")
def test_what_needs_no_rules_still_works(letters: Correspondence, noughts: Offered) -> None:
    noughts.remove(letters)

    letters.reply(letters.last("bob"), "show")
    assert "The board can't be shown" in said(letters.last("bob"))
    letters.reply(letters.last("bob"), "record")
    assert "1. alice: b2" in text(letters.last("bob"))
    letters.reply(letters.last("bob"), "games")
    assert "stopped" in text(letters.last("bob"))
    letters.resign("bob")
    assert "bob resigned" in text(letters.last("alice"))
    assert stored(letters).missing is None


@after(begun)
def test_a_message_that_waits_goes_out_without_the_board(letters: Correspondence, noughts: Offered) -> None:
    letters.reply(letters.last("alice"), "b2")
    letters.execute(
        "update outgoing set state = 'owed', sent = null, attempts = 0"
        " where template = 'turn' and player = (select id from player where name = 'bob')"
    )

    noughts.remove(letters)

    told = next(mail for mail in letters.received["bob@mail.example"][::-1] if "stopped" not in str(mail["Subject"]))
    for face in ("plain", "html"):
        body = told.get_body((face,))
        assert body is not None
        assert "be shown while the game" in body.get_content()
    assert letters.rows("select template from outgoing where state = 'owed'") == []


@pytest.mark.parametrize(
    "line", ["games bob", "history", "standings noughts", "rules noughts", "export me", "show 1#2", "record 1"]
)
@after(over)
def test_everything_can_be_looked_at(letters: Correspondence, noughts: Offered, line: str) -> None:
    noughts.remove(letters)

    assert letters.say("alice", line)

    assert letters.rows("select count(*) from incoming where state not in ('done', 'held')") == [0]
    assert letters.rows("select count(*) from outgoing where state not in ('sent', 'merged')") == [0]


@pytest.mark.parametrize("line", ["rematch 1", "replay 1#2 bob", "analyse 1", "challenge bob noughts"])
@after(over)
def test_what_begins_with_it_is_refused_with_a_sentence(letters: Correspondence, noughts: Offered, line: str) -> None:
    noughts.remove(letters)

    (answer,) = letters.say("alice", line)

    assert "noughts" in line or "which this server doesn't have at present" in said(answer)
    assert letters.rows("select count(*) from match") == [1]


@after(scenes.two_players)
def test_challenges_and_seeks_that_wait_can_be_declined_but_not_taken(
    letters: Correspondence, noughts: Offered
) -> None:
    letters.say("alice", "challenge bob noughts\nseek noughts")
    asked = letters.last("bob")
    noughts.remove(letters)

    (answer,) = letters.reply(asked, "accept")
    (other,) = letters.say("bob", "take 1")

    assert "Match #1 is a match of Noughts, which this server doesn't have" in said(answer)
    assert MISSING in said(other)
    letters.reply(asked, "decline")
    assert stored(letters).state == "declined"


@after(scenes.two_players)
def test_a_tournament_of_it_stands_still_until_it_is_back(letters: Correspondence, noughts: Offered) -> None:
    letters.join("carol")
    letters.operate("tournament", "open", "round-robin", "noughts", "time=3d/move")
    for name in ("alice", "bob", "carol"):
        letters.say(name, "enter 1")
    letters.execute("update tournament set closes = '2026-03-05 00:00:00.000000'")
    noughts.remove(letters)

    letters.wait(days=30)
    assert letters.rows("select started, ended from tournament") == [(None, None)]
    assert letters.rows("select doing from setback") == []
    noughts.install(PACK)
    letters.wait(days=1)
    assert letters.rows("select count(*) from match") == [3]


@after(begun, "b2")
def test_a_player_s_data_has_the_record_and_can_be_deleted(
    letters: Correspondence, noughts: Offered, tmp_path: Path
) -> None:
    noughts.remove(letters)

    letters.operate("player", "export", "alice", "--folder", str(tmp_path / "data"))
    (question,) = letters.say("alice", "delete me")
    letters.reply(question, "yes")
    letters.wait(days=1)

    assert "1. alice: b2" in json.dumps(json.loads((tmp_path / "data" / "alice.json").read_text()))
    assert stored(letters).termination == "left"
    assert "has left this server" in said(letters.last("bob"))


@after(over)
def test_the_site_shows_the_record_as_text(letters: Correspondence, noughts: Offered, tmp_path: Path) -> None:
    for name in ("alice", "bob"):
        letters.say(name, "set public on")
    site, folder = Site("PBeM", "games@pbem.example"), tmp_path / "site"
    noughts.remove(letters)

    publication.publish(letters.server.engine, site, folder, letters.clock())
    (page,) = folder.rglob("matches/*/1.html")
    assert ": b2" in page.read_text()
    assert "no boards to see" in page.read_text()
    noughts.install(PACK)
    publication.publish(letters.server.engine, site, folder, letters.clock())
    assert "<svg" in page.read_text()


@after(begun, "b2")
def test_the_operator_is_told_what_to_install(letters: Correspondence, noughts: Offered) -> None:
    noughts.remove(letters)

    install = "the game noughts isn't installed: install its package, such as pbem-noughts"
    checked = letters.operate("check")
    assert checked.exit_code == 1
    assert f"match #1: {install}" in checked.stdout
    assert install in " ".join(letters.operate("doctor").stdout.split())
    assert json.loads(letters.operate("status", "--json").stdout)["stopped"] == {"noughts": 1}


@after(begun)
def test_it_goes_on_only_when_all_servers_have_it(letters: Correspondence, noughts: Offered) -> None:
    noughts.remove(letters)
    Reporter(letters.server.vitals, letters.clock()).tell(letters.server.engine, letters.clock())
    noughts.install(PACK)

    assert letters.wait(minutes=2) == []
    assert stored(letters).missing is not None
    letters.execute("delete from daemon")  # that one has ended
    letters.wait(minutes=1)
    assert stored(letters).missing is None
