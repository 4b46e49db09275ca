"""While a game isn't there, nothing else of the server suffers: lists, tournaments, seeks, data, site, operator."""

import json
from pathlib import Path

import pytest
from pbem_noughts import NOUGHTS as PACK

from pbem.matches.ratings import derivation
from pbem.publishing import publication
from pbem.publishing.pages import Site
from pbem.server.health.reports import Reporter
from pbem.signatures import Signer
from pbem.storage.database import read_only
from tests.correspondence import Correspondence, text
from tests.games.conftest import Offered
from tests.games.test_missing import MISSING, begun, said, stored


def personal(letters: Correspondence, name: str = "alice") -> str:
    """Return the personal address of a player."""
    for mail in letters.received[f"{name}@mail.example"]:
        for line in text(mail).splitlines():
            if line.strip().startswith("games+"):
                return line.strip()
    raise AssertionError(name)


def over(letters: Correspondence) -> None:
    """Let alice and bob play one match to its end, and a rated one."""
    begun(letters, "b2", "a1", "b1", "a2", "b3", challenge="challenge bob noughts rated")
    assert stored(letters).termination == "rules"


LOOKING = (
    "games",
    "games bob",
    "whois bob",
    "history",
    "history bob",
    "standings",
    "standings noughts",
    "seeks",
    "tournaments",
    "who",
    "help",
    "rules noughts",
    "records mine",
    "export me",
    "show 1",
    "show 1#2",
    "record 1",
    "watch",
    "set bulletin weekly",
)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("line", LOOKING)
def test_everything_can_be_looked_at(letters: Correspondence, noughts: Offered, line: str) -> None:
    over(letters)
    noughts.remove()
    letters.write("alice@mail.example", line, to=personal(letters))
    assert letters.execute("select count(*) from incoming where state not in ('done', 'held')") == [(0,)]
    assert letters.execute("select count(*) from outgoing where state not in ('sent', 'merged')") == [(0,)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "line", ["preview 1#2 a3", "rematch 1", "replay 1#2 bob", "analyse 1", "challenge bob noughts", "play noughts"]
)
def test_what_begins_with_it_is_refused_with_a_sentence(letters: Correspondence, noughts: Offered, line: str) -> None:
    over(letters)
    noughts.remove()
    (answer,) = letters.write("alice@mail.example", line, to=personal(letters))
    if "noughts" not in line:
        assert "which this server doesn't have at present" in said(answer)
    assert letters.execute("select count(*) from match") == [(1,)]
    assert letters.execute("select count(*) from incoming where state = 'shunted'") == [(0,)]


def test_a_challenge_that_waits_can_be_declined_but_not_accepted(letters: Correspondence, noughts: Offered) -> None:
    address = letters.join("alice")
    letters.join("bob")
    letters.write("alice@mail.example", "challenge bob noughts", to=address)
    asked = letters.last("bob")
    noughts.remove()
    (answer,) = letters.reply(asked, "accept")
    assert "Match #1 is a match of Noughts, which this server doesn't have" in said(answer)
    letters.reply(asked, "decline")
    assert stored(letters).state == "declined"


def test_a_seek_of_it_is_not_listed_and_cannot_be_taken(letters: Correspondence, noughts: Offered) -> None:
    address = letters.join("alice")
    letters.join("bob")
    letters.write("alice@mail.example", "seek noughts", to=address)
    noughts.remove()
    letters.write("bob@mail.example", "seeks", to=personal(letters, "bob"))
    assert "Noughts" not in text(letters.last("bob"))
    letters.write("bob@mail.example", "take 1", to=personal(letters, "bob"))
    assert MISSING in said(letters.last("bob"))
    letters.wait(days=60)
    assert letters.execute("select count(*) from seek where closed is null") == [(0,)]
    assert "seek noughts" in said(letters.last("alice"))


def test_a_tournament_of_it_stands_still_until_it_is_back(letters: Correspondence, noughts: Offered) -> None:
    for name in ("alice", "bob", "carol", "dave"):
        letters.join(name)
    done = letters.operate("tournament", "open", "round-robin", "noughts", "time=3d/move")
    assert done.exit_code == 0, done.output
    for name in ("alice", "bob", "dave"):
        letters.write(f"{name}@mail.example", "enter 1", to=personal(letters, name))
    noughts.remove()
    letters.write("carol@mail.example", "enter 1", to=personal(letters, "carol"))
    assert MISSING in said(letters.last("carol"))
    letters.write("carol@mail.example", "tournament 1", to=personal(letters, "carol"))
    assert "Noughts" in text(letters.last("carol"))
    letters.execute("update tournament set closes = '2026-03-05 00:00:00.000000'")
    letters.wait(days=30)
    assert letters.execute("select started, ended from tournament") == [(None, None)]
    assert letters.execute("select doing from setback") == []
    noughts.install(PACK)
    letters.wait(days=1)
    assert letters.execute("select count(*) from match") == [(3,)]


def test_a_players_data_has_the_record_and_can_be_deleted(
    letters: Correspondence, noughts: Offered, tmp_path: Path
) -> None:
    begun(letters, "b2")
    noughts.remove()
    letters.wait(minutes=1)
    done = letters.operate("player", "export", "alice", "--folder", str(tmp_path / "data"))
    assert done.exit_code == 0, done.output
    told = json.loads((tmp_path / "data" / "alice.json").read_text())
    assert "1. alice: b2" in json.dumps(told)
    (question,) = letters.write("alice@mail.example", "delete me", to=personal(letters))
    letters.reply(question, "yes")
    letters.wait(days=1)
    assert stored(letters).termination == "left"
    assert "has left this server" in said(letters.last("bob"))


def test_ratings_go_on_without_the_rules(letters: Correspondence, noughts: Offered) -> None:
    over(letters)
    noughts.remove()
    letters.wait(days=10)
    assert letters.execute("select count(*) from playerrating where game = 'noughts'") == [(2,)]
    with read_only(letters.server.engine) as session:
        assert list(derivation.faults(session, "noughts")) == []
    assert "2 ratings" in letters.operate("ratings", "rebuild").stdout


def test_the_site_shows_the_record_as_text(letters: Correspondence, noughts: Offered, tmp_path: Path) -> None:
    over(letters)
    for name in ("alice", "bob"):
        letters.write(f"{name}@mail.example", "set public on", to=personal(letters, name))
    site, folder = Site("PBeM", "games@pbem.example", Signer(bytes(32))), tmp_path / "site"
    publication.publish(letters.server.engine, site, folder, letters.clock())
    (page,) = folder.rglob("matches/*/1.html")
    assert "<svg" in page.read_text()
    noughts.remove()
    publication.publish(letters.server.engine, site, folder, letters.clock())
    assert "1. alice: b2" in page.read_text() or ": b2" in page.read_text()
    assert "no boards to see" in page.read_text()
    noughts.install(PACK)
    publication.publish(letters.server.engine, site, folder, letters.clock())
    assert "<svg" in page.read_text()


def test_the_operator_is_told_what_to_install(letters: Correspondence, noughts: Offered) -> None:
    begun(letters, "b2")
    noughts.remove()
    letters.wait(minutes=1)
    install = "the game noughts isn't installed: install its package, such as pbem-noughts"
    checked = letters.operate("check")
    assert checked.exit_code == 1
    assert f"match #1: {install}" in checked.stdout
    assert install in " ".join(letters.operate("doctor").stdout.split())
    assert "matches of noughts have stopped (1)" in " ".join(letters.operate("status").stdout.split())
    shown = letters.operate("match", "show", "1")
    assert install in shown.stdout
    assert "b2" in shown.stdout


def test_a_match_of_it_is_salvaged_only_once_it_is_there(
    letters: Correspondence, noughts: Offered, tmp_path: Path
) -> None:
    begun(letters, "b2")
    mail = tmp_path / "mail.eml"
    mail.write_bytes(letters.last("bob").as_bytes())
    noughts.remove()
    for table in ("ply", "clockevent"):
        letters.execute(f"delete from {table}")
    letters.execute("update match set plies = 0, to_move = 0")
    refused = letters.operate("match", "salvage", str(mail))
    assert refused.exit_code == 1
    assert "there is no game noughts" in " ".join(refused.output.split())
    noughts.install(PACK)
    assert letters.operate("match", "salvage", str(mail)).exit_code == 0
    assert stored(letters).plies == 1


def test_status_tells_programs_which_games_wait(letters: Correspondence, noughts: Offered) -> None:
    begun(letters)
    noughts.remove()
    letters.wait(minutes=1)
    Reporter(letters.server.vitals, letters.clock()).tell(letters.server.engine, letters.clock())
    told = json.loads(letters.operate("status", "--json").stdout)
    assert told["stopped"] == {"noughts": 1}
    assert ["kvadratik", 1] in told["servers"][0]["state"]["games"]


def test_it_goes_on_only_when_all_servers_have_it(letters: Correspondence, noughts: Offered) -> None:
    begun(letters)
    noughts.remove()
    letters.wait(minutes=1)
    Reporter(letters.server.vitals, letters.clock()).tell(letters.server.engine, letters.clock())
    noughts.install(PACK)
    assert letters.wait(minutes=2) == []
    assert stored(letters).missing is not None
    letters.execute("delete from daemon")  # that one has ended
    letters.wait(minutes=1)
    assert stored(letters).missing is None


def test_spectators_and_digests_go_on(letters: Correspondence, noughts: Offered) -> None:
    begun(letters, "b2")
    letters.join("carol")
    letters.write("alice@mail.example", "set watchers live", to=personal(letters))
    letters.write("bob@mail.example", "set watchers live\nset digest daily", to=personal(letters, "bob"))
    letters.write("carol@mail.example", "watch 1", to=personal(letters, "carol"))
    noughts.remove()
    letters.wait(minutes=1)
    letters.write("alice@mail.example", "say #1 Hello", to=personal(letters))
    letters.wait(days=2)
    told = [said(mail) for mail in letters.received["bob@mail.example"]]
    assert any(MISSING in each for each in told)
    assert letters.execute("select doing from setback") == []
    assert letters.execute("select count(*) from outgoing where state in ('owed', 'failed', 'batched')") == [(0,)]
