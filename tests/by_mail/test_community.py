"""Seeks, players and blocks by mail: who may take what, with what proof, and what nobody learns."""

from tests import scenes
from tests.correspondence import Correspondence, links, said, text


def seeking(letters: Correspondence) -> None:
    """Let alice and bob join; alice seeks a match, and is listed."""
    scenes.two_players(letters)
    letters.say("alice", "seek quadrature time=14d+1d\nset listed on")


pytestmark = scenes.after(seeking)


def test_a_newcomer_takes_a_seek_by_one_link_of_the_welcome(letters: Correspondence) -> None:
    letters.join("dave")
    address = links(letters.last("dave"))["take 1"]

    letters.write("dave@mail.example", "take 1", to=address)

    seats = letters.rows(
        "select one.name, other.name, state, time from match"
        " join player one on one.id = seat0 join player other on other.id = seat1"
    )
    assert [{*row} for row in seats] == [{"alice", "dave", "running", "14d+1d"}]
    assert "dave has taken your seek 1." in text(letters.last("alice"))


def test_a_list_is_taken_by_a_link_and_one_s_own_is_closed_by_one(letters: Correspondence) -> None:
    (hers,), (his,) = letters.say("alice", "seeks"), letters.say("bob", "seeks\nwho")

    assert "take 1" in links(his)
    assert "unseek 1" in links(hers)
    assert "alice" in text(his)
    assert "@mail.example" not in text(his)


def test_a_blocked_player_sees_and_challenges_nobody(letters: Correspondence) -> None:
    letters.say("alice", "block bob")

    (answer,) = letters.say("bob", "seeks\nwhois alice\nchallenge alice kvadratik")

    assert "Quadrature" not in text(answer)
    assert "block" not in text(answer)
    assert letters.execute("select * from match") == []


def test_a_stranger_learns_of_nobody(letters: Correspondence) -> None:
    for number, lines in enumerate(("seeks\nwho", "whois alice", "history alice", "take 1")):
        stranger = f"mallory{number}@mail.example"
        for mail in letters.write(stranger, lines):
            assert mail["To"] == stranger
            assert "alice" not in text(mail).replace(lines, "")


def test_who_leaves_is_in_no_list_any_more(letters: Correspondence) -> None:
    letters.say("alice", "block bob")
    letters.reply(letters.say("alice", "delete me")[-1], "yes")

    (answer,) = letters.say("bob", "seeks\nwho\nwhois deleted-1")

    assert "alice" not in text(answer)
    assert "No player is called deleted-1" in said(answer)
    for rest in ("block", "presence where player = 1", "seek where closed is null"):
        assert letters.rows(f"select count(*) from {rest}") == [0]
