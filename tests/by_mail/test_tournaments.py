"""Tournaments, ladders and leagues by mail: entering, playing, climbing, hosting and what their end says."""

import pytest

from tests.correspondence import Correspondence, said, text
from tests.scenes import after
from tests.tournaments import scenes
from tests.tournaments.scenes import THREE, resign, rungs, running, told

ROUND_ROBIN = "round-robin kvadratik time=3d/move places=3 called Little Cup"


@pytest.mark.slow
@after(scenes.opened, ROUND_ROBIN, *THREE)
def test_all_matches_of_a_round_robin_begin_when_the_last_place_is_taken(letters: Correspondence) -> None:
    assert "Yours was the last place" not in told(letters, "alice", "enter 1")
    letters.say("bob", "enter 1")
    assert running(letters) == []

    sent = letters.say("carol", "enter 1")

    assert len(running(letters)) == 3
    news = {str(mail["To"]): text(mail) for mail in sent if mail["X-PBeM-Event"] != "answer"}
    assert set(news) == {f"{name}@mail.example" for name in THREE}
    assert all(words.count("of 3: Little Cup") == 2 for words in news.values())
    assert any("Yours was the last place" in text(mail) for mail in letters.received["carol@mail.example"])


@after(scenes.opened, ROUND_ROBIN, *THREE)
def test_who_withdraws_before_the_beginning_gives_up_their_place(letters: Correspondence) -> None:
    letters.say("alice", "enter 1")
    letters.say("bob", "enter 1")

    assert "You have withdrawn" in told(letters, "bob", "withdraw from tournament 1")
    assert "You aren't in tournament 1" in told(letters, "bob", "retire 1")
    letters.say("carol", "enter 1")
    assert running(letters) == []


@pytest.mark.slow
@pytest.mark.parametrize("line", ["enter 1", "retire 1", "host knock-out kvadratik time=3d/move"])
@after(scenes.opened, ROUND_ROBIN, *THREE)
def test_what_is_written_in_somebody_s_name_is_asked_about(letters: Correspondence, line: str) -> None:
    letters.operate("player", "trust", "alice")
    letters.say("bob", "enter 1")
    counts = "select count(*), (select count(*) from tournament) from entry"
    before = letters.rows(counts)

    letters.write("bob@mail.example" if line == "retire 1" else "alice@mail.example", line)

    assert letters.rows(counts) == before


@pytest.mark.slow
@after(scenes.opened, ROUND_ROBIN, *THREE)
def test_only_a_trusted_player_opens_tournaments(letters: Correspondence) -> None:
    words = "host round robin kvadratik time=3d/move rated called Alice's Cup"
    assert "opened by the operator" in told(letters, "alice", words)

    letters.operate("player", "trust", "alice")
    assert "Tournament 2 is open: Alice's Cup" in told(letters, "alice", words)
    assert "* Tournament 2 Alice's Cup round-robin, Kvadratik" in told(letters, "bob", "tournaments")
    letters.operate("player", "trust", "alice", "--end")
    assert "opened by the operator" in told(letters, "alice", words)


@pytest.mark.slow
@after(scenes.ladder)
def test_a_challenge_begins_a_match_and_its_winner_takes_the_rung(letters: Correspondence) -> None:
    sent = {str(mail["To"]): said(mail) for mail in letters.say("dave", "climb 1 bob")}

    assert "You challenge from rung 4. If you win, rung 2 is yours." in sent["dave@mail.example"]
    assert "You're challenged for rung 2, which is yours, from rung 4." in sent["bob@mail.example"]

    news = [mail for mail in resign(letters, "bob", 1) if mail["X-PBeM-Event"] == "rung"]

    assert rungs(letters) == ["alice", "dave", "bob", "carol"]
    assert {str(mail["To"]): str(mail["Subject"]) for mail in news} == {
        "dave@mail.example": "[pbem] Long Ladder: rung 2",
        "bob@mail.example": "[pbem] Long Ladder: rung 3",
    }
