"""Versions of the rules: a match ends under those that it began by, as long as the package still carries them."""

from pbem_noughts import NOUGHTS as PACK

from pbem.features.house.search_process import Question, respond
from pbem.publishing.cached_pages import Pages
from pbem.publishing.html_pages import Site
from tests.correspondence import Correspondence, text
from tests.games.conftest import Offered
from tests.games.scenes import LINE, begun, stored
from tests.scenes import after

pytestmark = after(begun, *LINE)


def test_an_old_match_ends_by_the_old_rules_and_a_new_one_by_the_new(letters: Correspondence, noughts: Offered) -> None:
    noughts.second_version(PACK)

    letters.reply(letters.last("alice"), "b3")
    assert (stored(letters).winner, stored(letters).rules) == (0, 1)
    letters.say("alice", "challenge bob noughts")
    letters.reply(letters.last("bob"), "accept")
    for number, turn in enumerate((*LINE, "b3")):
        letters.reply(letters.last(("alice", "bob")[number % 2]), turn)

    assert letters.rows("select rules, winner from match where id = 2") == [(2, 1)]
    letters.say("alice", "record 1\nrecord 2")
    assert text(letters.last("alice")).count("rules=2") == 1
    assert "0 problems" in letters.operate("check").stdout


def test_no_server_starts_without_the_rules_of_a_running_match(letters: Correspondence, noughts: Offered) -> None:
    noughts.second_version()
    refused = letters.operate("run", "--once")

    assert refused.exit_code == 2
    assert "1 running match (#1) needs noughts 1" in refused.stderr
    assert "install a release of it that still has version 1" in refused.stderr
    assert "install a release of it that still has version 1" in " ".join(letters.operate("doctor").stdout.split())
    noughts.second_version(PACK)
    assert letters.operate("run", "--once").exit_code == 0


def test_the_house_and_the_site_follow_the_version(letters: Correspondence, noughts: Offered) -> None:
    noughts.second_version(PACK)
    letters.reply(letters.last("alice"), "b3")
    old, new = (respond(Question("noughts", {}, LINE, 5, 1, version=version)).turn for version in (1, 2))
    assert old == "b3"
    assert new != "b3"

    for name in ("alice", "bob"):
        letters.say(name, "set public on")
    page = Pages(letters.server.engine, Site("PBeM", "games@pbem.example"), letters.clock).answer("matches/0/1.html")
    assert page is not None
    assert b"Alice won: X has a line" in page.content
